"""What a person does to an open run, each act together with its event."""

from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.rows import class_row
from psycopg_pool import ConnectionPool

from meetmind.config.budget import Budget
from meetmind.database import run_events
from meetmind.database.runs import OVER
from meetmind.errors import NotFound, RunIsOver
from meetmind.events import BudgetChanged, PauseAsked, PersonSpoke

LOCK_OPEN_RUN = """
select
    r.status,
    r.last_seq,
    r.pause_asked,
    r.max_iterations,
    r.max_tokens,
    r.max_minutes,
    r.max_cost,
    u.name as owner_name
from runs r
join users u on u.id = r.owner_id
where r.id::text = %(run_id)s
  and r.owner_id = %(owner_id)s::uuid
for update of r
"""


@dataclass(frozen=True, kw_only=True)
class OpenRun:
    """A run that is not over and whose row is locked until the end of the transaction."""

    status: str
    last_seq: int
    pause_asked: bool
    max_iterations: int
    max_tokens: int | None
    max_minutes: float | None
    max_cost: float | None
    owner_name: str


def lock_open_run(connection: psycopg.Connection[Any], *, owner_id: str, run_id: str) -> OpenRun:
    """Lock a run of the owner for what a person does to it; raises `NotFound` and `RunIsOver`."""
    cursor = connection.cursor(row_factory=class_row(OpenRun))
    run = cursor.execute(LOCK_OPEN_RUN, {"owner_id": owner_id, "run_id": run_id}).fetchone()
    if run is None:
        raise NotFound("There is no such run.")
    if run.status in OVER:
        raise RunIsOver("The discussion has ended; nothing more can be done in this round.")
    return run


INSERT_WORDS = """
insert into messages (id, session_id, owner_id, run_id, author, content)
select %(message_id)s, session_id, owner_id, id, 'person', %(words)s
from runs
where id = %(run_id)s::uuid
"""


def say(pool: ConnectionPool, *, owner_id: str, run_id: str, words: str, to_agent: str) -> str:
    """Store what a person says into an open run, with its event; the message's id."""
    with pool.connection() as connection, connection.transaction():
        return say_within(
            connection, owner_id=owner_id, run_id=run_id, words=words, to_agent=to_agent
        )


def say_within(
    connection: psycopg.Connection[Any], *, owner_id: str, run_id: str, words: str, to_agent: str
) -> str:
    """`say` inside the caller's transaction."""
    run = lock_open_run(connection, owner_id=owner_id, run_id=run_id)
    message_id = f"{run_id}.said.{run.last_seq + 1}"
    parameters = {"run_id": run_id, "message_id": message_id, "words": words}
    connection.execute(INSERT_WORDS, parameters)
    event = PersonSpoke(
        message_id=message_id, text=words, said_by=run.owner_name, to_agent=to_agent
    )
    run_events.append_within(connection, run_id=run_id, epoch=None, event=event)
    return message_id


SET_PAUSE = """
update runs
set pause_asked = %(pause_asked)s
where id = %(run_id)s::uuid
"""


def ask_for_pause(pool: ConnectionPool, *, owner_id: str, run_id: str) -> None:
    """Ask an open run to rest before its next turn; the second time changes nothing."""
    with pool.connection() as connection, connection.transaction():
        run = lock_open_run(connection, owner_id=owner_id, run_id=run_id)
        if run.pause_asked:
            return
        connection.execute(SET_PAUSE, {"run_id": run_id, "pause_asked": True})
        event = PauseAsked(asked_by=run.owner_name)
        run_events.append_within(connection, run_id=run_id, epoch=None, event=event)


def end_pause(pool: ConnectionPool, *, owner_id: str, run_id: str) -> bool:
    """Take a pause back; whether the run rests in it, so that somebody has to begin a pass."""
    with pool.connection() as connection, connection.transaction():
        run = lock_open_run(connection, owner_id=owner_id, run_id=run_id)
        if run.pause_asked:
            connection.execute(SET_PAUSE, {"run_id": run_id, "pause_asked": False})
            if run.status != "paused":
                event = PauseAsked(asked_by=run.owner_name, withdrawn=True)
                run_events.append_within(connection, run_id=run_id, epoch=None, event=event)
    return run.status == "paused"


SET_BUDGET = """
update runs
set max_iterations = %(max_iterations)s,
    max_tokens = %(max_tokens)s,
    max_minutes = %(max_minutes)s,
    max_cost = %(max_cost)s
where id = %(run_id)s::uuid
"""


def change_budget(
    pool: ConnectionPool, *, owner_id: str, run_id: str, max_iterations: int, budget: Budget
) -> None:
    """Change what an open run may use, with its event; what is as before changes nothing."""
    limits = {
        "max_iterations": max_iterations,
        "max_tokens": budget.max_tokens,
        "max_minutes": budget.max_minutes,
        "max_cost": budget.max_cost,
    }
    with pool.connection() as connection, connection.transaction():
        run = lock_open_run(connection, owner_id=owner_id, run_id=run_id)
        if all(getattr(run, name) == limit for name, limit in limits.items()):
            return
        connection.execute(SET_BUDGET, {"run_id": run_id, **limits})
        event = BudgetChanged(
            max_iterations=max_iterations,
            max_tokens=budget.max_tokens,
            max_minutes=budget.max_minutes,
            max_cost=budget.max_cost,
            changed_by=run.owner_name,
        )
        run_events.append_within(connection, run_id=run_id, epoch=None, event=event)
