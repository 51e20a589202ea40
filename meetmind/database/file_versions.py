"""What files held before approved calls changed them, and the changes that can be taken back."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg
from psycopg.rows import class_row
from psycopg_pool import ConnectionPool

from meetmind.database.run_events import append_within
from meetmind.events import ToolUndone


@dataclass(frozen=True, kw_only=True)
class FileVersion:
    """What a file held before a call changed it; `content` is None where there was no file."""

    run_id: str
    call_id: str
    path: str
    content: bytes | None
    kept_at: datetime


@dataclass(frozen=True, kw_only=True)
class FileChangeRow:
    """A call that changed a file, as it stands in the ledger."""

    run_id: str
    call_id: str
    session_id: str
    agent_name: str
    tool: str
    path: str
    preview: str
    """The unified diff."""
    target_sha256_before: str | None
    """'' where there was no file."""
    target_sha256_after: str | None
    changed_at: datetime
    allowed_by: str | None
    undone_at: datetime | None
    undone_by: str | None


INSERT_VERSION = """
insert into file_versions (run_id, call_id, path, content)
values (%(run_id)s::uuid, %(call_id)s, %(path)s, %(content)s)
on conflict (run_id, call_id) do update
set path = excluded.path,
    content = excluded.content,
    kept_at = clock_timestamp()
"""


def keep_version(
    pool: ConnectionPool, *, run_id: str, call_id: str, path: str, content: bytes | None
) -> None:
    """Keep what the file holds in the moment before the call changes it.

    A call that is asked about again, since the file has changed, keeps what it would replace now.
    """
    parameters = {"run_id": run_id, "call_id": call_id, "path": path, "content": content}
    with pool.connection() as connection:
        connection.execute(INSERT_VERSION, parameters)


SELECT_VERSION = """
select v.run_id::text, v.call_id, v.path, v.content, v.kept_at
from file_versions v
join runs r on r.id = v.run_id
where v.run_id::text = %(run_id)s
  and v.call_id = %(call_id)s
  and r.owner_id = %(owner_id)s::uuid
"""


def get_version(
    pool: ConnectionPool, *, owner_id: str, run_id: str, call_id: str
) -> FileVersion | None:
    """What the file held before this call of the owner's; None when nothing was kept."""
    parameters = {"owner_id": owner_id, "run_id": run_id, "call_id": call_id}
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(FileVersion))
        return cursor.execute(SELECT_VERSION, parameters).fetchone()


SELECT_VERSIONS = """
select v.run_id::text, v.call_id, v.path, v.content, v.kept_at
from file_versions v
join runs r on r.id = v.run_id
where r.session_id::text = %(session_id)s
  and r.owner_id = %(owner_id)s::uuid
  and v.path = %(path)s
order by v.kept_at, v.call_id
"""


def versions_of(
    pool: ConnectionPool, *, owner_id: str, session_id: str, path: str
) -> list[FileVersion]:
    """Every kept version of a file of the owner's discussion, oldest first."""
    parameters = {"owner_id": owner_id, "session_id": session_id, "path": path}
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(FileVersion))
        return cursor.execute(SELECT_VERSIONS, parameters).fetchall()


CHANGE_COLUMNS = """
select
    t.run_id::text,
    t.call_id,
    t.session_id::text,
    t.agent_name,
    t.tool,
    t.arguments ->> 'path' as path,
    t.preview,
    t.target_sha256_before,
    t.target_sha256_after,
    coalesce(t.ended_at, t.started_at, t.requested_at) as changed_at,
    decider.name as allowed_by,
    t.undone_at,
    undoer.name as undone_by
from tool_executions t
left join users decider on decider.id = t.decided_by
left join users undoer on undoer.id = t.undone_by
where t.owner_id = %(owner_id)s::uuid
  and t.status = 'finished'
  and t.target_sha256_after is not null
  and t.arguments ->> 'path' is not null
"""

SELECT_CHANGES = (
    CHANGE_COLUMNS
    + """
  and t.session_id::text = %(session_id)s
order by changed_at, t.call_id
"""
)


def list_changes(pool: ConnectionPool, *, owner_id: str, session_id: str) -> list[FileChangeRow]:
    """Every change of a file in the owner's discussion, oldest first."""
    parameters = {"owner_id": owner_id, "session_id": session_id}
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(FileChangeRow))
        return cursor.execute(SELECT_CHANGES, parameters).fetchall()


SELECT_CHANGE = (
    CHANGE_COLUMNS
    + """
  and t.run_id::text = %(run_id)s
  and t.call_id = %(call_id)s
"""
)


def get_change(
    pool: ConnectionPool, *, owner_id: str, run_id: str, call_id: str
) -> FileChangeRow | None:
    """One change of the owner's; None when the call changed no file."""
    parameters = {"owner_id": owner_id, "run_id": run_id, "call_id": call_id}
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(FileChangeRow))
        return cursor.execute(SELECT_CHANGE, parameters).fetchone()


# Nobody can approve or start a call of the discussion while these rows are locked.
LOCK_OPEN_CALLS = """
select t.status, t.arguments ->> 'path'
from tool_executions t
join runs r on r.id = t.run_id
where t.session_id::text = %(session_id)s
  and t.status in ('pending', 'approved', 'started')
  and t.target_sha256_after is not null
  and r.status in ('running', 'waiting', 'paused')
order by t.run_id, t.call_id
for update of t
"""

MARK_UNDONE = """
update tool_executions
set undone_at = clock_timestamp(),
    undone_by = %(owner_id)s::uuid
where run_id::text = %(run_id)s
  and call_id = %(call_id)s
  and owner_id = %(owner_id)s::uuid
  and status = 'finished'
  and undone_at is null
"""


@dataclass(frozen=True, kw_only=True)
class UndoClaim:
    """What was found when a change was to be taken back."""

    is_ours: bool
    """False when somebody has taken it back already."""
    paths_at_work: tuple[str, ...]
    """What calls that are approved and not done yet will change."""


@contextmanager
def undo_claim(pool: ConnectionPool, change: FileChangeRow, owner_id: str) -> Iterator[UndoClaim]:
    """Mark a change as taken back, for good when the block ends without an error.

    A second click waits for the first one's block. No call of the discussion is approved or begins
    meanwhile, so that the file stays as it is between a check and its replacement.
    """
    parameters = {
        "owner_id": owner_id,
        "session_id": change.session_id,
        "run_id": change.run_id,
        "call_id": change.call_id,
    }
    with pool.connection() as connection, connection.transaction():
        open_calls = connection.execute(LOCK_OPEN_CALLS, parameters).fetchall()
        marked = connection.execute(MARK_UNDONE, parameters).rowcount
        if marked == 1:
            _tell_undone(connection, parameters)
        at_work = [path for status, path in open_calls if path and status != "pending"]
        yield UndoClaim(is_ours=marked == 1, paths_at_work=tuple(at_work))


UNDOER_NAME = "select name from users where id = %(owner_id)s::uuid"


def _tell_undone(connection: psycopg.Connection[Any], parameters: Mapping[str, str]) -> None:
    row = connection.execute(UNDOER_NAME, parameters).fetchone()
    assert row is not None
    event = ToolUndone(call_id=parameters["call_id"], undone_by=row[0])
    append_within(connection, run_id=parameters["run_id"], epoch=None, event=event)
