"""Who speaks next: the model proposes, these rules decide."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from langgraph.graph import END

from meetmind.agents.roster import ARCHITECT
from meetmind.config.roster_names import AGENT_NAMES
from meetmind.graph.state import AgentState

VOICES_BEFORE_CLOSING = 2
"""How many roles besides the architect must have spoken before it may close."""
CIRCLE_LENGTH = 4
"""So many turns in a row between the same two roles are a circle."""


@dataclass(frozen=True, kw_only=True)
class Handover:
    """The decision after a turn: who speaks next, or the end; `guard` names a rule that decided."""

    next_agent: str
    done: bool
    by: Literal["role", "guard"] = "role"
    guard: str = ""


def route_to_which_agent(state: AgentState) -> str:
    """The node after a role's turn; a bad name can never hang the graph."""
    if state["iteration"] >= state["max_iterations"]:
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


def decide_handover(
    *,
    speaker: str,
    proposed: str,
    done: bool,
    knows_something: bool,
    spoken: Sequence[str],
    max_iterations: int,
) -> Handover:
    """Judge a proposal; `spoken` are the speakers of this run in order, this turn included."""
    if done and speaker == ARCHITECT:
        if _may_close(spoken, knows_something, max_iterations):
            return Handover(next_agent="", done=True)
        return _guarded(_least_heard(spoken, speaker), "closing_too_early")
    if done:
        return _guarded(ARCHITECT, "only_architect_closes")
    if len(spoken) == max_iterations - 1 and speaker != ARCHITECT and proposed != ARCHITECT:
        return _guarded(ARCHITECT, "last_turn")
    if proposed not in AGENT_NAMES:
        fallback = ARCHITECT if speaker != ARCHITECT else _least_heard(spoken, speaker)
        return _guarded(fallback, "no_valid_name")
    if proposed == speaker:
        fallback = ARCHITECT if speaker != ARCHITECT else _least_heard(spoken, speaker)
        return _guarded(fallback, "same_speaker")
    if _goes_in_circles(spoken, proposed):
        return _guarded(_least_heard(spoken, speaker), "going_in_circles")
    return Handover(next_agent=proposed, done=False)


def _guarded(next_agent: str, guard: str) -> Handover:
    return Handover(next_agent=next_agent, done=False, by="guard", guard=guard)


def _may_close(spoken: Sequence[str], knows_something: bool, max_iterations: int) -> bool:
    others = {name for name in spoken if name != ARCHITECT}
    if len(others) >= VOICES_BEFORE_CLOSING or len(spoken) >= max_iterations:
        return True
    return not knows_something


def _least_heard(spoken: Sequence[str], speaker: str) -> str:
    """The colleague with the fewest turns, the first of the roster among equals."""
    colleagues = [name for name in AGENT_NAMES if name != speaker]
    return min(colleagues, key=lambda name: list(spoken).count(name))


def _goes_in_circles(spoken: Sequence[str], proposed: str) -> bool:
    recent = [*spoken, proposed][-CIRCLE_LENGTH - 1 :]
    return len(recent) > CIRCLE_LENGTH and len(set(recent)) == 2


def _last_speaker(state: AgentState) -> str:
    messages = state.get("messages", [])
    if not messages:
        return ARCHITECT
    return messages[-1]["agent_name"]
