"""Keeps the tables of a text tables, once the signs in it are escaped."""

import re

_ANY_FENCE = re.compile(r"^\s*(?:`{3,}|~{3,})")
_TABLE_ROW = re.compile(r"^\s*\|")
_RULER = re.compile(r"^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")


def with_plain_tables(lines: list[str]) -> list[str]:
    """The lines with tables that stay tables in `safe_markdown`.

    Their rulers lose the colons, which would be escaped; a row of no table, as where a long one
    was cut, becomes a paragraph of its own.
    """
    written: list[str] = []
    is_code = False
    is_table = False
    for line, next_line in zip(lines, [*lines[1:], ""], strict=True):
        if _ANY_FENCE.match(line):
            is_code = not is_code
        if is_code or "|" not in line:
            is_table = False
            written.append(line)
        elif is_table:
            written.append(line.replace(":", "") if _RULER.match(line) else line)
        elif _is_header(line, next_line):
            is_table = True
            if written and written[-1].strip():
                written.append("")
            written.append(line)
        elif _TABLE_ROW.match(line):
            written += [line, ""]
        else:
            written.append(line)
    return written


def _is_header(line: str, next_line: str) -> bool:
    is_ruler = "|" in next_line and _RULER.match(next_line) is not None
    return is_ruler and _cell_count(line) == _cell_count(next_line)


def _cell_count(row: str) -> int:
    return row.strip().strip("|").count("|") + 1
