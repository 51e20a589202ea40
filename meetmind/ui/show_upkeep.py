"""Draws the upkeep of a role's knowledge: reading again, starting anew, what was deleted."""

from typing import TYPE_CHECKING

import streamlit as st

from meetmind.ui.knowledge_change import change_knowledge, leave_change_notice, show_change_notice
from meetmind.ui.language import date_time_text, text
from meetmind.ui.roles import role_title
from meetmind.ui.safe_text import safe_label
from meetmind.ui.session import READING_AGAIN, current_services
from meetmind.ui.show_document import on_restore_document

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.knowledge_editing import KnowledgeEditing
    from meetmind.server.services import Services

PLACE = "upkeep"
MOST_SHOWN = 100


def show_reading(role: str) -> None:
    """Reading whatever lies in the folders now, and starting a role's table anew."""
    st.markdown(f"**{text('knowledge.reading')}**")
    st.caption(text("knowledge.reading_text", folder=f"data/seed/{role}"))
    show_change_notice(PLACE)
    with st.container(horizontal=True, gap="small"):
        st.button(
            text("knowledge.read_again"),
            key="read_again",
            icon=":material/sync:",
            on_click=on_read_again,
        )
        with st.popover(text("knowledge.reset"), icon=":material/restart_alt:"):
            st.markdown(text("knowledge.reset_text", role=role_title(role)))
            st.button(
                text("knowledge.reset_confirm"),
                key=f"drop_all_{role}",
                type="primary",
                on_click=on_reset,
                args=(role,),
            )


def show_deleted(services: "Services", role: str) -> None:
    """The documents and passages that people deleted, each to be restored."""
    st.markdown(f"**{text('knowledge.deleted')}**")
    st.caption(text("knowledge.deleted_text"))
    show_change_notice("deleted")
    documents = services.library.list_documents(role)
    deleted_documents = [document for document in documents if document.status == "deleted"]
    passages = services.knowledge.deleted_passages(role)
    if not deleted_documents and not passages:
        st.caption(text("knowledge.deleted_none"))
        return
    for document in deleted_documents:
        _show_deleted_document(role, document.source)
    for passage in passages[:MOST_SHOWN]:
        when = date_time_text(passage.deleted_at)
        _show_deleted_passage(role, passage.passage_id, passage.title, passage.source, when)
    if len(passages) > MOST_SHOWN:
        st.caption(text("knowledge.deleted_more", shown=MOST_SHOWN, count=len(passages)))


def _show_deleted_document(role: str, source: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center", wrap=False):
        st.markdown(
            f":material/draft: **{safe_label(source)}**  \n"
            f":small[:gray[{text('knowledge.deleted_document')}]]",
            width="stretch",
        )
        st.button(
            text("knowledge.restore"),
            key=f"bring_back_{role}_{source}",
            type="tertiary",
            on_click=on_restore_document,
            args=(role, source, "deleted"),
        )


def _show_deleted_passage(role: str, passage_id: str, title: str, source: str, when: str) -> None:
    place = f"{safe_label(source)} · {when}"
    with st.container(horizontal=True, vertical_alignment="center", wrap=False):
        st.markdown(
            f":material/notes: **{safe_label(title)}**  \n:small[:gray[{place}]]", width="stretch"
        )
        st.button(
            text("knowledge.restore"),
            key=f"bring_back_{passage_id}",
            type="tertiary",
            on_click=on_restore_passage,
            args=(role, passage_id),
        )


def on_read_again() -> None:
    """Begin to read in the background."""
    current_services().library.start_ingestion()
    st.session_state[READING_AGAIN] = True


def on_reset(role: str) -> None:
    """Empty the role's table and read all its files again."""

    def reset(knowledge: "KnowledgeEditing", person: "Person") -> bool:
        knowledge.reset(person, role)
        return True

    if change_knowledge(PLACE, reset):
        st.session_state[READING_AGAIN] = True
        leave_change_notice(PLACE, text("knowledge.reset_done", role=role_title(role)))


def on_restore_passage(role: str, passage_id: str) -> None:
    """Have a deleted passage read again with its document."""

    def restore(knowledge: "KnowledgeEditing", person: "Person") -> bool:
        knowledge.restore_passage(person, role, passage_id)
        return True

    if change_knowledge("deleted", restore):
        leave_change_notice("deleted", text("knowledge.passage_restored"))
