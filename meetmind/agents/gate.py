"""The last gate before a tool: it believes the ledger alone, never the model's message."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

from langchain.agents.middleware.types import AgentMiddleware, AgentState, ToolCallRequest
from langchain_core.messages import ToolCall, ToolMessage
from langgraph.types import Command, interrupt

from meetmind import faults
from meetmind.agents.run_context import RunContext, Turn
from meetmind.database.tool_executions import ToolExecutionRow
from meetmind.errors import LostTheRun, ToolError
from meetmind.events import QuestionAsked, ToolFinished
from meetmind.tools.ask_person_tool import ASK_PERSON, AskPersonArguments, answered
from meetmind.tools.effects import FILE_TOOLS, current_content, effect_now, expected_effect
from meetmind.tools.envelope import Envelope, failure, read_envelope_json, refusal
from meetmind.tools.files.file_content import content_sha256
from meetmind.tracing.spans import Span

logger = logging.getLogger(__name__)

ToolHandler = Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]]


class GateMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """Stops at an interrupt while a call is pending, and claims an approved one before it acts."""

    def __init__(self, context: RunContext, turn: Turn) -> None:
        super().__init__()
        self._context = context
        self._turn = turn

    async def awrap_tool_call(self, request: ToolCallRequest, handler: ToolHandler) -> ToolMessage:
        """Run the call if the ledger says so; any other state becomes a tool message."""
        call_id = str(request.tool_call["id"])
        while True:
            row = await self._decided_row(call_id)
            if row is None:
                return _message(call_id, _unruled(request))
            if row.result is not None:
                return _message(call_id, Envelope.model_validate(row.result))
            if row.status != "approved":
                return await self._tell(row)
            message = await self._run(row, request, handler)
            if message is not None:
                return message

    async def _decided_row(self, call_id: str) -> ToolExecutionRow | None:
        """The call's row once it is no longer pending; the run rests at an interrupt until then."""
        while True:
            row = await self._context.ledger.get(call_id)
            if row is None or row.status != "pending":
                return row
            faults.reach("gate.interrupting", row.tool)
            interrupt({"call_id": call_id})

    async def _tell(self, row: ToolExecutionRow) -> ToolMessage:
        envelope = _not_run(row)
        event = finished_event(self._turn, row.call_id, envelope)
        await self._context.ledger.finish(envelope, event)
        return _message(row.call_id, envelope)

    async def _run(
        self, row: ToolExecutionRow, request: ToolCallRequest, handler: ToolHandler
    ) -> ToolMessage | None:
        """Claim and act. What has an effect runs on to its end even when the run is stopped.

        None: the call does not run as it was approved and waits again.
        """
        if row.tool == ASK_PERSON:
            return await self._ask_person(row)
        acting = asyncio.ensure_future(self._claim_and_act(row, request, handler))
        if row.risk == "low":
            return await acting
        self._context.effects.add(acting)
        acting.add_done_callback(self._put_down)
        return await asyncio.shield(acting)

    def _put_down(self, acting: "asyncio.Future[ToolMessage | None]") -> None:
        """An effect has ended; where its run was broken off, nobody else looks at its fault."""
        self._context.effects.discard(acting)
        if not acting.cancelled() and acting.exception() is not None:
            logger.info("A call ended with %s.", type(acting.exception()).__name__)

    async def _ask_person(self, row: ToolExecutionRow) -> ToolMessage | None:
        """Put the question once; the run rests at an interrupt until the person has answered."""
        arguments = AskPersonArguments.model_validate(row.arguments)
        question = QuestionAsked(
            utterance_id=row.utterance_id,
            agent_name=row.agent_name,
            call_id=row.call_id,
            question=arguments.question,
            choices=tuple(arguments.choices),
            why=arguments.why,
        )
        await self._context.steering.ask(question)
        while True:
            answer = await self._context.steering.answer_to(row.call_id)
            if answer is not None:
                break
            faults.reach("gate.interrupting", row.tool)
            interrupt({"question_id": row.call_id})
        if not await self._context.ledger.claim(row.call_id, row.arguments_sha256):
            await self._look_again(row)
            return None
        faults.reach("gate.claimed", row.tool)
        envelope = answered(arguments, answer)
        await self._context.ledger.finish(
            envelope, finished_event(self._turn, row.call_id, envelope)
        )
        faults.reach("ledger.finished", row.tool)
        self._trace(row, envelope, row.requested_at)
        return _message(row.call_id, envelope)

    async def _claim_and_act(
        self, row: ToolExecutionRow, request: ToolCallRequest, handler: ToolHandler
    ) -> ToolMessage | None:
        if row.tool not in FILE_TOOLS:
            return await self._claimed_act(row, request, handler)
        async with self._context.files_in_hand:
            if not await self._is_as_shown(row):
                return None
            return await self._claimed_act(row, request, handler)

    async def _claimed_act(
        self, row: ToolExecutionRow, request: ToolCallRequest, handler: ToolHandler
    ) -> ToolMessage | None:
        faults.reach("gate.claiming", row.tool)
        if not await self._context.ledger.claim(row.call_id, row.arguments_sha256):
            await self._look_again(row)
            return None
        faults.reach("gate.claimed", row.tool)
        began_at = datetime.now(UTC)
        began = time.monotonic()
        envelope = await _acted(row, request, handler)
        faults.reach("effect.done", row.tool)
        event = finished_event(self._turn, row.call_id, envelope, time.monotonic() - began)
        await self._context.ledger.finish(envelope, event)
        faults.reach("ledger.finished", row.tool)
        self._trace(row, envelope, began_at)
        return _message(row.call_id, envelope)

    async def _look_again(self, row: ToolExecutionRow) -> None:
        """Why a call could not be claimed: it waits again, is another one now, or is lost.

        Raises `LostTheRun` where there is nothing more to wait for.
        """
        now = await self._context.ledger.get(row.call_id)
        if now is None or now.status not in ("pending", "approved"):
            raise LostTheRun("The call was claimed by another executor.")
        if now.status == "pending" or now.arguments_sha256 != row.arguments_sha256:
            return
        if now.decided_how != "grant":
            raise LostTheRun("Another executor has taken this run over.")
        workspace = self._context.workspace
        effect = await asyncio.to_thread(effect_now, row.tool, row.arguments, workspace)
        if not await self._context.ledger.ask_again(row.call_id, effect, "permission_ended"):
            raise LostTheRun("Another executor has taken this run over.")

    async def _is_as_shown(self, row: ToolExecutionRow) -> bool:
        """Whether the file is still what the diff was made of; if so, it is kept for an undo.

        Raises `LostTheRun` when the call is not ours any more.
        """
        workspace = self._context.workspace
        path = str(row.arguments["path"])
        content = await asyncio.to_thread(current_content, workspace, path)
        if content_sha256(content) == row.target_sha256_before:
            await self._context.ledger.keep_version(row.call_id, path, content)
            faults.reach("gate.version_kept", row.tool)
            return True
        try:
            effect = await asyncio.to_thread(expected_effect, row.tool, row.arguments, workspace)
        except ToolError:
            # The call cannot be made any more; running it says why, and changes nothing.
            return True
        if not await self._context.ledger.ask_again(row.call_id, effect):
            raise LostTheRun("Another executor has taken this run over.")
        return False

    def _trace(self, row: ToolExecutionRow, envelope: Envelope, began_at: datetime) -> None:
        details: dict[str, Any] = {"arguments": row.arguments, "summary": envelope.summary}
        if envelope.error_code is not None:
            details["error_code"] = envelope.error_code
        self._context.spans.record(
            Span(
                run_id=row.run_id,
                kind="tool_call",
                name=row.tool,
                utterance_id=row.utterance_id,
                call_id=row.call_id,
                status=envelope.status,
                began_at=began_at,
                ended_at=datetime.now(UTC),
                details=details,
            )
        )


def finished_event(
    turn: Turn, call_id: str, envelope: Envelope, seconds: float = 0.0
) -> ToolFinished:
    """The event that tells how a call ended."""
    return ToolFinished(
        utterance_id=turn.utterance_id,
        call_id=call_id,
        tool=envelope.tool,
        status=envelope.status,
        summary=envelope.summary,
        evidence=envelope.evidence,
        mode=str(envelope.diagnostics.get("mode", "")),
        search_ids=tuple(envelope.diagnostics.get("search_ids", ())),
        degraded=tuple(envelope.diagnostics.get("degraded", ())),
        error_code=envelope.error_code or "",
        seconds=seconds,
    )


def _unruled(request: ToolCallRequest) -> Envelope:
    call = request.tool_call
    sentence = "Nobody ruled on this call, so it does not run."
    return refusal(call["name"], call["args"], "unruled", sentence)


async def _acted(row: ToolExecutionRow, request: ToolCallRequest, handler: ToolHandler) -> Envelope:
    """What came of the approved call."""
    if request.tool is None:
        sentence = f"The tool {row.tool} is not there any more. Go on without it."
        return failure(row.tool, row.arguments, "tool_gone", sentence)
    approved = ToolCall(name=row.tool, args=row.arguments, id=row.call_id, type="tool_call")
    answer = await handler(request.override(tool_call=approved))
    return _envelope(row, answer)


def _not_run(row: ToolExecutionRow) -> Envelope:
    """What the role is told about a call that a person rejected or the policy refused."""
    if row.status == "refused":
        return refusal(row.tool, row.arguments, row.code, row.reason)
    if row.status != "rejected":
        raise LostTheRun("The call is in the hands of another executor.")
    reason = row.decision_reason or ""
    if row.decided_how == "expiry":
        return Envelope(
            tool=row.tool,
            status="rejected",
            request=row.arguments,
            error_code="expired",
            error="Nobody decided on this call in time, so it does not run. Go on without it.",
        )
    told = reason or "no reason given"
    return Envelope(
        tool=row.tool,
        status="rejected",
        request=row.arguments,
        diagnostics={"summary": reason},
        error_code="rejected",
        error=f"A person rejected this call: {told}. Do not ask for it again; go on without it.",
    )


def _envelope(row: ToolExecutionRow, answer: ToolMessage | Command[Any]) -> Envelope:
    if isinstance(answer, ToolMessage):
        envelope = read_envelope_json(answer.text)
        if envelope is not None:
            return envelope
    return failure(row.tool, row.arguments, "no_envelope", "The tool gave no readable result.")


def _message(call_id: str, envelope: Envelope) -> ToolMessage:
    return ToolMessage(
        content=envelope.to_json(),
        name=envelope.tool,
        tool_call_id=call_id,
        status="success" if envelope.status == "ok" else "error",
    )
