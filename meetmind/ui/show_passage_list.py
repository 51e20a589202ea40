"""Draws a role's passages as a list: filtered, sorted and in pages, all of it by the database."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from meetmind.ui.language import text
from meetmind.ui.open_passage import on_open_passage
from meetmind.ui.safe_text import safe_label, safe_markdown, shortened
from meetmind.ui.show_knowledge import document_names, show_empty_role

if TYPE_CHECKING:
    from meetmind.server.knowledge_rows import PassageRow, SortBy
    from meetmind.server.services import Services

WORDS = "knowledge_passage_words"
SOURCE = "knowledge_passage_source"
LANGUAGE = "knowledge_passage_language"
KIND = "knowledge_passage_kind"
SORT = "knowledge_passage_sort"
PAGE = "knowledge_page"
PASSAGES_A_PAGE = 10
EXCERPT_WIDTH = 420
LANGUAGES = ("zh", "en")
KINDS = ("disabled", "edited")
SORTS: "tuple[SortBy, ...]" = ("document", "title", "newest", "longest")


@dataclass(frozen=True, kw_only=True)
class PassageWish:
    """Which passages are wanted, and in what order."""

    words: str = ""
    source: str | None = None
    language: str | None = None
    kind: str | None = None
    sort_by: "SortBy" = "document"

    @property
    def name(self) -> str:
        """Differs for different wishes: each has pages of its own."""
        parts = (self.source, self.language, self.kind, self.sort_by, self.words)
        return "_".join(part or "" for part in parts)


def show_passage_list(services: "Services", role: str) -> None:
    """The role's passages with their filters."""
    documents = services.library.list_documents(role)
    if not documents:
        show_empty_role(role)
        return
    with_passages = [document for document in documents if document.passages]
    wish = _show_filters(role, document_names(with_passages))
    _show_wanted(services, role, wish, place="all")


def show_passages_of(services: "Services", role: str, source: str) -> None:
    """The passages of one document, in the order of its text."""
    _show_wanted(services, role, PassageWish(source=source), place="document")


def passage_head(passage: "PassageRow") -> str:
    """Title, marks and place of a passage, as Markdown."""
    marks = []
    if passage.is_disabled:
        marks.append(f" :orange-badge[{text('knowledge.is_disabled')}]")
    if passage.is_edited:
        marks.append(f" :violet-badge[{text('knowledge.is_edited')}]")
    if passage.other_sources:
        shared = text("knowledge.shared", count=passage.other_sources)
        marks.append(f" :gray-badge[{shared}]")
    place = " · ".join(part for part in (passage.source, passage.locator) if part)
    head = f"**{safe_label(passage.title)}**{''.join(marks)}"
    return f"{head}\n\n:small[:gray[{safe_label(place)}]]"


def _show_filters(role: str, name_by_source: dict[str, str]) -> PassageWish:
    words = st.text_input(
        text("knowledge.filter_passages"),
        key=WORDS,
        type="search",
        icon=":material/search:",
        placeholder=text("knowledge.filter_hint"),
        live=True,
        persist_state="session",
    )
    columns = st.columns([0.4, 0.2, 0.2, 0.2], gap="small")
    with columns[0]:
        source = st.selectbox(
            text("knowledge.document"),
            [None, *name_by_source],
            key=f"{SOURCE}_{role}",
            format_func=lambda name: name_by_source.get(name, text("knowledge.all_documents")),
            persist_state="session",
        )
    with columns[1]:
        language = _show_choice("col_language", LANGUAGE, LANGUAGES, "language")
    with columns[2]:
        kind = _show_choice("kind", KIND, KINDS, "kind")
    with columns[3]:
        sort_by = st.selectbox(
            text("knowledge.sort"),
            SORTS,
            key=SORT,
            format_func=lambda name: text(f"knowledge.passages_by_{name}"),
            persist_state="session",
        )
    return PassageWish(
        words=words or "",
        source=source,
        language=language,
        kind=kind,
        sort_by=sort_by or SORTS[0],
    )


def _show_choice(label: str, key: str, names: tuple[str, ...], section: str) -> str | None:
    chosen: str | None = st.selectbox(
        text(f"knowledge.{label}"),
        [None, *names],
        key=key,
        format_func=lambda name: (
            text("knowledge.all") if name is None else text(f"knowledge.{section}_{name}")
        ),
        persist_state="session",
    )
    return chosen


def _show_wanted(services: "Services", role: str, wish: PassageWish, *, place: str) -> None:
    key = f"{PAGE}_{place}_{role}_{wish.name}"
    page = int(st.session_state.get(key) or 1)
    found = services.knowledge.find_passages(
        role,
        source=wish.source,
        language=wish.language,
        words=wish.words,
        only_disabled=wish.kind == "disabled",
        only_edited=wish.kind == "edited",
        sort_by=wish.sort_by,
        offset=(page - 1) * PASSAGES_A_PAGE,
        limit=PASSAGES_A_PAGE,
    )
    if found.total == 0:
        st.info(text("knowledge.passages_none"), icon=":material/search_off:")
        return
    pages = -(-found.total // PASSAGES_A_PAGE)
    if page > pages:
        # The last page is gone with its last passage.
        st.session_state[key] = pages
        st.rerun()
    st.caption(_count_text(found.total, page))
    for passage in found.passages:
        _show_row(role, passage, place)
    if pages > 1:
        st.pagination(pages, key=key, persist_state="session")


def _count_text(total: int, page: int) -> str:
    if total == 1:
        return text("knowledge.total_one")
    first = (page - 1) * PASSAGES_A_PAGE + 1
    last = min(total, page * PASSAGES_A_PAGE)
    return text("knowledge.total", first=first, last=last, total=f"{total:,}")


def _show_row(role: str, passage: "PassageRow", place: str) -> None:
    key = f"{place}_{passage.id}_{passage.position}_{passage.source}"
    excerpt = shortened(passage.content, EXCERPT_WIDTH)
    words = safe_markdown(excerpt, keep_lines=True)
    with st.container(border=True, key=f"passage_{key}", gap="xxsmall"):
        st.markdown(f"{passage_head(passage)}\n\n{words}")
        st.button(
            text("knowledge.open"),
            key=f"open_{key}",
            type="tertiary",
            icon=":material/menu_book:",
            on_click=on_open_passage,
            args=(role, passage.id),
        )
