"""Draws the searches of past discussions: the list, and one with its numbers as they were."""

from datetime import datetime
from typing import TYPE_CHECKING

import streamlit as st

from meetmind.errors import NotFound
from meetmind.ui.language import date_time_text, known_text, text
from meetmind.ui.pages import DISCUSSION_PAGE
from meetmind.ui.roles import coloured_title
from meetmind.ui.safe_text import safe_label, shortened
from meetmind.ui.session import (
    DISCUSSION_PARAMETER,
    RERANK_AGAIN,
    RERANK_EXPANSION,
    RERANK_PAST,
    RERANK_QUERY,
    RERANK_ROLES,
    SEARCH_PARAMETER,
)
from meetmind.ui.show_rerank import search_now, show_side_by_side
from meetmind.ui.show_rerank_result import show_result
from meetmind.ui.show_rerank_why import show_why_not

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.searches import PastSearch
    from meetmind.server.services import Services

TITLE_WIDTH = 30
QUERY_WIDTH = 60


def show_past_choice(services: "Services", person: "Person", search_id: str | None) -> None:
    """The person's searches, the last one first; one that is chosen opens."""
    rows = services.searches.list_searches(person.id)
    if not rows:
        st.caption(text("rerank.past_none"))
        return
    label_by_id: dict[str, str] = {}
    for row in rows:
        label_by_id[row.id] = _label(row.searched_at, row.session_title, row.agent_name, row.query)
    st.session_state[RERANK_PAST] = search_id if search_id in label_by_id else None
    st.selectbox(
        text("rerank.past"),
        list(label_by_id),
        key=RERANK_PAST,
        placeholder=text("rerank.past_placeholder", count=len(rows)),
        format_func=lambda id_: label_by_id.get(id_, id_),
        on_change=on_open_past,
    )


def _label(searched_at: datetime, session_title: str, agent_name: str, query: str) -> str:
    parts = (
        date_time_text(searched_at),
        shortened(session_title, TITLE_WIDTH),
        known_text("role", agent_name),
        shortened(" ".join(query.split()), QUERY_WIDTH),
    )
    return " · ".join(parts)


def on_open_past() -> None:
    """Open the chosen search, or none."""
    search_id = st.session_state[RERANK_PAST]
    if search_id is None:
        on_close_past()
    else:
        st.query_params[SEARCH_PARAMETER] = search_id


def on_close_past() -> None:
    """Back to asking."""
    st.query_params.pop(SEARCH_PARAMETER, None)
    st.session_state.pop(RERANK_AGAIN, None)


def show_past_search(services: "Services", person: "Person", search_id: str) -> None:
    """A search with its numbers as they were; nothing is searched until somebody asks again."""
    try:
        past = services.searches.open_past(person.id, search_id)
    except NotFound:
        st.warning(text("rerank.past_not_found"), icon=":material/search_off:")
        st.button(
            text("rerank.past_close"),
            key="rerank_past_close",
            icon=":material/arrow_back:",
            on_click=on_close_past,
        )
        return
    _show_head(past)
    trace = past.trace
    if st.session_state.get(RERANK_AGAIN) != search_id:
        show_result(services, person, trace, "past", is_past=True)
        return
    settings = services.library.retrieval_settings()
    now = search_now(services, trace.agent_name, trace.query, settings, trace.expansion_terms)
    if now is None:
        show_result(services, person, trace, "past", is_past=True)
        return
    titles = (text("rerank.as_it_was"), text("rerank.in_force"))
    show_side_by_side(services, person, (trace, now), titles, is_first_past=True)
    show_why_not(services, person, now)


def _show_head(past: "PastSearch") -> None:
    trace = past.trace
    moment = date_time_text(past.searched_at)
    with st.container(border=True, key="rerank_past_head", gap="small"):
        badge = f":orange-badge[:material/history: {text('rerank.history', time=moment)}]"
        st.markdown(f"{badge} {coloured_title(trace.agent_name)}\n\n**{safe_label(trace.query)}**")
        if trace.expansion_terms:
            terms = text("unit.list_separator").join(trace.expansion_terms)
            st.caption(text("rerank.past_expansion", terms=safe_label(terms)))
        st.page_link(
            DISCUSSION_PAGE,
            label=text("rerank.past_discussion", title=safe_label(past.session_title)),
            icon=":material/forum:",
            query_params={DISCUSSION_PARAMETER: past.session_id},
        )
        with st.container(horizontal=True, gap="small"):
            st.button(
                text("rerank.ask_again"),
                key="rerank_ask_again",
                icon=":material/compare_arrows:",
                type="primary",
                on_click=on_ask_again,
                args=(past.id,),
            )
            st.button(
                text("rerank.work_on"),
                key="rerank_work_on",
                icon=":material/tune:",
                on_click=on_work_on,
                args=(trace.agent_name, trace.query, trace.expansion_terms),
            )
            st.button(
                text("rerank.past_close"),
                key="rerank_past_close",
                icon=":material/close:",
                on_click=on_close_past,
            )


def on_ask_again(search_id: str) -> None:
    """Search the same question now, beside the search as it was."""
    st.session_state[RERANK_AGAIN] = search_id


def on_work_on(agent_name: str, query: str, expansion_terms: tuple[str, ...]) -> None:
    """Put the question into the fields of the page."""
    on_close_past()
    st.session_state[RERANK_QUERY] = " ".join(query.split())
    st.session_state[RERANK_ROLES] = [agent_name]
    st.session_state[RERANK_EXPANSION] = ", ".join(expansion_terms)
