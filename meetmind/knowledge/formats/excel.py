"""Excel files: a sheet is a section with its table; dates and numbers as a reader sees them."""

import datetime
import io
import re
import warnings
import zipfile
from typing import Any

from meetmind.i18n.document_notes import Note
from meetmind.knowledge.document_faults import noted
from meetmind.knowledge.documents import Section
from meetmind.knowledge.encodings import clean_line, clean_text
from meetmind.knowledge.formats.archive import check_archive
from meetmind.knowledge.formats.separated_values import (
    MOST_CELLS,
    MOST_COLUMNS,
    notes_on_size,
    table_blocks,
    trimmed_row,
)

MOST_SHEETS = 200
MOST_ROWS = 100_000
PERCENT_PLACES = re.compile(r"0(?:\.(?P<places>0+))?%")
FORMULA_WITHOUT_RESULT = re.compile(
    rb"<f\b[^>]*(?:/>|>[^<]{0,8192}</f>)\s*(?:<v\s*/>|<v></v>|</c>)"
)


def read_excel(raw: bytes) -> tuple[str, list[Section], list[Note]]:
    """The title, a section a sheet, and notes on what was left out.

    Raises `DocumentUnreadable` for a damaged or far too large archive.
    """
    check_archive(raw, "not_excel")
    from openpyxl import load_workbook  # late: takes 0.3 s, not needed on every start

    with warnings.catch_warnings():
        # It warns of every part that it would lose on saving; nothing is saved here.
        warnings.simplefilter("ignore")
        workbook = load_workbook(io.BytesIO(raw), read_only=True, data_only=True)
        try:
            sections, notes = _sections(workbook)
        finally:
            workbook.close()
    if _has_formulas_without_result(raw):
        notes.append(noted("formulas_empty"))
    title = clean_line(str(workbook.properties.title or ""))
    return title, sections, notes


def _sections(workbook: Any) -> tuple[list[Section], list[Note]]:
    sections: list[Section] = []
    notes: list[Note] = []
    cells_left = MOST_CELLS
    if len(workbook.worksheets) > MOST_SHEETS:
        notes.append(noted("sheets_cut", limit=MOST_SHEETS))
    for sheet in workbook.worksheets[:MOST_SHEETS]:
        name = clean_line(sheet.title)
        if sheet.sheet_state != "visible":
            notes.append(noted("hidden_sheet", sheet=name))
            continue
        rows, sheet_notes = _rows(sheet, name, cells_left)
        cells_left -= sum(len(row) for row in rows)
        notes.extend(sheet_notes)
        if rows:
            sections.append(Section(heading=name, blocks=table_blocks(rows)))
    return sections, notes


def _rows(sheet: Any, name: str, cells_left: int) -> tuple[list[list[str]], list[Note]]:
    # The size that a file claims may be a million rows; only what is there is walked.
    sheet.reset_dimensions()
    rows: list[list[str]] = []
    is_too_wide = False
    is_too_long = False
    for number, cells in enumerate(sheet.iter_rows(), start=1):
        row = trimmed_row([_shown(cell) for cell in cells[:MOST_COLUMNS]])
        cells_left -= len(row)
        is_too_long = cells_left < 0 or number > MOST_ROWS
        if is_too_long:
            break
        is_too_wide = is_too_wide or any(cell.value is not None for cell in cells[MOST_COLUMNS:])
        if row:
            rows.append(row)
    return rows, notes_on_size(len(rows), is_too_wide, is_too_long, name)


def _shown(cell: Any) -> str:
    """The value of a cell as a reader of the sheet sees it."""
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime.datetime):
        is_day = value.time() == datetime.time()
        return value.date().isoformat() if is_day else value.isoformat(" ", "minutes")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, datetime.time):
        return value.isoformat("minutes")
    if isinstance(value, int | float):
        return _shown_number(value, str(cell.number_format or ""))
    text = clean_text(str(value))
    return " ".join(text.split())


def _shown_number(value: float, number_format: str) -> str:
    percent = PERCENT_PLACES.search(number_format)
    if percent:
        places = len(percent["places"] or "")
        return f"{value * 100:.{places}f}%"
    if isinstance(value, int) or (value.is_integer() and abs(value) < 1e15):
        return str(int(value))
    # Twelve digits hide that a sum of tenths is stored as 0.30000000000000004.
    return f"{value:.12g}"


def _has_formulas_without_result(raw: bytes) -> bool:
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        for name in archive.namelist():
            is_sheet = name.startswith("xl/worksheets/") and name.endswith(".xml")
            if is_sheet and FORMULA_WITHOUT_RESULT.search(archive.read(name)):
                return True
    return False
