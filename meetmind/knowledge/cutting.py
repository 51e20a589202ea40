"""What is too heavy for a passage is cut: text by sentences, tables and code by lines."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from meetmind.knowledge.documents import Block
from meetmind.knowledge.sentences import split_sentences
from meetmind.knowledge.token_bound import is_within, most_tokens
from meetmind.knowledge.words import HAN_CHARACTER

CONTENT_TOKENS = 440


@dataclass(frozen=True, kw_only=True)
class SplitLimits:
    """Weights of a passage; a Han character weighs 2, any other 1 (about equal in tokens)."""

    one_passage: int = 1_100
    """A section up to this weight stays whole."""
    hard_bound: int = 1_600
    """No passage is heavier, whatever it holds."""
    tokens: int = CONTENT_TOKENS
    """No content has more tokens, by the bound of `most_tokens`."""


def weight_of(text: str) -> int:
    """How much the text weighs: a Han character 2, any other 1."""
    return len(text) + len(HAN_CHARACTER.findall(text))


def small_blocks(blocks: Iterable[Block], limits: SplitLimits) -> Iterator[Block]:
    """Every block cut where it is heavier than a passage: text by sentences, the rest by lines."""
    for block in blocks:
        is_light = weight_of(block.text) <= limits.one_passage // 2
        if is_light and is_within(block.text, limits.tokens):
            yield block
        elif block.kind == "table":
            yield from _cut_table(block, limits)
        elif block.kind == "code":
            yield from _cut_code(block, limits)
        else:
            for sentence in split_sentences(block.text):
                for part in cut_hard(sentence, limits.one_passage, limits.tokens):
                    yield replace(block, text=part)


def _cut_table(block: Block, limits: SplitLimits) -> Iterator[Block]:
    """Groups of rows, each under the header again."""
    if _fits(block.text, limits):
        yield block
        return
    header, ruler, *rows = [*block.text.split("\n"), ""]
    header_tokens = most_tokens(f"{header}\n{ruler}")
    if header_tokens > limits.tokens // 2:
        yield from _wide_table(block, header, rows, limits)
        return
    room = max(limits.one_passage - weight_of(f"{header}\n{ruler}"), limits.one_passage // 4)
    for group in _line_groups(rows, room, limits.tokens - header_tokens):
        text = "\n".join([header, ruler, *group])
        for part in cut_hard(text, limits.hard_bound, limits.tokens):
            yield replace(block, text=part)


def _wide_table(
    block: Block, header: str, rows: Iterable[str], limits: SplitLimits
) -> Iterator[Block]:
    """A header that is too long to be repeated: every cell stands behind the name of its column."""
    names = _cells(header)
    for row in rows:
        named_cells: list[str] = []
        for name, cell in zip(names, _cells(row), strict=False):
            if cell:
                named_cells.append(f"{name}: {cell}" if name else cell)
        for part in cut_hard("; ".join(named_cells), limits.one_passage, limits.tokens):
            yield replace(block, kind="text", text=part)


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def _cut_code(block: Block, limits: SplitLimits) -> Iterator[Block]:
    if _fits(block.text, limits):
        yield block
        return
    for group in _line_groups(block.text.split("\n"), limits.one_passage, limits.tokens):
        for part in cut_hard("\n".join(group), limits.hard_bound, limits.tokens):
            yield replace(block, text=part)


def _fits(text: str, limits: SplitLimits) -> bool:
    return weight_of(text) <= limits.one_passage and is_within(text, limits.tokens)


def _line_groups(lines: Iterable[str], room: int, token_room: int) -> Iterator[list[str]]:
    group: list[str] = []
    used = used_tokens = 0
    for line in lines:
        weight = weight_of(line) + 1
        tokens = most_tokens(line)
        if group and (used + weight > room or used_tokens + tokens > token_room):
            yield group
            group = []
            used = used_tokens = 0
        group.append(line)
        used += weight
        used_tokens += tokens
    if group:
        yield group


def cut_hard(text: str, weight_bound: int, token_bound: int) -> Iterator[str]:
    """The text in parts within both bounds, cut at a comma or space where there is one."""
    start = 0
    while start < len(text):
        end = _end_within(text, start, weight_bound, token_bound)
        if end < len(text):
            middle = start + (end - start) // 2
            last_gap = max(text.rfind(mark, middle, end) for mark in " ,，、\n")
            if last_gap >= 0:
                end = last_gap + 1
        part = text[start:end].strip()
        if part:
            yield part
        start = end


def _end_within(text: str, start: int, weight_bound: int, token_bound: int) -> int:
    """Where a part that begins at `start` must end; at least one character further."""
    window = text[start : start + weight_bound]
    length = _characters_within(window, weight_bound)
    if is_within(window[:length], token_bound):
        return start + length
    tokens = most_tokens(window[:length])
    while tokens > token_bound and length > 1:
        # A little less than the share that would fit, for the signs are not spread evenly.
        length = max(1, min(length - 1, length * token_bound * 95 // (tokens * 100)))
        tokens = most_tokens(window[:length])
    return start + length


def _characters_within(text: str, bound: int) -> int:
    if weight_of(text) <= bound:
        return len(text)
    weight = 0
    for position, character in enumerate(text):
        weight += 2 if HAN_CHARACTER.match(character) else 1
        if weight > bound:
            return max(position, 1)
    return len(text)
