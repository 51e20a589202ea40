"""Draws whose knowledge is shown and how much it is."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.i18n.translate import has_text
from meetmind.ui.language import text
from meetmind.ui.open_passage import on_leave_passage
from meetmind.ui.roles import role_title
from meetmind.ui.session import KNOWLEDGE_ROLE, READING_AGAIN, current_services

if TYPE_CHECKING:
    from meetmind.server.knowledge_rows import DocumentSummary
    from meetmind.server.library import RoleKnowledge
    from meetmind.server.services import Services


def show_role_choice(overview: "Sequence[RoleKnowledge]") -> str:
    """The five roles with the number of their passages; the chosen one."""
    passages_by_role = {known.agent_name: known.passages for known in overview}

    def label(name: str) -> str:
        return f"{role_title(name)} :small[:gray[{passages_by_role.get(name, 0)}]]"

    if KNOWLEDGE_ROLE not in st.session_state:
        st.session_state[KNOWLEDGE_ROLE] = AGENT_NAMES[0]
    chosen = st.segmented_control(
        text("knowledge.role"),
        AGENT_NAMES,
        key=KNOWLEDGE_ROLE,
        required=True,
        format_func=label,
        label_visibility="collapsed",
        on_change=on_leave_passage,
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
    show_empty_role(role)


def show_empty_role(role: str) -> None:
    """That the role knows nothing yet, and what changes it."""
    if current_services().library.progress().state == "reading":
        st.info(text("knowledge.empty_reading"), icon=":material/hourglass_empty:")
        return
    st.info(text("knowledge.empty"), icon=":material/inbox:")
    st.caption(text("knowledge.empty_fill", folder=f"data/seed/{role}"))


def language_name(language: str) -> str:
    """The name of a language in the reader's words."""
    key = f"knowledge.language_{language}"
    return text(key) if has_text(key) else language


def document_names(documents: "Sequence[DocumentSummary]") -> dict[str, str]:
    """The title of every document by its source; with the file's name where titles are alike."""
    sources_by_title = Counter(document.title for document in documents)
    names: dict[str, str] = {}
    for document in documents:
        if not document.title:
            names[document.source] = document.source
        elif sources_by_title[document.title] > 1:
            names[document.source] = f"{document.title} · {document.source}"
        else:
            names[document.source] = document.title
    return names


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
