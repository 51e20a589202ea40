"""Rows of a table as they are quoted: every value with the heading of its column."""

import csv
import re
from collections.abc import Iterable, Iterator

_DELIMITER_BY_ENDING = {".csv": ",", ".tsv": "\t"}
_ROW = re.compile(r"[^\s=][^=]{0,80}=\S")
_MATERIAL = ("file_", "page_")


def is_table(source: str) -> bool:
    """Whether a file is a table of values, by the end of its name."""
    return _ending(source) in _DELIMITER_BY_ENDING


def table_rows(source: str, text: str) -> Iterator[str]:
    """The rows of a table as `heading=value, heading=value`; empty values are left out."""
    delimiter = _DELIMITER_BY_ENDING[_ending(source)]
    rows = _cells(text.splitlines(), delimiter)
    headings = next(rows, [])
    for cells in rows:
        pairs = zip(headings, cells, strict=False)
        row = ", ".join(f"{heading}={value}" for heading, value in pairs if heading and value)
        if row:
            yield row


def is_row(quote: str, passage_id: str) -> bool:
    """Whether a quote is a row of a table: figures are in no language."""
    return passage_id.startswith(_MATERIAL) and _ROW.match(quote) is not None


def _cells(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    for cells in csv.reader(lines, delimiter=delimiter):
        yield [" ".join(cell.split()) for cell in cells]


def _ending(source: str) -> str:
    return source[source.rfind(".") :].lower() if "." in source else ""
