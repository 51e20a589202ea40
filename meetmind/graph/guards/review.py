"""All guards on the latest utterance, and the end of a discussion that no guard could move."""

from dataclasses import dataclass

from meetmind.agents.roster import ARCHITECT
from meetmind.graph.first_opinions import current_round, visible_utterances
from meetmind.graph.guards.circles import going_in_circles, one_voice
from meetmind.graph.guards.claims import never_looked_up
from meetmind.graph.guards.closing import closing_refusal, insists
from meetmind.graph.guards.courtesy import thanks_loop
from meetmind.graph.guards.finding import Finding, RunTerms, Utterances
from meetmind.graph.guards.minds import changed_without_cause, objection_without_way_out
from meetmind.graph.guards.movement import turns_without_movement
from meetmind.graph.guards.repetition import already_said

TURNS_AFTER_GUARD = 3
"""So many more turns without movement, after a guard has moved the floor or said why, are enough:
the least heard role had its turn, and the others had theirs to take it up."""


@dataclass(frozen=True, kw_only=True)
class Review:
    """What the guards found in the latest utterance."""

    findings: tuple[Finding, ...] = ()
    """About the words: told as events of their own, the gravest first."""
    circle: Finding | None = None
    """About the proposed next speaker: told by the hand-over."""
    refused_closing: Finding | None = None
    """Why the architect may not close yet: told by the hand-over."""
    insists: bool = False
    """The refused closing is taken all the same."""
    is_stuck: bool = False
    """Guards acted, and still nothing moved."""

    @property
    def all_findings(self) -> tuple[Finding, ...]:
        """Everything that was found."""
        about_the_floor = [one for one in (self.refused_closing, self.circle) if one is not None]
        return (*self.findings, *about_the_floor)

    @property
    def ended_by(self) -> str:
        """The reason for which the guards end the run; empty where it goes on."""
        if self.insists:
            return "closed_with_open_points"
        return "going_in_circles" if self.is_stuck else ""


def review(utterances: Utterances, terms: RunTerms) -> Review:
    """Judge the latest utterance of a run by all that was said before it."""
    found = findings_on(utterances, terms)
    is_closing = utterances[-1].done and utterances[-1].agent_name == ARCHITECT
    may_close = is_closing and found.refused_closing is None
    insisting = is_closing and insists(utterances, terms)
    stuck = not may_close and not insisting and _is_stuck(utterances, terms)
    return Review(
        findings=found.findings,
        circle=found.circle,
        refused_closing=found.refused_closing,
        insists=insisting,
        is_stuck=stuck,
    )


def findings_on(utterances: Utterances, terms: RunTerms) -> Review:
    """The findings alone, without what follows from them."""
    latest = utterances[-1]
    visible = [*visible_utterances(utterances[:-1], latest.agent_name), latest]
    about_words = (
        thanks_loop(utterances),
        already_said(visible),
        _unfounded(visible, terms),
        objection_without_way_out(visible),
        changed_without_cause(visible),
    )
    is_closing = latest.done and latest.agent_name == ARCHITECT
    refused = closing_refusal(utterances, terms) if is_closing else None
    circle = None
    if not is_closing and current_round(utterances) is None:
        proposed = latest.next_agent
        circle = going_in_circles(utterances, proposed) or one_voice(utterances, proposed)
    return Review(
        findings=tuple(finding for finding in about_words if finding is not None),
        circle=circle,
        refused_closing=refused,
    )


def _unfounded(visible: Utterances, terms: RunTerms) -> Finding | None:
    if visible[-1].agent_name in terms.looked_up:
        return None
    return never_looked_up(visible, f"{terms.brief}\n{terms.said_besides}")


def _is_stuck(utterances: Utterances, terms: RunTerms) -> bool:
    """Whether a guard acted so many turns ago and nothing has moved since.

    Every turn is reviewed, so that the first guard of a standstill is the one that counts.
    """
    if turns_without_movement(utterances) <= TURNS_AFTER_GUARD:
        return False
    back_then = utterances[:-TURNS_AFTER_GUARD]
    acted = findings_on(back_then, terms).all_findings
    return bool(acted) or _names_itself(back_then)


def _names_itself(utterances: Utterances) -> bool:
    """Whether a role wanted to speak twice in a row; the hand-over tells it as `same_speaker`."""
    return utterances[-1].next_agent == utterances[-1].agent_name
