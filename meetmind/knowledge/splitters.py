"""Documents to passages: a section is a passage; long ones are cut, tiny ones join a neighbour."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from meetmind.knowledge.cutting import (
    CONTENT_TOKENS,
    SplitLimits,
    cut_hard,
    small_blocks,
    weight_of,
)
from meetmind.knowledge.documents import Block, LoadedDocument, Piece, Section
from meetmind.knowledge.formats.lines import LONGEST_TITLE, without_numbering
from meetmind.knowledge.token_bound import most_tokens

TITLE_SEPARATOR = " · "
PASSAGE_TOKENS = 500
"""Title, summary and content together; the models read 512 with their own marks."""
TITLE_TOKENS = 120
SUMMARY_TOKENS = 120
TINY = 160
"""A section lighter than this makes no sense alone."""


LIMITS = SplitLimits()
# What tells one story or answers one question is kept together a little longer.
LIMITS_BY_TYPE = {
    "incident": SplitLimits(one_passage=1_400),
    "faq": SplitLimits(one_passage=1_400),
    "interview": SplitLimits(one_passage=1_300),
}


def split_document(document: LoadedDocument) -> list[Piece]:
    """The passages of the document, in order."""
    pieces: list[Piece] = []
    for section in _without_tiny(document.sections):
        pieces.extend(_split_section(document, section))
    return pieces


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
    title = _title(document, section)
    summary = _beginning(section.summary, SUMMARY_TOKENS)
    room = PASSAGE_TOKENS - most_tokens(title) - most_tokens(summary)
    limits = LIMITS_BY_TYPE.get(doc_type, LIMITS)
    limits = replace(limits, tokens=min(room, CONTENT_TOKENS))
    for blocks in _packed(section.blocks, limits):
        for content in cut_hard(_text_of(blocks), limits.hard_bound, limits.tokens):
            yield Piece(
                title=title,
                summary=summary,
                content=content,
                locator=_locator(section, blocks),
                doc_type=doc_type,
            )


def _beginning(text: str, token_bound: int) -> str:
    """The text, or as much of its beginning as is within the bound."""
    for part in cut_hard(text, weight_of(text) + 1, token_bound):
        return part
    return ""


def _title(document: LoadedDocument, section: Section) -> str:
    if section.title:
        title = section.title
    elif not section.heading:
        title = document.title
    else:
        headings = [without_numbering(heading) for heading in section.heading.split(" > ")]
        title = TITLE_SEPARATOR.join([document.title, *headings])
    return _beginning(title[:LONGEST_TITLE], TITLE_TOKENS)


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
    whole = _text_of(blocks)
    whole_weight = weight_of(whole)
    whole_tokens = most_tokens(whole)
    if whole_weight <= limits.one_passage and whole_tokens <= limits.tokens:
        yield list(blocks)
        return
    by_weight = -(-whole_weight // limits.one_passage)
    by_tokens = -(-whole_tokens // limits.tokens)
    enough = whole_weight / max(by_weight, by_tokens)
    group: list[Block] = []
    weight = tokens = 0
    for block in small_blocks(blocks, limits):
        block_weight = weight_of(block.text)
        block_tokens = most_tokens(block.text)
        gap = len(_gap_between(group[-1], block)) if group else 0
        is_too_heavy = weight + gap + block_weight > limits.one_passage
        is_too_long = tokens + block_tokens > limits.tokens
        if group and (weight >= enough or is_too_heavy or is_too_long):
            yield group
            group = []
            weight = tokens = gap = 0
        group.append(block)
        weight += gap + block_weight
        tokens += block_tokens
    if group:
        yield group


def _text_of(blocks: Sequence[Block]) -> str:
    """The blocks as one text: paragraphs apart, sentences and items of one paragraph together."""
    parts: list[str] = []
    for position, block in enumerate(blocks):
        if position > 0:
            parts.append(_gap_between(blocks[position - 1], block))
        parts.append(block.text)
    return "".join(parts).strip()


def _gap_between(before: Block, block: Block) -> str:
    is_list = before.text.startswith("- ") and block.text.startswith("- ")
    if before.kind == "text" and block.kind == "text" and is_list:
        return "\n"
    return "\n\n"
