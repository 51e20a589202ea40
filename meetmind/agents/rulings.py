"""Rules on one call and writes it down: the policy, the effect, the permission, the ledger."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, cast

from langchain_core.messages import ToolCall
from langchain_core.tools import BaseTool

from meetmind.agents.fetchable import UNKNOWN_ADDRESS, may_fetch
from meetmind.agents.run_context import RunContext, Turn
from meetmind.database.call_outcomes import CallOutcomeRow
from meetmind.database.tool_executions import CallFacts
from meetmind.database.tool_grants import GrantRow
from meetmind.errors import ToolError
from meetmind.events import Risk, ToolRequested
from meetmind.tools.effects import NO_FILE, Effect, expected_effect
from meetmind.tools.net_auth import address_to_ask_about
from meetmind.tools.past_calls import STATUS_BY_VERDICT, PastCall, PastCalls, target_of
from meetmind.tools.policy import (
    WEB_FETCH,
    Ruling,
    arguments_sha256,
    grant_scope,
    rule_on_call,
)
from meetmind.tools.tool_register import risk_of
from meetmind.tracing.spans import Span


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A call with everything that was found out about it."""

    ruling: Ruling
    effect: Effect = NO_FILE
    grant: GrantRow | None = None


async def earlier_calls(context: RunContext, *, without: Collection[str]) -> list[PastCall]:
    """What the run has asked for; the calls that are judged now may be in the ledger already."""
    rows = await context.ledger.outcomes()
    return [_past_call(row) for row in rows if row.call_id not in without]


def _past_call(row: CallOutcomeRow) -> PastCall:
    return PastCall(
        utterance_id=row.utterance_id,
        tool=row.tool,
        sha256=row.arguments_sha256,
        target=row.target,
        risk=cast(Risk, row.risk),
        status=row.status,
        error_code=row.error_code,
        has_expired=row.has_expired,
    )


async def record_call(
    context: RunContext,
    turn: Turn,
    call: ToolCall,
    tool: BaseTool | None,
    earlier: Sequence[PastCall],
    *,
    is_broken: bool = False,
) -> PastCall:
    """Rule on a call and write it into the ledger, with the effect that it would have.

    A broken call is one whose arguments the model did not write to their end.
    """
    began_at = datetime.now(UTC)
    past = PastCalls(calls=earlier, utterance_id=turn.utterance_id)
    if is_broken and tool is not None:
        judged = Judged(ruling=_broken(tool))
    else:
        judged = await _judge(context, call, tool, past)
    facts = CallFacts(
        arguments_sha256=arguments_sha256(call["name"], call["args"]),
        target=target_of(call["args"]),
        sha256_before=judged.effect.sha256_before,
        sha256_after=judged.effect.sha256_after,
        grant_id=None if judged.grant is None else judged.grant.id,
    )
    await context.ledger.request(_request(turn, call, judged), facts)
    _trace(context, turn, call, judged.ruling, began_at)
    return PastCall(
        utterance_id=turn.utterance_id,
        tool=call["name"],
        sha256=facts.arguments_sha256,
        target=facts.target,
        risk=judged.ruling.risk,
        status=STATUS_BY_VERDICT[judged.ruling.verdict],
        error_code=judged.ruling.code,
    )


async def _judge(
    context: RunContext, call: ToolCall, tool: BaseTool | None, past: PastCalls
) -> Judged:
    ruling = rule_on_call(tool=tool, tool_name=call["name"], arguments=call["args"], past=past)
    if ruling.verdict == "refused":
        return Judged(ruling=ruling)
    try:
        effect = await _effect(context, call)
    except ToolError as error:
        return Judged(ruling=_refused(ruling, error))
    if ruling.risk != "medium":
        return Judged(ruling=ruling, effect=effect)
    grant = await context.ledger.grant_for(call["name"], grant_scope(call["name"], call["args"]))
    if grant is not None:
        ruling = replace(ruling, verdict="allowed")
    return Judged(ruling=ruling, effect=effect, grant=grant)


async def _effect(context: RunContext, call: ToolCall) -> Effect:
    """What the call would change; raises `ToolError` where it may not be made at all."""
    if call["name"] == WEB_FETCH:
        url = str(call["args"]["url"])
        address_to_ask_about(url)
        if not await may_fetch(context, url):
            raise ToolError(UNKNOWN_ADDRESS, reason="unknown_address")
        return NO_FILE
    return await asyncio.to_thread(expected_effect, call["name"], call["args"], context.workspace)


def _broken(tool: BaseTool) -> Ruling:
    return Ruling(
        verdict="refused",
        risk=risk_of(tool),
        code="broken_arguments",
        sentence="The arguments are no complete JSON object, so nothing ran. Write them anew.",
    )


def _refused(ruling: Ruling, error: ToolError) -> Ruling:
    return replace(ruling, verdict="refused", code=error.reason, sentence=str(error))


def _request(turn: Turn, call: ToolCall, judged: Judged) -> ToolRequested:
    ruling = judged.ruling
    return ToolRequested(
        utterance_id=turn.utterance_id,
        agent_name=turn.agent_name,
        call_id=str(call["id"]),
        tool=call["name"],
        risk=ruling.risk,
        arguments=call["args"],
        verdict=ruling.verdict,
        reason=ruling.sentence or str(call["args"].get("why", "")),
        preview=judged.effect.diff,
        code=ruling.code,
        allowed_by="" if judged.grant is None else judged.grant.owner_name,
    )


def _trace(
    context: RunContext, turn: Turn, call: ToolCall, ruling: Ruling, began_at: datetime
) -> None:
    details: dict[str, Any] = {"risk": ruling.risk, "arguments": dict(call["args"])}
    if ruling.code:
        details["code"] = ruling.code
    context.spans.record(
        Span(
            run_id=context.run_id,
            kind="guard",
            name=call["name"],
            utterance_id=turn.utterance_id,
            call_id=str(call["id"]),
            status=ruling.verdict,
            began_at=began_at,
            ended_at=datetime.now(UTC),
            details=details,
        )
    )
