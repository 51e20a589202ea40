"""The end of a run whose graph has come to its end, unless a person wants it to go on."""

from typing import cast

from psycopg_pool import ConnectionPool

from meetmind.agents.roster import ARCHITECT
from meetmind.agents.run_context import RunContext
from meetmind.config.budget import Budget
from meetmind.config.roster_names import ASSISTANT_NAME
from meetmind.database import steering
from meetmind.events import EndReason, GuardActed, RunEnded
from meetmind.graph.budget import BUDGET_REASONS, used_up
from meetmind.graph.persons_word import asked_role
from meetmind.graph.state import AgentState
from meetmind.server.stream import in_thread

LEFT_UNANSWERED = "words_unanswered"


async def close_unless_wanted(
    pool: ConnectionPool, context: RunContext, state: AgentState, epoch: int
) -> bool:
    """Close the run; False where words wait for an answer or a person has changed the budget.

    Words that come when the budget is used up are kept and not answered, and the log says so.
    Raises `LostTheRun`.
    """
    now = await context.steering.now()
    reason_of_budget = used_up(now, state["iteration"])
    reason = _end_reason(state, reason_of_budget)
    if reason is None:
        return False
    end = RunEnded(status="done", reason=reason)
    if reason_of_budget is not None:
        return await in_thread(
            steering.close_at_limit,
            pool,
            run_id=context.run_id,
            epoch=epoch,
            event=end,
            max_iterations=now.max_iterations,
            budget=Budget(
                max_tokens=now.max_tokens, max_minutes=now.max_minutes, max_cost=now.max_cost
            ),
            left_unanswered=_left_unanswered(state),
        )
    return await in_thread(
        steering.close_unless_words, pool, run_id=context.run_id, epoch=epoch, event=end
    )


def _left_unanswered(state: AgentState) -> GuardActed:
    messages = state.get("messages", [])
    return GuardActed(
        guard=LEFT_UNANSWERED,
        utterance_id=messages[-1]["utterance_id"] if messages else "",
        agent_name=_last_speaker(state),
    )


def _end_reason(state: AgentState, reason_of_budget: EndReason | None) -> EndReason | None:
    """Why the graph came to its end; None where that does not hold any more."""
    ended_by = state.get("ended_by", "")
    if ended_by and ended_by not in BUDGET_REASONS:
        return cast("EndReason", ended_by)
    if not state["done"]:
        return reason_of_budget
    if state["route"] == "assistant":
        return "answered"
    if len({message["agent_name"] for message in state["messages"]}) == 1:
        return "nothing_known"
    return "closed_by_architect"


async def gone_on(context: RunContext, state: AgentState) -> tuple[AgentState, str]:
    """The changes with which the run goes on after its end, and the node that makes them."""
    now = await context.steering.now()
    asked = asked_role(await context.steering.unanswered())
    speaker = _last_speaker(state)
    changes: AgentState = {
        "done": False,
        "ended_by": "",
        "max_iterations": now.max_iterations,
        "next_agent": asked or _heir(state, speaker),
    }
    if asked:
        changes["route"] = "team"
    return changes, f"{speaker}_node"


def _heir(state: AgentState, speaker: str) -> str:
    """Who goes on where nobody is asked: the assistant, whoever was next, or the architect."""
    if speaker == ASSISTANT_NAME:
        return ""
    return state.get("next_agent") or ARCHITECT


def _last_speaker(state: AgentState) -> str:
    messages = state.get("messages", [])
    if messages:
        return messages[-1]["agent_name"]
    return ASSISTANT_NAME if state.get("route") == "assistant" else ARCHITECT
