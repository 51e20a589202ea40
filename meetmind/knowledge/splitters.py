"""Documents to passages: a section is a passage; long ones are cut, tiny ones join a neighbour."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from meetmind.knowledge.documents import Block, LoadedDocument, Piece, Section
from meetmind.knowledge.formats.lines import without_numbering
from meetmind.knowledge.words import HAN_CHARACTER

TITLE_SEPARATOR = " · "
LONGEST_TITLE = 200
TINY = 160
"""A section lighter than this makes no sense alone."""


@dataclass(frozen=True, kw_only=True)
class SplitLimits:
    """Weights of a passage; a Han character weighs 2, any other 1 (about equal in tokens)."""

    one_passage: int = 1_100
    """A section up to this weight stays whole."""
    hard_bound: int = 1_600
    """No passage is heavier, whatever it holds."""


LIMITS = SplitLimits()
# What tells one story or answers one question is kept together a little longer.
LIMITS_BY_TYPE = {
    "incident": SplitLimits(one_passage=1_400),
    "faq": SplitLimits(one_passage=1_400),
    "interview": SplitLimits(one_passage=1_300),
}

SENTENCE_END = re.compile(
    r"(?<=[。！？；…])[”’」』）)】]*"
    r"|(?<=[.!?])[\"'”’)\]]*(?=\s+[\"'“‘(\[]?[A-Z0-9\u3400-\u9fff])"
    r"|\n+"
)
ABBREVIATION = re.compile(
    r"(?:^|\W)(?:e\.g|i\.e|etc|vs|no|nr|fig|approx|mr|ms|dr|st|inc|[a-z])\.$", re.I
)


def split_document(document: LoadedDocument) -> list[Piece]:
    """The passages of the document, in order."""
    pieces: list[Piece] = []
    for section in _without_tiny(document.sections):
        pieces.extend(_split_section(document, section))
    return pieces


def weight_of(text: str) -> int:
    """How much the text weighs: a Han character 2, any other 1."""
    return len(text) + len(HAN_CHARACTER.findall(text))


def split_sentences(text: str) -> list[str]:
    """The sentences of a text in Chinese or English; a line end always ends one."""
    sentences: list[str] = []
    start = 0
    for match in SENTENCE_END.finditer(text):
        sentence = text[start : match.end()].strip()
        if ABBREVIATION.search(sentence):
            continue
        if sentence:
            sentences.append(sentence)
        start = match.end()
    rest = text[start:].strip()
    if rest:
        sentences.append(rest)
    return sentences


def _without_tiny(sections: Sequence[Section]) -> list[Section]:
    """Tiny sections joined with the one after them, the last one with the one before it."""
    kept: list[Section] = []
    for section in sections:
        before = kept[-1] if kept else None
        if before is None or before.stands_alone or section.stands_alone:
            kept.append(section)
        elif _is_tiny(before) or (_is_tiny(section) and section is sections[-1]):
            kept[-1] = _joined(before, section)
        else:
            kept.append(section)
    return kept


def _is_tiny(section: Section) -> bool:
    return sum(weight_of(block.text) for block in section.blocks) < TINY


def _joined(first: Section, second: Section) -> Section:
    """Both sections under the first heading there is; a second heading stays as a line."""
    blocks = list(first.blocks)
    if first.heading and second.heading:
        page = second.blocks[0].page
        blocks.append(Block(kind="text", text=second.heading, page=page))
    blocks.extend(second.blocks)
    heading = first.heading or second.heading
    return replace(first, heading=heading, blocks=tuple(blocks))


def _split_section(document: LoadedDocument, section: Section) -> Iterator[Piece]:
    doc_type = section.doc_type or document.doc_type
    limits = LIMITS_BY_TYPE.get(doc_type, LIMITS)
    for blocks in _packed(section.blocks, limits):
        yield Piece(
            title=_title(document, section),
            summary=section.summary,
            content=_text_of(blocks),
            locator=_locator(section, blocks),
            doc_type=doc_type,
        )


def _title(document: LoadedDocument, section: Section) -> str:
    if section.title:
        return section.title[:LONGEST_TITLE]
    if not section.heading:
        return document.title[:LONGEST_TITLE]
    headings = [without_numbering(heading) for heading in section.heading.split(" > ")]
    parts = [document.title, *headings]
    return TITLE_SEPARATOR.join(parts)[:LONGEST_TITLE]


def _locator(section: Section, blocks: list[Block]) -> str:
    """The pages of a PDF, the heading of anything else."""
    pages = [block.page for block in blocks if block.page]
    if not pages:
        return section.heading[:LONGEST_TITLE]
    if pages[0] == pages[-1]:
        return f"p. {pages[0]}"
    return f"p. {pages[0]}-{pages[-1]}"


def _packed(blocks: tuple[Block, ...], limits: SplitLimits) -> Iterator[list[Block]]:
    """The blocks in groups of about equal weight, each within the limits."""
    whole_weight = _joined_weight(blocks)
    if whole_weight <= limits.one_passage:
        yield list(blocks)
        return
    group_count = -(-whole_weight // limits.one_passage)
    enough = whole_weight / group_count
    group: list[Block] = []
    for block in _small_blocks(blocks, limits):
        is_enough = _joined_weight(group) >= enough
        is_too_much = _joined_weight([*group, block]) > limits.one_passage
        if group and (is_enough or is_too_much):
            yield group
            group = []
        group.append(block)
    if group:
        yield group


def _small_blocks(blocks: Iterable[Block], limits: SplitLimits) -> Iterator[Block]:
    """Every block cut where it is heavier than a passage: text by sentences, the rest by lines."""
    for block in blocks:
        if weight_of(block.text) <= limits.one_passage // 2:
            yield block
        elif block.kind == "table":
            yield from _cut_table(block, limits)
        elif block.kind == "code":
            yield from _cut_code(block, limits)
        else:
            for sentence in split_sentences(block.text):
                for part in _cut_hard(sentence, limits.one_passage):
                    yield replace(block, text=part)


def _cut_table(block: Block, limits: SplitLimits) -> Iterator[Block]:
    """Groups of rows, each under the header again."""
    if weight_of(block.text) <= limits.one_passage:
        yield block
        return
    header = "\n".join(block.text.split("\n")[:2])
    room = max(limits.one_passage - weight_of(header), limits.one_passage // 4)
    rows = block.text.split("\n")[2:]
    for group in _line_groups(rows, room):
        text = "\n".join([header, *group])
        for part in _cut_hard(text, limits.hard_bound):
            yield replace(block, text=part)


def _cut_code(block: Block, limits: SplitLimits) -> Iterator[Block]:
    if weight_of(block.text) <= limits.one_passage:
        yield block
        return
    for group in _line_groups(block.text.split("\n"), limits.one_passage):
        for part in _cut_hard("\n".join(group), limits.hard_bound):
            yield replace(block, text=part)


def _line_groups(lines: list[str], room: int) -> Iterator[list[str]]:
    group: list[str] = []
    used = 0
    for line in lines:
        weight = weight_of(line) + 1
        if group and used + weight > room:
            yield group
            group, used = [], 0
        group.append(line)
        used += weight
    if group:
        yield group


def _cut_hard(text: str, bound: int) -> Iterator[str]:
    """The text in parts within the bound, cut at a comma or space where there is one."""
    rest = text
    while weight_of(rest) > bound:
        end = _characters_within(rest, bound)
        window = rest[end // 2 : end]
        last_gap = max(window.rfind(mark) for mark in " ,，、\n")
        if last_gap >= 0:
            end = end // 2 + last_gap + 1
        yield rest[:end].strip()
        rest = rest[end:].strip()
    if rest:
        yield rest


def _characters_within(text: str, bound: int) -> int:
    weight = 0
    for position, character in enumerate(text):
        weight += 2 if HAN_CHARACTER.match(character) else 1
        if weight > bound:
            return max(position, 1)
    return len(text)


def _text_of(blocks: Sequence[Block]) -> str:
    """The blocks as one text: paragraphs apart, sentences and items of one paragraph together."""
    text = ""
    for position, block in enumerate(blocks):
        if position == 0:
            text = block.text
        else:
            text = text + _gap_between(blocks[position - 1], block) + block.text
    return text.strip()


def _joined_weight(blocks: Sequence[Block]) -> int:
    text = _text_of(blocks)
    return weight_of(text)


def _gap_between(before: Block, block: Block) -> str:
    is_list = before.text.startswith("- ") and block.text.startswith("- ")
    if before.kind == "text" and block.kind == "text" and is_list:
        return "\n"
    return "\n\n"
