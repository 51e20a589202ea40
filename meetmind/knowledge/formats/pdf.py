"""PDF files: opened, checked and read page by page."""

import io
import logging
import re
from typing import Any

from meetmind.errors import DocumentUnreadable
from meetmind.knowledge.documents import Section
from meetmind.knowledge.encodings import clean_text
from meetmind.knowledge.formats.pdf_layout import PdfLayout
from meetmind.knowledge.formats.pdf_page import PageContent, read_page

MOST_PAGES = 2_000
MEANINGLESS_TITLE = re.compile(r"^$|untitled|anonymous|unspecified|microsoft word|\.\w{2,4}$", re.I)


def read_pdf(raw: bytes) -> tuple[str, list[Section], list[str]]:
    """The title, the sections and notes on pages without text.

    Raises `DocumentUnreadable` for a protected or scanned file.
    """
    reader = _opened(raw)
    pages: list[PageContent] = []
    empty_pages: list[int] = []
    for number, page in enumerate(reader.pages, start=1):
        content = read_page(page, number)
        pages.append(content)
        if not content.lines:
            empty_pages.append(number)
    if len(empty_pages) == len(pages):
        raise DocumentUnreadable("The PDF holds no text; it may be a scan. Save it with text.")
    layout = PdfLayout(pages)
    layout.read()
    notes = []
    if empty_pages:
        numbers = ", ".join(str(number) for number in empty_pages)
        notes.append(f"Pages without text: {numbers}.")
    return _title_of(reader, layout), layout.sections, notes


def _opened(raw: bytes) -> Any:
    from pypdf import PdfReader  # late: takes 0.3 s, not needed on every start

    logging.getLogger("pypdf").setLevel(logging.ERROR)
    if b"%PDF-" not in raw[:1024]:
        raise DocumentUnreadable("This is not a PDF file.")
    reader = PdfReader(io.BytesIO(raw))
    if reader.is_encrypted and not reader.decrypt(""):
        raise DocumentUnreadable("The PDF is protected by a password.")
    if len(reader.pages) > MOST_PAGES:
        raise DocumentUnreadable(f"The PDF has more than {MOST_PAGES} pages.")
    return reader


def _title_of(reader: Any, layout: PdfLayout) -> str:
    metadata = reader.metadata or {}
    title = str(metadata.get("/Title") or "")
    metadata_title = clean_text(title).strip()
    if MEANINGLESS_TITLE.search(metadata_title):
        return layout.title
    return metadata_title
