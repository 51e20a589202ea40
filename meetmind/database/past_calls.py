"""The history of risky calls: what was asked, decided, run and taken back."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.rows import class_row
from psycopg_pool import ConnectionPool


@dataclass(frozen=True, kw_only=True)
class PastCallRow:
    """One call as the history shows it: asked, decided, run, taken back."""

    run_id: str
    call_id: str
    session_id: str
    session_title: str
    agent_name: str
    tool: str
    risk: str
    arguments: dict[str, Any]
    proposed_arguments: dict[str, Any] | None
    reason: str
    code: str
    preview: str
    status: str
    requested_at: datetime
    decided_at: datetime | None
    decided_by_name: str | None
    decided_how: str | None
    decision_reason: str | None
    started_at: datetime | None
    ended_at: datetime | None
    result: dict[str, Any] | None
    result_sha256: str | None
    undone_at: datetime | None
    undone_by_name: str | None
    has_version: bool


PAST_COLUMNS = """
select
    t.run_id::text,
    t.call_id,
    t.session_id::text,
    s.title as session_title,
    t.agent_name,
    t.tool,
    t.risk,
    t.arguments,
    t.proposed_arguments,
    t.reason,
    t.code,
    t.preview,
    case when t.status = 'pending' then 'lapsed' else t.status end as status,
    t.requested_at,
    t.decided_at,
    decider.name as decided_by_name,
    t.decided_how,
    t.decision_reason,
    t.started_at,
    t.ended_at,
    t.result,
    t.result_sha256,
    t.undone_at,
    undoer.name as undone_by_name,
    exists (
        select 1 from file_versions v where v.run_id = t.run_id and v.call_id = t.call_id
    ) as has_version
"""

FROM_PAST = """
from tool_executions t
join runs r on r.id = t.run_id
join sessions s on s.id = t.session_id
left join users decider on decider.id = t.decided_by
left join users undoer on undoer.id = t.undone_by
where t.owner_id = %(owner_id)s::uuid
  and t.risk <> 'low'
  and (t.status <> 'pending' or r.status not in ('running', 'waiting', 'paused'))
  and (%(tool)s::text is null or t.tool = %(tool)s)
  and (%(session_id)s::text is null or t.session_id::text = %(session_id)s)
  and (
    %(outcome)s::text is null
    or (%(outcome)s = 'rejected' and t.status = 'rejected')
    or (%(outcome)s = 'refused' and t.status = 'refused')
    or (%(outcome)s = 'lapsed' and t.status = 'pending')
    or (%(outcome)s = 'approved' and t.status not in ('rejected', 'refused', 'pending'))
  )
"""

SELECT_PAST = (
    PAST_COLUMNS
    + FROM_PAST
    + """
order by coalesce(t.decided_at, t.requested_at) desc, t.call_id
offset %(offset)s
limit %(limit)s
"""
)

COUNT_COLUMN = "select count(*)"

COUNT_PAST = COUNT_COLUMN + FROM_PAST


@dataclass(frozen=True, kw_only=True)
class PastFilter:
    """Which past calls are wanted; None is any."""

    tool: str | None = None
    session_id: str | None = None
    outcome: str | None = None
    """approved, rejected, refused, or lapsed: the run ended before anybody decided."""


def list_past(
    pool: ConnectionPool, *, owner_id: str, wanted: PastFilter, offset: int, limit: int
) -> tuple[list[PastCallRow], int]:
    """The owner's calls that were decided or refused, newest first, and how many there are."""
    parameters = {
        "owner_id": owner_id,
        "tool": wanted.tool,
        "session_id": wanted.session_id,
        "outcome": wanted.outcome,
        "offset": offset,
        "limit": limit,
    }
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(PastCallRow))
        rows = cursor.execute(SELECT_PAST, parameters).fetchall()
        counted = connection.execute(COUNT_PAST, parameters).fetchone()
    assert counted is not None
    return rows, int(counted[0])


SELECT_TOOLS = """
select distinct tool
from tool_executions
where owner_id = %(owner_id)s::uuid
  and risk <> 'low'
order by tool
"""


def list_tools(pool: ConnectionPool, *, owner_id: str) -> list[str]:
    """The tools that the owner's history of risky calls knows, by name."""
    with pool.connection() as connection:
        rows = connection.execute(SELECT_TOOLS, {"owner_id": owner_id}).fetchall()
    return [row[0] for row in rows]
