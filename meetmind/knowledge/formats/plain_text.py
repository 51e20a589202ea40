"""Plain text files: the title on the first line, headings on lines of their own."""

import re

from meetmind.knowledge.documents import Block, Section
from meetmind.knowledge.encodings import decode_text
from meetmind.knowledge.formats.lines import (
    LONGEST_HEADING,
    SENTENCE_MARK_AT_END,
    is_list_item,
    is_numbered_heading,
    join_wrapped,
)

UNDERLINE = re.compile(r"^[=\-~*_]{3,}$")
SHORTEST_WRAPPED_LINE = 50


def read_plain_text(raw: bytes) -> tuple[str, list[Section]]:
    """The title (a short first line) and the sections."""
    lines = [line.rstrip() for line in decode_text(raw).split("\n")]
    paragraphs = _paragraphs(lines)
    title = ""
    if len(paragraphs) > 1 and _looks_like_title(paragraphs[0]):
        title = paragraphs.pop(0)[0].strip()
    sections: list[Section] = []
    heading = ""
    blocks: list[Block] = []
    for paragraph in paragraphs:
        if _is_heading(paragraph):
            _add_section(sections, heading, blocks)
            heading, blocks = paragraph[0].strip(), []
        else:
            text = _joined(paragraph)
            blocks.append(Block(kind="text", text=text))
    _add_section(sections, heading, blocks)
    return title, sections


def _add_section(sections: list[Section], heading: str, blocks: list[Block]) -> None:
    if blocks:
        sections.append(Section(heading=heading, blocks=tuple(blocks)))


def _paragraphs(lines: list[str]) -> list[list[str]]:
    """Runs of lines between blank ones; a numbered heading is a run of its own."""
    paragraphs: list[list[str]] = [[]]
    for number, line in enumerate(lines):
        if not line.strip():
            paragraphs.append([])
            continue
        follows_blank = not paragraphs[-1]
        if follows_blank and is_numbered_heading(line) and not _is_list_at(lines, number):
            paragraphs.append([line])
            paragraphs.append([])
        else:
            paragraphs[-1].append(line)
    return [paragraph for paragraph in paragraphs if paragraph]


def _is_list_at(lines: list[str], number: int) -> bool:
    """Whether the line and the next one are items of one list, as in `1. tea` and `2. cups`."""
    if number + 1 >= len(lines):
        return False
    return is_list_item(lines[number]) and is_list_item(lines[number + 1])


def _looks_like_title(paragraph: list[str]) -> bool:
    first = paragraph[0].strip()
    if is_numbered_heading(first) or len(first) > LONGEST_HEADING:
        return False
    return len(paragraph) == 1 or (len(paragraph) == 2 and bool(UNDERLINE.match(paragraph[1])))


def _is_heading(paragraph: list[str]) -> bool:
    first = paragraph[0].strip()
    if len(paragraph) == 2:
        return bool(UNDERLINE.match(paragraph[1].strip())) and len(first) <= LONGEST_HEADING
    if len(paragraph) > 1 or len(first) > LONGEST_HEADING:
        return False
    if is_numbered_heading(first):
        return True
    return first.isupper() and first.isascii() and not SENTENCE_MARK_AT_END.search(first)


def _joined(paragraph: list[str]) -> str:
    """Lines that were wrapped at a margin become one; short lines and list items stay."""
    joined: list[list[str]] = []
    for line in paragraph:
        continues = bool(joined) and len(joined[-1][-1]) >= SHORTEST_WRAPPED_LINE
        if continues and not is_list_item(line):
            joined[-1].append(line)
        else:
            joined.append([line])
    return "\n".join(join_wrapped(lines) for lines in joined)
