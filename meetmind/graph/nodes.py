"""The nodes in which somebody speaks; each first looks whether its words are stored already."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from langchain_core.runnables import RunnableConfig

from meetmind import faults
from meetmind.agents.assistant import AssistantAgent
from meetmind.agents.base import AgentResponse, BaseAgent
from meetmind.agents.roster import ROLES
from meetmind.agents.run_context import PersonWords, RunContext, RunNow, Turn
from meetmind.config.roster_names import ASSISTANT_NAME
from meetmind.events import FloorTaken, HandedOver, UtteranceEnded
from meetmind.graph.before_floor import rested, turned_away
from meetmind.graph.budget import nearly_used, used_up
from meetmind.graph.findings_told import found_out, with_excuses
from meetmind.graph.first_opinions import (
    gives_first_opinion,
    round_from,
    visible_talk,
    visible_utterances,
)
from meetmind.graph.guards.closing import with_points_recorded
from meetmind.graph.guards.finding import RunTerms
from meetmind.graph.guards.notes import guard_notes
from meetmind.graph.guards.review import review
from meetmind.graph.persons_word import asked_role, heard, words_for
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
        faults.reach("node.entered", f"{agent_name}_node")
        turn = _turn(context, state, agent_name)
        utterances = await context.log.utterances()
        utterance = _stored(utterances, turn)
        is_told = utterance is not None
        if utterance is None:
            point = await rested(context, turn)
            away = await turned_away(context, turn, point)
            if away is not None:
                return away
            turn = _within_limits(turn, point.now)
            is_first_opinion = gives_first_opinion(utterances, agent_name)
            await context.log.append(_floor(turn, first_opinion=is_first_opinion))
            faults.reach("floor.taken", agent_name)
            said = await _words_to_answer(context, turn)
            visible = visible_utterances(utterances, agent_name)
            shown = await context.talk.shown(
                turn.question,
                beside=agent.without_the_talk(turn, visible, said),
                round_from=round_from(utterances),
            )
            plain_terms = _terms(context, point.now, turn.iteration)
            terms = await with_excuses(context, visible, plain_terms)
            response = await agent.invoke(
                turn.question,
                visible_talk(shown, utterances, agent_name),
                turn=turn,
                utterances=visible,
                said=said,
                guard_notes=guard_notes(visible, agent_name, terms),
                config=config,
            )
            spoken = _utterance(turn, response, answers_person=bool(said))
            utterance = with_points_recorded(utterances, spoken, terms, language=context.language)
            await context.log.store_utterance(utterance)
        now = await context.steering.now()
        earlier = [one for one in utterances if one.utterance_id != utterance.utterance_id]
        handover = await _handover(context, [*earlier, utterance], now, is_told=is_told)
        faults.reach("node.leaving", f"{agent_name}_node")
        return _changes(state, utterance, handover, now)

    return speak


def assistant_node(context: RunContext) -> Node:
    """The node of the assistant, which answers alone and routes nowhere."""
    assistant = AssistantAgent(context)

    async def answer(state: AgentState, config: RunnableConfig) -> AgentState:
        faults.reach("node.entered", "assistant_node")
        turn = _turn(context, state, ASSISTANT_NAME)
        utterance = await context.log.stored_utterance(turn.utterance_id)
        if utterance is None:
            point = await rested(context, turn)
            away = await turned_away(context, turn, point)
            if away is not None:
                return away
            turn = _within_limits(turn, point.now)
            await context.log.append(_floor(turn))
            shown = await context.talk.shown(turn.question)
            said = await _words_to_answer(context, turn)
            response = await assistant.answer(shown, turn=turn, said=said, config=config)
            utterance = _utterance(turn, response)
            await context.log.store_utterance(utterance)
        now = await context.steering.now()
        handover = await _after_assistant(context, utterance, now)
        changes = _changes(state, utterance, handover, now)
        faults.reach("node.leaving", "assistant_node")
        return {**changes, "route": "team"} if handover.next_agent else changes

    return answer


def _stored(utterances: Sequence[UtteranceEnded], turn: Turn) -> UtteranceEnded | None:
    """The turn's utterance if it was committed before a crash."""
    for utterance in utterances:
        if utterance.utterance_id == turn.utterance_id:
            return utterance
    return None


def _turn(context: RunContext, state: AgentState, agent_name: str) -> Turn:
    iteration = state["iteration"]
    return Turn(
        utterance_id=f"{context.run_id}.{iteration}.{agent_name}",
        agent_name=agent_name,
        iteration=iteration,
        question=state["rewritten_query"],
        expansion_terms=tuple(state.get("expansion_terms", ())),
    )


def _floor(turn: Turn, *, first_opinion: bool = False) -> FloorTaken:
    return FloorTaken(
        utterance_id=turn.utterance_id,
        agent_name=turn.agent_name,
        iteration=turn.iteration,
        first_opinion=first_opinion,
    )


def _terms(context: RunContext, now: RunNow, turns: int) -> RunTerms:
    """What the guards know of this run beside its utterances, after so many turns."""
    return RunTerms(
        brief=context.brief,
        max_iterations=now.max_iterations,
        carried_points=tuple(context.carried_points),
        asked_agent=context.asked_agent,
        is_nearly_used=nearly_used(now, turns) is not None,
    )


def _utterance(
    turn: Turn, response: AgentResponse, *, answers_person: bool = False
) -> UtteranceEnded:
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
        asks_first_opinions=response.asks_first_opinions,
        answers_person=answers_person,
        input_tokens=response.input_tokens,
        output_tokens=response.output_tokens,
    )


async def _words_to_answer(context: RunContext, turn: Turn) -> tuple[PersonWords, ...]:
    """What had been said when the turn began; later words are for a later turn."""
    words = await context.steering.unanswered(turn.utterance_id)
    return words_for(words, turn.agent_name)


def _within_limits(turn: Turn, now: RunNow) -> Turn:
    """The turn with what it should know of the budget."""
    budget = nearly_used(now, turn.iteration)
    return replace(turn, limit=now.max_iterations, budget=budget)


async def _handover(
    context: RunContext, utterances: Sequence[UtteranceEnded], now: RunNow, *, is_told: bool
) -> Handover:
    """Who speaks next, decided and told once: what was told before a crash holds.

    `is_told` says that the utterance had been stored before, so that more may have been told.
    """
    utterance = utterances[-1]
    told = await context.log.stored_handover(utterance.utterance_id) if is_told else None
    if told is not None:
        return Handover(next_agent=told.to_agent, done=False, by=told.by, guard=told.guard)
    handover = await _decided(context, utterances, now)
    await _tell_handover(context, utterance, handover, now)
    return handover


async def _decided(
    context: RunContext, utterances: Sequence[UtteranceEnded], now: RunNow
) -> Handover:
    """The rules' decision, then the person's word and the budget; findings are told on the way."""
    utterance = utterances[-1]
    turns = utterance.iteration + 1
    terms = await with_excuses(context, utterances, _terms(context, now, turns))
    reviewed = review(utterances, terms)
    await found_out(context, utterances, reviewed)
    handover = decide_handover(utterances, reviewed, max_iterations=now.max_iterations)
    if used_up(now, turns) is not None:
        return handover
    return heard(
        handover,
        speaker=utterance.agent_name,
        turns=turns,
        words=await context.steering.unanswered(),
        asked_agent=context.asked_agent,
        is_nearly_used=nearly_used(now, turns) is not None,
    )


async def _after_assistant(context: RunContext, utterance: UtteranceEnded, now: RunNow) -> Handover:
    """The end, unless something was said meanwhile: a role that was asked, or one more answer."""
    words = await context.steering.unanswered()
    handover = Handover(next_agent=asked_role(words), done=not words, by="person")
    if handover.next_agent and await context.log.stored_handover(utterance.utterance_id) is None:
        await _tell_handover(context, utterance, handover, now)
    return handover


async def _tell_handover(
    context: RunContext, utterance: UtteranceEnded, handover: Handover, now: RunNow
) -> None:
    if handover.done or handover.ended_by or used_up(now, utterance.iteration + 1) is not None:
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
    faults.reach("handover.told", utterance.agent_name)


def _changes(
    state: AgentState, utterance: UtteranceEnded, handover: Handover, now: RunNow
) -> AgentState:
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
        "ended_by": handover.ended_by,
        "max_iterations": now.max_iterations,
        "iteration": state["iteration"] + 1,
    }
