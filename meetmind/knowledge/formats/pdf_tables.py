"""Tables of a PDF page, found by their ruling lines."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from meetmind.knowledge.formats.lines import join_wrapped
from meetmind.knowledge.formats.pdf_page import PageContent, Ruling, TextLine
from meetmind.knowledge.words import HAN_CHARACTER

TOUCHING = 4.0
"""Rulings that are nearer than this, in points, belong together."""


@dataclass(frozen=True, kw_only=True)
class RuledArea:
    """Where a table stands on its page: the places of its rulings, in rising order."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]

    def holds(self, line: TextLine) -> bool:
        """Whether the line begins inside the table."""
        is_beside = self.xs[0] - 1 <= line.x <= self.xs[-1] + 1
        return is_beside and self.ys[0] - 1 <= line.y <= self.ys[-1] + 1


def find_tables(content: PageContent) -> list[RuledArea]:
    """The ruled areas with at least two columns and two rows, from the top of the page down."""
    tables: list[RuledArea] = []
    for group in _touching_groups(content.rulings):
        xs = _places(ruling.x0 for ruling in group if ruling.is_upright)
        ys = _places(ruling.y0 for ruling in group if not ruling.is_upright)
        if len(xs) >= 3 and len(ys) >= 2:
            tables.append(RuledArea(xs=xs, ys=ys))
    return sorted(tables, key=lambda table: -table.ys[-1])


def table_rows(table: RuledArea, lines: list[TextLine], known_words: set[str]) -> list[list[str]]:
    """The texts of the cells, row by row from the top."""
    column_count = len(table.xs) - 1
    row_count = len(table.ys) - 1
    cells: list[list[list[str]]] = []
    for _ in range(row_count):
        cells.append([[] for _ in range(column_count)])
    for line in lines:
        column = min(max(bisect_right(table.xs, line.x + 1) - 1, 0), column_count - 1)
        row_from_below = min(max(bisect_right(table.ys, line.y) - 1, 0), row_count - 1)
        cells[row_count - 1 - row_from_below][column].append(line.text.strip())
    rows: list[list[str]] = []
    for row in cells:
        texts = [_cell_text(parts, known_words) for parts in row]
        if any(texts):
            rows.append(texts)
    return rows


def lines_and_tables(
    content: PageContent, known_words: set[str]
) -> Iterator[TextLine | list[list[str]]]:
    """The page in order: its lines, and each table as rows where its first line stands."""
    lines_by_table: dict[RuledArea, list[TextLine]] = {table: [] for table in find_tables(content)}
    order: list[TextLine | RuledArea] = []
    for line in content.lines:
        table = _table_at(lines_by_table, line)
        if table is None:
            order.append(line)
            continue
        if not lines_by_table[table]:
            order.append(table)
        lines_by_table[table].append(line)
    for part in order:
        if isinstance(part, RuledArea):
            yield table_rows(part, lines_by_table[part], known_words)
        else:
            yield part


def _table_at(tables: Iterable[RuledArea], line: TextLine) -> RuledArea | None:
    for table in tables:
        if table.holds(line):
            return table
    return None


def _touching_groups(rulings: list[Ruling]) -> list[list[Ruling]]:
    """Rulings that overlap in height; tables above each other leave a gap between them."""
    groups: list[list[Ruling]] = []
    lowest = 0.0
    for ruling in sorted(rulings, key=lambda ruling: -max(ruling.y0, ruling.y1)):
        top = max(ruling.y0, ruling.y1)
        if not groups or top < lowest - TOUCHING:
            groups.append([])
            lowest = top
        groups[-1].append(ruling)
        lowest = min(lowest, ruling.y0, ruling.y1)
    return groups


def _places(values: Iterable[float]) -> tuple[float, ...]:
    """The distinct values in rising order; those that nearly touch are one."""
    places: list[float] = []
    for value in sorted(values):
        if not places or value - places[-1] > TOUCHING:
            places.append(value)
    return tuple(places)


def _cell_text(parts: list[str], known_words: set[str]) -> str:
    """The lines of a cell as one; a word that was cut at the cell's edge is put together again.

    There is no hyphen at such a cut, so the document's other words decide.
    """
    text = ""
    for part in parts:
        cut_word = text.rsplit(" ", 1)[-1] + part.split(" ", 1)[0]
        is_cut_word = _plain(cut_word) in known_words
        if text and is_cut_word:
            text = text + part
        else:
            text = join_wrapped([text, part])
    if HAN_CHARACTER.search(text):
        text = re.sub(r"(?<=\d) (?=\d)", "", text)
    return text


def _plain(word: str) -> str:
    return word.strip(".,;:!?()[]\"'“”").lower()
