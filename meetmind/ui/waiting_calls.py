"""The calls that wait for the person anywhere: how many there are, and a toast for each new one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from meetmind.ui.call_words import wish_text
from meetmind.ui.language import text
from meetmind.ui.safe_text import safe_label, shortened
from meetmind.ui.session import APPROVALS_ANNOUNCED, APPROVALS_WAITING

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.approvals import PendingCall
    from meetmind.server.services import Services

TITLE_WIDTH = 40

WaitingId = tuple[str, str, str]


def current_waiting(services: "Services", person: "Person") -> "list[PendingCall]":
    """The person's waiting calls, oldest first; what the page shows of them is up to date."""
    pending = services.approvals.pending_calls(person.id)
    st.session_state[APPROVALS_WAITING] = _ids_of(pending)
    return pending


def has_waiting_changed(services: "Services", person: "Person") -> bool:
    """Whether other calls wait than when the page was drawn."""
    shown: tuple[WaitingId, ...] = st.session_state.get(APPROVALS_WAITING, ())
    if services.approvals.count_pending(person.id) != len(shown):
        return True
    if not shown:
        return False
    return _ids_of(services.approvals.pending_calls(person.id)) != shown


def show_new_waiting(pending: "Sequence[PendingCall]") -> None:
    """A toast for what waits and was not announced in this tab before."""
    announced: set[WaitingId] = st.session_state.setdefault(APPROVALS_ANNOUNCED, set())
    new = [call for call in pending if _id_of(call) not in announced]
    if not new:
        return
    announced.update(_id_of(call) for call in new)
    if len(new) > 1:
        st.toast(text("approvals.toast_many", count=len(new)), icon=":material/front_hand:")
        return
    title = safe_label(shortened(new[0].session_title, TITLE_WIDTH))
    wish = wish_text(new[0].agent_name, new[0].tool, is_plain=True)
    st.toast(text("approvals.toast", wish=wish, title=title), icon=":material/front_hand:")


def _ids_of(pending: "Sequence[PendingCall]") -> tuple[WaitingId, ...]:
    return tuple(_id_of(call) for call in pending)


def _id_of(call: "PendingCall") -> WaitingId:
    """A call that is asked about again is a new one."""
    return (call.run_id, call.call_id, call.asked_again)
