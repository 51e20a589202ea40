"""Draws a question that is asked now: one result a role, or two settings side by side."""

from typing import TYPE_CHECKING

import streamlit as st

from meetmind.config.retrieval_settings import RetrievalSettings
from meetmind.errors import MeetMindError
from meetmind.search_trace import SearchTrace
from meetmind.ui.language import error_text, text
from meetmind.ui.roles import role_title
from meetmind.ui.search_view import moves_between
from meetmind.ui.show_rerank_moves import show_moves
from meetmind.ui.show_rerank_question import AskedQuestion
from meetmind.ui.show_rerank_result import show_result
from meetmind.ui.show_rerank_settings import show_put_in_force, show_tried_settings, with_weights_of
from meetmind.ui.show_rerank_why import show_why_not

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.services import Services

TABS = "rerank_tabs"


def show_asked(services: "Services", person: "Person", question: AskedQuestion) -> None:
    """The results; without a question, what to do."""
    in_force = services.library.retrieval_settings()
    tried = None
    if question.is_compared:
        in_force = with_weights_of(in_force, services.library.model_names())
        tried = show_tried_settings(in_force)
        show_put_in_force(services, person, in_force, tried)
    if not question.query:
        _show_empty()
        return
    if not question.roles:
        st.info(text("rerank.no_role"), icon=":material/groups:")
        return
    if len(question.roles) == 1:
        _show_role(services, person, question, question.roles[0], in_force=in_force, tried=tried)
        return
    titles = [role_title(role) for role in question.roles]
    tabs = st.tabs(titles, on_change="rerun", key=f"{TABS}_{'_'.join(question.roles)}")
    for role, tab in zip(question.roles, tabs, strict=True):
        if tab.open:
            with tab:
                _show_role(services, person, question, role, in_force=in_force, tried=tried)


def _show_empty() -> None:
    with st.container(border=True, key="rerank_empty", gap="xsmall"):
        st.markdown(f"**{text('rerank.empty_title')}**")
        st.markdown(text("rerank.empty_text"))


def _show_role(
    services: "Services",
    person: "Person",
    question: AskedQuestion,
    role: str,
    *,
    in_force: RetrievalSettings,
    tried: RetrievalSettings | None,
) -> None:
    trace = search_now(services, role, question.query, in_force, question.expansion_terms)
    if trace is None:
        return
    if tried is None:
        show_result(services, person, trace, "now")
    else:
        other = search_now(services, role, question.query, tried, question.expansion_terms)
        if other is None:
            return
        titles = (text("rerank.in_force"), text("rerank.tried"))
        show_side_by_side(services, person, (trace, other), titles)
    show_why_not(services, person, trace)


def search_now(
    services: "Services",
    role: str,
    query: str,
    settings: RetrievalSettings,
    expansion_terms: tuple[str, ...] = (),
) -> SearchTrace | None:
    """A search of a role's table; None, with a sentence on the page, when it cannot be searched."""
    try:
        traces = services.searches.try_search([role], query, settings, expansion_terms)
    except MeetMindError as error:
        st.error(error_text(error), icon=":material/error:")
        return None
    return traces[0]


def show_side_by_side(
    services: "Services",
    person: "Person",
    traces: tuple[SearchTrace, SearchTrace],
    titles: tuple[str, str],
    *,
    is_first_past: bool = False,
) -> None:
    """Two searches beside each other, under what moved from the first to the second."""
    show_moves(moves_between(*traces))
    columns = st.columns(2, gap="medium")
    for side, column, trace, title in zip(("left", "right"), columns, traces, titles, strict=True):
        with column:
            st.markdown(f"#### {title}", anchors=False)
            is_past = is_first_past and side == "left"
            show_result(services, person, trace, side, is_past=is_past)
