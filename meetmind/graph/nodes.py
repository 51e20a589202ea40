"""The nodes in which somebody speaks; each first looks whether its words are stored already."""

from typing import Protocol

from langchain_core.runnables import RunnableConfig

from meetmind.agents.assistant import AssistantAgent
from meetmind.agents.base import AgentResponse, BaseAgent
from meetmind.agents.roster import ROLES
from meetmind.agents.run_context import RunContext, Turn
from meetmind.config.roster_names import ASSISTANT_NAME
from meetmind.events import FloorTaken, HandedOver, UtteranceEnded
from meetmind.graph.routing import Handover, decide_handover
from meetmind.graph.state import AgentState, SpokenTurn


class Node(Protocol):
    """A step of the graph that is given the state and the run's config."""

    async def __call__(self, state: AgentState, config: RunnableConfig) -> AgentState:
        """The changes to the state."""


def role_node(context: RunContext, agent_name: str) -> Node:
    """The node of one role."""
    agent = BaseAgent(ROLES[agent_name], context)

    async def speak(state: AgentState, config: RunnableConfig) -> AgentState:
        turn = _turn(context, state, agent_name)
        utterances = await context.log.utterances()
        utterance = await context.log.stored_utterance(turn.utterance_id)
        if utterance is None:
            await context.log.append(_floor(turn))
            response = await agent.invoke(
                turn.question,
                await context.log.messages(),
                turn=turn,
                utterances=utterances,
                config=config,
            )
            utterance = _utterance(turn, response)
            await context.log.store_utterance(utterance)
        handover = _handover(state, utterance)
        await _tell_handover(context, utterance, handover)
        return _changes(state, utterance, handover)

    return speak


def assistant_node(context: RunContext) -> Node:
    """The node of the assistant, which answers alone and routes nowhere."""
    assistant = AssistantAgent(context)

    async def answer(state: AgentState, config: RunnableConfig) -> AgentState:
        turn = _turn(context, state, ASSISTANT_NAME)
        utterance = await context.log.stored_utterance(turn.utterance_id)
        if utterance is None:
            await context.log.append(_floor(turn))
            messages = await context.log.messages()
            response = await assistant.answer(messages, turn=turn, config=config)
            utterance = _utterance(turn, response)
            await context.log.store_utterance(utterance)
        return _changes(state, utterance, Handover(next_agent="", done=True))

    return answer


def _turn(context: RunContext, state: AgentState, agent_name: str) -> Turn:
    iteration = state["iteration"]
    return Turn(
        utterance_id=f"{context.run_id}.{iteration}.{agent_name}",
        agent_name=agent_name,
        iteration=iteration,
        question=state["rewritten_query"],
        expansion_terms=tuple(state.get("expansion_terms", ())),
    )


def _floor(turn: Turn) -> FloorTaken:
    return FloorTaken(
        utterance_id=turn.utterance_id, agent_name=turn.agent_name, iteration=turn.iteration
    )


def _utterance(turn: Turn, response: AgentResponse) -> UtteranceEnded:
    return UtteranceEnded(
        utterance_id=turn.utterance_id,
        agent_name=response.agent_name,
        iteration=turn.iteration,
        content=response.content,
        next_agent=response.next_agent,
        done=response.done,
        used_rag=response.used_rag,
        knows_something=response.knows_something,
        handover_reason=response.handover_reason,
        stances=response.stances,
        points=response.points,
        evidence=response.evidence,
        cited_ids=tuple(passage.passage_id for passage in response.evidence),
        removed_citations=response.removed_citations,
        rung=response.rung,
        input_tokens=response.input_tokens,
        output_tokens=response.output_tokens,
    )


def _handover(state: AgentState, utterance: UtteranceEnded) -> Handover:
    spoken = [message["agent_name"] for message in state.get("messages", [])]
    return decide_handover(
        speaker=utterance.agent_name,
        proposed=utterance.next_agent,
        done=utterance.done,
        knows_something=utterance.knows_something,
        spoken=[*spoken, utterance.agent_name],
        max_iterations=state["max_iterations"],
    )


async def _tell_handover(
    context: RunContext, utterance: UtteranceEnded, handover: Handover
) -> None:
    if handover.done or utterance.iteration + 1 >= context.max_iterations:
        return
    event = HandedOver(
        from_agent=utterance.agent_name,
        to_agent=handover.next_agent,
        by=handover.by,
        reason=utterance.handover_reason if handover.by == "role" else "",
        guard=handover.guard,
        utterance_id=utterance.utterance_id,
    )
    await context.log.append(event)


def _changes(state: AgentState, utterance: UtteranceEnded, handover: Handover) -> AgentState:
    spoken = SpokenTurn(
        agent_name=utterance.agent_name,
        utterance_id=utterance.utterance_id,
        next_agent=handover.next_agent,
        done=handover.done,
        used_rag=utterance.used_rag,
    )
    return {
        "messages": [spoken],
        "next_agent": handover.next_agent,
        "done": handover.done,
        "iteration": state["iteration"] + 1,
    }
