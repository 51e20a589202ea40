"""The ledger of tool calls: what was asked, who decided, what ran."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.rows import class_row
from psycopg.types.json import Jsonb
from psycopg_pool import ConnectionPool

from meetmind.database.run_events import append_within
from meetmind.errors import NotFound, RunIsOver
from meetmind.events import Decision, ToolDecided, ToolFinished, ToolRequested


@dataclass(frozen=True, kw_only=True)
class ToolExecutionRow:
    """One tool call as it stands in the ledger."""

    run_id: str
    call_id: str
    utterance_id: str
    session_id: str
    owner_id: str
    agent_name: str
    tool: str
    risk: str
    arguments: dict[str, Any]
    arguments_sha256: str
    target_sha256_before: str | None
    target_sha256_after: str | None
    reason: str
    status: str
    requested_at: datetime
    decided_by_name: str | None
    decision_reason: str | None
    result: dict[str, Any] | None


COLUMNS = """
select
    t.run_id::text,
    t.call_id,
    t.utterance_id,
    t.session_id::text,
    t.owner_id::text,
    t.agent_name,
    t.tool,
    t.risk,
    t.arguments,
    t.arguments_sha256,
    t.target_sha256_before,
    t.target_sha256_after,
    t.reason,
    t.status,
    t.requested_at,
    u.name as decided_by_name,
    t.decision_reason,
    t.result
from tool_executions t
left join users u on u.id = t.decided_by
"""

INSERT_CALL = """
insert into tool_executions (
    run_id, call_id, utterance_id, session_id, owner_id, agent_name, tool, risk,
    arguments, arguments_sha256, target_sha256_before, target_sha256_after, reason, status
)
select
    id, %(call_id)s, %(utterance_id)s, session_id, owner_id, %(agent_name)s, %(tool)s, %(risk)s,
    %(arguments)s, %(arguments_sha256)s, %(target_sha256_before)s, %(target_sha256_after)s,
    %(reason)s, %(status)s
from runs
where id = %(run_id)s::uuid
  and epoch = %(epoch)s
on conflict do nothing
"""


def record_request(
    pool: ConnectionPool,
    *,
    run_id: str,
    epoch: int,
    request: ToolRequested,
    status: str,
    arguments_sha256: str,
    target_sha256_before: str | None = None,
    target_sha256_after: str | None = None,
) -> None:
    """Write a call into the ledger together with its event; one that is there is left alone."""
    parameters = {
        "run_id": run_id,
        "epoch": epoch,
        "call_id": request.call_id,
        "utterance_id": request.utterance_id,
        "agent_name": request.agent_name,
        "tool": request.tool,
        "risk": request.risk,
        "arguments": Jsonb(dict(request.arguments)),
        "arguments_sha256": arguments_sha256,
        "target_sha256_before": target_sha256_before,
        "target_sha256_after": target_sha256_after,
        "reason": request.reason,
        "status": status,
    }
    with pool.connection() as connection, connection.transaction():
        inserted = connection.execute(INSERT_CALL, parameters).rowcount
        if inserted == 1:
            append_within(connection, run_id=run_id, epoch=epoch, event=request)


SELECT_CALL = (
    COLUMNS
    + """
where t.run_id = %(run_id)s::uuid
  and t.call_id = %(call_id)s
"""
)


def get_call(pool: ConnectionPool, *, run_id: str, call_id: str) -> ToolExecutionRow | None:
    """One call of a run, or None when nobody ever asked for it."""
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(ToolExecutionRow))
        return cursor.execute(SELECT_CALL, {"run_id": run_id, "call_id": call_id}).fetchone()


SELECT_RUN_CALLS = (
    COLUMNS
    + """
where t.run_id = %(run_id)s::uuid
  and (%(status)s::text is null or t.status = %(status)s)
order by t.requested_at, t.call_id
"""
)


def list_run_calls(
    pool: ConnectionPool, *, run_id: str, status: str | None = None
) -> list[ToolExecutionRow]:
    """The calls of a run in the order in which they were asked for."""
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(ToolExecutionRow))
        return cursor.execute(SELECT_RUN_CALLS, {"run_id": run_id, "status": status}).fetchall()


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
    """The owner's calls that wait for a click."""
    parameters = {"owner_id": owner_id, "session_id": session_id}
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(ToolExecutionRow))
        return cursor.execute(SELECT_PENDING, parameters).fetchall()


DECIDE_CALL = """
update tool_executions t
set status = %(decision)s,
    decided_by = %(decider_id)s::uuid,
    decided_at = clock_timestamp(),
    decision_reason = %(reason)s
from runs r
where t.run_id = %(run_id)s::uuid
  and t.call_id = %(call_id)s
  and t.owner_id = %(decider_id)s::uuid
  and t.status = 'pending'
  and r.id = t.run_id
  and r.status in ('running', 'waiting')
"""

DECIDER_NAME = "select name from users where id = %(decider_id)s::uuid"


def decide_call(
    pool: ConnectionPool,
    *,
    decider_id: str,
    run_id: str,
    call_id: str,
    decision: Decision,
    reason: str,
) -> bool:
    """Approve or reject a pending call; True when this was the first decision.

    Raises `NotFound` when the call is not this person's, and `RunIsOver` when it can wait no more.
    """
    parameters = {
        "decider_id": decider_id,
        "run_id": run_id,
        "call_id": call_id,
        "decision": decision,
        "reason": reason,
    }
    with pool.connection() as connection, connection.transaction():
        won = connection.execute(DECIDE_CALL, parameters).rowcount == 1
        if won:
            row = connection.execute(DECIDER_NAME, parameters).fetchone()
            assert row is not None
            event = ToolDecided(
                call_id=call_id, decision=decision, decided_by=row[0], reason=reason
            )
            append_within(connection, run_id=run_id, epoch=None, event=event)
            return True
    call = get_call(pool, run_id=run_id, call_id=call_id)
    if call is None or call.owner_id != decider_id:
        raise NotFound("There is no such tool call.")
    if call.status == "pending":
        raise RunIsOver("The discussion has ended; nothing waits for a decision any more.")
    return False


CLAIM_CALL = """
update tool_executions t
set status = 'started',
    started_at = clock_timestamp()
from runs r
where t.run_id = %(run_id)s::uuid
  and t.call_id = %(call_id)s
  and t.status = 'approved'
  and r.id = t.run_id
  and r.epoch = %(epoch)s
"""


def claim_call(pool: ConnectionPool, *, run_id: str, epoch: int, call_id: str) -> bool:
    """Move an approved call to started; False when it is not approved or the run was lost."""
    parameters = {"run_id": run_id, "epoch": epoch, "call_id": call_id}
    with pool.connection() as connection:
        return connection.execute(CLAIM_CALL, parameters).rowcount == 1


FINISH_CALL = """
update tool_executions
set status = %(status)s,
    ended_at = clock_timestamp(),
    result = %(result)s
where run_id = %(run_id)s::uuid
  and call_id = %(call_id)s
  and status in ('started', 'rejected', 'refused')
  and ended_at is null
"""


def finish_call(
    pool: ConnectionPool,
    *,
    run_id: str,
    epoch: int,
    status: str,
    result: Mapping[str, Any],
    event: ToolFinished,
) -> None:
    """Record how a call ended together with its event; the second time changes nothing."""
    parameters = {
        "run_id": run_id,
        "call_id": event.call_id,
        "status": status,
        "result": Jsonb(dict(result)),
    }
    with pool.connection() as connection, connection.transaction():
        changed = connection.execute(FINISH_CALL, parameters).rowcount
        if changed == 1:
            append_within(connection, run_id=run_id, epoch=epoch, event=event)


SETTLE_CALL = """
update tool_executions
set status = %(status)s,
    reason = case when %(note)s = '' then reason else %(note)s || reason end,
    started_at = null
where run_id = %(run_id)s::uuid
  and call_id = %(call_id)s
  and status = 'started'
"""


def settle_started_call(
    pool: ConnectionPool, *, run_id: str, call_id: str, status: str, note: str = ""
) -> None:
    """After a crash: put a call that had started back to approved or pending."""
    parameters = {"run_id": run_id, "call_id": call_id, "status": status, "note": note}
    with pool.connection() as connection:
        connection.execute(SETTLE_CALL, parameters)
