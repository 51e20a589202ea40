"""Whether a turn moved the discussion: new evidence, a new stance, a point in another state."""

from dataclasses import dataclass, field

from meetmind.events import UtteranceEnded
from meetmind.graph.guards.courtesy import is_only_courtesy
from meetmind.graph.guards.finding import Utterances


@dataclass(kw_only=True)
class _Known:
    """What a run has had so far, while its utterances are gone through."""

    passage_ids: set[str] = field(default_factory=set)
    stances: set[tuple[str, str, str]] = field(default_factory=set)
    states: set[tuple[str, str]] = field(default_factory=set)
    speakers: set[str] = field(default_factory=set)

    def takes_in(self, utterance: UtteranceEnded) -> bool:
        """Whether an utterance brings something new; it is known from then on."""
        name = utterance.agent_name
        stances = {(name, stance.point_id, stance.counts_as) for stance in utterance.stances}
        states = {(point.id, point.state) for point in utterance.points}
        is_new = (
            utterance.answers_person
            or not self.passage_ids.issuperset(utterance.cited_ids)
            or not self.stances.issuperset(stances)
            or not self.states.issuperset(states)
            or (name not in self.speakers and not is_only_courtesy(utterance))
        )
        self.passage_ids.update(utterance.cited_ids)
        self.stances |= stances
        self.states |= states
        self.speakers.add(name)
        return is_new


def moves(utterances: Utterances) -> bool:
    """Whether the latest utterance brought something that the run did not have before it.

    A role that is heard for the first time does, unless it is only polite. A stance or a state
    that was there before and comes back is not new: whoever turns to and fro stays in one place.
    """
    return turns_without_movement(utterances) == 0


def turns_without_movement(utterances: Utterances) -> int:
    """How many turns in a row, the latest one included, moved nothing."""
    known = _Known()
    count = 0
    for utterance in utterances:
        count = 0 if known.takes_in(utterance) else count + 1
    return count
