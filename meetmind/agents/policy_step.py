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

from meetmind import faults
from meetmind.agents.listening import LogListener
from meetmind.agents.rulings import earlier_calls, record_call
from meetmind.agents.run_context import RunContext, Turn
from meetmind.clean_text import clean_value
from meetmind.events import GuardActed
from meetmind.llm.client import Usage

ROUNDS_USED_UP = "lookups_used_up"
FIRST_BROKEN_CALL = "first_broken_call"
SHOWN_CHARACTERS = 500
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
            await self._tell_end_of_rounds()
            return ModelResponse(result=[AIMessage(content="")])
        listener = LogListener(self._context.log, self._turn.utterance_id, self._context.steering)
        faults.reach("model.asked", self._turn.agent_name)
        system = request.system_prompt or ""
        fitting = self._context.talk.room.within(request.messages, system)
        response = await self._context.client.call(
            lambda model: handler(request.override(model=model, messages=fitting)), listener
        )
        faults.reach("model.answered", self._turn.agent_name)
        numbered = []
        for message in response.result:
            if isinstance(message, AIMessage):
                await listener.on_usage(Usage.of_message(message))
                message = self._numbered(message, round_number)  # noqa: PLW2901
            numbered.append(message)
        return ModelResponse(result=numbered)

    async def _tell_end_of_rounds(self) -> None:
        """The role wanted to look up more than it may; it speaks with what it has."""
        event = GuardActed(
            guard=ROUNDS_USED_UP,
            utterance_id=self._turn.utterance_id,
            agent_name=self._turn.agent_name,
            details={"rounds": str(self._context.max_tool_iterations)},
        )
        await self._context.log.append(event)

    def _numbered(self, message: AIMessage, round_number: int) -> AIMessage:
        """The message with our call ids; weak servers number from `call_0` each turn."""
        calls: list[ToolCall] = []
        for asked in [*message.tool_calls, *_broken_calls(message)]:
            call_id = f"{self._turn.iteration}-{self._turn.agent_name}-{round_number}-{len(calls)}"
            arguments = clean_value(asked["args"])
            calls.append(ToolCall(name=asked["name"], args=arguments, id=call_id, type="tool_call"))
        marks = {FIRST_BROKEN_CALL: len(message.tool_calls)} if message.invalid_tool_calls else {}
        return AIMessage(
            content=clean_value(message.text),
            tool_calls=calls,
            usage_metadata=message.usage_metadata,
            additional_kwargs=marks,
        )

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
            asked = await record_call(
                self._context, self._turn, call, tool, past, is_broken=_is_broken(latest, call)
            )
            past.append(asked)
        faults.reach("calls.ruled", self._turn.agent_name)
        return None


def _broken_calls(message: AIMessage) -> list[ToolCall]:
    """Calls whose arguments nobody can read, with what the model wrote; the policy refuses them."""
    calls = []
    for broken in message.invalid_tool_calls:
        written = {"unreadable": str(broken["args"] or "")[:SHOWN_CHARACTERS]}
        calls.append(ToolCall(name=broken["name"] or "unknown", args=written, id=broken["id"]))
    return calls


def _is_broken(message: AIMessage, call: ToolCall) -> bool:
    """Broken calls come after the whole ones."""
    first_broken = int(message.additional_kwargs.get(FIRST_BROKEN_CALL, len(message.tool_calls)))
    return message.tool_calls.index(call) >= first_broken


def _rounds(messages: Sequence[AnyMessage]) -> int:
    return sum(1 for message in messages if isinstance(message, AIMessage))
