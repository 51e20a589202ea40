"""The policy within the tool loop: call ids of our own, bounded rounds, a ruling on every call."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from langchain.agents.middleware.types import (
    AgentMiddleware,
    AgentState,
    ModelRequest,
    ModelResponse,
)
from langchain_core.messages import AIMessage, AnyMessage, ToolCall
from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime

from meetmind.agents.listening import LogListener
from meetmind.agents.run_context import RunContext, Turn
from meetmind.errors import ToolError
from meetmind.events import ToolRequested
from meetmind.llm.cleaning import clean_value
from meetmind.tools.effects import NO_FILE, expected_effect
from meetmind.tools.policy import Ruling, arguments_sha256, rule_on_call

ModelHandler = Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]


class PolicyMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """Judges the model's calls in a checkpointed step of its own, before any of them runs."""

    def __init__(self, context: RunContext, turn: Turn, tools: Sequence[BaseTool]) -> None:
        super().__init__()
        self._context = context
        self._turn = turn
        self._given = {tool.name: tool for tool in tools}

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: ModelHandler
    ) -> ModelResponse[Any]:
        """Call the model with patience, number its calls, and end the loop when rounds run out."""
        round_number = _rounds(request.state["messages"])
        if round_number >= self._context.max_tool_iterations:
            return ModelResponse(result=[AIMessage(content="")])
        listener = LogListener(self._context.log, self._turn.utterance_id)
        response = await self._context.client.call(lambda: handler(request), listener)
        numbered = []
        for message in response.result:
            if isinstance(message, AIMessage):
                message = self._numbered(message, round_number)  # noqa: PLW2901
            numbered.append(message)
        return ModelResponse(result=numbered)

    def _numbered(self, message: AIMessage, round_number: int) -> AIMessage:
        """The message with our call ids; weak servers number from `call_0` each turn."""
        calls: list[ToolCall] = []
        for asked in _all_calls(message):
            call_id = f"{self._turn.iteration}-{self._turn.agent_name}-{round_number}-{len(calls)}"
            arguments = clean_value(asked["args"])
            calls.append(ToolCall(name=asked["name"], args=arguments, id=call_id, type="tool_call"))
        return AIMessage(content=clean_value(message.text), tool_calls=calls)

    async def aafter_model(
        self, state: AgentState[Any], runtime: Runtime[Any]
    ) -> dict[str, Any] | None:
        """Rule on every call of the model's latest message and write the rulings down."""
        messages = state["messages"]
        latest = messages[-1]
        if not isinstance(latest, AIMessage):
            return None
        hashes = _call_hashes(messages[:-1])
        for call in latest.tool_calls:
            sha256 = arguments_sha256(call["name"], call["args"])
            await record_call(
                self._context,
                self._turn,
                call_id=str(call["id"]),
                tool=self._given.get(call["name"]),
                tool_name=call["name"],
                arguments=call["args"],
                earlier_hashes=hashes,
                sha256=sha256,
            )
            hashes.append(sha256)
        return None


def _all_calls(message: AIMessage) -> list[ToolCall]:
    """Valid calls, and broken ones without arguments, which the policy refuses."""
    calls = list(message.tool_calls)
    for broken in message.invalid_tool_calls:
        calls.append(ToolCall(name=broken["name"] or "unknown", args={}, id=broken["id"]))
    return calls


def _rounds(messages: Sequence[AnyMessage]) -> int:
    return sum(1 for message in messages if isinstance(message, AIMessage))


def _call_hashes(messages: Sequence[AnyMessage]) -> list[str]:
    hashes = []
    for message in messages:
        if isinstance(message, AIMessage):
            for call in message.tool_calls:
                hashes.append(arguments_sha256(call["name"], call["args"]))
    return hashes


async def record_call(
    context: RunContext,
    turn: Turn,
    *,
    call_id: str,
    tool: BaseTool | None,
    tool_name: str,
    arguments: Mapping[str, Any],
    earlier_hashes: Sequence[str],
    sha256: str,
) -> None:
    """Rule on one call and write it into the ledger, with the effect that it would have."""
    ruling = rule_on_call(
        tool=tool, tool_name=tool_name, arguments=arguments, earlier_hashes=earlier_hashes
    )
    effect = NO_FILE
    if ruling.verdict != "refused":
        try:
            effect = await asyncio.to_thread(
                expected_effect, tool_name, arguments, context.workspace
            )
        except ToolError as error:
            ruling = Ruling(
                verdict="refused", risk=ruling.risk, code="bad_path", sentence=str(error)
            )
    request = ToolRequested(
        utterance_id=turn.utterance_id,
        agent_name=turn.agent_name,
        call_id=call_id,
        tool=tool_name,
        risk=ruling.risk,
        arguments=arguments,
        verdict=ruling.verdict,
        reason=ruling.sentence or str(arguments.get("why", "")),
        preview=effect.diff,
    )
    await context.ledger.request(
        request, sha256=sha256, before=effect.sha256_before, after=effect.sha256_after
    )
