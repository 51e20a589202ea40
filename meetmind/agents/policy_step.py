"""The policy within the tool loop: call ids of our own, bounded rounds, a ruling on every call."""

from collections.abc import Awaitable, Callable, Sequence
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
from meetmind.agents.rulings import earlier_calls, record_call
from meetmind.agents.run_context import RunContext, Turn
from meetmind.clean_text import clean_value

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
        latest = state["messages"][-1]
        if not isinstance(latest, AIMessage):
            return None
        call_ids = {str(call["id"]) for call in latest.tool_calls}
        past = await earlier_calls(self._context, without=call_ids)
        for call in latest.tool_calls:
            tool = self._given.get(call["name"])
            past.append(await record_call(self._context, self._turn, call, tool, past))
        return None


def _all_calls(message: AIMessage) -> list[ToolCall]:
    """Valid calls, and broken ones without arguments, which the policy refuses."""
    calls = list(message.tool_calls)
    for broken in message.invalid_tool_calls:
        calls.append(ToolCall(name=broken["name"] or "unknown", args={}, id=broken["id"]))
    return calls


def _rounds(messages: Sequence[AnyMessage]) -> int:
    return sum(1 for message in messages if isinstance(message, AIMessage))
