"""Discussions (table `sessions`); every query carries the owner."""

from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row
from psycopg_pool import ConnectionPool

from meetmind.errors import NotFound


@dataclass(frozen=True, kw_only=True)
class SessionRow:
    """One discussion with the state of its last run."""

    id: str
    title: str
    created_at: datetime
    updated_at: datetime
    last_run_status: str | None
    last_run_is_held: bool


CREATE_SESSION = """
insert into sessions (owner_id, title)
values (%(owner_id)s::uuid, %(title)s)
returning id::text
"""


def create_session(pool: ConnectionPool, *, owner_id: str, title: str) -> str:
    """A new, empty discussion; its id."""
    with pool.connection() as connection:
        row = connection.execute(CREATE_SESSION, {"owner_id": owner_id, "title": title}).fetchone()
    assert row is not None
    session_id: str = row[0]
    return session_id


LIST_SESSIONS = """
select
    s.id::text,
    s.title,
    s.created_at,
    s.updated_at,
    r.status as last_run_status,
    coalesce(r.is_held, false) as last_run_is_held
from sessions s
left join lateral (
    select
        runs.status,
        run_is_held(runs.id) as is_held
    from runs
    where runs.session_id = s.id
    order by runs.created_at desc
    limit 1
) r on true
where s.owner_id = %(owner_id)s::uuid
  and (%(session_id)s::text is null or s.id::text = %(session_id)s)
  and (
    %(search)s = ''
    or s.title ilike %(pattern)s
    or exists (
        select 1
        from messages m
        where m.session_id = s.id
          and m.content ilike %(pattern)s
    )
  )
order by s.updated_at desc
limit %(limit)s
"""


def list_sessions(
    pool: ConnectionPool,
    *,
    owner_id: str,
    search: str = "",
    session_id: str | None = None,
    limit: int = 200,
) -> list[SessionRow]:
    """The owner's discussions, newest first; `search` looks into titles and words."""
    escaped = search.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    parameters = {
        "owner_id": owner_id,
        "session_id": session_id,
        "search": search,
        "pattern": f"%{escaped}%",
        "limit": limit,
    }
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(SessionRow))
        return cursor.execute(LIST_SESSIONS, parameters).fetchall()


RENAME_SESSION = """
update sessions
set title = %(title)s
where id::text = %(session_id)s
  and owner_id = %(owner_id)s::uuid
"""


def rename_session(pool: ConnectionPool, *, owner_id: str, session_id: str, title: str) -> None:
    """Give a discussion another title; raises `NotFound`."""
    parameters = {"owner_id": owner_id, "session_id": session_id, "title": title}
    with pool.connection() as connection:
        changed = connection.execute(RENAME_SESSION, parameters).rowcount
    if changed == 0:
        raise NotFound("There is no such discussion.")


DELETE_SESSION = """
delete from sessions
where id::text = %(session_id)s
  and owner_id = %(owner_id)s::uuid
"""


def delete_session(pool: ConnectionPool, *, owner_id: str, session_id: str) -> None:
    """Delete a discussion with its runs, events and messages; raises `NotFound`."""
    parameters = {"owner_id": owner_id, "session_id": session_id}
    with pool.connection() as connection:
        deleted = connection.execute(DELETE_SESSION, parameters).rowcount
    if deleted == 0:
        raise NotFound("There is no such discussion.")
