"""Closing too early: what has to be true before the architect may end a discussion."""

import re
from dataclasses import replace

from meetmind.agents.roster import ARCHITECT
from meetmind.agents.situation import current_points
from meetmind.agents.stances import objectors
from meetmind.events import Point, UtteranceEnded
from meetmind.graph.guards.finding import Finding, RunTerms, Utterances
from meetmind.i18n.translate import LANGUAGES, translate

SETTLED_OVER_OBJECTION = "settled_over_objection"
VOICES_BEFORE_CLOSING = 2
"""How many roles besides the architect must have spoken before it may close."""
CLOSINGS_UNTIL_TAKEN = 3
"""The so many-th refused closing in a row over the same points is taken: more would be a circle."""
FEWEST_WORDS_OF_A_REASON = 2
FEWEST_HAN_OF_A_REASON = 4

_WORD = re.compile(r"[^\W\d_]+")
_HAN = re.compile(r"[\u3400-\u9fff]")


def closing_refusal(utterances: Utterances, terms: RunTerms) -> Finding | None:
    """What keeps the latest utterance, which asks for the end, from ending the discussion.

    Where the architect is alone and no table knows anything there is nothing to discuss.
    """
    latest = utterances[-1]
    others = {utterance.agent_name for utterance in utterances} - {ARCHITECT}
    if not others and not latest.knows_something:
        return None
    is_short_of_turns = len(utterances) >= terms.max_iterations or terms.is_nearly_used
    enough_voices = len(others) >= VOICES_BEFORE_CLOSING or not latest.knows_something
    if terms.asked_agent in others:
        enough_voices = True
    if not enough_voices and not is_short_of_turns:
        return _refusal("closing_too_early")
    return _refusal_of_points(utterances, terms)


def insists(utterances: Utterances, terms: RunTerms) -> bool:
    """Whether the latest utterance is the third closing in a row that is refused for the same."""
    ends = [
        end for end in range(1, len(utterances) + 1) if utterances[end - 1].agent_name == ARCHITECT
    ]
    last_ends = ends[-CLOSINGS_UNTIL_TAKEN:]
    if len(last_ends) < CLOSINGS_UNTIL_TAKEN:
        return False
    if not all(utterances[end - 1].done for end in last_ends):
        return False
    *earlier_ends, _ = last_ends
    if any(closing_refusal(utterances[:end], terms) is None for end in earlier_ends):
        return False
    if is_recorded_by_program(utterances[-1]):
        return True
    states = {_states(utterances[:end], terms) for end in last_ends}
    return len(states) == 1 and closing_refusal(utterances, terms) is not None


def with_points_recorded(
    utterances: Utterances, latest: UtteranceEnded, terms: RunTerms, *, language: str
) -> UtteranceEnded:
    """A turn with which the architect insists on closing, its loose ends recorded as open.

    Every other turn is left as it is. The reason is what tells later that the program wrote it.
    """
    if latest.agent_name != ARCHITECT or not latest.done:
        return latest
    spoken = [*utterances, latest]
    if not insists(spoken, terms):
        return latest
    recorded = []
    for point in current_points(spoken, terms.carried_points):
        if loose_end(spoken, point) is not None:
            reason = translate("guard_reason.closing_insisted", language)
            recorded.append(replace(point, state="recorded_open", reason=reason))
        else:
            recorded.append(point)
    return replace(latest, points=tuple(recorded))


def is_recorded_by_program(utterance: UtteranceEnded) -> bool:
    """Whether the program has recorded points of this utterance as open."""
    reasons = {translate("guard_reason.closing_insisted", language) for language in LANGUAGES}
    return any(point.reason in reasons for point in utterance.points)


def loose_end(utterances: Utterances, point: Point) -> str | None:
    """The guard that finds fault with the end of a point, or None where it may end so."""
    if point.state == "open":
        return "points_still_open"
    if point.state == "recorded_open":
        return None if says_why(point.reason) else "open_without_reason"
    if objecting_roles(utterances, point) and not says_why(point.reason):
        return SETTLED_OVER_OBJECTION
    return None


def objecting_roles(utterances: Utterances, point: Point) -> list[str]:
    """The colleagues of the architect whose objection to a point stands."""
    return [name for name in objectors(utterances, point.id) if name != ARCHITECT]


def says_why(reason: str) -> bool:
    """Whether a reason is more than a word."""
    enough_han = len(_HAN.findall(reason)) >= FEWEST_HAN_OF_A_REASON
    return enough_han or len(_WORD.findall(reason)) >= FEWEST_WORDS_OF_A_REASON


def _refusal_of_points(utterances: Utterances, terms: RunTerms) -> Finding | None:
    points = current_points(utterances, terms.carried_points)
    if not points:
        return _refusal("points_not_framed")
    for point in points:
        guard = loose_end(utterances, point)
        if guard is not None:
            details = {"point": point.id}
            if guard == SETTLED_OVER_OBJECTION:
                details["names"] = ", ".join(objecting_roles(utterances, point))
            return Finding(guard=guard, details=details, moves_floor=True)
    return None


def _refusal(guard: str) -> Finding:
    return Finding(guard=guard, moves_floor=True)


def _states(utterances: Utterances, terms: RunTerms) -> tuple[tuple[str, str, str], ...]:
    points = current_points(utterances, terms.carried_points)
    return tuple((point.id, point.state, point.reason) for point in points)
