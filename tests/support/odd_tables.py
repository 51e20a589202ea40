"""Odd CSV, TSV and Excel files."""

import csv
import io
import random
import zipfile
from collections.abc import Iterable

from openpyxl import Workbook
from openpyxl.chartsheet import Chartsheet

from tests.support.odd_documents import OddDocument
from tests.support.odd_texts import CHINESE, ENGLISH, NOT_RECOGNISED


def table_files() -> list[OddDocument]:
    """Tables that are too wide, too long, open, ragged or empty."""
    return [*_separated(), *_sheets()]


def saved(workbook: Workbook) -> bytes:
    """The bytes of a workbook."""
    buffer = io.BytesIO()
    workbook.save(buffer)
    return buffer.getvalue()


def sheet_of(rows: Iterable[Iterable[object]], title: str = "Sheet") -> Workbook:
    """A workbook with one sheet."""
    workbook = Workbook()
    sheet = workbook.worksheets[0]
    sheet.title = title
    for row in rows:
        sheet.append(list(row))
    return workbook


def _separated() -> list[OddDocument]:
    noise = random.Random(9)
    return [
        OddDocument(
            name="open-quote.csv",
            make=lambda: b'name,limit\n"' + b"a,b\n" * 100_000,
            refused="table cannot be read",
        ),
        OddDocument(
            name="long-cell.csv",
            make=lambda: b"name,limit\n" + b"a" * 300_000 + b",1",
            refused="table cannot be read",
        ),
        OddDocument(
            name="wide.csv",
            make=("name," * 5_000 + "\n" + "cell," * 5_000).encode,
            words=("name: cell",),
            note="first 200 columns",
        ),
        OddDocument(
            name="long.csv",
            make=lambda: b"service,limit,unit\n" + b"api,5,seconds\n" * 90_000,
            words=("| service | limit | unit |", "| api | 5 | seconds |"),
            note="Only the first 66666 rows",
        ),
        OddDocument(name="commas.csv", make=lambda: b",,,,\n" * 1_000, refused="no text"),
        OddDocument(
            name="ragged.csv",
            make=lambda: b"a,b\n1\n1,2,3,4,5\n\n,,x\n",
            words=("| 1 | 2 | 3 | 4 | 5 |",),
        ),
        OddDocument(
            name="formulas.csv",
            make=lambda: b"name,value\n=cmd|' /C calc'!A0,+1\n@SUM(1),-2\n",
            words=("=cmd/",),
        ),
        OddDocument(
            name="nul.csv", make=lambda: b"name,limit\nap\x00i,5\n" * 20, words=("| api | 5 |",)
        ),
        OddDocument(
            name="noise.csv", make=lambda: noise.randbytes(9_000), refused=f"{NOT_RECOGNISED}|full"
        ),
        OddDocument(
            name="pipes.csv", make=lambda: b"a|b\n1|2\n3|4\n", words=("| a | b |", "| 3 | 4 |")
        ),
        OddDocument(name="not-a-table.csv", make=f"{ENGLISH}\n{CHINESE}".encode, words=(ENGLISH,)),
        OddDocument(
            name="title-above.csv",
            make=lambda: b"Limits of services,\n,\nservice,limit\napi,5\n",
            words=("Limits of services", "| service | limit |"),
        ),
        OddDocument(
            name="quoted-lines.csv",
            make=lambda: b'name;text\r\n"a ""b""";"two\nlines; here"\r\n',
            words=('| a "b" | two lines; here |',),
        ),
    ]


def _sheets() -> list[OddDocument]:
    return [
        OddDocument(name="empty.xlsx", make=lambda: saved(Workbook()), refused="no text"),
        OddDocument(name="chart-only.xlsx", make=_chart_only, refused="no text|no valid"),
        OddDocument(
            name="far-cell.xlsx",
            make=_far_cell,
            words=("near",),
            note="first 200 columns of sheet Sheet were read. Only the first 1 rows",
        ),
        OddDocument(
            name="many-cells.xlsx",
            make=_many_cells,
            words=("| a | 1 | 2.5 |",),
            note="Only the first 66666 rows of sheet Sheet",
        ),
        OddDocument(
            name="formulas.xlsx",
            make=lambda: saved(sheet_of([["name", "sum"], ["api", "=1+1"], ["web", 3]])),
            words=("| web | 3 |",),
            note="Formulas without a stored result",
        ),
        OddDocument(
            name="hidden.xlsx",
            make=_hidden_sheet,
            words=("| seen | 1 |",),
            absent=("unseen",),
            note="hidden sheet Drafts",
        ),
        OddDocument(
            name="errors.xlsx",
            make=lambda: saved(sheet_of([["name", "value"], ["#REF!", "#DIV/0!"], [True, None]])),
            words=("| #REF! | #DIV/0! |", "TRUE"),
        ),
        OddDocument(
            name="odd-sheet-name.xlsx",
            make=lambda: saved(sheet_of([["a", "b"], [1, 2]], title="名\u202e🧾 -- x")),
            words=("名🧾 -- x",),
        ),
        OddDocument(
            name="long-cell.xlsx",
            make=lambda: saved(sheet_of([["name", "text"], ["a", "词" * 32_000]])),
            words=("词词词",),
        ),
        OddDocument(
            name="many-sheets.xlsx", make=_many_sheets, words=("sheet 7",), note="first 200 sheets"
        ),
    ]


def _chart_only() -> bytes:
    workbook = Workbook()
    workbook.remove(workbook.worksheets[0])
    workbook._sheets.append(Chartsheet(parent=workbook, title="Chart"))
    return saved(workbook)


def _far_cell() -> bytes:
    workbook = sheet_of([["near", "cell"]])
    workbook.worksheets[0]["XFD1048576"] = "far"
    workbook.worksheets[0]["XFD2"] = "wide"
    return saved(workbook)


def _many_cells() -> bytes:
    row = '<row><c t="inlineStr"><is><t>a</t></is></c><c><v>1</v></c><c><v>2.5</v></c></row>'
    namespace = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    rows = row * 70_000
    sheet = f'<worksheet xmlns="{namespace}"><sheetData>{rows}</sheetData></worksheet>'
    buffer = io.BytesIO()
    small = io.BytesIO(saved(sheet_of([["a"]])))
    with zipfile.ZipFile(small) as workbook, zipfile.ZipFile(buffer, "w") as archive:
        for name in workbook.namelist():
            is_sheet = name == "xl/worksheets/sheet1.xml"
            archive.writestr(name, sheet if is_sheet else workbook.read(name))
    return buffer.getvalue()


def _hidden_sheet() -> bytes:
    workbook = sheet_of([["name", "limit"], ["seen", 1]])
    drafts = workbook.create_sheet("Drafts")
    drafts.append(["unseen", 2])
    drafts.sheet_state = "hidden"
    return saved(workbook)


def _many_sheets() -> bytes:
    workbook = Workbook()
    for number in range(220):
        workbook.create_sheet(f"S{number}").append([f"sheet {number}", number])
    return saved(workbook)


def csv_text(rows: list[list[str]], delimiter: str = ",") -> str:
    """Rows as separated values."""
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter).writerows(rows)
    return buffer.getvalue()
