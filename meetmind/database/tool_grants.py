"""What a person allows for a whole discussion, until they take it back."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg
from psycopg.rows import class_row
from psycopg_pool import ConnectionPool

from meetmind.database.run_events import append_within
from meetmind.errors import NotFound
from meetmind.events import ToolAskedAgain


@dataclass(frozen=True, kw_only=True)
class GrantRow:
    """A permission in force."""

    id: str
    session_id: str
    session_title: str
    tool: str
    scope: str
    """Narrows the tool, such as the host of a fetch; '' is all of it."""
    owner_name: str
    granted_at: datetime
    used: int
    """How many calls it has let pass."""


GIVE_GRANT = """
insert into tool_grants (session_id, owner_id, tool, scope)
values (%(session_id)s::uuid, %(owner_id)s::uuid, %(tool)s, %(scope)s)
on conflict (session_id, tool, scope) where revoked_at is null do nothing
"""


def give_grant(
    connection: psycopg.Connection[Any], *, owner_id: str, session_id: str, tool: str, scope: str
) -> None:
    """Allow a tool in a discussion, inside the caller's transaction; twice is once."""
    parameters = {"owner_id": owner_id, "session_id": session_id, "tool": tool, "scope": scope}
    connection.execute(GIVE_GRANT, parameters)


SELECT_GRANTS = """
select
    g.id::text,
    g.session_id::text,
    s.title as session_title,
    g.tool,
    g.scope,
    u.name as owner_name,
    g.granted_at,
    (select count(*) from tool_executions t where t.grant_id = g.id)::integer as used
from tool_grants g
join sessions s on s.id = g.session_id
join users u on u.id = g.owner_id
where g.owner_id = %(owner_id)s::uuid
  and s.owner_id = g.owner_id
  and g.revoked_at is null
  and (%(session_id)s::text is null or g.session_id::text = %(session_id)s)
order by g.granted_at, g.id
"""


def list_grants(
    pool: ConnectionPool, *, owner_id: str, session_id: str | None = None
) -> list[GrantRow]:
    """The owner's permissions in force, oldest first."""
    parameters = {"owner_id": owner_id, "session_id": session_id}
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(GrantRow))
        return cursor.execute(SELECT_GRANTS, parameters).fetchall()


REVOKE_GRANT = """
update tool_grants
set revoked_at = clock_timestamp()
where id::text = %(grant_id)s
  and owner_id = %(owner_id)s::uuid
  and revoked_at is null
"""

ASK_AGAIN_FOR_GRANTED = """
with granted as (
    select t.run_id, t.call_id
    from tool_executions t
    join runs r on r.id = t.run_id
    where t.grant_id = (select g.id from tool_grants g where g.id::text = %(grant_id)s)
      and t.status = 'approved'
      and r.status in ('running', 'waiting', 'paused')
    order by t.run_id, t.call_id
    for update of t
)
update tool_executions t
set status = 'pending',
    pending_since = clock_timestamp(),
    decided_by = null,
    decided_at = null,
    decided_how = null,
    asked_again = 'permission_ended',
    grant_id = null
from granted
where t.run_id = granted.run_id
  and t.call_id = granted.call_id
returning t.run_id::text, t.call_id
"""


def revoke_grant(pool: ConnectionPool, *, owner_id: str, grant_id: str) -> None:
    """End a permission; calls that it let pass and that have not begun are asked about again.

    Raises `NotFound` for one that is not this person's or has ended already.
    """
    parameters = {"owner_id": owner_id, "grant_id": grant_id}
    with pool.connection() as connection, connection.transaction():
        if connection.execute(REVOKE_GRANT, parameters).rowcount == 0:
            raise NotFound("There is no such permission any more.")
        for run_id, call_id in connection.execute(ASK_AGAIN_FOR_GRANTED, parameters).fetchall():
            event = ToolAskedAgain(call_id=call_id, why="permission_ended")
            append_within(connection, run_id=run_id, epoch=None, event=event)
