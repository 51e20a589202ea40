"""What waits for the person anywhere: how many calls and questions, a toast for what is new."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from meetmind.ui.call_words import wish_text
from meetmind.ui.language import text
from meetmind.ui.pages import APPROVALS_PATH, DISCUSSION_PATH
from meetmind.ui.roles import role_title
from meetmind.ui.safe_text import safe_label, shortened
from meetmind.ui.session import APPROVALS_ANNOUNCED, APPROVALS_WAITING, current_discussion_id

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.approvals import PendingCall
    from meetmind.server.questions import PendingQuestion
    from meetmind.server.services import Services

TITLE_WIDTH = 40
IS_QUESTION = "question"

WaitingId = tuple[str, str, str]


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """Everything that waits for one person, oldest first."""

    calls: "Sequence[PendingCall]" = ()
    questions: "Sequence[PendingQuestion]" = ()

    @property
    def ids(self) -> tuple[WaitingId, ...]:
        """What tells one waiting thing from another; a call that is asked about again is new."""
        calls = [_id_of_call(call) for call in self.calls]
        questions = [_id_of_question(asked) for asked in self.questions]
        return (*calls, *questions)

    def of_discussion(self, session_id: str | None) -> "Waiting":
        """What waits in one discussion."""
        calls = [call for call in self.calls if call.session_id == session_id]
        questions = [asked for asked in self.questions if asked.session_id == session_id]
        return Waiting(calls=calls, questions=questions)

    def __len__(self) -> int:
        return len(self.calls) + len(self.questions)


def waiting_now(services: "Services", person: "Person") -> Waiting:
    """What waits for the person at this moment."""
    return Waiting(
        calls=services.approvals.pending_calls(person.id),
        questions=services.questions.pending_questions(person.id),
    )


def current_waiting(services: "Services", person: "Person") -> Waiting:
    """What waits for the person; what the page shows of it is up to date."""
    waiting = waiting_now(services, person)
    st.session_state[APPROVALS_WAITING] = waiting.ids
    return waiting


def has_waiting_changed(services: "Services", person: "Person") -> bool:
    """Whether something else waits than when the page was drawn."""
    shown: tuple[WaitingId, ...] = st.session_state.get(APPROVALS_WAITING, ())
    return waiting_now(services, person).ids != shown


def waiting_on(page: "st.Page", waiting: Waiting) -> Waiting:
    """What of it stands on this page as a card."""
    if page.url_path == APPROVALS_PATH:
        return waiting
    if page.url_path == DISCUSSION_PATH:
        return waiting.of_discussion(current_discussion_id())
    return Waiting()


def show_new_waiting(waiting: Waiting, *, in_front: Waiting) -> None:
    """A toast for what waits, is not in front and was not announced in this tab before."""
    announced: set[WaitingId] = st.session_state.setdefault(APPROVALS_ANNOUNCED, set())
    new_ids = set(waiting.ids) - announced
    announced.update(new_ids)
    new_ids -= set(in_front.ids)
    if not new_ids:
        return
    if len(new_ids) > 1:
        many = text("approvals.toast_many", count=len(new_ids))
        st.toast(many, icon=":material/front_hand:")
        return
    for call in waiting.calls:
        if _id_of_call(call) in new_ids:
            wish = wish_text(call.agent_name, call.tool, is_plain=True)
            told = text("approvals.toast", wish=wish, title=_title(call.session_title))
            st.toast(told, icon=":material/front_hand:")
    for asked in waiting.questions:
        if _id_of_question(asked) in new_ids:
            role = role_title(asked.agent_name)
            told = text("question.toast", role=role, title=_title(asked.session_title))
            st.toast(told, icon=":material/contact_support:")


def _id_of_call(call: "PendingCall") -> WaitingId:
    return (call.run_id, call.call_id, call.asked_again)


def _id_of_question(asked: "PendingQuestion") -> WaitingId:
    return (asked.run_id, asked.call_id, IS_QUESTION)


def _title(session_title: str) -> str:
    return safe_label(shortened(session_title, TITLE_WIDTH))
