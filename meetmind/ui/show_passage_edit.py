"""What an administrator does with a passage: edit, undo, keep out of searches, delete."""

from typing import TYPE_CHECKING

import streamlit as st

from meetmind.ui.knowledge_change import change_knowledge, leave_change_notice
from meetmind.ui.language import text
from meetmind.ui.open_passage import (
    PassagePointer,
    await_passage,
    on_close_passage,
)
from meetmind.ui.session import KNOWLEDGE_EDITED

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.knowledge_editing import KnowledgeEditing, OpenPassage
    from meetmind.server.knowledge_rows import PassageRow

PLACE = "passage"
TITLE = "knowledge_edit_title"
CONTENT = "knowledge_edit_content"
FIELD_HEIGHT = 240


def show_passage_actions(opened: PassagePointer, found: "OpenPassage") -> None:
    """The buttons below the words."""
    name = opened.passage_id
    with st.container(horizontal=True, key=f"passage_actions_{name}", gap="small"):
        st.button(
            text("knowledge.edit"),
            key=f"edit_{name}",
            icon=":material/edit:",
            on_click=on_edit,
            args=(opened,),
        )
        if found.edit is not None:
            st.button(
                text("knowledge.undo_edit"),
                key=f"undo_{name}",
                icon=":material/undo:",
                help=text("knowledge.undo_edit_help"),
                on_click=on_undo_edit,
                args=(opened, found.edit.original_id),
            )
        is_disabled = found.passage.is_disabled
        st.button(
            text("knowledge.enable" if is_disabled else "knowledge.disable"),
            key=f"disable_{name}",
            icon=":material/visibility:" if is_disabled else ":material/visibility_off:",
            help=text("knowledge.disable_help"),
            on_click=on_disable,
            args=(opened, not is_disabled),
        )
        with st.popover(text("knowledge.delete"), icon=":material/delete:"):
            st.markdown(text("knowledge.delete_passage"))
            st.button(
                text("knowledge.delete_confirm"),
                key=f"drop_passage_{name}",
                type="primary",
                on_click=on_delete_passage,
                args=(opened,),
            )


def show_edit_form(opened: PassagePointer, passage: "PassageRow") -> None:
    """Title and text to change; both stay as typed when a change is refused."""
    name = opened.passage_id
    with st.form(f"edit_form_{name}", enter_to_submit=False):
        st.text_input(text("knowledge.edit_title"), value=passage.title, key=f"{TITLE}_{name}")
        st.text_area(
            text("knowledge.edit_content"),
            value=passage.content,
            key=f"{CONTENT}_{name}",
            height=FIELD_HEIGHT,
        )
        st.caption(text("knowledge.edit_help"))
        st.form_submit_button(
            text("knowledge.save"),
            key=f"save_{name}",
            type="primary",
            on_click=on_save,
            args=(opened, passage.title, passage.content),
        )
    st.button(
        text("knowledge.cancel"),
        key=f"cancel_{name}",
        type="tertiary",
        on_click=on_cancel,
    )


def on_edit(opened: PassagePointer) -> None:
    """Show the form in place of the words."""
    st.session_state[KNOWLEDGE_EDITED] = opened


def on_cancel() -> None:
    """Show the words again, as they were."""
    st.session_state[KNOWLEDGE_EDITED] = None


def on_save(opened: PassagePointer, former_title: str, former_content: str) -> None:
    """Put the new text in the passage's place; the form stays open when it is refused."""
    title = str(st.session_state.get(f"{TITLE}_{opened.passage_id}") or "")
    content = str(st.session_state.get(f"{CONTENT}_{opened.passage_id}") or "")
    if (title.strip(), content.strip()) == (former_title.strip(), former_content.strip()):
        st.session_state[KNOWLEDGE_EDITED] = None
        leave_change_notice(PLACE, text("knowledge.edit_unchanged"))
        return
    edited_id = change_knowledge(
        PLACE,
        lambda knowledge, person: knowledge.edit_passage(
            person, opened.role, opened.passage_id, title, content
        ),
    )
    if edited_id is None:
        return
    await_passage(opened.role, edited_id)
    leave_change_notice(PLACE, text("knowledge.edit_saved"))


def on_undo_edit(opened: PassagePointer, original_id: str) -> None:
    """Give the passage the text of its file back."""

    def undo(knowledge: "KnowledgeEditing", person: "Person") -> bool:
        knowledge.undo_edit(person, opened.role, opened.passage_id)
        return True

    if change_knowledge(PLACE, undo):
        await_passage(opened.role, original_id)
        leave_change_notice(PLACE, text("knowledge.edit_undone"))


def on_disable(opened: PassagePointer, is_disabled: bool) -> None:
    """Keep the passage out of every search, or let it be found again."""

    def disable(knowledge: "KnowledgeEditing", person: "Person") -> bool:
        knowledge.set_disabled(person, opened.role, opened.passage_id, is_disabled)
        return True

    if change_knowledge(PLACE, disable):
        sentence = text("knowledge.now_disabled" if is_disabled else "knowledge.now_enabled")
        leave_change_notice(PLACE, sentence)


def on_delete_passage(opened: PassagePointer) -> None:
    """Delete the passage and go back to the list."""

    def delete(knowledge: "KnowledgeEditing", person: "Person") -> bool:
        knowledge.delete_passage(person, opened.role, opened.passage_id)
        return True

    if change_knowledge(PLACE, delete):
        on_close_passage()
        leave_change_notice(PLACE, text("knowledge.passage_deleted"))
