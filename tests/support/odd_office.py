"""Whole Office documents with odd things inside."""

import io

from docx import Document
from docx.oxml import parse_xml
from pptx import Presentation
from pptx.util import Inches

from tests.support.odd_documents import OddDocument
from tests.support.odd_tables import saved as saved_workbook
from tests.support.odd_tables import sheet_of
from tests.support.odd_texts import CHINESE, ENGLISH

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def office_files() -> list[OddDocument]:
    """Whole Office documents with odd things inside."""
    return [
        OddDocument(name="empty.docx", make=lambda: _saved(Document()), refused="no text"),
        OddDocument(name="no-slides.pptx", make=lambda: _saved(Presentation()), refused="no text"),
        OddDocument(
            name="controls.docx",
            make=_content_controls,
            words=("in a control", "inserted", "in a box"),
            absent=("deleted",),
        ),
        OddDocument(name="tables-in-tables.docx", make=_nested_tables, words=("innermost",)),
        OddDocument(name="long-table.docx", make=_long_table, words=("| row 1499 | 5 |",)),
        OddDocument(name="signs.docx", make=_odd_signs, words=("Title of it", ENGLISH)),
        OddDocument(name="groups.pptx", make=_groups, words=("in a group",)),
        OddDocument(
            name="empty-slide.pptx",
            make=_empty_slide,
            words=(CHINESE,),
            note="Slides without text: 1",
        ),
        OddDocument(
            name="large-paragraph.docx", make=lambda: word("词" * 300_000), words=("词词词",)
        ),
    ]


def word(text: str = ENGLISH) -> bytes:
    """A small Word document."""
    document = Document()
    document.add_heading("Orders", level=1)
    document.add_paragraph(text)
    return _saved(document)


def excel() -> bytes:
    """A small Excel file."""
    return saved_workbook(sheet_of([["name", "limit"], ["api", 5]]))


def powerpoint(text: str = ENGLISH) -> bytes:
    """A small PowerPoint file."""
    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[1])
    slide.shapes.title.text = "Orders"
    slide.placeholders[1].text = text
    return _saved(presentation)


def _saved(document: object) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)  # type: ignore[attr-defined]
    return buffer.getvalue()


def _content_controls() -> bytes:
    document = Document()
    body = document.element.body
    body.insert(
        0,
        parse_xml(
            f'<w:sdt xmlns:w="{WORD}"><w:sdtPr/><w:sdtContent><w:p><w:r>'
            "<w:t>in a control</w:t></w:r></w:p></w:sdtContent></w:sdt>"
        ),
    )
    body.insert(
        1,
        parse_xml(
            f'<w:p xmlns:w="{WORD}"><w:ins w:id="1"><w:r><w:t>inserted</w:t></w:r></w:ins>'
            '<w:del w:id="2"><w:r><w:delText>deleted</w:delText></w:r></w:del></w:p>'
        ),
    )
    body.insert(
        2,
        parse_xml(
            f'<w:p xmlns:w="{WORD}"><w:r><w:pict><w:txbxContent><w:p><w:r><w:t>in a box</w:t></w:r>'
            "</w:p></w:txbxContent></w:pict></w:r></w:p>"
        ),
    )
    return _saved(document)


def _nested_tables() -> bytes:
    document = Document()
    cell = document.add_table(rows=1, cols=1).cell(0, 0)
    for _ in range(3):
        cell = cell.add_table(rows=1, cols=1).cell(0, 0)
    cell.text = "innermost"
    return _saved(document)


def _long_table() -> bytes:
    document = Document()
    cell = "<w:tc><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:tc>"
    row = f"<w:tr>{cell.replace('{}', 'row {}')}{cell.replace('{}', '5')}</w:tr>"
    rows = "".join(row.format(number) for number in range(1_500))
    grid = '<w:tblGrid><w:gridCol w:w="9"/><w:gridCol w:w="9"/></w:tblGrid>'
    document.element.body.insert(
        0, parse_xml(f'<w:tbl xmlns:w="{WORD}"><w:tblPr/>{grid}{rows}</w:tbl>')
    )
    return _saved(document)


def _odd_signs() -> bytes:
    document = Document()
    document.core_properties.title = "Title\n\u202e of it"
    document.add_heading("Part\u2028 one\u200f", level=2)
    document.add_paragraph(ENGLISH)
    return _saved(document)


def _groups() -> bytes:
    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    group = slide.shapes.add_group_shape()
    for _ in range(3):
        group = group.shapes.add_group_shape()
    box = group.shapes.add_textbox(Inches(1), Inches(1), Inches(2), Inches(1))
    box.text_frame.text = "in a group"
    return _saved(presentation)


def _empty_slide() -> bytes:
    presentation = Presentation()
    presentation.slides.add_slide(presentation.slide_layouts[6])
    slide = presentation.slides.add_slide(presentation.slide_layouts[1])
    slide.placeholders[1].text = CHINESE
    return _saved(presentation)
