"""Who speaks next: the model proposes, these rules decide."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from langgraph.graph import END

from meetmind.agents.roster import ARCHITECT
from meetmind.config.roster_names import AGENT_NAMES
from meetmind.events import UtteranceEnded
from meetmind.graph.first_opinions import current_round
from meetmind.graph.guards.review import Review
from meetmind.graph.state import AgentState


@dataclass(frozen=True, kw_only=True)
class Handover:
    """The decision after a turn: who speaks next, or the end; `guard` names a rule that decided."""

    next_agent: str
    done: bool
    by: Literal["role", "guard", "person", "round"] = "role"
    guard: str = ""
    ended_by: str = ""
    """The reason for which a rule ends the run here."""


def route_to_which_agent(state: AgentState) -> str:
    """The node after a role's turn; a bad name can never hang the graph."""
    if state["iteration"] >= state["max_iterations"]:
        return END
    if state.get("ended_by"):
        return END
    speaker = _last_speaker(state)
    if state.get("done"):
        return END if speaker == ARCHITECT else f"{ARCHITECT}_node"
    next_agent = state.get("next_agent", "")
    if next_agent in AGENT_NAMES:
        return f"{next_agent}_node"
    return f"{ARCHITECT}_node"


def route_after_preprocess(state: AgentState) -> str:
    """The first node after the preprocessing."""
    if state.get("route") == "team":
        return f"{ARCHITECT}_node"
    return "assistant_node"


def route_after_assistant(state: AgentState) -> str:
    """The node after the assistant's answer: it answers what was said meanwhile, or a role does."""
    if state.get("ended_by") or state.get("done"):
        return END
    next_agent = state.get("next_agent", "")
    if next_agent in AGENT_NAMES:
        return f"{next_agent}_node"
    return "assistant_node"


def decide_handover(
    utterances: Sequence[UtteranceEnded], review: Review, *, max_iterations: int
) -> Handover:
    """What follows on the latest utterance, given what the guards found in it."""
    latest = utterances[-1]
    speaker = latest.agent_name
    spoken = [utterance.agent_name for utterance in utterances]
    if review.ended_by:
        return Handover(next_agent="", done=review.insists, ended_by=review.ended_by)
    if latest.done and speaker == ARCHITECT:
        if review.refused_closing is None:
            return Handover(next_agent="", done=True)
        return _guarded(_least_heard(spoken, speaker), review.refused_closing.guard)
    if _is_last_but_one(spoken, max_iterations) and ARCHITECT not in (speaker, latest.next_agent):
        return _guarded(ARCHITECT, "last_turn")
    first_opinions = current_round(utterances)
    if first_opinions is not None:
        following = first_opinions.waiting[0] if first_opinions.waiting else ARCHITECT
        return Handover(next_agent=following, done=False, by="round")
    return _decide_by_words(latest, spoken, review)


def _decide_by_words(latest: UtteranceEnded, spoken: Sequence[str], review: Review) -> Handover:
    """The proposal, unless a guard or a bad name stands against it."""
    speaker, proposed = latest.agent_name, latest.next_agent
    fallback = ARCHITECT if speaker != ARCHITECT else _least_heard(spoken, speaker)
    moving = [finding for finding in review.all_findings if finding.moves_floor]
    if latest.done:
        return _guarded(ARCHITECT, "only_architect_closes")
    if moving:
        return _guarded(_least_heard(spoken, speaker), moving[0].guard)
    if proposed not in AGENT_NAMES:
        return _guarded(fallback, "no_valid_name")
    if proposed == speaker:
        return _guarded(fallback, "same_speaker")
    return Handover(next_agent=proposed, done=False)


def _guarded(next_agent: str, guard: str) -> Handover:
    return Handover(next_agent=next_agent, done=False, by="guard", guard=guard)


def _is_last_but_one(spoken: Sequence[str], max_iterations: int) -> bool:
    return len(spoken) == max_iterations - 1


def _least_heard(spoken: Sequence[str], speaker: str) -> str:
    """The colleague with the fewest turns, the first of the roster among equals."""
    colleagues = [name for name in AGENT_NAMES if name != speaker]
    return min(colleagues, key=lambda name: list(spoken).count(name))


def _last_speaker(state: AgentState) -> str:
    messages = state.get("messages", [])
    if not messages:
        return ARCHITECT
    return messages[-1]["agent_name"]
