"""What is said of files and pages: quotes of them, and in plain words what could not be had."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from meetmind.llm.offline.brought_calls import FETCH, LIST_FOLDER, READ
from meetmind.llm.offline.quotes import SaidQuote
from meetmind.llm.offline.quoting import LONGEST_QUOTE
from meetmind.llm.offline.relevance import Rarity, ranked_coverage, rarity_among, telling_weight
from meetmind.llm.offline.room import Room
from meetmind.llm.offline.sentences import sentences_of, split_sentences
from meetmind.llm.offline.utterance import written_in
from meetmind.llm.prompt_sections import ToolResult
from meetmind.llm.tool_envelopes import PromptPassage

MOST_SOURCES = 4
MOST_QUOTES_A_SOURCE = 2
LEAST_WEIGHT = 0.9
"""So much weight of the brief's telling words a sentence must hold to be quoted for them."""
SLOT_BY_TOOL = {READ: "not_read", LIST_FOLDER: "not_listed", FETCH: "not_fetched"}


@dataclass(frozen=True, kw_only=True)
class Brought:
    """A file or a page as it was read: its pieces in the order in which they were returned."""

    name: str
    pieces: tuple[PromptPassage, ...]


def what_was_brought(room: Room) -> str:
    """A paragraph with quotes of every file and page of this turn, then what could not be had."""
    lines = [f"- {line}" for one in _all_brought(room) for line in _lines_on(room, one)]
    parts = [*failure_words(room, SLOT_BY_TOOL)]
    if lines:
        parts.insert(0, room.voice.text("brought", "lead") + "\n" + "\n".join(lines))
    return "\n\n".join(parts)


def failure_words(room: Room, slot_by_tool: dict[str, str]) -> list[str]:
    """One sentence for every call of these tools that gave nothing, with its reason."""
    sentences = []
    for result in room.sections.tool_results:
        slot = slot_by_tool.get(result.tool)
        if slot is None or result.status == "ok":
            continue
        if result.status == "unsure":
            sentences.append(room.voice.text("brought", "unsure"))
        else:
            sentences.append(room.voice.text("brought", slot, reason=_reason(room, result)))
    return list(dict.fromkeys(sentences))


def _reason(room: Room, result: ToolResult) -> str:
    """Why a call gave nothing, without what the tool tells the role to do instead."""
    told = result.text.strip()
    first_sentence = split_sentences(told)[0].rstrip(".。 ") if told else ""
    if result.status != "rejected":
        return first_sentence or room.voice.text("brought", f"status_{result.status}")
    if not told:
        return room.voice.text("brought", "status_rejected")
    return room.voice.text("brought", "rejected_because", reason=told.rstrip(".。 "))


def _all_brought(room: Room) -> list[Brought]:
    pieces_by_source: dict[str, list[PromptPassage]] = {}
    for piece in room.brought_passages:
        pieces_by_source.setdefault(piece.source, []).append(piece)
    brought = []
    for source, pieces in pieces_by_source.items():
        name = pieces[0].title or source
        brought.append(Brought(name=name, pieces=tuple(pieces)))
    return brought[:MOST_SOURCES]


def _lines_on(room: Room, brought: Brought) -> Iterator[str]:
    """Quotes for the brief's words; else how the text begins; else that nothing can be quoted."""
    fitting = _fitting_sentences(room, brought.pieces)
    if fitting:
        for piece, sentence in fitting:
            yield _quote_line(room, "line", brought.name, piece, sentence)
        return
    for piece in brought.pieces:
        for sentence in sentences_of(piece.content):
            if len(sentence) <= LONGEST_QUOTE:
                yield _quote_line(room, "begins", brought.name, piece, sentence)
                return
    yield room.voice.text("brought", "nothing_to_quote", name=brought.name)


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
    title_by_id = {source.passage_id: source.title for source in room.sections.sources}
    lines = []
    for quote in room.said_of_brought:
        shown = written_in(room, quote.text, quote.passage_id)
        name = title_by_id.get(quote.passage_id) or _kind_name(room, quote)
        lines.append(room.voice.text("brought", "line", name=name, quote=shown))
    return list(dict.fromkeys(lines))


def _kind_name(room: Room, quote: SaidQuote) -> str:
    """`file` or `page` in the words of the language, where the prompt does not tell its title."""
    return room.voice.name(quote.agent_name)
