"""The safe point before a turn: a pause, the budget, and words for somebody else."""

from dataclasses import dataclass

from langgraph.types import interrupt

from meetmind.agents.run_context import RunContext, RunNow, Turn
from meetmind.events import HandedOver
from meetmind.graph.budget import used_up
from meetmind.graph.persons_word import role_to_go_to
from meetmind.graph.state import AgentState


@dataclass(frozen=True, kw_only=True)
class SafePoint:
    """Where a run stands before a turn."""

    now: RunNow
    has_begun: bool
    """Whether the turn has its floor already, since before a crash or a decision."""


async def rested(context: RunContext, turn: Turn) -> SafePoint:
    """Rest at an interrupt while a pause is asked for; what holds then.

    A turn that has begun already, before a crash or a decision, is not held up, and neither is a
    run that is about to end.
    """
    has_begun = await context.log.has_floor(turn.utterance_id)
    if has_begun:
        await context.log.begin_again(turn.utterance_id)
    while True:
        now = await context.steering.now()
        is_over = used_up(now, turn.iteration) is not None
        if has_begun or is_over or not now.pause_asked:
            return SafePoint(now=now, has_begun=has_begun)
        interrupt({"pause": True})


async def turned_away(context: RunContext, turn: Turn, point: SafePoint) -> AgentState | None:
    """What the state becomes where the turn does not begin; None where it does, or has begun."""
    if point.has_begun:
        return None
    now = point.now
    reason = used_up(now, turn.iteration)
    if reason is not None:
        return {"ended_by": reason, "done": False, "max_iterations": now.max_iterations}
    if turn.iteration == 0:
        # Whoever opens opens; a role that was asked meanwhile is next.
        return None
    words = await context.steering.unanswered()
    asked = role_to_go_to(words, turn.agent_name)
    if not asked:
        return None
    await _tell(context, turn, asked)
    return {
        "next_agent": asked,
        "done": False,
        "route": "team",
        "max_iterations": now.max_iterations,
    }


async def _tell(context: RunContext, turn: Turn, asked: str) -> None:
    if await context.log.stored_handover(turn.utterance_id) is not None:
        return
    event = HandedOver(
        from_agent=turn.agent_name, to_agent=asked, by="person", utterance_id=turn.utterance_id
    )
    await context.log.append(event)
