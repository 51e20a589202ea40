"""What files and pages say on the points, and where a number of theirs clashes with a role's."""

from dataclasses import dataclass

from meetmind.llm.offline.brought_words import quote_line
from meetmind.llm.offline.conditions import tells_what_happened
from meetmind.llm.offline.contradictions import Contradiction, differing_numbers
from meetmind.llm.offline.quotes import SaidQuote
from meetmind.llm.offline.relevance import match, telling_weight
from meetmind.llm.offline.room import Room
from meetmind.llm.offline.table_rows import is_row

LEAST_WEIGHT = 0.9
"""So much weight of a point's telling words a sentence must hold to speak to it."""


@dataclass(frozen=True, kw_only=True)
class BroughtClash:
    """A number of a file or a page (`first` of the contradiction) against one of a role."""

    brought: SaidQuote
    of_role: SaidQuote
    found: Contradiction


def brought_on_points(room: Room) -> list[tuple[SaidQuote, ...]]:
    """The quotes of files and pages by point; what speaks to none of them is left out.

    So is a mere beginning, which may be a heading and is told with other words around it.
    """
    by_point: list[list[SaidQuote]] = [[] for _ in room.points]
    seen: set[tuple[str, str]] = set()
    spoken_lines = {line for item in room.talk for line in item.text.splitlines()}
    for quote in room.said_of_brought:
        place = _point_of(room, quote)
        key = (quote.passage_id, quote.text)
        is_found_for_the_brief = f"- {quote_line(room, quote)}" in spoken_lines
        if place is not None and is_found_for_the_brief and key not in seen:
            seen.add(key)
            by_point[place].append(quote)
    return [tuple(quotes) for quotes in by_point]


def _point_of(room: Room, quote: SaidQuote) -> int | None:
    """The point that a quote speaks of most, among those that ask for its sort of sentence."""
    if is_row(quote.text, quote.passage_id):
        return None
    best_share, best = 0.0, None
    for place, point in enumerate(room.asked):
        is_event = tells_what_happened(quote.text)
        unwanted = point.wanted != "anything" and is_event != (point.wanted == "events")
        if unwanted or telling_weight(point.query, quote.text) < LEAST_WEIGHT:
            continue
        share = match(point.own_words, quote.text).coverage
        share += match(point.query, quote.text).coverage / 2
        if share > best_share:
            best_share, best = share, place
    return best


def brought_clashes(room: Room, quotes: tuple[SaidQuote, ...]) -> tuple[BroughtClash, ...]:
    """The numbers in these quotes that differ from a role's quoted number, once a pair."""
    clashes: dict[tuple[str, str], BroughtClash] = {}
    for quote in quotes:
        for said in room.said:
            found = differing_numbers(quote.text, said.text)
            if found is not None:
                clash = BroughtClash(brought=quote, of_role=said, found=found)
                clashes.setdefault((quote.text, said.passage_id), clash)
    return tuple(clashes.values())
