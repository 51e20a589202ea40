"""Questions that roles put to the person, and the answers."""

from dataclasses import dataclass
from datetime import datetime

from psycopg_pool import ConnectionPool

from meetmind.clean_text import clean_bad_chars
from meetmind.database import questions
from meetmind.server.steering import check_length


@dataclass(frozen=True, kw_only=True)
class PendingQuestion:
    """A question that waits for the person."""

    run_id: str
    session_id: str
    session_title: str
    call_id: str
    agent_name: str
    question: str
    choices: tuple[str, ...]
    why: str
    asked_at: datetime


class Questions:
    """Reads and answers the questions of the owner's open runs."""

    def __init__(self, pool: ConnectionPool) -> None:
        self._pool = pool

    def pending_questions(
        self, owner_id: str, session_id: str | None = None
    ) -> list[PendingQuestion]:
        """What waits for an answer, oldest first."""
        rows = questions.list_open(self._pool, owner_id=owner_id, session_id=session_id)
        pending = []
        for row in rows:
            pending.append(
                PendingQuestion(
                    run_id=row.run_id,
                    session_id=row.session_id,
                    session_title=row.session_title,
                    call_id=row.call_id,
                    agent_name=row.agent_name,
                    question=row.question,
                    choices=tuple(row.choices),
                    why=row.why,
                    asked_at=row.asked_at,
                )
            )
        return pending

    def answer(self, owner_id: str, run_id: str, call_id: str, answer: str) -> bool:
        """Store an answer, '' leaves the question open; False when somebody was faster.

        Raises `BriefRefused`, `NotFound` and `RunIsOver`.
        """
        text = clean_bad_chars(answer).strip()
        check_length(text)
        return questions.answer_question(
            self._pool, owner_id=owner_id, run_id=run_id, call_id=call_id, answer=text
        )
