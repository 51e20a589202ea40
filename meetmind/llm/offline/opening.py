"""The architect's first turn: the points to settle, its own records, and whom to ask first."""

from dataclasses import replace

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.llm.offline.brought_words import brought_before, what_was_brought
from meetmind.llm.offline.clashes import clashes_of
from meetmind.llm.offline.nearest import nearest_word
from meetmind.llm.offline.positions import clash_position
from meetmind.llm.offline.room import Room
from meetmind.llm.offline.turn_order import next_speaker
from meetmind.llm.offline.utterance import Utterance, gap, paragraphs, quote_lines

_CHINESE_COUNTS = {2: "两", 3: "三", 4: "四"}
_ENGLISH_COUNTS = {2: "two", 3: "three", 4: "four"}


def open_discussion(room: Room) -> Utterance:
    """The opening, or the plain word that no table knows anything about the brief."""
    knowing = [name for name in AGENT_NAMES if _knows(room, name)]
    if not knowing and not any(room.is_doubtful(item) for item in room.passages):
        return nothing_is_known(room)
    quotes = room.best_quotes()
    records = [room.voice.say("own_records"), quote_lines(room, quotes)]
    own = "\n".join(records) if quotes else ""
    silent = [
        index + 1
        for index in range(len(room.points))
        if index not in {quote.point_index for quote in quotes}
    ]
    missing = _what_is_missing(room, silent, bool(quotes))
    parts = [_points_listed(room), what_was_brought(room), own, missing]
    positions = [clash_position(room, clash) for clash in clashes_of(room, quotes)]
    parts.extend(position.sentence for position in positions)
    colleagues = [name for name in knowing if name != room.me]
    if colleagues:
        parts.append(room.voice.say("knows", names=room.voice.names(colleagues)))
    following = next_speaker(room)
    return Utterance(
        content=paragraphs(parts),
        next_agent=following.name,
        handover_reason=following.reason,
        stances=tuple(position.stance for position in positions),
        points=room.points,
    )


def nothing_is_known(room: Room) -> Utterance:
    """The early end; what was read of files and pages is told all the same."""
    voice = room.voice
    looked_for = "; ".join(room.queries)
    parts = [
        what_was_brought(room) or brought_before(room),
        voice.text("nothing_known", "text"),
        voice.text("nothing_known", "looked", queries=looked_for),
        voice.text("nothing_known", "way_out"),
    ]
    reason = voice.text("reasons", "nothing_known")
    points = tuple(replace(point, state="recorded_open", reason=reason) for point in room.points)
    return Utterance(content=paragraphs(parts), done=True, points=points)


def _knows(room: Room, name: str) -> bool:
    return any(room.is_relevant(passage) for passage in room.passages_of(name))


def _points_listed(room: Room) -> str:
    count = len(room.points)
    if room.language == "zh":
        shown = room.voice.say("count_many", count=_CHINESE_COUNTS.get(count, str(count)))
    else:
        shown = room.voice.say("count_many", count=_ENGLISH_COUNTS.get(count, str(count)))
    lines = [room.voice.say("opening", count=shown)]
    for number, point in enumerate(room.points, start=1):
        lines.append(f"{number}. {point.question}")
    return "\n".join(lines)


def _what_is_missing(room: Room, silent: list[int], has_quotes: bool) -> str:
    if not has_quotes:
        return nearest_word(room) or room.voice.say("nothing_all")
    if not silent:
        return ""
    numbers = room.voice.points_inside(silent)
    return room.voice.say("nothing_points", numbers=numbers) + gap(room).rstrip()
