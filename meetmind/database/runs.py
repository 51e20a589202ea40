"""Runs: one brief going through the graph, and who may execute it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

import psycopg
from psycopg.rows import class_row
from psycopg_pool import ConnectionPool

from meetmind.config.budget import Budget
from meetmind.database.connection import BoundedConnection
from meetmind.errors import LostTheRun, NotFound, RunIsBusy

OVER = ("done", "stopped", "failed")
LOCK_SECONDS = 10.0


@dataclass(frozen=True, kw_only=True)
class RunRow:
    """A run as it stands in the table; `is_held` says whether an executor has it right now."""

    id: str
    session_id: str
    owner_id: str
    status: str
    epoch: int
    last_seq: int
    mode: str
    language: str
    brief_id: str
    memory_id: str | None
    max_iterations: int
    model_name: str
    files: list[str]
    pause_asked: bool
    asked_agent: str
    continues_run_id: str | None
    max_tokens: int | None
    max_minutes: float | None
    max_cost: float | None
    input_tokens: int
    output_tokens: int
    cost: float
    work_seconds: float
    created_at: datetime
    ended_at: datetime | None
    is_held: bool

    @property
    def is_over(self) -> bool:
        """Whether the run takes nothing more."""
        return self.status in OVER


NO_LIMITS = Budget()

INSERT_RUN = """
insert into runs (
    id, session_id, owner_id, status, mode, language,
    brief_id, memory_id, max_iterations, model_name, files,
    asked_agent, continues_run_id, max_tokens, max_minutes, max_cost
)
select
    %(run_id)s::uuid, s.id, s.owner_id, 'running', %(mode)s, %(language)s,
    %(brief_id)s, %(memory_id)s::uuid, %(max_iterations)s, %(model_name)s, %(files)s,
    %(asked_agent)s, %(continues_run_id)s::uuid, %(max_tokens)s, %(max_minutes)s, %(max_cost)s
from sessions s
where s.id::text = %(session_id)s
  and s.owner_id = %(owner_id)s::uuid
"""

INSERT_BRIEF = """
insert into messages (id, session_id, owner_id, run_id, author, content)
values (
    %(brief_id)s, %(session_id)s::uuid, %(owner_id)s::uuid, %(run_id)s::uuid, 'person', %(brief)s
)
"""

TOUCH_SESSION = """
update sessions
set updated_at = clock_timestamp()
where id = %(session_id)s::uuid
"""


def create_run(
    pool: ConnectionPool,
    *,
    owner_id: str,
    session_id: str,
    brief: str,
    mode: str,
    language: str,
    memory_id: str | None,
    max_iterations: int,
    model_name: str,
    files: Sequence[str] = (),
    asked_agent: str = "",
    continues_run_id: str | None = None,
    budget: Budget = NO_LIMITS,
) -> str:
    """Store a brief and the run that will discuss it; the run's id.

    Raises `NotFound` for a foreign discussion and `RunIsBusy` while another run of it is open.
    """
    run_id = str(uuid4())
    parameters = {
        "run_id": run_id,
        "owner_id": owner_id,
        "session_id": session_id,
        "brief": brief,
        "brief_id": f"{run_id}.brief",
        "mode": mode,
        "language": language,
        "memory_id": memory_id,
        "max_iterations": max_iterations,
        "model_name": model_name,
        "files": list(files),
        "asked_agent": asked_agent,
        "continues_run_id": continues_run_id,
        "max_tokens": budget.max_tokens,
        "max_minutes": budget.max_minutes,
        "max_cost": budget.max_cost,
    }
    try:
        with pool.connection() as connection, connection.transaction():
            inserted = connection.execute(INSERT_RUN, parameters).rowcount
            if inserted == 0:
                raise NotFound("There is no such discussion.")
            connection.execute(INSERT_BRIEF, parameters)
            connection.execute(TOUCH_SESSION, parameters)
    except psycopg.errors.UniqueViolation:
        raise RunIsBusy("This discussion is still going on; stop it or wait for its end.") from None
    return run_id


SELECT_RUNS = """
select
    runs.id::text,
    runs.session_id::text,
    runs.owner_id::text,
    runs.status,
    runs.epoch,
    runs.last_seq,
    runs.mode,
    runs.language,
    runs.brief_id,
    runs.memory_id::text,
    runs.max_iterations,
    runs.model_name,
    runs.files,
    runs.pause_asked,
    runs.asked_agent,
    runs.continues_run_id::text,
    runs.max_tokens,
    runs.max_minutes,
    runs.max_cost,
    runs.input_tokens,
    runs.output_tokens,
    runs.cost,
    runs.work_seconds,
    runs.created_at,
    runs.ended_at,
    run_is_held(runs.id) as is_held
from runs
where runs.owner_id = %(owner_id)s::uuid
  and (%(session_id)s::text is null or runs.session_id::text = %(session_id)s)
  and (%(run_id)s::text is null or runs.id::text = %(run_id)s)
  and (not %(open_only)s or runs.status in ('running', 'waiting', 'paused'))
order by runs.created_at
"""


def list_runs(
    pool: ConnectionPool,
    *,
    owner_id: str,
    session_id: str | None = None,
    run_id: str | None = None,
    open_only: bool = False,
) -> list[RunRow]:
    """The owner's runs, oldest first."""
    parameters = {
        "owner_id": owner_id,
        "session_id": session_id,
        "run_id": run_id,
        "open_only": open_only,
    }
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(RunRow))
        return cursor.execute(SELECT_RUNS, parameters).fetchall()


def get_run(pool: ConnectionPool, *, owner_id: str, run_id: str) -> RunRow:
    """One run of the owner; raises `NotFound`."""
    rows = list_runs(pool, owner_id=owner_id, run_id=run_id)
    if not rows:
        raise NotFound("There is no such run.")
    return rows[0]


CLAIM_RUN = """
update runs
set epoch = epoch + 1,
    status = 'running'
where id = %(run_id)s::uuid
  and status in ('running', 'waiting', 'paused')
returning epoch
"""


def claim_run(pool: ConnectionPool, run_id: str) -> int | None:
    """Raise the run's epoch, so that nobody else can write any more; None when it is over.

    For whoever ends a run; whoever executes it claims it with its lock.
    """
    with pool.connection() as connection:
        row = connection.execute(CLAIM_RUN, {"run_id": run_id}).fetchone()
    return None if row is None else int(row[0])


REST_RUN = """
update runs
set status = 'waiting'
where id = %(run_id)s::uuid
  and epoch = %(epoch)s
  and status = 'running'
"""


def rest_run(pool: ConnectionPool, *, run_id: str, epoch: int) -> bool:
    """Mark a run as waiting for a person; False when this executor has lost it."""
    with pool.connection() as connection:
        changed = connection.execute(REST_RUN, {"run_id": run_id, "epoch": epoch}).rowcount
    return changed == 1


DROP_WHEN_SILENT = """
select
    set_config('tcp_keepalives_idle', '10', false),
    set_config('tcp_keepalives_interval', '5', false),
    set_config('tcp_keepalives_count', '3', false)
"""
"""So that the lock of a machine that vanished is free within half a minute, not two hours."""

SELECT_EPOCH = "select epoch from runs where id = %(run_id)s::uuid"
TRY_LOCK = "select pg_try_advisory_lock(hashtextextended('run:' || %(run_id)s, 0))"


class RunLock:
    """The session lock of one run, on a connection of its own; whoever holds it may execute."""

    def __init__(self, conninfo: str, run_id: str) -> None:
        self._conninfo = conninfo
        self._run_id = run_id
        self._connection: BoundedConnection | None = None

    def take(self) -> bool:
        """Try to take the lock; False when another executor has it."""
        connection = BoundedConnection.connect(self._conninfo, autocommit=True, connect_timeout=5)
        try:
            connection.deadline_seconds = LOCK_SECONDS
            connection.execute(DROP_WHEN_SILENT)
            row = connection.execute(TRY_LOCK, {"run_id": self._run_id}).fetchone()
        except BaseException:
            connection.close()
            raise
        if row is None or not row[0]:
            connection.close()
            return False
        self._connection = connection
        return True

    def claim(self) -> int | None:
        """Raise the run's epoch; None when the run is over.

        On the connection that carries the lock: a claim that was given up, and that the server
        comes to later, still comes before that of the next holder.
        """
        if self._connection is None:
            raise LostTheRun("The lock of this run is not held.")
        row = self._connection.execute(CLAIM_RUN, {"run_id": self._run_id}).fetchone()
        return None if row is None else int(row[0])

    def epoch_now(self) -> int | None:
        """The run's epoch; None when the connection that carries the lock does not answer.

        0, which no executor has, for a run that was deleted.
        """
        if self._connection is None:
            return None
        try:
            row = self._connection.execute(SELECT_EPOCH, {"run_id": self._run_id}).fetchone()
        except (psycopg.Error, TimeoutError):
            return None
        return 0 if row is None else int(row[0])

    def release(self) -> None:
        """Give the lock back; harmless when it is not held."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


SELECT_SESSION = "select session_id::text from runs where id = %(run_id)s::uuid"


def session_of(pool: ConnectionPool, run_id: str) -> str:
    """The discussion of a run; raises `NotFound`."""
    with pool.connection() as connection:
        row = connection.execute(SELECT_SESSION, {"run_id": run_id}).fetchone()
    if row is None:
        raise NotFound("There is no such run.")
    return str(row[0])


SELECT_DECIDED_AND_RESTING = """
select
    r.id::text as run_id,
    r.owner_id::text,
    r.status = 'paused' as is_paused
from runs r
where not run_is_held(r.id)
  and (
    (r.status = 'paused' and not r.pause_asked)
    or (
      r.status = 'waiting'
      and not exists (
        select 1 from tool_executions t where t.run_id = r.id and t.status = 'pending'
      )
      and not exists (
        select 1 from run_questions q where q.run_id = r.id and q.answered_at is null
      )
    )
  )
"""


@dataclass(frozen=True, kw_only=True)
class RestingRun:
    """A run that waits for nobody any more."""

    run_id: str
    owner_id: str
    is_paused: bool


def decided_and_resting(pool: ConnectionPool) -> list[RestingRun]:
    """Runs that rest although everything is decided, answered or let go on.

    Whoever did so could not begin their pass.
    """
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(RestingRun))
        return cursor.execute(SELECT_DECIDED_AND_RESTING).fetchall()
