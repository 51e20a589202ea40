"""Tells what guards found, as events that people see."""

from collections.abc import Sequence
from dataclasses import replace

from meetmind.agents.run_context import RunContext
from meetmind.database.call_outcomes import CallOutcomeRow
from meetmind.events import GuardActed, UtteranceEnded
from meetmind.graph.guards.claims import NEVER_LOOKED_UP
from meetmind.graph.guards.review import Review

SEARCH = "rag_search"
GUARD_BY_END = {
    "going_in_circles": "nothing_moves",
    "closed_with_open_points": "closing_insisted",
}


async def found_out(
    context: RunContext, utterances: Sequence[UtteranceEnded], reviewed: Review
) -> Review:
    """The review as it stands after a look at the ledger, told once.

    What a hand-over tells anyway is no event of its own.
    """
    latest = utterances[-1]
    if any(finding.guard == NEVER_LOOKED_UP for finding in reviewed.findings):
        reviewed = await _without_vain_searches(context, latest, reviewed)
    told = [(finding.guard, finding.details) for finding in reviewed.findings]
    if reviewed.ended_by:
        told.append((GUARD_BY_END[reviewed.ended_by], {}))
    for guard, details in told:
        event = GuardActed(
            guard=guard,
            utterance_id=latest.utterance_id,
            agent_name=latest.agent_name,
            details=dict(details),
        )
        await context.log.append(event)
    return reviewed


async def _without_vain_searches(
    context: RunContext, latest: UtteranceEnded, reviewed: Review
) -> Review:
    """A role whose searches failed did look; the tools are to blame."""
    outcomes = await context.ledger.outcomes()
    if not any(_is_search_of(outcome, latest.agent_name) for outcome in outcomes):
        return reviewed
    kept = [finding for finding in reviewed.findings if finding.guard != NEVER_LOOKED_UP]
    return replace(reviewed, findings=tuple(kept))


def _is_search_of(outcome: CallOutcomeRow, agent_name: str) -> bool:
    """A search that was really made, whatever came of it; ids of utterances end in the role."""
    speaker = outcome.utterance_id.rpartition(".")[2]
    return outcome.tool == SEARCH and speaker == agent_name and outcome.status != "refused"
