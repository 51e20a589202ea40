"""Runs: one brief going through the graph, and who may execute it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

import psycopg
from psycopg.rows import class_row
from psycopg_pool import ConnectionPool

from meetmind.database.connection import BoundedConnection
from meetmind.errors import NotFound, RunIsBusy

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
    created_at: datetime
    ended_at: datetime | None
    is_held: bool

    @property
    def is_over(self) -> bool:
        """Whether the run takes nothing more."""
        return self.status in OVER


INSERT_RUN = """
insert into runs (
    id, session_id, owner_id, status, mode, language,
    brief_id, memory_id, max_iterations, model_name, files
)
select
    %(run_id)s::uuid, s.id, s.owner_id, 'running', %(mode)s, %(language)s,
    %(brief_id)s, %(memory_id)s::uuid, %(max_iterations)s, %(model_name)s, %(files)s
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
    runs.created_at,
    runs.ended_at,
    run_is_held(runs.id) as is_held
from runs
where runs.owner_id = %(owner_id)s::uuid
  and (%(session_id)s::text is null or runs.session_id::text = %(session_id)s)
  and (%(run_id)s::text is null or runs.id::text = %(run_id)s)
  and (not %(open_only)s or runs.status in ('running', 'waiting'))
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
  and status in ('running', 'waiting')
returning epoch
"""


def claim_run(pool: ConnectionPool, run_id: str) -> int | None:
    """Raise the run's epoch, so that earlier executors can write no more; None when it is over.

    Only the holder of the run's lock may call this.
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
        connection.deadline_seconds = LOCK_SECONDS
        row = connection.execute(TRY_LOCK, {"run_id": self._run_id}).fetchone()
        if row is None or not row[0]:
            connection.close()
            return False
        self._connection = connection
        return True

    def is_alive(self) -> bool:
        """Whether the connection that carries the lock still answers."""
        if self._connection is None:
            return False
        try:
            self._connection.execute("select 1")
        except psycopg.Error:
            return False
        return True

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
    r.owner_id::text
from runs r
where r.status = 'waiting'
  and not run_is_held(r.id)
  and not exists (
    select 1 from tool_executions t where t.run_id = r.id and t.status = 'pending'
  )
"""


@dataclass(frozen=True, kw_only=True)
class RestingRun:
    """A run that waits for nobody any more."""

    run_id: str
    owner_id: str


def decided_and_resting(pool: ConnectionPool) -> list[RestingRun]:
    """Runs that wait although everything is decided: whoever decided could not begin their pass."""
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(RestingRun))
        return cursor.execute(SELECT_DECIDED_AND_RESTING).fetchall()
