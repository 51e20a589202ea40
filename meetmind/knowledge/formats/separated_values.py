"""CSV and TSV files: one table, its delimiter recognised."""

import csv
import io
from collections import Counter

from meetmind.i18n.document_notes import Note
from meetmind.knowledge.document_faults import noted, unreadable
from meetmind.knowledge.documents import Block, Section
from meetmind.knowledge.encodings import decode_text
from meetmind.knowledge.formats.lines import markdown_table, with_first_paragraphs

DELIMITERS = (",", ";", "\t", "|")
SAMPLE_LINES = 50
MOST_CELLS = 200_000
MOST_COLUMNS = 200
LONGEST_CELL = 100_000


def read_separated_values(raw: bytes, suffix: str) -> tuple[list[Section], list[Note]]:
    """The table as one section, and notes on rows and columns that were left out.

    Raises `DocumentUnreadable` when a cell never ends.
    """
    text = decode_text(raw)
    delimiter = _delimiter(text, suffix)
    rows, notes = _rows(text, delimiter)
    if not rows:
        return [], notes
    return [Section(heading="", blocks=table_blocks(rows))], notes


def table_blocks(rows: list[list[str]]) -> tuple[Block, ...]:
    """The lines above a table as text, then the table; a single column is a list of lines."""
    paragraphs, table = with_first_paragraphs(rows)
    blocks = [Block(kind="text", text=paragraph) for paragraph in paragraphs]
    if max(len(row) for row in table) == 1:
        lines = "\n".join(row[0] for row in table)
        blocks.append(Block(kind="text", text=lines))
    else:
        blocks.append(Block(kind="table", text=markdown_table(table)))
    return tuple(blocks)


def trimmed_row(cells: list[str]) -> list[str]:
    """The row without empty cells at its end."""
    end = len(cells)
    while end and not cells[end - 1].strip():
        end -= 1
    return cells[:end]


def _delimiter(text: str, suffix: str) -> str:
    """The sign that splits most of the first lines into the same number of cells."""
    lines = [line for line in text[:50_000].split("\n")[:SAMPLE_LINES] if line.strip()]
    best, best_agreement = ("\t" if suffix == ".tsv" else ","), 0
    for delimiter in DELIMITERS:
        counts = Counter(line.count(delimiter) for line in lines if delimiter in line)
        if not counts:
            continue
        (_, agreement), *_ = counts.most_common(1)
        if agreement > best_agreement:
            best, best_agreement = delimiter, agreement
    return best


def _rows(text: str, delimiter: str) -> tuple[list[list[str]], list[Note]]:
    csv.field_size_limit(LONGEST_CELL)
    rows: list[list[str]] = []
    cell_count = 0
    is_too_wide = False
    try:
        for cells in csv.reader(io.StringIO(text), delimiter=delimiter):
            is_too_wide = is_too_wide or len(cells) > MOST_COLUMNS
            row = trimmed_row(cells[:MOST_COLUMNS])
            if not row:
                continue
            cell_count += len(row)
            if cell_count > MOST_CELLS:
                break
            rows.append(row)
    except csv.Error as error:
        raise unreadable("table_unreadable", fault=str(error)) from None
    return rows, notes_on_size(len(rows), is_too_wide, cell_count > MOST_CELLS)


def notes_on_size(
    row_count: int, is_too_wide: bool, is_too_long: bool, sheet: str = ""
) -> list[Note]:
    """What was left out of a table that is too large."""
    notes: list[Note] = []
    if is_too_wide and sheet:
        notes.append(noted("sheet_columns_cut", sheet=sheet, limit=MOST_COLUMNS))
    elif is_too_wide:
        notes.append(noted("columns_cut", limit=MOST_COLUMNS))
    if is_too_long and sheet:
        notes.append(noted("sheet_rows_cut", sheet=sheet, limit=row_count))
    elif is_too_long:
        notes.append(noted("rows_cut", limit=row_count))
    return notes
