"""Draws a role's knowledge: numbers, search, documents and passages."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.errors import MeetMindError
from meetmind.ui.language import error_text, known_text, text
from meetmind.ui.roles import role_title
from meetmind.ui.safe_text import safe_label, safe_markdown
from meetmind.ui.session import READING_AGAIN, current_services
from meetmind.ui.show_passages import degraded_text, mode_text, passage_text

if TYPE_CHECKING:
    from meetmind.server.library import RoleKnowledge
    from meetmind.server.services import Services

ROLE = "knowledge_role"
QUERY = "knowledge_query"
DOCUMENT = "knowledge_document"
PAGE = "knowledge_page"
PASSAGES_A_PAGE = 10


def show_role_choice(overview: "Sequence[RoleKnowledge]") -> str:
    """The five roles with the number of their passages; the chosen one."""
    passages_by_role = {known.agent_name: known.passages for known in overview}

    def label(name: str) -> str:
        return f"{role_title(name)} :small[:gray[{passages_by_role.get(name, 0)}]]"

    chosen = st.segmented_control(
        text("knowledge.role"),
        AGENT_NAMES,
        key=ROLE,
        default=AGENT_NAMES[0],
        required=True,
        format_func=label,
        label_visibility="collapsed",
        persist_state="session",
    )
    return chosen or AGENT_NAMES[0]


def show_numbers(overview: "Sequence[RoleKnowledge]", role: str) -> None:
    """How much the role knows."""
    for known in overview:
        if known.agent_name == role and known.passages > 0:
            numbers = (
                ("documents", known.documents),
                ("passages", known.passages),
                ("chinese", known.chinese_passages),
                ("english", known.english_passages),
                ("characters", known.characters),
                ("embedded", known.embedded_passages),
            )
            with st.grid(6, min_column_width=130, gap="small"):
                for name, value in numbers:
                    st.metric(text(f"knowledge.{name}"), f"{value:,}", border=True)
            return
    st.info(text("knowledge.empty"), icon=":material/inbox:")
    st.caption(text("knowledge.empty_fill", folder=f"data/seed/{role}"))


def show_search(services: "Services", role: str) -> None:
    """What a search in the role's table finds, with every score."""
    query = st.text_input(
        text("knowledge.search_label"),
        key=QUERY,
        type="search",
        icon=":material/search:",
        placeholder=text("knowledge.search_placeholder"),
        persist_state="session",
    )
    st.caption(text("knowledge.search_languages"))
    if not query or not query.strip():
        return
    try:
        found = services.library.search(role, query)
    except MeetMindError as error:
        st.error(error_text(error))
        return
    if found.degraded:
        st.caption(text("step.degraded", parts=degraded_text(found.degraded)))
    passages = [passage for passage in found.passages if passage.coverage > 0]
    if not passages:
        st.info(text("knowledge.search_none"), icon=":material/search_off:")
        return
    took = text(
        "knowledge.search_took_one" if len(passages) == 1 else "knowledge.search_took",
        count=len(passages),
        seconds=f"{found.seconds:.2f}",
        mode=mode_text(found.mode),
    )
    st.caption(took)
    for passage in passages:
        with st.container(border=True, key=f"found_{passage.passage_id}"):
            st.markdown(passage_text(passage, passage.rank))


def show_documents(services: "Services", role: str) -> None:
    """The role's documents as a table."""
    documents = services.library.list_documents(role)
    if not documents:
        st.info(text("knowledge.empty"), icon=":material/inbox:")
        return
    columns = ("title", "source", "type", "language", "passages", "characters", "status", "report")
    rows: list[dict[str, str | int]] = []
    for document in documents:
        rows.append(
            {
                "title": document.title,
                "source": document.source,
                "type": known_text("document_type", document.doc_type),
                "language": _language_name(document.language),
                "passages": document.passages,
                "characters": document.characters,
                "status": known_text("document_status", document.status),
                "report": document.report,
            }
        )
    table = {text(f"knowledge.col_{name}"): [row[name] for row in rows] for name in columns}
    st.dataframe(table, hide_index=True, width="stretch", alt=text("knowledge.table_alt"))


def _language_name(language: str) -> str:
    if language in ("zh", "en"):
        return text(f"knowledge.language_{language}")
    return language


def show_passage_list(services: "Services", role: str) -> None:
    """The role's passages, a page at a time, of all documents or of one."""
    documents = services.library.list_documents(role)
    if not documents:
        st.info(text("knowledge.empty"), icon=":material/inbox:")
        return
    title_by_source = {document.source: document.title for document in documents}
    passages_by_source = {document.source: document.passages for document in documents}
    source = st.selectbox(
        text("knowledge.document"),
        [None, *title_by_source],
        key=f"{DOCUMENT}_{role}",
        format_func=lambda value: (
            text("knowledge.all_documents") if value is None else title_by_source[value]
        ),
    )
    total = sum(passages_by_source.values()) if source is None else passages_by_source[source]
    pages = max(1, -(-total // PASSAGES_A_PAGE))
    page = st.pagination(pages, key=f"{PAGE}_{role}_{source}") if pages > 1 else 1
    offset = ((page or 1) - 1) * PASSAGES_A_PAGE
    for passage in services.library.list_passages(role, source, offset, PASSAGES_A_PAGE):
        place = " · ".join(part for part in (passage.source, passage.locator) if part)
        with st.container(border=True, key=f"passage_{passage.id}"):
            _show_passage(passage.title, place, passage.content)


def _show_passage(title: str, place: str, content: str) -> None:
    words = safe_markdown(content, keep_lines=True)
    st.markdown(f"**{safe_label(title)}**\n\n:small[:gray[{safe_label(place)}]]\n\n{words}")


def show_read_again(services: "Services") -> None:
    """Reads whatever lies in the folders now."""
    st.button(
        text("knowledge.read_again"),
        key="read_again",
        icon=":material/sync:",
        on_click=on_read_again,
    )


def on_read_again() -> None:
    """Begin to read in the background."""
    current_services().library.start_ingestion()
    st.session_state[READING_AGAIN] = True


def show_reading_finished(services: "Services", overview: "Sequence[RoleKnowledge]") -> None:
    """Once, after reading again: that it is finished, and what is there now."""
    if not st.session_state.pop(READING_AGAIN, False):
        return
    read = text(
        "knowledge.reading_finished",
        documents=sum(known.documents for known in overview),
        passages=sum(known.passages for known in overview),
    )
    if services.library.progress().failures:
        st.warning(read, icon=":material/warning:")
    else:
        st.success(read, icon=":material/check_circle:")
