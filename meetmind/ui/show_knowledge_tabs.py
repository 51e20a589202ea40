"""Draws the tabs of the Knowledge page; only the open one is filled."""

from typing import TYPE_CHECKING

import streamlit as st

from meetmind.ui.knowledge_change import show_change_notice
from meetmind.ui.language import text
from meetmind.ui.open_passage import current_open_passage, on_leave_passage
from meetmind.ui.session import KNOWLEDGE_TABS
from meetmind.ui.show_aliases import show_aliases
from meetmind.ui.show_document_table import show_documents
from meetmind.ui.show_knowledge_search import show_search
from meetmind.ui.show_passage import show_passage
from meetmind.ui.show_passage_list import show_passage_list
from meetmind.ui.show_passage_map import show_map
from meetmind.ui.show_upkeep import show_deleted, show_reading
from meetmind.ui.show_uploads import show_uploads

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.services import Services

TABS = ("search", "documents", "passages", "map")
UPKEEP = "upkeep"


def show_knowledge_tabs(services: "Services", person: "Person", role: str) -> None:
    """Every way to look at the role's knowledge, and for administrators its upkeep."""
    names = (*TABS, UPKEEP) if person.is_admin else TABS
    tabs = st.tabs(
        [text(f"knowledge.tab_{name}") for name in names],
        on_change=on_leave_passage,
        key=KNOWLEDGE_TABS,
    )
    for name, tab in zip(names, tabs, strict=True):
        if tab.open:
            with tab:
                _show_tab(services, person, role, name)


def _show_tab(services: "Services", person: "Person", role: str, name: str) -> None:
    show_change_notice("passage")
    opened = current_open_passage()
    if opened is not None:
        show_passage(services, person, opened)
    elif name == "search":
        show_search(services, role)
    elif name == "documents":
        show_change_notice("documents")
        show_documents(services, person, role)
    elif name == "passages":
        show_passage_list(services, role)
    elif name == "map":
        show_map(services, role)
    else:
        _show_upkeep(services, role)


def _show_upkeep(services: "Services", role: str) -> None:
    with st.container(border=True, gap="small"):
        show_uploads(services, role)
    with st.container(border=True, gap="small"):
        show_aliases(services, role)
    with st.container(border=True, gap="small"):
        show_reading(role)
    with st.container(border=True, gap="small"):
        show_deleted(services, role)
