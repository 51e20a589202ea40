"""Word files: headings by style, lists and tables in the order of the document."""

import io
import zipfile
from typing import Any

from meetmind.errors import DocumentUnreadable
from meetmind.knowledge.documents import Block, Section
from meetmind.knowledge.encodings import clean_text
from meetmind.knowledge.formats.lines import markdown_table

MOST_UNPACKED_BYTES = 200_000_000
UNREADABLE = "This is not a Word document (.docx), or it is damaged or protected by a password."


def read_word(raw: bytes) -> tuple[str, list[Section]]:
    """The title and the sections.

    Raises `DocumentUnreadable` for what is no archive, and the parser's own errors otherwise.
    """
    _check_archive(raw)
    from docx import Document  # late: takes 0.2 s, not needed on every start

    document = Document(io.BytesIO(raw))
    reader = _WordReader()
    for part in document.iter_inner_content():
        reader.take(part)
    reader.close_section()
    title = clean_text(document.core_properties.title or "").strip()
    return title or reader.title, reader.sections


def _check_archive(raw: bytes) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            unpacked_bytes = sum(entry.file_size for entry in archive.infolist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        raise DocumentUnreadable(UNREADABLE) from None
    if unpacked_bytes > MOST_UNPACKED_BYTES:
        raise DocumentUnreadable("The Word document is too large when it is unpacked.")


class _WordReader:
    """Collects paragraphs and tables into sections."""

    def __init__(self) -> None:
        self.title = ""
        self.sections: list[Section] = []
        self._path: list[tuple[int, str]] = []
        self._blocks: list[Block] = []

    def take(self, part: Any) -> None:
        """Take the next paragraph or table."""
        if hasattr(part, "rows"):
            self._take_table(part)
            return
        text = clean_text(part.text).strip()
        if not text:
            return
        style = (part.style.name or "") if part.style is not None else ""
        level = _heading_level(style)
        if level is not None:
            self._begin_section(level, text)
        elif style.startswith("List"):
            self._blocks.append(Block(kind="text", text=f"- {text}"))
        else:
            self._blocks.append(Block(kind="text", text=text))

    def close_section(self) -> None:
        """End the section; one without any text only names what follows."""
        if self._blocks:
            heading = " > ".join(text for _, text in self._path)
            self.sections.append(Section(heading=heading, blocks=tuple(self._blocks)))
        self._blocks = []

    def _begin_section(self, level: int, text: str) -> None:
        self.close_section()
        if level <= 1 and not self.title and not self.sections:
            self.title = text
            return
        while self._path and self._path[-1][0] >= level:
            self._path.pop()
        self._path.append((level, text))

    def _take_table(self, table: Any) -> None:
        rows: list[list[str]] = []
        for row in table.rows:
            cells = _row_cells(row)
            if any(cells):
                rows.append(cells)
        if rows:
            self._blocks.append(Block(kind="table", text=markdown_table(rows)))


def _row_cells(row: Any) -> list[str]:
    """The texts of a row; a cell merged over several columns is named once."""
    texts: list[str] = []
    last_cell = None
    for cell in row.cells:
        is_merged = last_cell is not None and cell._tc is last_cell._tc
        texts.append("" if is_merged else clean_text(cell.text).strip())
        last_cell = cell
    return texts


def _heading_level(style: str) -> int | None:
    """0 for a title, 1 to 9 for a heading, None for anything else."""
    if style == "Title":
        return 0
    for name in ("Heading ", "heading ", "标题 "):
        number = style.removeprefix(name)
        if number != style and number.isdigit():
            return int(number)
    return None
