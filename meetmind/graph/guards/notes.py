"""What a guard tells the role that speaks next: one sentence each, for the prompt."""

from meetmind.agents.roster import ARCHITECT
from meetmind.graph.guards.finding import Finding, RunTerms, Utterances
from meetmind.graph.guards.review import findings_on
from meetmind.prompts.loader import load_prompt


def guard_notes(utterances: Utterances, agent_name: str, terms: RunTerms) -> tuple[str, ...]:
    """The sentences for a role that is about to speak.

    It is told what was found in its own latest turn. Whoever gets the floor from a guard is told
    what was found in the turn before; the architect why its closing was refused.
    """
    ends = [
        end for end in range(1, len(utterances) + 1) if utterances[end - 1].agent_name == agent_name
    ]
    notes: list[str] = []
    if ends:
        own = findings_on(utterances[: ends[-1]], terms)
        notes.extend(_sentence(finding, "own") for finding in own.findings)
        if own.refused_closing is not None and agent_name == ARCHITECT:
            notes.append(_sentence(own.refused_closing, "own"))
    if utterances and (not ends or ends[-1] != len(utterances)):
        before = findings_on(utterances, terms)
        moved = [finding for finding in before.all_findings if finding.moves_floor]
        notes.extend(_sentence(finding, "floor") for finding in moved[:1])
    return tuple(dict.fromkeys(notes))


def _sentence(finding: Finding, to_whom: str) -> str:
    """`own` speaks to the role that was found out, `floor` to the one that takes over."""
    return load_prompt(f"guards/{to_whom}_{finding.guard}", **finding.details)
