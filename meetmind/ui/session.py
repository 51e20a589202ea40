"""Every key of the session state, and what can be read from it.

The session is a cache and a memory of the tab: what must last stands in the database.
"""

from typing import TYPE_CHECKING, Any

import streamlit as st

from meetmind.ui.process import process_services

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.services import Services
    from meetmind.ui.edited_call import EditedCall
    from meetmind.ui.run_view import RunView

COOKIE_NAME = "meetmind_session"
LANGUAGE_COOKIE = "meetmind_language"
DISCUSSION_PARAMETER = "d"
SEARCH_PARAMETER = "search"
ROLE_PARAMETER = "role"
PASSAGE_PARAMETER = "passage"

APPROVAL_ARGUMENT = "argument"
APPROVAL_EDITS = "approval_edits"
APPROVAL_REASON = "reason"
APPROVALS_ANNOUNCED = "approvals_announced"
APPROVALS_DISCUSSION = "approvals_discussion"
APPROVALS_OUTCOME = "approvals_outcome"
APPROVALS_PAGE = "approvals_page"
APPROVALS_TABS = "approvals_tabs"
APPROVALS_TOOL = "approvals_tool"
APPROVALS_WAITING = "approvals_waiting"
BUDGET = "budget"
CAME_THROUGH_APP = "came_through_app"
CONTINUE_BRIEF = "continue_brief"
DISCUSSION_ID = "discussion_id"
LANGUAGE = "language"
KNOWLEDGE_AWAITED = "knowledge_awaited"
KNOWLEDGE_DOCUMENT = "knowledge_document"
KNOWLEDGE_EDITED = "knowledge_edited"
KNOWLEDGE_MAP_PASSAGE = "knowledge_map_passage"
KNOWLEDGE_NOTICES = "knowledge_notices"
KNOWLEDGE_OPEN = "knowledge_open"
KNOWLEDGE_ROLE = "knowledge_role"
KNOWLEDGE_TABS = "knowledge_tabs"
KNOWLEDGE_UPLOAD_ROUND = "knowledge_upload_round"
KNOWLEDGE_UPLOADS = "knowledge_uploads"
KNOWLEDGE_WRITTEN = "knowledge_written"
MODE = "composer_mode"
MODELS_VIEW = "models_view"
NOTICE = "notice"
QUESTION_ANSWER = "question_answer"
QUESTION_CHOICE = "question_choice"
READING_AGAIN = "reading_again"
REDIRECT = "redirect"
RERANK_AGAIN = "rerank_again"
RERANK_COMPARE = "rerank_compare"
RERANK_EXPANSION = "rerank_expansion"
RERANK_PAST = "rerank_past"
RERANK_QUERY = "rerank_query"
RERANK_ROLES = "rerank_roles"
RERANK_SCORES = "rerank_scores"
RERANK_SCORING = "rerank_scoring"
RUN_VIEWS = "run_views"
SIDEBAR_SEARCH = "sidebar_search"
SIDEBAR_LIMIT = "sidebar_limit"
SIDEBAR_SIGNATURE = "sidebar_signature"
TARGET = "composer_target"
WANTS_DISCUSSION = "wants_discussion"
WRITTEN_PARAMETER = "written_parameter"
TAB_TOKEN = "tab_token"  # noqa: S105 - the name of a key


def current_services() -> "Services":
    """The open services; stops the page when they are not open."""
    services = process_services.current
    if services is None:
        st.stop()
    return services


def current_token() -> str | None:
    """The token that this tab is signed in with: its own, or the browser's cookie."""
    token = st.session_state.get(TAB_TOKEN)
    if token is not None:
        return str(token)
    cookie = st.context.cookies.get(COOKIE_NAME)
    return cookie if isinstance(cookie, str) else None


def current_person(services: "Services") -> "Person | None":
    """Who is signed in, asked of the database each time, so that a revoked sign-in ends at once."""
    token = current_token()
    if token is None:
        return None
    return services.accounts.person_for_token(token)


def current_discussion_id() -> str | None:
    """The discussion that is open in this tab."""
    discussion_id = st.session_state.get(DISCUSSION_ID)
    return None if discussion_id is None else str(discussion_id)


def current_place() -> "tuple[Services, str, str] | None":
    """The services, who is signed in and which discussion is open; None where one is missing."""
    services = current_services()
    person = current_person(services)
    session_id = current_discussion_id()
    if person is None or session_id is None:
        return None
    return services, person.id, session_id


def open_discussion(discussion_id: str | None) -> None:
    """Open a discussion (None: a new one) and forget what was drawn of another."""
    if discussion_id != current_discussion_id():
        st.session_state[RUN_VIEWS] = {}
    st.session_state[DISCUSSION_ID] = discussion_id


def current_run_views() -> "dict[str, RunView]":
    """The views of the open discussion's runs, by run; rebuilt from the log when it is empty."""
    views: dict[str, RunView] = st.session_state.setdefault(RUN_VIEWS, {})
    return views


def current_edited_call(key: str) -> "EditedCall | None":
    """The arguments that a person changes on the card of this key; None when they do not."""
    edits: dict[str, EditedCall] = st.session_state.setdefault(APPROVAL_EDITS, {})
    return edits.get(key)


def set_edited_call(key: str, edited: "EditedCall | None") -> None:
    """Keep how far the change of a card's arguments has come; None ends it."""
    edits: dict[str, EditedCall] = st.session_state.setdefault(APPROVAL_EDITS, {})
    if edited is None:
        edits.pop(key, None)
    else:
        edits[key] = edited


def leave_notice(text: str, kind: str = "error") -> None:
    """Keep a sentence for the next drawing of the page."""
    st.session_state[NOTICE] = (kind, text)


def take_notice() -> tuple[str, str] | None:
    """The sentence that was left, once."""
    notice: tuple[str, str] | None = st.session_state.pop(NOTICE, None)
    return notice


def widget_value(key: str) -> Any:
    """What a widget of this key holds; None when it was never drawn."""
    return st.session_state.get(key)
