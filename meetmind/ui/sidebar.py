"""The sidebar: new discussion, the list of discussions, and who is signed in."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import streamlit as st

from meetmind.errors import MeetMindError
from meetmind.ui.fault import polling
from meetmind.ui.language import error_text, local_time, show_language_switch, text
from meetmind.ui.safe_text import safe_label
from meetmind.ui.session import (
    SIDEBAR_LIMIT,
    SIDEBAR_SEARCH,
    SIDEBAR_SIGNATURE,
    WANTS_DISCUSSION,
    current_discussion_id,
    current_person,
    current_services,
    leave_notice,
    open_discussion,
)
from meetmind.ui.show_ingestion import show_ingestion_in_sidebar
from meetmind.ui.sign_in import on_sign_out
from meetmind.ui.style import load_scripts, show_logo
from meetmind.ui.waiting_calls import has_waiting_changed

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.discussions import SessionSummary
    from meetmind.server.services import Services

SHOWN_AT_FIRST = 20
WATCH_SECONDS = 4.0
DOT_BY_STATE = {
    "empty": ":gray[○]",
    "running": ":blue[●]",
    "waiting": ":orange[●]",
    "paused": ":violet[●]",
    "cut_off": ":red[◐]",
    "done": ":green[●]",
    "stopped": ":gray[●]",
    "failed": ":red[●]",
}
RENAME_FIELD = "rename_field"


def show_sidebar(services: "Services", person: "Person") -> None:
    """Everything that stands beside every page."""
    show_logo()
    with st.sidebar:
        st.button(
            text("sidebar.new"),
            key="new_discussion",
            icon=":material/edit_square:",
            width="stretch",
            on_click=on_open,
            args=(None,),
        )
        _show_list(services, person)
        _watch_list()
        with st.container(key="sidebar_foot", gap="xsmall"):
            show_ingestion_in_sidebar()
            show_language_switch(person, "sidebar")
            with st.container(horizontal=True, vertical_alignment="center"):
                st.caption(text("sign_in.signed_in_as", name=safe_label(person.name)))
                st.space("stretch")
                st.button(
                    "",
                    key="sign_out",
                    icon=":material/logout:",
                    type="tertiary",
                    help=text("sign_in.sign_out"),
                    on_click=on_sign_out,
                )
    load_scripts(person.id)


def _show_list(services: "Services", person: "Person") -> None:
    search = st.text_input(
        text("sidebar.search"),
        key=SIDEBAR_SEARCH,
        type="search",
        icon=":material/search:",
        placeholder=text("sidebar.search"),
        label_visibility="collapsed",
        live=True,
        persist_state="session",
    )
    sessions = services.discussions.list_sessions(person.id, search or "")
    if not search:
        st.session_state[SIDEBAR_SIGNATURE] = _signature(sessions)
    if not sessions:
        st.caption(text("sidebar.none_found" if search else "sidebar.none_yet"))
        return
    _show_waiting_elsewhere(sessions)
    limit = st.session_state.get(SIDEBAR_LIMIT, SHOWN_AT_FIRST)
    with st.container(key="sidebar_list", gap=None):
        day_shown = ""
        for session in sessions[:limit]:
            day = _day_key(session.updated_at)
            if day != day_shown:
                st.caption(text(f"sidebar.{day}"))
                day_shown = day
            _show_row(session)
    if len(sessions) > limit:
        st.button(text("sidebar.more"), key="sidebar_more", type="tertiary", on_click=on_more)


def _show_waiting_elsewhere(sessions: "Sequence[SessionSummary]") -> None:
    open_id = current_discussion_id()
    waiting = [s for s in sessions if s.state == "waiting" and s.id != open_id]
    if len(waiting) == 1:
        st.caption(f":orange[{text('sidebar.waiting_elsewhere_one')}]")
    elif waiting:
        st.caption(f":orange[{text('sidebar.waiting_elsewhere', count=len(waiting))}]")


def _show_row(session: "SessionSummary") -> None:
    title = safe_label(session.title)
    is_open = session.id == current_discussion_id()
    name = "open" if is_open else "row"
    with st.container(
        key=f"session_{name}_{session.id}",
        horizontal=True,
        wrap=False,
        gap=None,
        vertical_alignment="center",
    ):
        st.button(
            f"{DOT_BY_STATE.get(session.state, '')} {title}",
            key=f"open_{session.id}",
            type="tertiary",
            width="stretch",
            help=f"{title} · {text(f'state.{session.state}')}",
            on_click=on_open,
            args=(session.id,),
        )
        st.menu_button(
            "",
            ("rename", "delete"),
            key=f"menu_{session.id}",
            icon=":material/more_horiz:",
            type="tertiary",
            help=text("sidebar.menu", title=title),
            format_func=lambda action: text(f"sidebar.{action}"),
        )
    _show_asked_dialog(session)


def _show_asked_dialog(session: "SessionSummary") -> None:
    action = st.session_state.get(f"menu_{session.id}")
    if action == "rename":
        _rename_dialog(session)
    elif action == "delete":
        _delete_dialog(session)


def _rename_dialog(session: "SessionSummary") -> None:
    @st.dialog(text("sidebar.rename_title"))
    def ask() -> None:
        with st.form(f"rename_{session.id}", border=False):
            title = st.text_input(
                text("sidebar.rename_label"), value=session.title, max_chars=120, key=RENAME_FIELD
            )
            saved = st.form_submit_button(text("sidebar.save"), type="primary")
        if saved and title.strip():
            rename(session.id, title)
            st.rerun()

    ask()


def _delete_dialog(session: "SessionSummary") -> None:
    @st.dialog(text("sidebar.delete_title"))
    def ask() -> None:
        st.markdown(text("sidebar.delete_text", title=safe_label(session.title)))
        with st.container(horizontal=True, horizontal_alignment="right"):
            if st.button(text("sidebar.cancel"), key=f"keep_{session.id}"):
                st.rerun()
            if st.button(text("sidebar.delete_confirm"), key=f"drop_{session.id}", type="primary"):
                delete(session.id)
                st.rerun()

    ask()


def rename(session_id: str, title: str) -> None:
    """Give a discussion another title."""
    services = current_services()
    person = current_person(services)
    if person is None:
        return
    try:
        services.discussions.rename_session(person.id, session_id, title)
    except MeetMindError as error:
        leave_notice(error_text(error))


def delete(session_id: str) -> None:
    """Delete a discussion for good."""
    services = current_services()
    person = current_person(services)
    if person is None:
        return
    if session_id == current_discussion_id():
        open_discussion(None)
    try:
        services.discussions.delete_session(person.id, session_id)
    except MeetMindError as error:
        leave_notice(error_text(error))


def on_open(session_id: str | None) -> None:
    """Open a discussion, or an empty page for a new one."""
    open_discussion(session_id)
    st.session_state[WANTS_DISCUSSION] = True


def on_more() -> None:
    """Show more of a long list."""
    st.session_state[SIDEBAR_LIMIT] = st.session_state.get(SIDEBAR_LIMIT, SHOWN_AT_FIRST) * 3


@st.fragment(run_every=WATCH_SECONDS)
@polling
def _watch_list() -> None:
    """Draw the page again when a discussion has changed its state or another call waits."""
    services = current_services()
    person = current_person(services)
    if person is None:
        st.rerun()
    known = st.session_state.get(SIDEBAR_SIGNATURE)
    signature = _signature(services.discussions.list_sessions(person.id))
    if known is not None and known != signature:
        st.session_state[SIDEBAR_SIGNATURE] = signature
        st.rerun()
    if has_waiting_changed(services, person):
        st.rerun()


def _signature(sessions: "Sequence[SessionSummary]") -> tuple[tuple[str, str, str], ...]:
    return tuple((session.id, session.title, session.state) for session in sessions)


def _day_key(moment: datetime) -> str:
    today = local_time(datetime.now(UTC)).date()
    day = local_time(moment).date()
    if day >= today:
        return "today"
    if day == today - timedelta(days=1):
        return "yesterday"
    return "earlier"
