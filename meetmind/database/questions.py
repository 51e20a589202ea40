"""Questions that roles put to the person, and the answers; the first answer counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row
from psycopg_pool import ConnectionPool

from meetmind import faults
from meetmind.database import run_events
from meetmind.database.person_acts import lock_open_run
from meetmind.errors import NotFound
from meetmind.events import QuestionAnswered, QuestionAsked

ASK_QUESTION = """
insert into run_questions (
    run_id, call_id, session_id, owner_id, utterance_id, agent_name, question, choices, why
)
select
    r.id, %(call_id)s, r.session_id, r.owner_id, %(utterance_id)s, %(agent_name)s,
    %(question)s, %(choices)s, %(why)s
from runs r
where r.id = %(run_id)s::uuid
on conflict (run_id, call_id) do nothing
"""


def ask_question(pool: ConnectionPool, *, run_id: str, epoch: int, question: QuestionAsked) -> None:
    """Put a question before the person together with its event, once; raises `LostTheRun`."""
    parameters = {
        "run_id": run_id,
        "call_id": question.call_id,
        "utterance_id": question.utterance_id,
        "agent_name": question.agent_name,
        "question": question.question,
        "choices": list(question.choices),
        "why": question.why,
    }
    with pool.connection() as connection, connection.transaction():
        if connection.execute(ASK_QUESTION, parameters).rowcount == 1:
            run_events.append_within(connection, run_id=run_id, epoch=epoch, event=question)
    faults.reach("question.asked")


SELECT_ANSWER = """
select answer
from run_questions
where run_id = %(run_id)s::uuid
  and call_id = %(call_id)s
  and answered_at is not null
"""


def answer_to(pool: ConnectionPool, *, run_id: str, call_id: str) -> str | None:
    """The person's answer; empty when it was left open, None while it waits."""
    with pool.connection() as connection:
        row = connection.execute(SELECT_ANSWER, {"run_id": run_id, "call_id": call_id}).fetchone()
    return None if row is None else str(row[0] or "")


ANY_ANSWERED = """
select exists (
    select 1
    from run_questions
    where run_id = %(run_id)s::uuid
      and call_id = any(%(call_ids)s)
      and answered_at is not null
)
"""


def any_answered(pool: ConnectionPool, *, run_id: str, call_ids: Sequence[str]) -> bool:
    """Whether one of these questions is answered."""
    parameters = {"run_id": run_id, "call_ids": list(call_ids)}
    with pool.connection() as connection:
        row = connection.execute(ANY_ANSWERED, parameters).fetchone()
    return row is not None and bool(row[0])


ANSWER_QUESTION = """
update run_questions
set answer = %(answer)s,
    answered_at = clock_timestamp(),
    answered_by = %(owner_id)s::uuid
where run_id = %(run_id)s::uuid
  and call_id = %(call_id)s
  and answered_at is null
"""

QUESTION_EXISTS = """
select 1
from run_questions
where run_id = %(run_id)s::uuid
  and call_id = %(call_id)s
"""


def answer_question(
    pool: ConnectionPool, *, owner_id: str, run_id: str, call_id: str, answer: str
) -> bool:
    """Answer a question of an open run, with its event; False when it was answered before.

    Raises `NotFound` and `RunIsOver`.
    """
    parameters = {"owner_id": owner_id, "run_id": run_id, "call_id": call_id, "answer": answer}
    with pool.connection() as connection, connection.transaction():
        run = lock_open_run(connection, owner_id=owner_id, run_id=run_id)
        if connection.execute(ANSWER_QUESTION, parameters).rowcount == 0:
            if connection.execute(QUESTION_EXISTS, parameters).fetchone() is None:
                raise NotFound("There is no such question.")
            return False
        event = QuestionAnswered(call_id=call_id, answer=answer, answered_by=run.owner_name)
        run_events.append_within(connection, run_id=run_id, epoch=None, event=event)
    return True


@dataclass(frozen=True, kw_only=True)
class QuestionRow:
    """A question that waits for the person."""

    run_id: str
    session_id: str
    session_title: str
    call_id: str
    agent_name: str
    question: str
    choices: list[str]
    why: str
    asked_at: datetime


SELECT_OPEN = """
select
    q.run_id::text,
    q.session_id::text,
    s.title as session_title,
    q.call_id,
    q.agent_name,
    q.question,
    q.choices,
    q.why,
    q.asked_at
from run_questions q
join runs r on r.id = q.run_id
join sessions s on s.id = q.session_id
where q.owner_id = %(owner_id)s::uuid
  and q.answered_at is null
  and r.status in ('running', 'waiting', 'paused')
  and (%(session_id)s::text is null or q.session_id::text = %(session_id)s)
order by q.asked_at, q.call_id
"""


def list_open(
    pool: ConnectionPool, *, owner_id: str, session_id: str | None = None
) -> list[QuestionRow]:
    """The owner's questions that wait, oldest first."""
    parameters = {"owner_id": owner_id, "session_id": session_id}
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(QuestionRow))
        return cursor.execute(SELECT_OPEN, parameters).fetchall()
