"""Draws what a search in a role's knowledge finds, with every score."""

from typing import TYPE_CHECKING

import streamlit as st

from meetmind.config.retrieval_settings import E5_KEY
from meetmind.errors import MeetMindError
from meetmind.events import PassageEvidence
from meetmind.ui.language import error_text, text
from meetmind.ui.open_passage import on_open_passage
from meetmind.ui.show_passages import degraded_text, mode_text, passage_text

if TYPE_CHECKING:
    from meetmind.server.services import Services

QUERY = "knowledge_query"


def show_search(services: "Services", role: str) -> None:
    """The question and what it finds."""
    query = st.text_input(
        text("knowledge.search_label"),
        key=QUERY,
        type="search",
        icon=":material/search:",
        placeholder=text("knowledge.search_placeholder"),
        persist_state="session",
    )
    st.caption(_languages_text(services))
    if not query or not query.strip():
        return
    try:
        found = services.library.search(role, query)
    except MeetMindError as error:
        st.error(error_text(error))
        return
    if found.degraded:
        st.caption(text("step.degraded", parts=degraded_text(found.degraded)))
    if not found.passages:
        st.info(text("knowledge.search_none"), icon=":material/search_off:")
        return
    if found.best_coverage == 0:
        st.caption(text("knowledge.search_by_meaning_only"))
    count = len(found.passages)
    took = text(
        "knowledge.search_took_one" if count == 1 else "knowledge.search_took",
        count=count,
        seconds=f"{found.seconds:.2f}",
        mode=mode_text(found.mode),
    )
    st.caption(took)
    for passage in found.passages:
        _show_found(passage)


def _languages_text(services: "Services") -> str:
    searched = [row.key for row in services.library.resources.models.rows if row.is_searched]
    if E5_KEY in searched:
        return text("knowledge.search_across")
    return text("knowledge.search_languages")


def _show_found(passage: PassageEvidence) -> None:
    with st.container(border=True, key=f"found_{passage.passage_id}", gap="xsmall"):
        st.markdown(passage_text(passage, passage.rank))
        st.button(
            text("knowledge.open"),
            key=f"open_found_{passage.passage_id}",
            type="tertiary",
            icon=":material/menu_book:",
            on_click=on_open_passage,
            args=(passage.agent_name, passage.passage_id),
        )
