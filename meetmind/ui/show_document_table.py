"""Draws the documents of a role as a table; a chosen one opens below it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from meetmind.ui.document_report import document_report
from meetmind.ui.language import date_time_text, known_text, text
from meetmind.ui.session import KNOWLEDGE_DOCUMENT
from meetmind.ui.show_document import show_document
from meetmind.ui.show_files import size_text
from meetmind.ui.show_knowledge import language_name, show_empty_role

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.knowledge_rows import DocumentSummary
    from meetmind.server.services import Services

WORDS = "knowledge_document_words"
STATUS = "knowledge_document_status"
SORT = "knowledge_document_sort"
PAGE = "knowledge_document_page"
DOCUMENTS_A_PAGE = 50
STATUSES = ("read", "failed", "deleted")
SORTS = ("name", "newest", "largest", "passages")


@dataclass(frozen=True, kw_only=True)
class DocumentWish:
    """Which documents are wanted, and in what order."""

    words: str = ""
    status: str | None = None
    sort_by: str = "name"


def show_documents(services: "Services", person: "Person", role: str) -> None:
    """The table with its filters, and the chosen document."""
    documents = services.library.list_documents(role)
    if not documents:
        show_empty_role(role)
        return
    st.caption(_summary(documents))
    wish = _show_filters()
    wanted = wanted_documents(documents, wish)
    if not wanted:
        st.info(text("knowledge.documents_none"), icon=":material/search_off:")
    else:
        _show_table(role, wanted, wish)
    chosen = st.session_state.get(KNOWLEDGE_DOCUMENT)
    for document in documents:
        if chosen == (role, document.source):
            show_document(services, person, role, document)
            return
    st.caption(text("knowledge.choose_document"))


def wanted_documents(
    documents: "Sequence[DocumentSummary]", wish: DocumentWish
) -> "list[DocumentSummary]":
    """The documents that fit the wish, in its order."""
    words = wish.words.strip().lower()
    wanted: list[DocumentSummary] = []
    for document in documents:
        has_words = words in document.title.lower() or words in document.source.lower()
        has_status = wish.status is None or document.status == wish.status
        if has_words and has_status:
            wanted.append(document)
    if wish.sort_by == "newest":
        wanted.sort(key=lambda document: document.ingested_at, reverse=True)
    elif wish.sort_by == "largest":
        wanted.sort(key=lambda document: document.bytes, reverse=True)
    elif wish.sort_by == "passages":
        wanted.sort(key=lambda document: document.passages, reverse=True)
    return wanted


def _summary(documents: "Sequence[DocumentSummary]") -> str:
    failed = [document for document in documents if document.status == "failed"]
    parts = [
        text("knowledge.summary_documents", count=len(documents)),
        size_text(sum(document.bytes for document in documents)),
    ]
    left_out = sum(document.left_out for document in documents)
    if left_out:
        parts.append(text("knowledge.summary_left_out", count=left_out))
    if failed:
        parts.append(f":orange[{text('knowledge.summary_failed', count=len(failed))}]")
    return " · ".join(parts)


def _show_filters() -> DocumentWish:
    words_column, status_column, sort_column = st.columns([0.5, 0.25, 0.25], gap="small")
    with words_column:
        words = st.text_input(
            text("knowledge.filter_documents"),
            key=WORDS,
            type="search",
            icon=":material/search:",
            placeholder=text("knowledge.filter_hint"),
            live=True,
            persist_state="session",
        )
    with status_column:
        status = st.selectbox(
            text("knowledge.col_status"),
            [None, *STATUSES],
            key=STATUS,
            format_func=_status_name,
            persist_state="session",
        )
    with sort_column:
        sort_by = st.selectbox(
            text("knowledge.sort"),
            SORTS,
            key=SORT,
            format_func=lambda name: text(f"knowledge.documents_by_{name}"),
            persist_state="session",
        )
    return DocumentWish(words=words or "", status=status, sort_by=sort_by or SORTS[0])


def _status_name(status: str | None) -> str:
    return text("knowledge.all") if status is None else known_text("document_status", status)


def _show_table(role: str, wanted: "Sequence[DocumentSummary]", wish: DocumentWish) -> None:
    pages = -(-len(wanted) // DOCUMENTS_A_PAGE)
    page = 1
    if pages > 1:
        page = st.pagination(pages, key=f"{PAGE}_{role}_{pages}", persist_state="session")
    shown = wanted[(page - 1) * DOCUMENTS_A_PAGE : page * DOCUMENTS_A_PAGE]
    columns: dict[str, list[str | int]] = {}
    for document in shown:
        for name, value in _cells(document).items():
            columns.setdefault(text(f"knowledge.col_{name}"), []).append(value)
    key = f"documents_{role}_{page}_{wish.sort_by}_{wish.status}_{wish.words}"
    sources = tuple(document.source for document in shown)
    st.dataframe(
        columns,
        key=key,
        hide_index=True,
        width="stretch",
        on_select=partial(on_choose_document, key, role, sources),
        selection_mode="single-row",
        alt=text("knowledge.table_alt"),
    )


def _cells(document: "DocumentSummary") -> dict[str, str | int]:
    return {
        "title": document.title or document.source,
        "source": document.source,
        "type": known_text("document_type", document.doc_type),
        "language": language_name(document.language),
        "passages": document.passages,
        "left_out": document.left_out,
        "size": size_text(document.bytes),
        "status": known_text("document_status", document.status),
        "read_at": date_time_text(document.ingested_at),
        "report": document_report(document),
    }


def on_choose_document(key: str, role: str, sources: Sequence[str]) -> None:
    """Open the document of the chosen row below the table; none when the row is let go."""
    rows = st.session_state[key].selection.rows
    chosen = (role, sources[rows[0]]) if rows else None
    st.session_state[KNOWLEDGE_DOCUMENT] = chosen
