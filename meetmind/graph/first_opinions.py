"""First opinions: a round in which the roles speak before they have heard each other.

Everything is derived from the stored utterances, so that a crash in the middle changes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from meetmind.agents.roster import ARCHITECT
from meetmind.agents.run_context import ShownTalk
from meetmind.agents.situation import current_points
from meetmind.config.roster_names import AGENT_NAMES
from meetmind.events import UtteranceEnded


@dataclass(frozen=True, kw_only=True)
class Round:
    """A round of first opinions that is under way."""

    asked_in: int
    """The place of the architect's utterance that asked for it."""
    waiting: tuple[str, ...]
    """Who has not spoken since, by the roster."""


def current_round(utterances: Sequence[UtteranceEnded]) -> Round | None:
    """The round that the architect's latest utterance has opened, until the floor is back."""
    architect_turns = [
        place for place, utterance in enumerate(utterances) if utterance.agent_name == ARCHITECT
    ]
    if not architect_turns:
        return None
    asked_in = architect_turns[-1]
    if not _opens_round(utterances, architect_turns):
        return None
    spoken_since = {utterance.agent_name for utterance in utterances[asked_in:]}
    waiting = tuple(name for name in AGENT_NAMES if name not in spoken_since)
    return Round(asked_in=asked_in, waiting=waiting)


def gives_first_opinion(utterances: Sequence[UtteranceEnded], agent_name: str) -> bool:
    """Whether a turn of this role, taken now, is a first opinion."""
    opened = current_round(utterances)
    return opened is not None and agent_name in opened.waiting


def round_from(utterances: Sequence[UtteranceEnded]) -> str:
    """The id of the utterance that asked for the round under way; empty where there is none."""
    opened = current_round(utterances)
    return "" if opened is None else utterances[opened.asked_in].utterance_id


def visible_utterances(
    utterances: Sequence[UtteranceEnded], agent_name: str
) -> list[UtteranceEnded]:
    """What a role may know of the run: for a first opinion, nothing that came after the asking."""
    opened = current_round(utterances)
    if opened is None or agent_name not in opened.waiting:
        return list(utterances)
    return list(utterances[: opened.asked_in + 1])


def visible_talk(
    shown: ShownTalk, utterances: Sequence[UtteranceEnded], agent_name: str
) -> ShownTalk:
    """The talk without colleagues' first opinions; what a person said stays."""
    visible = visible_utterances(utterances, agent_name)
    hidden_ids = {utterance.utterance_id for utterance in utterances[len(visible) :]}
    return replace(
        shown,
        messages=tuple(one for one in shown.messages if one.id not in hidden_ids),
        recalled=tuple(one for one in shown.recalled if one.message_id not in hidden_ids),
    )


def _opens_round(utterances: Sequence[UtteranceEnded], architect_turns: Sequence[int]) -> bool:
    """A first opinion is formed once: a later round needs a point that is new."""
    asked_in = architect_turns[-1]
    if not utterances[asked_in].asks_first_opinions or utterances[asked_in].done:
        return False
    if not any(utterances[place].asks_first_opinions for place in architect_turns[:-1]):
        return True
    known_ids = {point.id for point in current_points(utterances[:asked_in])}
    return any(point.id not in known_ids for point in utterances[asked_in].points)
