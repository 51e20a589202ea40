"""What a turn comes to, in the shape that the wrap-up of a turn is read in."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from meetmind.events import Point, Stance
from meetmind.llm.offline.quotes import Quote, SentenceKind, written
from meetmind.llm.offline.relevance import match
from meetmind.llm.offline.room import Room
from meetmind.llm.offline.rules import rule_clauses


@dataclass(frozen=True, kw_only=True)
class Utterance:
    """A finished turn; `content` comes first, so that it can be streamed."""

    content: str
    next_agent: str = ""
    done: bool = False
    handover_reason: str = ""
    stances: tuple[Stance, ...] = ()
    points: tuple[Point, ...] = ()

    def to_json(self) -> str:
        """The JSON object that the schema of the wrap-up asks for."""
        return json.dumps(asdict(self), ensure_ascii=False)


def paragraphs(parts: Sequence[str]) -> str:
    """Parts of a text with a blank line between them; empty ones are left out."""
    return "\n\n".join(part for part in parts if part)


def quote_lines(room: Room, quotes: Sequence[Quote]) -> str:
    """A list with one line a quote: the point, a lead-in by the kind of sentence, the quote."""
    lines = []
    for quote in quotes:
        comma = "，" if room.language == "zh" else ", "
        lead_in = room.voice.say(_kind_of_lead_in(room, quote))
        label = room.voice.point(quote.point_index + 1)
        lines.append(f"- {label}{comma}{lead_in}{gap(room)}{quoted(room, quote)}")
    return "\n".join(lines)


def _kind_of_lead_in(room: Room, quote: Quote) -> SentenceKind:
    """A rule or a number is announced only where the sentence sets it and speaks of the point."""
    if quote.kind not in ("rule", "number"):
        return quote.kind
    on_point = match(room.asked[quote.point_index].query, quote.sentence).is_relevant
    sets_it = quote.kind == "rule" or bool(rule_clauses(quote.sentence))
    return quote.kind if on_point and sets_it else "plain"


def quoted(room: Room, quote: Quote) -> str:
    """A chosen quote with its citation."""
    return written_in(room, quote.sentence, quote.passage.passage_id)


def written_in(room: Room, text: str, passage_id: str) -> str:
    """A quote with its citation in the language of the room, noted where it is in the other one."""
    note = room.voice.text("phrases", "foreign")
    return written(text, passage_id, room.language, note)


def gap(room: Room) -> str:
    """What stands between two sentences."""
    return "" if room.language == "zh" else " "
