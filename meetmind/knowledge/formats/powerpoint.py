"""PowerPoint files: a slide is a section with its number, its tables and its notes."""

import io
from collections.abc import Iterable, Iterator
from typing import Any

from meetmind.i18n.document_notes import Note
from meetmind.knowledge.document_faults import noted, noted_numbers
from meetmind.knowledge.documents import Block, Section
from meetmind.knowledge.encodings import clean_line, clean_text
from meetmind.knowledge.formats.archive import check_archive
from meetmind.knowledge.formats.lines import LONGEST_TITLE, markdown_table

MOST_SLIDES = 2_000
DEEPEST_GROUP = 10


def read_powerpoint(raw: bytes) -> tuple[str, list[Section], list[Note]]:
    """The title, a section a slide, and notes on slides without text.

    Raises `DocumentUnreadable` for a damaged or far too large archive.
    """
    check_archive(raw, "not_powerpoint")
    from pptx import Presentation  # late: takes 0.3 s, not needed on every start

    presentation = Presentation(io.BytesIO(raw))
    title = clean_line(presentation.core_properties.title or "", LONGEST_TITLE)
    sections: list[Section] = []
    notes: list[Note] = []
    empty_slides: list[int] = []
    for number, slide in enumerate(presentation.slides, start=1):
        if number > MOST_SLIDES:
            notes.append(noted("slides_cut", limit=MOST_SLIDES))
            break
        heading = _heading(slide)
        blocks = tuple(_blocks(slide, number))
        if blocks:
            sections.append(Section(heading=heading, blocks=blocks))
        elif heading:
            text_block = Block(kind="text", text=heading, page=number)
            sections.append(Section(heading=heading, blocks=(text_block,)))
        else:
            empty_slides.append(number)
        title = _first_title(title, heading)
    if empty_slides:
        notes.append(noted_numbers("slides_empty", empty_slides))
    return title, sections, notes


def _first_title(title: str, heading: str) -> str:
    """python-pptx's own template calls itself so; the first slide says it better."""
    if title in ("", "PowerPoint Presentation", "PowerPoint 演示文稿"):
        return heading
    return title


def _heading(slide: Any) -> str:
    title_shape = slide.shapes.title
    if title_shape is None:
        return ""
    return clean_line(title_shape.text_frame.text, LONGEST_TITLE)


def _blocks(slide: Any, number: int) -> Iterator[Block]:
    title_shape = slide.shapes.title
    title_id = None if title_shape is None else title_shape.shape_id
    for shape in _shapes(slide.shapes):
        if shape.shape_id == title_id:
            continue
        if shape.has_text_frame:
            yield from _text_blocks(shape.text_frame, number)
        elif getattr(shape, "has_table", False) and shape.has_table:
            yield from _table_blocks(shape.table, number)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        note = clean_text(slide.notes_slide.notes_text_frame.text).strip()
        if note:
            yield Block(kind="text", text=note, page=number)


def _shapes(shapes: Iterable[Any], depth: int = 0) -> Iterator[Any]:
    """All shapes, those of groups among them."""
    for shape in shapes:
        members = getattr(shape, "shapes", None)
        if members is None:
            yield shape
        elif depth < DEEPEST_GROUP:
            yield from _shapes(members, depth + 1)


def _text_blocks(frame: Any, number: int) -> Iterator[Block]:
    texts = [clean_text(paragraph.text).strip() for paragraph in frame.paragraphs]
    texts = [text for text in texts if text]
    is_list = len(texts) > 1
    for text in texts:
        shown = f"- {text}" if is_list else text
        yield Block(kind="text", text=shown, page=number)


def _table_blocks(table: Any, number: int) -> Iterator[Block]:
    rows: list[list[str]] = []
    for row in table.rows:
        cells = [clean_text(cell.text).strip() for cell in row.cells]
        if any(cells):
            rows.append(cells)
    if rows:
        yield Block(kind="table", text=markdown_table(rows), page=number)
