"""Decisions about calls in the ledger: what waits, who decided first, what nobody decided."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg
from psycopg.rows import class_row
from psycopg.types.json import Jsonb
from psycopg_pool import ConnectionPool

from meetmind.database.run_events import append_within
from meetmind.database.tool_executions import COLUMNS, ToolExecutionRow, get_call
from meetmind.database.tool_grants import give_grant
from meetmind.errors import NotFound, RunIsOver
from meetmind.events import DecidedHow, Decision, ToolDecided

SELECT_PENDING = (
    COLUMNS
    + """
join runs r on r.id = t.run_id
where t.owner_id = %(owner_id)s::uuid
  and t.status = 'pending'
  and r.status in ('running', 'waiting')
  and (%(session_id)s::text is null or t.session_id::text = %(session_id)s)
order by t.requested_at, t.call_id
"""
)


def list_pending(
    pool: ConnectionPool, *, owner_id: str, session_id: str | None = None
) -> list[ToolExecutionRow]:
    """The owner's calls that wait for a click, oldest first."""
    parameters = {"owner_id": owner_id, "session_id": session_id}
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(ToolExecutionRow))
        return cursor.execute(SELECT_PENDING, parameters).fetchall()


COUNT_PENDING = """
select count(*)
from tool_executions t
join runs r on r.id = t.run_id
where t.owner_id = %(owner_id)s::uuid
  and t.status = 'pending'
  and r.status in ('running', 'waiting')
"""


def count_pending(pool: ConnectionPool, *, owner_id: str) -> int:
    """How many of the owner's calls wait for a click."""
    with pool.connection() as connection:
        row = connection.execute(COUNT_PENDING, {"owner_id": owner_id}).fetchone()
    assert row is not None
    return int(row[0])


@dataclass(frozen=True, kw_only=True)
class ChangedCall:
    """What a person made of a call; takes the place of what the role asked for."""

    arguments: Mapping[str, Any]
    arguments_sha256: str
    risk: str
    target: str
    preview: str
    sha256_before: str | None
    sha256_after: str | None


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """One person's word on one call."""

    decider_id: str
    decision: Decision
    reason: str = ""
    how: DecidedHow = "person"
    changed: ChangedCall | None = None
    grants_scope: str | None = None
    """Allows the call's tool from now on in its discussion, within this scope ('' = all of it)."""
    grant_id: str | None = None
    """The permission that decides, for `how` = grant."""
    seen_since: datetime | None = None
    seen_sha256: str | None = None
    """The call as the decider saw it; it is not decided when it has changed. None: as it is."""


DECIDE_CALL = """
update tool_executions t
set status = %(decision)s,
    decided_by = %(decider_id)s::uuid,
    decided_at = clock_timestamp(),
    decided_how = %(how)s,
    decision_reason = %(reason)s,
    grant_id = %(grant_id)s::uuid
from runs r
where t.run_id = %(run_id)s::uuid
  and t.call_id = %(call_id)s
  and t.owner_id = %(decider_id)s::uuid
  and t.status = 'pending'
  and (%(seen_since)s::timestamptz is null or t.pending_since = %(seen_since)s)
  and (%(seen_sha256)s::text is null or t.arguments_sha256 = %(seen_sha256)s)
  and r.id = t.run_id
  and r.status in ('running', 'waiting')
returning t.session_id::text, t.tool
"""

CHANGE_CALL = """
update tool_executions
set proposed_arguments = coalesce(proposed_arguments, arguments),
    arguments = %(arguments)s,
    arguments_sha256 = %(arguments_sha256)s,
    risk = %(risk)s,
    target = %(target)s,
    preview = %(preview)s,
    target_sha256_before = %(sha256_before)s,
    target_sha256_after = %(sha256_after)s
where run_id = %(run_id)s::uuid
  and call_id = %(call_id)s
"""

DECIDER_NAME = "select name from users where id = %(decider_id)s::uuid"


def decide_call(pool: ConnectionPool, *, run_id: str, call_id: str, verdict: Verdict) -> bool:
    """Decide a pending call; True when this was the first decision.

    False for a call that is decided already or is no longer the one that was seen. Raises
    `NotFound` when the call is not this person's, and `RunIsOver` when it can wait no more.
    """
    parameters = {
        "decider_id": verdict.decider_id,
        "run_id": run_id,
        "call_id": call_id,
        "decision": verdict.decision,
        "reason": verdict.reason,
        "how": verdict.how,
        "grant_id": verdict.grant_id,
        "seen_since": verdict.seen_since,
        "seen_sha256": verdict.seen_sha256,
    }
    with pool.connection() as connection, connection.transaction():
        decided = connection.execute(DECIDE_CALL, parameters).fetchone()
        if decided is not None:
            session_id, tool = decided
            _change(connection, run_id, call_id, verdict.changed)
            if verdict.grants_scope is not None:
                give_grant(
                    connection,
                    owner_id=verdict.decider_id,
                    session_id=session_id,
                    tool=tool,
                    scope=verdict.grants_scope,
                )
            row = connection.execute(DECIDER_NAME, parameters).fetchone()
            assert row is not None
            event = _event(call_id, verdict, row[0])
            append_within(connection, run_id=run_id, epoch=None, event=event)
            return True
    call = get_call(pool, run_id=run_id, call_id=call_id)
    if call is None or call.owner_id != verdict.decider_id:
        raise NotFound("There is no such tool call.")
    if call.status == "pending" and not _has_changed(call, verdict):
        raise RunIsOver("The discussion has ended; nothing waits for a decision any more.")
    return False


def _has_changed(call: ToolExecutionRow, verdict: Verdict) -> bool:
    is_older = verdict.seen_since is not None and verdict.seen_since != call.pending_since
    is_another = verdict.seen_sha256 not in (None, call.arguments_sha256)
    return is_older or is_another


def _change(
    connection: psycopg.Connection[Any], run_id: str, call_id: str, changed: ChangedCall | None
) -> None:
    if changed is None:
        return
    parameters = {
        "run_id": run_id,
        "call_id": call_id,
        "arguments": Jsonb(dict(changed.arguments)),
        "arguments_sha256": changed.arguments_sha256,
        "risk": changed.risk,
        "target": changed.target,
        "preview": changed.preview,
        "sha256_before": changed.sha256_before,
        "sha256_after": changed.sha256_after,
    }
    connection.execute(CHANGE_CALL, parameters)


def _event(call_id: str, verdict: Verdict, decider: str) -> ToolDecided:
    changed = verdict.changed
    return ToolDecided(
        call_id=call_id,
        decision=verdict.decision,
        decided_by=decider,
        reason=verdict.reason,
        how=verdict.how,
        arguments=None if changed is None else changed.arguments,
        preview="" if changed is None else changed.preview,
        allows_from_now=verdict.grants_scope is not None,
    )


EXPIRE_CALLS = """
with expired as (
    select t.run_id, t.call_id
    from tool_executions t
    join runs r on r.id = t.run_id
    where t.status = 'pending'
      and t.pending_since < clock_timestamp() - make_interval(secs => %(seconds)s)
      and r.status in ('running', 'waiting')
    order by t.run_id, t.call_id
    for update of t
)
update tool_executions t
set status = 'rejected',
    decided_by = null,
    decided_at = clock_timestamp(),
    decided_how = 'expiry',
    decision_reason = ''
from expired
where t.run_id = expired.run_id
  and t.call_id = expired.call_id
returning t.run_id::text, t.call_id, t.owner_id::text
"""


@dataclass(frozen=True, kw_only=True)
class ExpiredCall:
    """A call that nobody decided in time."""

    run_id: str
    call_id: str
    owner_id: str


def expire_calls(pool: ConnectionPool, *, seconds: float) -> list[ExpiredCall]:
    """Reject every call that has waited longer than this, together with the events."""
    expired: list[ExpiredCall] = []
    with pool.connection() as connection, connection.transaction():
        rows = connection.execute(EXPIRE_CALLS, {"seconds": seconds}).fetchall()
        for run_id, call_id, owner_id in rows:
            event = ToolDecided(call_id=call_id, decision="rejected", decided_by="", how="expiry")
            append_within(connection, run_id=run_id, epoch=None, event=event)
            expired.append(ExpiredCall(run_id=run_id, call_id=call_id, owner_id=owner_id))
    return expired
