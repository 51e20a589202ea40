"""Draws one document: its facts, its passages, and what an administrator may do with it."""

from typing import TYPE_CHECKING

import streamlit as st

from meetmind.ui.document_report import document_report
from meetmind.ui.knowledge_change import change_knowledge, leave_change_notice
from meetmind.ui.language import date_time_text, known_text, text
from meetmind.ui.safe_text import safe_label
from meetmind.ui.session import KNOWLEDGE_DOCUMENT
from meetmind.ui.show_files import size_text
from meetmind.ui.show_passage_list import show_passages_of

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.knowledge_editing import KnowledgeEditing
    from meetmind.server.knowledge_rows import DocumentSummary
    from meetmind.server.services import Services


def show_document(
    services: "Services", person: "Person", role: str, document: "DocumentSummary"
) -> None:
    """The chosen document below the table."""
    with st.container(border=True, key=f"document_{role}", gap="xsmall"):
        title = safe_label(document.title or document.source)
        st.markdown(f"**{title}**\n\n:small[:gray[{safe_label(document.source)}]]")
        st.caption(_facts(document))
        report = document_report(document)
        if report:
            st.caption(safe_label(report))
        if document.status == "failed":
            st.caption(text("knowledge.failed_help"))
        if person.is_admin:
            _show_actions(role, document)
    if document.passages:
        show_passages_of(services, role, document.source)


def _facts(document: "DocumentSummary") -> str:
    facts = [
        known_text("document_status", document.status),
        text(f"knowledge.origin_{document.origin}"),
        safe_label(known_text("document_type", document.doc_type)),
        text("knowledge.passages_count", count=document.passages),
        size_text(document.bytes),
        date_time_text(document.ingested_at),
    ]
    if document.left_out:
        facts.append(text("knowledge.summary_left_out", count=document.left_out))
    return " · ".join(fact for fact in facts if fact)


def _show_actions(role: str, document: "DocumentSummary") -> None:
    if document.status == "deleted":
        st.button(
            text("knowledge.restore"),
            key=f"restore_document_{role}_{document.source}",
            icon=":material/restore_from_trash:",
            on_click=on_restore_document,
            args=(role, document.source),
        )
        return
    with st.popover(text("knowledge.delete_document"), icon=":material/delete:"):
        st.markdown(text(f"knowledge.delete_document_{document.origin}"))
        st.button(
            text("knowledge.delete_confirm"),
            key=f"drop_document_{role}_{document.source}",
            type="primary",
            on_click=on_delete_document,
            args=(role, document.source),
        )


def on_delete_document(role: str, source: str) -> None:
    """Delete a document with its passages."""
    removed = change_knowledge(
        "documents",
        lambda knowledge, person: knowledge.delete_document(person, role, source),
    )
    if removed is None:
        return
    st.session_state[KNOWLEDGE_DOCUMENT] = None
    sentence = text("knowledge.document_deleted", name=safe_label(source), count=removed)
    leave_change_notice("documents", sentence)


def on_restore_document(role: str, source: str, place: str = "documents") -> None:
    """Have a deleted document read again; the sentence appears at `place`."""

    def restore(knowledge: "KnowledgeEditing", person: "Person") -> bool:
        knowledge.restore_document(person, role, source)
        return True

    if change_knowledge(place, restore):
        name = safe_label(source)
        leave_change_notice(place, text("knowledge.document_restored", name=name))
