"""A question that waits for the person, as its card shows it in the talk and on the pages."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from meetmind.ui.run_view import Question

if TYPE_CHECKING:
    from meetmind.server.questions import PendingQuestion


@dataclass(frozen=True, kw_only=True)
class WaitingQuestion:
    """Everything that a person has to know before they answer."""

    run_id: str
    call_id: str
    agent_name: str
    question: str
    choices: Sequence[str]
    why: str
    asked_at: datetime
    session_id: str = ""
    """The discussion, where the card stands outside of it."""
    session_title: str = ""

    @property
    def key(self) -> str:
        """Tells the widgets of this card from those of all others."""
        return f"{self.run_id}_{self.call_id}".replace(".", "-")

    @property
    def is_outside(self) -> bool:
        """Whether the card stands outside of its discussion."""
        return self.session_id != ""


def question_in_talk(run_id: str, question: "Question | PendingQuestion") -> WaitingQuestion:
    """The card of a question inside its own discussion."""
    return WaitingQuestion(
        run_id=run_id,
        call_id=question.call_id,
        agent_name=question.agent_name,
        question=question.question,
        choices=question.choices,
        why=question.why,
        asked_at=question.asked_at,
    )


def question_on_page(pending: "PendingQuestion") -> WaitingQuestion:
    """The card of a question of any discussion, with the name of it."""
    return replace(
        question_in_talk(pending.run_id, pending),
        session_id=pending.session_id,
        session_title=pending.session_title,
    )
