"""What a run reads of the person's hand: limits, use, words that wait, a pause."""

from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.rows import class_row
from psycopg_pool import ConnectionPool

from meetmind import faults
from meetmind.config.budget import Budget
from meetmind.database import run_events
from meetmind.errors import LostTheRun
from meetmind.events import GuardActed, RunEnded, RunPaused


@dataclass(frozen=True, kw_only=True)
class RunNowRow:
    """Limits and use of a run at this moment; None is no limit."""

    pause_asked: bool
    max_iterations: int
    max_tokens: int | None
    max_minutes: float | None
    max_cost: float | None
    input_tokens: int
    output_tokens: int
    cost: float
    work_seconds: float


NOW = """
update runs
set work_seconds = work_seconds + %(work_seconds)s
where id = %(run_id)s::uuid
  and epoch = %(epoch)s
returning
    pause_asked,
    max_iterations,
    max_tokens,
    max_minutes,
    max_cost,
    input_tokens,
    output_tokens,
    cost,
    work_seconds
"""


def run_now(pool: ConnectionPool, *, run_id: str, epoch: int, work_seconds: float) -> RunNowRow:
    """Limits and use of a run, the work since the last time added; raises `LostTheRun`."""
    parameters = {"run_id": run_id, "epoch": epoch, "work_seconds": work_seconds}
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(RunNowRow))
        row = cursor.execute(NOW, parameters).fetchone()
    if row is None:
        raise LostTheRun("Another executor has taken this run over.")
    return row


ADD_USE = """
update runs
set input_tokens = input_tokens + %(input_tokens)s,
    output_tokens = output_tokens + %(output_tokens)s,
    cost = cost + %(cost)s,
    work_seconds = work_seconds + %(work_seconds)s
where id = %(run_id)s::uuid
  and epoch = %(epoch)s
"""


def add_use(
    pool: ConnectionPool,
    *,
    run_id: str,
    epoch: int,
    input_tokens: int = 0,
    output_tokens: int = 0,
    cost: float = 0.0,
    work_seconds: float = 0.0,
) -> None:
    """Add to what a run has used; raises `LostTheRun` when it has another executor by now."""
    parameters = {
        "run_id": run_id,
        "epoch": epoch,
        "input_tokens": input_tokens,
        "output_tokens": output_tokens,
        "cost": cost,
        "work_seconds": work_seconds,
    }
    with pool.connection() as connection:
        if connection.execute(ADD_USE, parameters).rowcount == 0:
            raise LostTheRun("Another executor has taken this run over.")


@dataclass(frozen=True, kw_only=True)
class SaidRow:
    """Words that a person said into a run."""

    message_id: str
    text: str
    to_agent: str


SELECT_UNANSWERED = """
select
    w.payload ->> 'message_id' as message_id,
    w.payload ->> 'text' as text,
    w.payload ->> 'to_agent' as to_agent
from run_events w
where w.run_id = %(run_id)s::uuid
  and w.kind = 'person_spoke'
  and not exists (
    select 1
    from run_events f
    where f.run_id = w.run_id
      and f.kind = 'floor_taken'
      and f.seq > w.seq
      and f.payload ->> 'utterance_id' <> %(utterance_id)s
      and w.payload ->> 'to_agent' in ('', f.payload ->> 'agent_name')
  )
  and not exists (
    select 1
    from run_events own
    where own.run_id = w.run_id
      and own.kind = 'floor_taken'
      and own.payload ->> 'utterance_id' = %(utterance_id)s
      and own.seq < w.seq
  )
order by w.seq
"""


def unanswered_words(pool: ConnectionPool, *, run_id: str, utterance_id: str = "") -> list[SaidRow]:
    """What was said and no floor was taken for since; see `Steering.unanswered`."""
    with pool.connection() as connection:
        return _unanswered(connection, run_id, utterance_id)


def _unanswered(
    connection: psycopg.Connection[Any], run_id: str, utterance_id: str
) -> list[SaidRow]:
    parameters = {"run_id": run_id, "utterance_id": utterance_id}
    cursor = connection.cursor(row_factory=class_row(SaidRow))
    return cursor.execute(SELECT_UNANSWERED, parameters).fetchall()


LOCK_RUN = """
select 1
from runs
where id = %(run_id)s::uuid
for update
"""


def close_unless_words(pool: ConnectionPool, *, run_id: str, epoch: int, event: RunEnded) -> bool:
    """Close a run where nothing that a person said waits for an answer; whether it is closed.

    Whoever says something locks the run's row first, so words are committed before the end or
    refused after it. Raises `LostTheRun`.
    """
    with pool.connection() as connection, connection.transaction():
        connection.execute(LOCK_RUN, {"run_id": run_id})
        if _unanswered(connection, run_id, ""):
            return False
        run_events.close_within(connection, run_id=run_id, epoch=epoch, event=event)
    faults.reach("run.closed")
    return True


LOCK_LIMITS = """
select
    max_iterations,
    max_tokens,
    max_minutes,
    max_cost
from runs
where id = %(run_id)s::uuid
for update
"""


def close_at_limit(
    pool: ConnectionPool,
    *,
    run_id: str,
    epoch: int,
    event: RunEnded,
    max_iterations: int,
    budget: Budget,
    left_unanswered: GuardActed,
) -> bool:
    """Close a run that has used up one of these limits; False where a person has changed them.

    Where words wait that nobody answers any more, `left_unanswered` says so before the end. Raises
    `LostTheRun`.
    """
    used_up = (max_iterations, budget.max_tokens, budget.max_minutes, budget.max_cost)
    with pool.connection() as connection, connection.transaction():
        limits = connection.execute(LOCK_LIMITS, {"run_id": run_id}).fetchone()
        if limits is not None and limits != used_up:
            return False
        if _unanswered(connection, run_id, ""):
            run_events.append_within(connection, run_id=run_id, epoch=epoch, event=left_unanswered)
        run_events.close_within(connection, run_id=run_id, epoch=epoch, event=event)
    faults.reach("run.closed")
    return True


REST_PAUSED = """
update runs
set status = 'paused'
where id = %(run_id)s::uuid
  and epoch = %(epoch)s
  and status = 'running'
"""


def rest_paused(pool: ConnectionPool, *, run_id: str, epoch: int) -> None:
    """Mark a run as paused, with its event; raises `LostTheRun`."""
    with pool.connection() as connection, connection.transaction():
        run_events.append_within(connection, run_id=run_id, epoch=epoch, event=RunPaused())
        if connection.execute(REST_PAUSED, {"run_id": run_id, "epoch": epoch}).rowcount == 0:
            raise LostTheRun("Another executor has taken this run over.")


SELECT_PAUSE = """
select pause_asked
from runs
where id = %(run_id)s::uuid
"""


def is_pause_asked(pool: ConnectionPool, run_id: str) -> bool:
    """Whether a person wants the run to rest."""
    with pool.connection() as connection:
        row = connection.execute(SELECT_PAUSE, {"run_id": run_id}).fetchone()
    return row is not None and bool(row[0])
