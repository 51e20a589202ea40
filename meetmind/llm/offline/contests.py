"""What the talk has already set against each other: quotes of two roles that cannot both hold."""

from dataclasses import dataclass

from meetmind.llm.offline.contradictions import Contradiction, contradiction_between
from meetmind.llm.offline.quotes import SaidQuote, normalised
from meetmind.llm.offline.room import Room


@dataclass(frozen=True, kw_only=True)
class Contest:
    """Two quotes of two roles that contradict each other."""

    one: SaidQuote
    other: SaidQuote
    contradiction: Contradiction
    point_number: int

    def concerns(self, quote: SaidQuote) -> bool:
        """Whether a quote is one of the two sides, or a part of it."""
        text = normalised(quote.text)
        for side in (self.one, self.other):
            said = normalised(side.text)
            if side.passage_id == quote.passage_id and (text in said or said in text):
                return True
        return False


def contests_of(room: Room) -> list[Contest]:
    """Contradictions between quotes that were set against each other in one utterance."""
    contests: list[Contest] = []
    seen: set[frozenset[str]] = set()
    for place, one in enumerate(room.said):
        for other in room.said[place + 1 :]:
            pair = frozenset((one.passage_id, other.passage_id))
            if one.turn_index != other.turn_index or one.agent_name == other.agent_name:
                continue
            found = contradiction_between(one.text, other.text)
            if found is None or not found.certain or pair in seen:
                continue
            seen.add(pair)
            number = room.point_index(f"{one.text} {other.text}") + 1
            contests.append(Contest(one=one, other=other, contradiction=found, point_number=number))
    return contests
