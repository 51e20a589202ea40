"""What the talk comes to at the end: points that stand on paper, are contested, or are empty."""

from collections.abc import Sequence
from dataclasses import dataclass

from meetmind.events import Point, PointState
from meetmind.llm.offline.brought_points import (
    BroughtClash,
    brought_clashes,
    brought_on_points,
)
from meetmind.llm.offline.conditions import tells_what_happened
from meetmind.llm.offline.contests import Contest, contests_of
from meetmind.llm.offline.points import Wanted
from meetmind.llm.offline.quotes import SaidQuote, kind_of, normalised
from meetmind.llm.offline.relevance import match
from meetmind.llm.offline.room import Room
from meetmind.llm.offline.rules import rule_clauses

MOST_QUOTES_A_DECISION = 2
LEAST_COVERAGE_TO_SETTLE = 0.75
"""A quote may share a third of a point's words; a rule that settles it shares most of them."""
RULE_BONUS = 0.5
NUMBER_BONUS = 0.2


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How one point ends; without quotes and contests no table holds anything on it."""

    point: Point
    number: int
    wanted: Wanted
    query: str
    quotes: tuple[SaidQuote, ...]
    contests: tuple[Contest, ...]
    brought: tuple[SaidQuote, ...] = ()
    """What files and pages of the brief say on the point."""
    brought_clashes: tuple[BroughtClash, ...] = ()

    @property
    def brought_rules(self) -> tuple[SaidQuote, ...]:
        """What files and pages say apart from events."""
        return tuple(quote for quote in self.brought if not tells_what_happened(quote.text))

    @property
    def rules(self) -> tuple[SaidQuote, ...]:
        """The quotes that say what holds."""
        return tuple(quote for quote in self.quotes if not tells_what_happened(quote.text))

    @property
    def state(self) -> PointState:
        """Settled when a role's rule says what holds and nothing contradicts it, no file either."""
        is_disputed = bool(self.contests or self.brought_clashes)
        return "settled" if self.covering and not is_disputed else "recorded_open"

    @property
    def covering(self) -> tuple[SaidQuote, ...]:
        """The rules that speak of most of what the point asks; being quoted is not enough."""
        return tuple(quote for quote in self.rules if self._is_covered_by(quote))

    def _is_covered_by(self, quote: SaidQuote) -> bool:
        states_something = kind_of(quote.text) == "rule" or bool(rule_clauses(quote.text))
        is_answer = states_something and not quote.is_nearest and self.wanted != "events"
        return is_answer and match(self.query, quote.text).coverage >= LEAST_COVERAGE_TO_SETTLE


@dataclass(frozen=True, kw_only=True)
class Closing:
    """The end of a discussion, before it is put into words."""

    outcomes: tuple[Outcome, ...]

    @property
    def nothing_known(self) -> bool:
        """Whether nothing was quoted at all."""
        return not any(outcome.quotes or outcome.contests for outcome in self.outcomes)

    @property
    def contests(self) -> list[Contest]:
        """All contradictions, in the order of the points."""
        return [contest for outcome in self.outcomes for contest in outcome.contests]


def closing_of(room: Room) -> Closing:
    """Sort everything that was quoted by point, contradictions apart."""
    contests = contests_of(room)
    contested_texts: set[str] = set()
    for contest in contests:
        contested_texts.update((normalised(contest.one.text), normalised(contest.other.text)))
    standing = [
        quote for quote in _whole_quotes(room.said) if normalised(quote.text) not in contested_texts
    ]
    brought = brought_on_points(room)
    outcomes = []
    for index, point in enumerate(room.points):
        outcomes.append(
            Outcome(
                point=point,
                number=index + 1,
                wanted=room.asked[index].wanted,
                query=room.asked[index].own_words,
                quotes=_best_quotes(room, index, standing),
                contests=tuple(c for c in contests if c.point_number == index + 1),
                brought=brought[index],
                brought_clashes=brought_clashes(room, brought[index]),
            )
        )
    return Closing(outcomes=tuple(outcomes))


def _whole_quotes(said: Sequence[SaidQuote]) -> list[SaidQuote]:
    """The quotes without those that only repeat a part of another one."""
    whole = []
    for quote in said:
        text = normalised(quote.text)
        longer = [
            other
            for other in said
            if other.passage_id == quote.passage_id and text in normalised(other.text)
        ]
        if all(normalised(other.text) == text for other in longer):
            whole.append(quote)
    return whole


def _best_quotes(
    room: Room, point_index: int, standing: Sequence[SaidQuote]
) -> tuple[SaidQuote, ...]:
    """The quotes that say most on a point, rules and numbers first, one a role."""
    query = room.asked[point_index].query
    on_point = [quote for quote in standing if room.point_of(quote) == point_index]

    def worth(quote: SaidQuote) -> float:
        worth_so_far = match(query, quote.text).coverage
        if not tells_what_happened(quote.text):
            worth_so_far += RULE_BONUS
        if kind_of(quote.text) in ("rule", "number"):
            worth_so_far += NUMBER_BONUS
        return worth_so_far

    chosen: list[SaidQuote] = []
    for quote in sorted(on_point, key=worth, reverse=True):
        if quote.agent_name not in {one.agent_name for one in chosen}:
            chosen.append(quote)
    return tuple(chosen[:MOST_QUOTES_A_DECISION])
