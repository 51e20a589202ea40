"""Phase 1 of a turn: the model calls its role's tools freely, a bounded number of rounds."""

from collections.abc import Sequence
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import ToolErrorMiddleware
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import AnyMessage, HumanMessage, ToolCall, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool

from meetmind.agents.gate import GateMiddleware, finished_event
from meetmind.agents.policy_step import PolicyMiddleware
from meetmind.agents.rulings import record_call
from meetmind.agents.run_context import RunContext, Turn, TurnFindings
from meetmind.errors import LostTheRun, MeetMindError, ToolError, ToolsRefused
from meetmind.events import ToolsUnavailable
from meetmind.llm.streaming import Usage
from meetmind.tools.envelope import Envelope, failure, read_envelope_json, refusal
from meetmind.tools.rag_search_tool import rag_search_tool
from meetmind.tools.workbench import Workbench

STEPS_A_ROUND = 4
OWN_SEARCH = "rag_search"
LONGEST_QUERY = 2_000
"""What `rag_search` takes; a brief may be longer."""


async def run_tool_loop(
    context: RunContext,
    turn: Turn,
    *,
    tools: Sequence[BaseTool],
    system: str,
    human: str,
    config: RunnableConfig,
) -> TurnFindings:
    """Let the model look things up; returns every call's result.

    Must be awaited inside a graph node with the node's own config, so that a resume finds the
    checkpoints of the loop. Where the server refuses tools, the program searches by itself instead.
    """
    config = _with_workbench(context, turn, config)
    if context.client.tools_refused:
        return await _search_without_tools(context, turn, config)
    loop = create_agent(
        context.client.model,
        tools,
        system_prompt=system,
        middleware=[
            PolicyMiddleware(context, turn, tools),
            GateMiddleware(context, turn),
            ToolErrorMiddleware(on_error=_tool_fault),
        ],
    )
    try:
        state = await loop.ainvoke({"messages": [HumanMessage(content=human)]}, config)
    except ToolsRefused:
        return await _search_without_tools(context, turn, config)
    messages: list[AnyMessage] = state["messages"]
    return TurnFindings(envelopes=_results(messages), usage=_usage(messages))


def _with_workbench(context: RunContext, turn: Turn, config: RunnableConfig) -> RunnableConfig:
    """The node's config with the bench that tools read; its keys for resuming stay as they are."""
    workbench = Workbench(
        agent_name=turn.agent_name,
        search=context.search,
        search_slots=context.search_slots,
        expansion_terms=turn.expansion_terms,
        workspace=context.workspace,
        read_folders=context.read_folders,
        language=context.language,
        net=context.net,
    )
    merged: RunnableConfig = {**config}
    merged["configurable"] = {**config.get("configurable", {}), "workbench": workbench}
    merged["recursion_limit"] = STEPS_A_ROUND * (context.max_tool_iterations + 2)
    return merged


def _tool_fault(error: Exception, request: ToolCallRequest) -> str:
    """A tool's exception as an envelope; only our own errors show their words to the role."""
    sentence = "The tool failed inside. Go on without its result."
    code = "internal"
    if isinstance(error, ToolError):
        sentence = str(error)
        code = error.reason
    elif isinstance(error, MeetMindError):
        sentence = str(error)
        code = error.code
    name = request.tool_call["name"]
    return failure(name, request.tool_call["args"], code, sentence).to_json()


def _results(messages: Sequence[AnyMessage]) -> tuple[tuple[str, Envelope], ...]:
    results = []
    for message in messages:
        if isinstance(message, ToolMessage):
            results.append((message.tool_call_id, envelope_of(message)))
    return tuple(results)


def _usage(messages: Sequence[AnyMessage]) -> Usage:
    total = Usage()
    for message in messages:
        total += Usage.of_message(message)
    return total


def envelope_of(message: ToolMessage) -> Envelope:
    """The envelope that a tool message carries; any other text counts as a fault of the tool."""
    envelope = read_envelope_json(message.text)
    if envelope is None:
        return failure(message.name or "", {}, "no_envelope", message.text[:500])
    return envelope


async def _search_without_tools(
    context: RunContext, turn: Turn, config: RunnableConfig
) -> TurnFindings:
    """The program's own search of the role's table, for servers that refuse tools."""
    arguments: dict[str, Any] = {"query": turn.question[:LONGEST_QUERY], "scope": "own"}
    call_id = f"{turn.iteration}-{turn.agent_name}-own-0"
    await context.log.append(ToolsUnavailable(utterance_id=turn.utterance_id))
    call = ToolCall(name=OWN_SEARCH, args=arguments, id=call_id, type="tool_call")
    asked = await record_call(context, turn, call, rag_search_tool, ())
    if not await context.ledger.claim(call_id, asked.sha256):
        told = await _search_not_made(context, turn, call_id)
        return TurnFindings(envelopes=((call_id, told),))
    text = await rag_search_tool.ainvoke(arguments, config)
    envelope = Envelope.model_validate_json(text)
    await context.ledger.finish(envelope, finished_event(turn, call_id, envelope))
    return TurnFindings(envelopes=((call_id, envelope),))


async def _search_not_made(context: RunContext, turn: Turn, call_id: str) -> Envelope:
    """What is known of the search when it does not run now: its result, or why it was refused."""
    row = await context.ledger.get(call_id)
    if row is not None and row.result is not None:
        return Envelope.model_validate(row.result)
    if row is None or row.status != "refused":
        raise LostTheRun("The search was claimed by another executor.")
    envelope = refusal(row.tool, row.arguments, row.code, row.reason)
    await context.ledger.finish(envelope, finished_event(turn, call_id, envelope))
    return envelope
