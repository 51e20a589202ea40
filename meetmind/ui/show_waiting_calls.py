"""Draws the cards of all calls that wait for the person, whatever discussion they belong to."""

from typing import TYPE_CHECKING

import streamlit as st

from meetmind.ui.language import text
from meetmind.ui.show_call_card import show_call_card
from meetmind.ui.waiting_call import waiting_on_page

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.services import Services


def show_waiting_calls(services: "Services", person: "Person") -> None:
    """The cards, oldest first."""
    pending = services.approvals.pending_calls(person.id)
    if not pending:
        st.markdown(f":green[:material/check_circle:] {text('approvals.waiting_none')}")
        st.caption(text("approvals.waiting_none_help"))
        return
    for call in pending:
        show_call_card(waiting_on_page(call))
