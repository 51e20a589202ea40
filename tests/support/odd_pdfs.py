"""Odd PDFs: locked, scanned, looping, blown up or broken in places."""

import io
import zlib

from pypdf import PdfReader, PdfWriter
from pypdf.generic import DecodedStreamObject, NameObject
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfgen.canvas import Canvas

from tests.support.odd_documents import OddDocument
from tests.support.odd_texts import ENGLISH

CHINESE_FONT = "STSong-Light"


def pdf_files() -> list[OddDocument]:
    """PDFs that must be told as what they are, or read as far as they can be."""
    return [*_unreadable(), *_dangerous(), *_half_good()]


def pdf(*pages: str, title: str = "") -> bytes:
    """A PDF with one line of text a page."""
    registerFont(UnicodeCIDFont(CHINESE_FONT))
    buffer = io.BytesIO()
    canvas = Canvas(buffer, invariant=1)
    if title:
        canvas.setTitle(title)
    for text in pages:
        canvas.setFont("Helvetica" if text.isascii() else CHINESE_FONT, 11)
        for number, line in enumerate(text.split("\n")):
            canvas.drawString(60, 780 - 16 * number, line)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def pdf_from(objects: list[bytes], trailer: bytes = b"") -> bytes:
    """A PDF out of raw objects; the first is the catalogue."""
    parts = [b"%PDF-1.7\n"]
    offsets: list[int] = []
    for number, content in enumerate(objects, start=1):
        offsets.append(sum(len(part) for part in parts))
        parts.append(b"%d 0 obj\n%b\nendobj\n" % (number, content))
    start = sum(len(part) for part in parts)
    parts.append(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    parts.extend(b"%010d 00000 n \n" % offset for offset in offsets)
    parts.append(
        b"trailer\n<</Size %d /Root 1 0 R %b>>\nstartxref\n%d\n%%%%EOF"
        % (len(objects) + 1, trailer, start)
    )
    return b"".join(parts)


def _stream(content: bytes, extra: bytes = b"") -> bytes:
    return b"<</Length %d %b>>\nstream\n%b\nendstream" % (len(content), extra, content)


def _page_with(content: bytes, extra: bytes = b"", resources: bytes = b"") -> bytes:
    return pdf_from(
        [
            b"<</Type /Catalog /Pages 2 0 R>>",
            b"<</Type /Pages /Kids [3 0 R] /Count 1>>",
            b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R "
            b"/Resources <</Font <</F1 5 0 R>> %b>>>>" % resources,
            _stream(content, extra),
            b"<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>",
        ]
    )


def _unreadable() -> list[OddDocument]:
    return [
        OddDocument(name="text.pdf", make=lambda: b"not a pdf", refused="not a PDF"),
        OddDocument(name="mark-only.pdf", make=lambda: b"%PDF-1.7", refused="damaged"),
        OddDocument(name="cut.pdf", make=lambda: pdf(ENGLISH)[:400], refused="damaged|no text"),
        OddDocument(name="late.pdf", make=lambda: b"x" * 2_000 + pdf(ENGLISH), refused="not a PDF"),
        OddDocument(name="locked.pdf", make=lambda: _locked("RC4-128"), refused="password"),
        OddDocument(name="locked-aes.pdf", make=lambda: _locked("AES-256"), refused="password"),
        OddDocument(name="blank.pdf", make=lambda: pdf(" "), refused="holds no text"),
        OddDocument(name="no-pages.pdf", make=_no_pages, refused="no text|damaged"),
        OddDocument(name="scan.pdf", make=_scan, refused="pictures of text"),
        OddDocument(
            name="many-pages.pdf", make=lambda: _blank_pages(2_001), refused="more than 2000 pages"
        ),
        OddDocument(
            name="lost-letters.pdf",
            make=lambda: _page_with(b"BT /F1 12 Tf 60 700 Td (%b) Tj ET" % (b"\x01\x02\x03" * 40)),
            refused="do not say which letters|no text",
        ),
    ]


def _dangerous() -> list[OddDocument]:
    return [
        OddDocument(name="stream-bomb.pdf", make=_stream_bomb, refused="far too large"),
        OddDocument(
            name="slow.pdf",
            make=lambda: _page_with(b"BT /F1 12 Tf 60 700 Td " + b"(a) Tj T* " * 900_000 + b"ET"),
            refused="longer than 1 seconds",
            seconds=1.0,
        ),
        OddDocument(name="page-loop.pdf", make=_page_loop, refused="damaged|no text"),
        OddDocument(name="form-loop.pdf", make=_form_loop, refused="no text|damaged"),
        OddDocument(name="table-loop.pdf", make=_table_loop, words=("Orders here",)),
        OddDocument(name="claims-pages.pdf", make=_claims_pages, words=("Orders here",)),
        OddDocument(
            name="script.pdf",
            make=_script,
            words=("Orders here",),
            absent=("alert",),
        ),
        OddDocument(
            name="attached.pdf",
            make=lambda: _with_writer(lambda writer: writer.add_attachment("evil.exe", b"MZ")),
            words=(ENGLISH,),
        ),
        OddDocument(name="deep-arrays.pdf", make=_deep_arrays, refused="damaged"),
    ]


def _half_good() -> list[OddDocument]:
    return [
        OddDocument(
            name="garbage-before.pdf",
            make=lambda: b"mail header\n" + pdf(ENGLISH),
            words=(ENGLISH,),
        ),
        OddDocument(
            name="wrong-start.pdf",
            make=lambda: pdf(ENGLISH).replace(b"startxref\n", b"startxref\n9"),
            words=(ENGLISH,),
        ),
        OddDocument(
            name="no-end.pdf", make=lambda: pdf(ENGLISH).split(b"startxref")[0], refused="damaged"
        ),
        OddDocument(
            name="empty-page.pdf",
            make=lambda: pdf(ENGLISH, " ", "The last page."),
            words=(ENGLISH,),
            note="Pages without text: 2",
        ),
        OddDocument(
            name="broken-page.pdf",
            make=_broken_page,
            words=(ENGLISH,),
            note="Pages that could not be read: 2",
        ),
        OddDocument(
            name="title.pdf",
            make=lambda: pdf(ENGLISH, title="A\x00B\ud800 \u202eC\nD".replace("\ud800", "")),
            words=("AB C D",),
        ),
        OddDocument(
            name="huge-page.pdf",
            make=lambda: pdf(ENGLISH).replace(
                b"/MediaBox [ 0 0 595.2756 841.8898 ]",
                b"/MediaBox [ -99999999 0 999999999999 9999999999999 ]",
            ),
            words=(ENGLISH,),
        ),
    ]


def _script() -> bytes:
    raw = _page_with(b"BT /F1 12 Tf 60 700 Td (Orders here) Tj ET")
    action = b"/Type /Catalog /OpenAction <</S /JavaScript /JS (app.alert\\(1\\))>>"
    return raw.replace(b"/Type /Catalog", action)


def _written(writer: PdfWriter) -> bytes:
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


def _with_writer(change: object) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf(ENGLISH))))
    change(writer)  # type: ignore[operator]
    return _written(writer)


def _locked(algorithm: str) -> bytes:
    return _with_writer(lambda writer: writer.encrypt("secret", algorithm=algorithm))


def _no_pages() -> bytes:
    return pdf_from([b"<</Type /Catalog /Pages 2 0 R>>", b"<</Type /Pages /Kids [] /Count 0>>"])


def _scan() -> bytes:
    from PIL import Image

    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    picture = ImageReader(Image.new("L", (60, 80), 200))
    canvas.drawImage(picture, 0, 0, 595, 842)
    canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def _blank_pages(count: int) -> bytes:
    writer = PdfWriter()
    for _ in range(count):
        writer.add_blank_page(100, 100)
    return _written(writer)


def _stream_bomb() -> bytes:
    packed = zlib.compress(bytes(200_000_000), 9)
    return _page_with(packed, b"/Filter /FlateDecode")


def _page_loop() -> bytes:
    return pdf_from(
        [b"<</Type /Catalog /Pages 2 0 R>>", b"<</Type /Pages /Kids [2 0 R 2 0 R] /Count 2>>"]
    )


def _form_loop() -> bytes:
    return pdf_from(
        [
            b"<</Type /Catalog /Pages 2 0 R>>",
            b"<</Type /Pages /Kids [3 0 R] /Count 1>>",
            b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R "
            b"/Resources <</XObject <</X 5 0 R>>>>>>",
            _stream(b"/X Do"),
            _stream(
                b"/X Do /X Do",
                b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] "
                b"/Resources <</XObject <</X 5 0 R>>>>",
            ),
        ]
    )


def _table_loop() -> bytes:
    raw = _page_with(b"BT /F1 12 Tf 60 700 Td (Orders here) Tj ET")
    start = raw.rsplit(b"startxref\n", 1)[1].split(b"\n")[0]
    return raw.replace(b"/Root 1 0 R ", b"/Root 1 0 R /Prev " + start)


def _claims_pages() -> bytes:
    raw = _page_with(b"BT /F1 12 Tf 60 700 Td (Orders here) Tj ET")
    return raw.replace(b"/Count 1", b"/Count 9")


def _deep_arrays() -> bytes:
    raw = _page_with(b"BT /F1 12 Tf 60 700 Td (Orders here) Tj ET")
    deep = b"6 0 obj\n" + b"[" * 20_000 + b"]" * 20_000 + b"\nendobj\nxref\n"
    return raw.replace(b"xref\n", deep, 1)


def _broken_page() -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf(ENGLISH, "second", "The last page."))))
    broken = DecodedStreamObject()
    broken.set_data(b"\x00not packed at all")
    broken[NameObject("/Filter")] = NameObject("/NoSuchFilter")
    writer.pages[1][NameObject("/Contents")] = writer._add_object(broken)
    return _written(writer)
