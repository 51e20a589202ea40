"""Word files: headings by style, lists and tables in the order of the document."""

import io
from collections.abc import Iterator
from typing import Any

from meetmind.knowledge.documents import Block, Section
from meetmind.knowledge.encodings import clean_line, clean_text
from meetmind.knowledge.formats.archive import check_archive
from meetmind.knowledge.formats.lines import LONGEST_TITLE, markdown_table

WORD_NAMESPACE = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
# Wrappers that python-docx does not look into: insertions that are not accepted yet, content
# controls, fields. Their text is what a reader sees.
WRAPPERS = ("ins", "moveTo", "smartTag", "sdt", "sdtContent", "fldSimple", "customXml")
# Copies and removed text, which a reader does not see.
UNSEEN = ("del", "moveFrom", "sdtPr", "sdtEndPr")
DEEPEST_TABLE = 4


def read_word(raw: bytes) -> tuple[str, list[Section]]:
    """The title and the sections.

    Raises `DocumentUnreadable` for a damaged or far too large archive, and the parser's own errors
    otherwise.
    """
    check_archive(raw, "not_word")
    from docx import Document  # late: takes 0.2 s, not needed on every start

    document = Document(io.BytesIO(raw))
    _show_what_a_reader_sees(document.element.body)
    reader = _WordReader()
    for part in document.iter_inner_content():
        reader.take(part)
    reader.close_section()
    title = clean_line(document.core_properties.title or "", LONGEST_TITLE)
    return title or reader.title, reader.sections


def _show_what_a_reader_sees(body: Any) -> None:
    for name in (FALLBACK, *(WORD_NAMESPACE + unseen for unseen in UNSEEN)):
        for element in list(body.iter(name)):
            element.getparent().remove(element)
    for wrapper in WRAPPERS:
        for element in list(body.iter(WORD_NAMESPACE + wrapper)):
            for child in list(element):
                element.addprevious(child)
            element.getparent().remove(element)


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
        self._take_paragraph(part)
        for text in _texts_in_boxes(part):
            self._blocks.append(Block(kind="text", text=text))

    def _take_paragraph(self, paragraph: Any) -> None:
        text = clean_text(paragraph.text).strip()
        style = _style_name(paragraph)
        is_contents = style.lower().startswith("toc ")
        if not text or is_contents:
            return
        level = _heading_level(style)
        if level is not None:
            heading = clean_line(text, LONGEST_TITLE)
            self._begin_section(level, heading)
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
        texts.append("" if is_merged else _cell_text(cell))
        last_cell = cell
    return texts


def _cell_text(cell: Any, depth: int = 0) -> str:
    """The paragraphs of a cell, and the cells of a table within it one after the other."""
    parts: list[str] = []
    for part in cell.iter_inner_content():
        if not hasattr(part, "rows"):
            parts.append(part.text)
        elif depth < DEEPEST_TABLE:
            for row in part.rows:
                inner_texts = [_cell_text(inner, depth + 1) for inner in row.cells]
                parts.append("; ".join(inner_texts))
    return clean_text("\n".join(parts)).strip()


def _style_name(paragraph: Any) -> str:
    style = paragraph.style
    return "" if style is None else str(style.name or "")


def _texts_in_boxes(paragraph: Any) -> Iterator[str]:
    """The paragraphs of text boxes that hang on a paragraph."""
    for box in paragraph._p.iter(WORD_NAMESPACE + "txbxContent"):
        for inner in box.iter(WORD_NAMESPACE + "p"):
            pieces = [piece.text or "" for piece in inner.iter(WORD_NAMESPACE + "t")]
            text = clean_text("".join(pieces)).strip()
            if text:
                yield text


def _heading_level(style: str) -> int | None:
    """0 for a title, 1 to 9 for a heading, None for anything else."""
    if style == "Title":
        return 0
    for name in ("Heading ", "heading ", "标题 "):
        number = style.removeprefix(name)
        if number != style and number.isdigit():
            return int(number)
    return None
