"""Draws the tabs of the Approvals page; only the open one is filled."""

from typing import TYPE_CHECKING

import streamlit as st

from meetmind.ui.language import text
from meetmind.ui.session import APPROVALS_TABS
from meetmind.ui.show_grants import show_grants
from meetmind.ui.show_past_calls import show_past_calls
from meetmind.ui.show_waiting_calls import show_waiting_calls

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.services import Services

TABS = ("waiting", "allowed", "history")


def show_approvals_tabs(services: "Services", person: "Person") -> None:
    """What waits, what is allowed beyond one call, and what was decided."""
    tabs = st.tabs(
        [text(f"approvals.tab_{name}") for name in TABS], on_change="rerun", key=APPROVALS_TABS
    )
    for name, tab in zip(TABS, tabs, strict=True):
        if tab.open:
            with tab:
                _show_tab(services, person, name)


def _show_tab(services: "Services", person: "Person", name: str) -> None:
    if name == "waiting":
        show_waiting_calls(services, person)
    elif name == "allowed":
        show_grants(services, person)
    else:
        show_past_calls(services, person)
