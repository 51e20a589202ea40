"""PDF files: opened, checked and read page by page."""

import io
import logging
import re
from collections.abc import Iterator
from typing import Any

from meetmind.i18n.document_notes import Note
from meetmind.knowledge.document_faults import noted_numbers, unreadable
from meetmind.knowledge.documents import Section
from meetmind.knowledge.encodings import clean_line
from meetmind.knowledge.formats.lines import LONGEST_TITLE
from meetmind.knowledge.formats.pdf_layout import PdfLayout
from meetmind.knowledge.formats.pdf_page import PageContent, read_page

MOST_PAGES = 2_000
MOST_PAGE_BYTES = 10_000_000
"""Drawing operators of one page; a full page of text has about 20,000."""
MEANINGLESS_TITLE = re.compile(r"^$|untitled|anonymous|unspecified|microsoft word|\.\w{2,4}$", re.I)
# What stands for letters whose font does not say which they are.
LOST_LETTER = re.compile(r"[\ufffd\ue000-\uf8ff\x00-\x08\x0e-\x1f\x80-\x9f]|\(cid:\d+\)|/g\d+\b")
MOST_LOST_LETTERS = 0.2
# What pypdf raises on a page that is broken, besides its own errors.
PAGE_FAULTS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)


def read_pdf(raw: bytes) -> tuple[str, list[Section], list[Note]]:
    """The title, the sections and notes on pages without text.

    Raises `DocumentUnreadable` for a protected or scanned file.
    """
    reader = _opened(raw)
    pages: list[PageContent] = []
    empty_pages: list[int] = []
    broken_pages: list[int] = []
    for number, page in enumerate(reader.pages, start=1):
        content = _read_page(page, number)
        if content is None:
            broken_pages.append(number)
            continue
        pages.append(content)
        if not content.lines:
            empty_pages.append(number)
    if len(empty_pages) == len(pages):
        raise unreadable(_why_without_text(reader, broken_pages))
    _check_letters(pages)
    layout = PdfLayout(pages)
    layout.read()
    notes: list[Note] = []
    if empty_pages:
        notes.append(noted_numbers("pages_empty", empty_pages))
    if broken_pages:
        notes.append(noted_numbers("pages_broken", broken_pages))
    return _title_of(reader, layout), layout.sections, notes


def _opened(raw: bytes) -> Any:
    from pypdf import PdfReader  # late: takes 0.3 s, not needed on every start
    from pypdf.errors import LimitReachedError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    if b"%PDF-" not in raw[:1024]:
        raise unreadable("not_pdf")
    try:
        reader = PdfReader(io.BytesIO(raw))
        if reader.is_encrypted and not reader.decrypt(""):
            raise unreadable("pdf_locked")
        page_count = len(reader.pages)
    except LimitReachedError:
        raise unreadable("pdf_blown_up") from None
    if page_count > MOST_PAGES:
        raise unreadable("pdf_many_pages", limit=MOST_PAGES)
    return reader


def _read_page(page: Any, number: int) -> PageContent | None:
    """The content of a page, or None where it cannot be read; the other pages are read anyhow."""
    from pypdf.errors import PyPdfError

    try:
        drawing = page.get_contents()
        if drawing is not None and len(drawing.get_data()) > MOST_PAGE_BYTES:
            return None
        return read_page(page, number)
    except (PyPdfError, *PAGE_FAULTS):
        logging.getLogger(__name__).info("page %s cannot be read", number, exc_info=True)
        return None


def _why_without_text(reader: Any, broken_pages: list[int]) -> str:
    """The name of the reason."""
    if broken_pages:
        return "pdf_damaged"
    if any(_pictures(reader)):
        return "pdf_scan"
    return "pdf_no_text"


def _pictures(reader: Any) -> Iterator[bool]:
    """Whether a page draws a picture, page by page."""
    for page in reader.pages:
        try:
            yield len(page.images) > 0
        except (*PAGE_FAULTS, OSError, ImportError):
            yield False


def _check_letters(pages: list[PageContent]) -> None:
    """Refuse what could only be read as signs that mean nothing."""
    letter_count = 0
    lost_count = 0
    for page in pages:
        for line in page.lines:
            letter_count += len(line.text)
            lost_count += sum(len(sign) for sign in LOST_LETTER.findall(line.text))
    if lost_count > MOST_LOST_LETTERS * letter_count:
        raise unreadable("pdf_lost_letters")


def _title_of(reader: Any, layout: PdfLayout) -> str:
    metadata = reader.metadata or {}
    title = str(metadata.get("/Title") or "")
    metadata_title = clean_line(title, LONGEST_TITLE)
    if MEANINGLESS_TITLE.search(metadata_title):
        return layout.title
    return metadata_title
