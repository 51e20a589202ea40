"""The ledger of tool calls: what was asked, who decided, what ran."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.rows import class_row
from psycopg.types.json import Jsonb
from psycopg_pool import ConnectionPool

from meetmind import faults
from meetmind.database.run_events import append_within
from meetmind.events import ToolAskedAgain, ToolFinished, ToolRequested


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
    target: str
    preview: str
    reason: str
    code: str
    asked_again: str
    status: str
    requested_at: datetime
    pending_since: datetime
    decided_by_name: str | None
    decided_how: str | None
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
    t.target,
    t.preview,
    t.reason,
    t.code,
    t.asked_again,
    t.status,
    t.requested_at,
    t.pending_since,
    u.name as decided_by_name,
    t.decided_how,
    t.decision_reason,
    t.result
from tool_executions t
left join users u on u.id = t.decided_by
"""


@dataclass(frozen=True, kw_only=True)
class CallFacts:
    """What the policy found out about a call before it was written down."""

    arguments_sha256: str
    target: str = ""
    """The path or address that the call is about."""
    sha256_before: str | None = None
    """Of the target file as it is; '' = no file, None = not about a file."""
    sha256_after: str | None = None
    grant_id: str | None = None
    """The permission that let the call pass without a question."""


INSERT_CALL = """
insert into tool_executions (
    run_id, call_id, utterance_id, session_id, owner_id, agent_name, tool, risk,
    arguments, arguments_sha256, target, target_sha256_before, target_sha256_after,
    reason, code, preview, status, grant_id, decided_by, decided_how, decided_at
)
select
    r.id, %(call_id)s, %(utterance_id)s, r.session_id, r.owner_id, %(agent_name)s, %(tool)s,
    %(risk)s, %(arguments)s, %(arguments_sha256)s, %(target)s, %(sha256_before)s, %(sha256_after)s,
    %(reason)s, %(code)s, %(preview)s,
    -- a permission that was taken back in this moment lets nothing pass
    case when %(grant_id)s::uuid is not null and g.id is null then 'pending' else %(status)s end,
    g.id, g.owner_id,
    case when g.id is not null then 'grant' end,
    case when g.id is not null then clock_timestamp() end
from runs r
left join tool_grants g on g.id = %(grant_id)s::uuid and g.revoked_at is null
where r.id = %(run_id)s::uuid
  and r.epoch = %(epoch)s
on conflict do nothing
"""


def record_request(
    pool: ConnectionPool,
    *,
    run_id: str,
    epoch: int,
    request: ToolRequested,
    status: str,
    facts: CallFacts,
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
        "arguments_sha256": facts.arguments_sha256,
        "target": facts.target,
        "sha256_before": facts.sha256_before,
        "sha256_after": facts.sha256_after,
        "reason": request.reason,
        "code": request.code,
        "preview": request.preview,
        "status": status,
        "grant_id": facts.grant_id,
    }
    faults.reach("ledger.requesting", request.tool)
    with pool.connection() as connection, connection.transaction():
        inserted = connection.execute(INSERT_CALL, parameters).rowcount
        if inserted == 1:
            append_within(connection, run_id=run_id, epoch=epoch, event=request)
    faults.reach("ledger.requested", request.tool)


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


ACTS_NOW = """
select exists (
    select 1
    from tool_executions
    where run_id = %(run_id)s::uuid
      and status = 'started'
) and run_is_held(%(run_id)s::uuid)
"""


def acts_now(pool: ConnectionPool, run_id: str) -> bool:
    """Whether a call has started whose executor, in whatever process, still has the run."""
    with pool.connection() as connection:
        row = connection.execute(ACTS_NOW, {"run_id": run_id}).fetchone()
    return row is not None and bool(row[0])


CLAIM_CALL = """
update tool_executions t
set status = 'started',
    started_at = clock_timestamp()
from runs r
where t.run_id = %(run_id)s::uuid
  and t.call_id = %(call_id)s
  and t.status = 'approved'
  and t.arguments_sha256 = %(arguments_sha256)s
  and r.id = t.run_id
  and r.epoch = %(epoch)s
  and (
    t.grant_id is null
    or exists (select 1 from tool_grants g where g.id = t.grant_id and g.revoked_at is null)
  )
"""


def claim_call(
    pool: ConnectionPool, *, run_id: str, epoch: int, call_id: str, arguments_sha256: str
) -> bool:
    """Move an approved call to started, with the arguments that the caller holds.

    False when it is not approved (any more), when a person changed it since, when the permission
    that had let it pass has ended, or when the run was lost.
    """
    parameters = {
        "run_id": run_id,
        "epoch": epoch,
        "call_id": call_id,
        "arguments_sha256": arguments_sha256,
    }
    with pool.connection() as connection:
        return connection.execute(CLAIM_CALL, parameters).rowcount == 1


def result_sha256(result: Mapping[str, Any]) -> str:
    """The hash that the history shows: of the result as canonical JSON."""
    canonical = json.dumps(dict(result), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


FINISH_CALL = """
update tool_executions
set status = %(status)s,
    ended_at = clock_timestamp(),
    result = %(result)s,
    result_sha256 = %(result_sha256)s
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
        "result_sha256": result_sha256(result),
    }
    with pool.connection() as connection, connection.transaction():
        changed = connection.execute(FINISH_CALL, parameters).rowcount
        if changed == 1:
            append_within(connection, run_id=run_id, epoch=epoch, event=event)
            faults.reach("ledger.finishing", event.tool)


SETTLE_AS_APPROVED = """
update tool_executions t
set status = 'approved',
    started_at = null
from runs r
where t.run_id = %(run_id)s::uuid
  and t.call_id = %(call_id)s
  and t.status = 'started'
  and r.id = t.run_id
  and r.epoch = %(epoch)s
"""


def settle_as_approved(pool: ConnectionPool, *, run_id: str, epoch: int, call_id: str) -> None:
    """After a crash: a started call that had no effect yet may start again."""
    parameters = {"run_id": run_id, "epoch": epoch, "call_id": call_id}
    with pool.connection() as connection:
        connection.execute(SETTLE_AS_APPROVED, parameters)


ASK_AGAIN = """
update tool_executions t
set status = 'pending',
    pending_since = clock_timestamp(),
    started_at = null,
    decided_by = null,
    decided_at = null,
    decided_how = null,
    decision_reason = null,
    grant_id = null,
    -- that it may have taken effect already stays true
    asked_again = case when t.asked_again = 'unsure' then 'unsure' else %(why)s end,
    preview = %(preview)s,
    target_sha256_before = %(sha256_before)s,
    target_sha256_after = %(sha256_after)s
from runs r
where t.run_id = %(run_id)s::uuid
  and t.call_id = %(call_id)s
  and (
    t.status = 'pending'
    or (t.status = 'approved' and %(epoch)s::integer is not null)
    or (t.status = 'started' and %(why)s = 'unsure')
  )
  and r.id = t.run_id
  and (%(epoch)s::integer is null or r.epoch = %(epoch)s)
  and r.status in ('running', 'waiting', 'paused')
"""


def ask_again(
    pool: ConnectionPool,
    *,
    run_id: str,
    call_id: str,
    epoch: int | None,
    event: ToolAskedAgain,
    sha256_before: str | None,
    sha256_after: str | None,
) -> bool:
    """Put a call before the person with the effect that it would have now, together with its event.

    A started call is asked about as unsure only, after a crash. `epoch` is the executor's, None is
    for what a person's look at the card found out: that never undoes a decision.
    """
    parameters = {
        "run_id": run_id,
        "call_id": call_id,
        "epoch": epoch,
        "why": event.why,
        "preview": event.preview,
        "sha256_before": sha256_before,
        "sha256_after": sha256_after,
    }
    with pool.connection() as connection, connection.transaction():
        changed = connection.execute(ASK_AGAIN, parameters).rowcount == 1
        if changed:
            append_within(connection, run_id=run_id, epoch=epoch, event=event)
    return changed
