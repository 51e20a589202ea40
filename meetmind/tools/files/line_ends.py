"""Lines and their ends: an edited text keeps the ends of the lines that nobody touched."""

import re
from collections import Counter
from difflib import SequenceMatcher

LINE = re.compile("[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
ANY_END = re.compile("\r\n|\r")
NAME_BY_END = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}
MOST_COMPARED = 4_000_000
"""Lines before times lines after: comparing more would take seconds."""

Opcode = tuple[str, int, int, int, int]


def lines_of(text: str) -> list[str]:
    """The lines with their ends; only LF, CRLF and CR end a line."""
    return LINE.findall(text)


def body_of(line: str) -> str:
    """A line without its end."""
    return line.rstrip("\r\n")


def end_of(line: str) -> str:
    """The end of a line; empty for a last line that has none."""
    return line[len(body_of(line)) :]


def with_lf(text: str) -> str:
    """The text with every line end as LF, which is how the roles see it."""
    return ANY_END.sub("\n", text)


def count_ends(text: str) -> Counter[str]:
    """How often each line end stands in the text, by its name: LF, CRLF, CR."""
    ends = [end_of(line) for line in lines_of(text)]
    return Counter(NAME_BY_END[end] for end in ends if end)


def dominant_end(text: str) -> str:
    """The line end that the text has most often; LF where it has none."""
    counts = count_ends(text)
    if not counts:
        return "\n"
    ((name, _),) = counts.most_common(1)
    return next(end for end, its_name in NAME_BY_END.items() if its_name == name)


def fit_line_ends(before: str, after: str, dominant: str) -> str:
    """The text `after` with the line ends of `before` where a line stayed, else `dominant`."""
    plain = with_lf(after)
    kinds = count_ends(before)
    if len(kinds) < 2:
        return plain.replace("\n", dominant)
    old_lines, new_lines = lines_of(before), lines_of(plain)
    fitted = [body_of(line) + dominant if end_of(line) else line for line in new_lines]
    for old_index, new_index in _kept_lines(old_lines, new_lines):
        if end_of(old_lines[old_index]) and end_of(new_lines[new_index]):
            fitted[new_index] = old_lines[old_index]
    joined = "".join(fitted)
    if with_lf(joined) != plain:
        # A CR before an LF would have become one line end.
        return plain.replace("\n", dominant)
    return joined


def _kept_lines(old_lines: list[str], new_lines: list[str]) -> list[tuple[int, int]]:
    """The indexes, old and new, of the lines that stayed."""
    kept: list[tuple[int, int]] = []
    old_bodies = [body_of(line) for line in old_lines]
    new_bodies = [body_of(line) for line in new_lines]
    for tag, old_start, old_end, new_start, _ in line_opcodes(old_bodies, new_bodies):
        if tag == "equal":
            for offset in range(old_end - old_start):
                kept.append((old_start + offset, new_start + offset))
    return kept


def line_opcodes(old: list[str], new: list[str]) -> list[Opcode]:
    """What turns one list of lines into the other, as `difflib` names it; bounded in time.

    Where too much changed between the same beginning and end, that part counts as replaced.
    """
    head = _same_beginning(old, new)
    tail = _same_beginning(old[head:][::-1], new[head:][::-1])
    old_end, new_end = len(old) - tail, len(new) - tail
    opcodes: list[Opcode] = [("equal", 0, head, 0, head)] if head else []
    old_middle, new_middle = old[head:old_end], new[head:new_end]
    if len(old_middle) * len(new_middle) > MOST_COMPARED:
        opcodes.append(("replace", head, old_end, head, new_end))
    else:
        matcher = SequenceMatcher(None, old_middle, new_middle)
        for tag, from_old, to_old, from_new, to_new in matcher.get_opcodes():
            opcodes.append((tag, from_old + head, to_old + head, from_new + head, to_new + head))
    if tail:
        opcodes.append(("equal", old_end, len(old), new_end, len(new)))
    return opcodes


def _same_beginning(one: list[str], other: list[str]) -> int:
    for index, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return index
    return min(len(one), len(other))
