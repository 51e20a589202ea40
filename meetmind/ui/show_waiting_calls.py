"""Draws the cards of all that waits for the person, whatever discussion it belongs to."""

from typing import TYPE_CHECKING

import streamlit as st

from meetmind.ui.language import text
from meetmind.ui.show_call_card import show_call_card
from meetmind.ui.show_question import show_question_card
from meetmind.ui.waiting_call import waiting_on_page
from meetmind.ui.waiting_calls import waiting_now
from meetmind.ui.waiting_question import question_on_page

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.services import Services


def show_waiting_calls(services: "Services", person: "Person") -> None:
    """Questions, then calls, each oldest first."""
    waiting = waiting_now(services, person)
    if len(waiting) == 0:
        st.markdown(f":green[:material/check_circle:] {text('approvals.waiting_none')}")
        st.caption(text("approvals.waiting_none_help"))
        return
    for asked in waiting.questions:
        show_question_card(question_on_page(asked))
    for call in waiting.calls:
        show_call_card(waiting_on_page(call))
