"""Draws the other names of things in a role's knowledge."""

from typing import TYPE_CHECKING

import streamlit as st

from meetmind.ui.knowledge_change import change_knowledge, leave_change_notice, show_change_notice
from meetmind.ui.language import text
from meetmind.ui.safe_text import safe_label

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.knowledge_editing import KnowledgeEditing
    from meetmind.server.services import Services

PLACE = "aliases"
NAME = "knowledge_alias_name"
ALIAS = "knowledge_alias_other"


def show_aliases(services: "Services", role: str) -> None:
    """The pairs of names that are kept, and a form for one more."""
    st.markdown(f"**{text('knowledge.aliases')}**")
    st.caption(text("knowledge.aliases_text"))
    show_change_notice(PLACE)
    with st.form(f"alias_form_{role}", border=False):
        name_column, alias_column, button_column = st.columns(
            [0.4, 0.4, 0.2], gap="small", vertical_alignment="bottom"
        )
        with name_column:
            st.text_input(
                text("knowledge.alias_name"),
                key=f"{NAME}_{role}",
                placeholder=text("knowledge.alias_name_example"),
            )
        with alias_column:
            st.text_input(
                text("knowledge.alias_other"),
                key=f"{ALIAS}_{role}",
                placeholder=text("knowledge.alias_other_example"),
            )
        with button_column:
            st.form_submit_button(
                text("knowledge.alias_add"),
                key=f"alias_add_{role}",
                icon=":material/add:",
                on_click=on_add_alias,
                args=(role,),
            )
    kept = services.knowledge.aliases(role)
    if not kept:
        st.caption(text("knowledge.aliases_none"))
    for alias in kept:
        _show_alias(role, alias.id, alias.name, alias.alias)


def _show_alias(role: str, alias_id: int, name: str, alias: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center", wrap=False):
        st.markdown(f"**{safe_label(name)}** = **{safe_label(alias)}**", width="stretch")
        st.button(
            text("knowledge.delete"),
            key=f"alias_delete_{role}_{alias_id}",
            type="tertiary",
            icon=":material/delete:",
            on_click=on_delete_alias,
            args=(role, alias_id),
        )


def on_add_alias(role: str) -> None:
    """Keep the two names; the fields keep what was typed when it is refused."""
    name = str(st.session_state.get(f"{NAME}_{role}") or "")
    alias = str(st.session_state.get(f"{ALIAS}_{role}") or "")

    def add(knowledge: "KnowledgeEditing", person: "Person") -> bool:
        knowledge.add_alias(person, role, name, alias)
        return True

    if change_knowledge(PLACE, add):
        st.session_state[f"{NAME}_{role}"] = ""
        st.session_state[f"{ALIAS}_{role}"] = ""
        leave_change_notice(PLACE, text("knowledge.alias_added"))


def on_delete_alias(role: str, alias_id: int) -> None:
    """Forget the two names."""

    def delete(knowledge: "KnowledgeEditing", person: "Person") -> bool:
        knowledge.delete_alias(person, role, alias_id)
        return True

    if change_knowledge(PLACE, delete):
        leave_change_notice(PLACE, text("knowledge.alias_deleted"))
