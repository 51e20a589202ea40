"""What excuses a claim, and telling what guards found as events that people see."""

from collections.abc import Sequence
from dataclasses import replace

from meetmind.agents.run_context import RunContext
from meetmind.config.roster_names import AGENT_NAMES
from meetmind.events import GuardActed, UtteranceEnded
from meetmind.graph.guards.claims import never_looked_up
from meetmind.graph.guards.finding import RunTerms
from meetmind.graph.guards.review import Review

NO_LOOKING_UP = frozenset({"Write", "Edit", "ask_person", "skill", "echo"})
TURNS_LOOKED_AT = 2 * len(AGENT_NAMES)
"""Guards speak of the latest turn, of a role's own one before, and of a standstill's first."""
GUARD_BY_END = {
    "going_in_circles": "nothing_moves",
    "closed_with_open_points": "closing_insisted",
}


async def with_excuses(
    context: RunContext, utterances: Sequence[UtteranceEnded], terms: RunTerms
) -> RunTerms:
    """The terms with all that can excuse a claim; read only where a claim stands out."""
    ends = range(max(1, len(utterances) - TURNS_LOOKED_AT + 1), len(utterances) + 1)
    if all(never_looked_up(utterances[:end], terms.brief) is None for end in ends):
        return terms
    own_ids = {utterance.utterance_id for utterance in utterances}
    messages = await context.log.messages()
    said = [message.content for message in messages if message.id not in own_ids]
    outcomes = await context.ledger.outcomes()
    looked_up = set()
    for outcome in outcomes:
        if outcome.tool not in NO_LOOKING_UP and outcome.status != "refused":
            # Ids of utterances end in the role.
            looked_up.add(outcome.utterance_id.rpartition(".")[2])
    return replace(
        terms,
        said_besides="\n".join([context.memory, *said]),
        looked_up=frozenset(looked_up),
    )


async def found_out(
    context: RunContext, utterances: Sequence[UtteranceEnded], reviewed: Review
) -> None:
    """Tell what the review found, once; what a hand-over tells anyway is no event of its own."""
    latest = utterances[-1]
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
