"""What is said of files and pages: quotes of them, and in plain words what could not be had."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.llm.offline.brought import redirect_target
from meetmind.llm.offline.brought_calls import LIST_FOLDER
from meetmind.llm.offline.not_read import all_not_read_lines, not_read_lines, reason_of
from meetmind.llm.offline.quotes import SaidQuote
from meetmind.llm.offline.quoting import LONGEST_QUOTE
from meetmind.llm.offline.relevance import (
    Rarity,
    match,
    ranked_coverage,
    rarity_among,
    telling_weight,
)
from meetmind.llm.offline.room import Room
from meetmind.llm.offline.sentences import sentences_of
from meetmind.llm.offline.table_rows import is_table, table_rows
from meetmind.llm.offline.utterance import written_in
from meetmind.llm.tool_envelopes import PromptPassage

MOST_SOURCES = 4
MOST_QUOTES_A_SOURCE = 3
MOST_ROWS = 2
LEAST_WEIGHT = 0.9
"""So much weight of the brief's telling words a sentence must hold to be quoted for them."""


@dataclass(frozen=True, kw_only=True)
class Brought:
    """A file or a page as it was read: its pieces in the order in which they were returned."""

    name: str
    pieces: tuple[PromptPassage, ...]


def what_was_brought(room: Room) -> str:
    """A paragraph with quotes of every file and page of this turn, then what could not be had."""
    lines = [f"- {line}" for one in _all_brought(room) for line in _lines_on(room, one)]
    unlisted = failure_words(room, {LIST_FOLDER: "not_listed"})
    parts = [*_redirect_words(room), "\n".join(not_read_lines(room)), *unlisted]
    if lines:
        parts.insert(0, room.voice.text("brought", "lead") + "\n" + "\n".join(lines))
    return "\n\n".join(part for part in parts if part)


def _redirect_words(room: Room) -> Iterator[str]:
    """Where pages lead that have no words of their own."""
    for piece in room.brought_passages:
        target = redirect_target(piece.content)
        if target:
            yield room.voice.text("brought", "leads_on", url=piece.source, target=target)


def failure_words(room: Room, slot_by_tool: dict[str, str]) -> list[str]:
    """One sentence for every call of these tools that gave nothing, with its reason."""
    sentences = []
    for result in room.sections.tool_results:
        slot = slot_by_tool.get(result.tool)
        if slot is not None and result.status != "ok":
            reason = reason_of(room, result)
            sentences.append(room.voice.text("brought", slot, reason=reason))
    return list(dict.fromkeys(sentences))


def _all_brought(room: Room) -> list[Brought]:
    pieces_by_source: dict[str, list[PromptPassage]] = {}
    with_words = [piece for piece in room.brought_passages if not redirect_target(piece.content)]
    for piece in with_words:
        pieces_by_source.setdefault(piece.source, []).append(piece)
    brought = []
    for source, pieces in pieces_by_source.items():
        name = pieces[0].title or source
        brought.append(Brought(name=name, pieces=tuple(pieces)))
    return brought[:MOST_SOURCES]


def _lines_on(room: Room, brought: Brought) -> Iterator[str]:
    """Quotes for the brief's words; else how the text begins; else that nothing can be quoted."""
    if is_table(brought.pieces[0].source):
        fitting = _fitting_rows(room, brought.pieces[0])
    else:
        fitting = _fitting_sentences(room, brought.pieces)
    if fitting:
        for piece, sentence in fitting:
            yield _quote_line(room, "line", brought.name, piece, sentence)
        return
    beginning = _beginning_of(brought.pieces[0].content)
    if not beginning or is_table(brought.pieces[0].source):
        yield room.voice.text("brought", "nothing_to_quote", name=brought.name)
        return
    slot = "begins_near" if _shares_words(room, brought) else "begins"
    yield _quote_line(room, slot, brought.name, brought.pieces[0], beginning)


def _beginning_of(text: str) -> str:
    """The first line with words, a heading too, without its marks; cut where it is very long."""
    for line in text.splitlines():
        words = line.strip().lstrip("#>*- ").strip()
        if any(character.isalnum() for character in words):
            return words[:LONGEST_QUOTE]
    return ""


def _shares_words(room: Room, brought: Brought) -> bool:
    """Whether any word of the brief stands anywhere in a text, its headings and name included."""
    whole_text = "\n".join([brought.name, *(piece.content for piece in brought.pieces)])
    return match(room.sections.brief, whole_text).matched_weight > 0


def _fitting_rows(room: Room, piece: PromptPassage) -> list[tuple[PromptPassage, str]]:
    """The rows of a table whose values hold most of the brief's words, else the first ones."""
    rows = [row for row in table_rows(piece.source, piece.content) if len(row) <= LONGEST_QUOTE]
    best = sorted(rows, key=lambda row: -telling_weight(room.question, row))[:MOST_ROWS]
    return [(piece, row) for row in rows if row in best][:MOST_ROWS]


def _quote_line(room: Room, slot: str, name: str, piece: PromptPassage, sentence: str) -> str:
    quote = written_in(room, sentence, piece.passage_id)
    return room.voice.text("brought", slot, name=name, quote=quote)


def _fitting_sentences(
    room: Room, pieces: Sequence[PromptPassage]
) -> list[tuple[PromptPassage, str]]:
    """The sentences that hold most of the brief's words, in the order of the text."""
    rarity = rarity_among(piece.content for piece in pieces)
    scored: list[tuple[float, int, PromptPassage, str]] = []
    for piece in pieces:
        for sentence in sentences_of(piece.content):
            worth = _worth(room, sentence, rarity)
            if worth > 0 and len(sentence) <= LONGEST_QUOTE:
                scored.append((worth, len(scored), piece, sentence))
    scored.sort(key=lambda entry: (-entry[0], entry[1]))
    best = sorted(scored[:MOST_QUOTES_A_SOURCE], key=lambda entry: entry[1])
    return [(piece, sentence) for _, _, piece, sentence in best]


def _worth(room: Room, sentence: str, rarity: Rarity) -> float:
    if telling_weight(room.question, sentence) < LEAST_WEIGHT:
        return 0.0
    return max(ranked_coverage(query, sentence, rarity) for query in room.queries)


def lines_of_what_was_said(room: Room) -> list[str]:
    """The quotes of files and pages in the talk, for the end of a discussion, each once."""
    lines = [quote_line(room, quote) for quote in room.said_of_brought]
    return list(dict.fromkeys([*lines, *all_not_read_lines(room)]))


def quote_line(room: Room, quote: SaidQuote) -> str:
    """A quote of the talk behind the name of its file or page."""
    shown = written_in(room, quote.text, quote.passage_id)
    name = name_of_source(room, quote)
    return room.voice.text("brought", "line", name=name, quote=shown)


def brought_before(room: Room) -> str:
    """What earlier turns have quoted of files and pages, and what could not be read."""
    lines = lines_of_what_was_said(room)
    if not lines:
        return ""
    return room.voice.text("brought", "lead") + "\n" + "\n".join(f"- {line}" for line in lines)


def name_of_source(room: Room, quote: SaidQuote) -> str:
    """A role; the title of a file or page, or its kind where the prompt does not tell it."""
    if quote.agent_name in AGENT_NAMES:
        return room.voice.name(quote.agent_name)
    title_by_id = {source.passage_id: source.title for source in room.sections.sources}
    return title_by_id.get(quote.passage_id) or room.voice.name(quote.agent_name)
