"""Files that are something else than their names say."""

import gzip
import io
import sqlite3
import zipfile

from tests.support.odd_documents import OddDocument
from tests.support.odd_office import excel, powerpoint, word
from tests.support.odd_pdfs import pdf
from tests.support.odd_texts import CHINESE, ENGLISH

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)
HTML = f"<!DOCTYPE html><html><body><h1>Orders</h1><p>{ENGLISH}</p></body></html>".encode()


def wrong_kinds() -> list[OddDocument]:
    """Each is told as what it is, or read as what it is with a note."""
    return [*_read_as_they_are(), *_told_as_they_are()]


def _read_as_they_are() -> list[OddDocument]:
    named = "was read as what it is"
    return [
        OddDocument(name="pdf.txt", make=lambda: pdf(ENGLISH), words=(ENGLISH,), note=named),
        OddDocument(name="pdf.docx", make=lambda: pdf(ENGLISH), words=(ENGLISH,), note=named),
        OddDocument(name="word.pdf", make=word, words=(ENGLISH,), note=named),
        OddDocument(name="word.md", make=word, words=(ENGLISH,), note=named),
        OddDocument(name="word.doc", make=word, words=(ENGLISH,), note=named),
        OddDocument(name="excel.csv", make=excel, words=("| api | 5 |",), note=named),
        OddDocument(name="excel.docx", make=excel, words=("| api | 5 |",), note=named),
        OddDocument(name="slides.pdf", make=powerpoint, words=(ENGLISH,), note=named),
        OddDocument(name="page.txt", make=lambda: HTML, words=(ENGLISH,), note=named),
        OddDocument(name="page.md", make=lambda: HTML, words=(ENGLISH,), note=named),
        OddDocument(name="page.xls", make=lambda: HTML, words=(ENGLISH,), note=named),
        OddDocument(
            name="text.html",
            make=f"{ENGLISH}\n{CHINESE}".encode,
            words=(ENGLISH, CHINESE),
        ),
        OddDocument(
            name="about-pdf.md", make=lambda: b"A file begins with %PDF-1.7.", words=("%PDF-1.7",)
        ),
        OddDocument(
            name="about-mz.txt", make=lambda: b"MZ is how a program begins.", words=("MZ is how",)
        ),
        OddDocument(name="table.tsv", make=lambda: b"name,limit\napi,5\n", words=("| api | 5 |",)),
    ]


def _told_as_they_are() -> list[OddDocument]:
    program = b"MZ\x90\x00\x03" + bytes(300)
    return [
        OddDocument(name="program.md", make=lambda: program, refused="a program"),
        OddDocument(name="program.pdf", make=lambda: program, refused="a program"),
        OddDocument(name="elf.txt", make=lambda: b"\x7fELF" + bytes(90), refused="a program"),
        OddDocument(name="picture.txt", make=lambda: PNG, refused="a picture"),
        OddDocument(name="picture.pdf", make=lambda: PNG, refused="a picture"),
        OddDocument(
            name="photo.docx", make=lambda: b"\xff\xd8\xff\xe0" + bytes(50), refused="a picture"
        ),
        OddDocument(
            name="film.md", make=lambda: b"\x00\x00\x00\x20ftypisom" + bytes(90), refused="a film"
        ),
        OddDocument(
            name="packed.txt",
            make=lambda: gzip.compress(ENGLISH.encode()),
            refused="packed archive",
        ),
        OddDocument(
            name="seven.md",
            make=lambda: b"7z\xbc\xaf\x27\x1c" + bytes(90),
            refused="packed archive",
        ),
        OddDocument(name="rows.csv", make=_database, refused="a database"),
        OddDocument(
            name="zip.pdf", make=lambda: _archive({"a.txt": b"text"}), refused="ZIP archive"
        ),
        OddDocument(
            name="open.docx",
            make=lambda: _archive({"mimetype": b"application/vnd.oasis.opendocument.text"}),
            refused="OpenDocument",
        ),
        OddDocument(
            name="protected.docx",
            make=lambda: OLE + "EncryptedPackage".encode("utf-16-le"),
            refused="protected by a password",
        ),
        OddDocument(
            name="protected.xlsx",
            make=lambda: OLE + "EncryptedPackage".encode("utf-16-le"),
            refused="protected by a password",
        ),
        OddDocument(
            name="old.doc",
            make=lambda: OLE + "WordDocument".encode("utf-16-le"),
            refused="old Word file.*Save it as .docx",
        ),
        OddDocument(
            name="old.xls",
            make=lambda: OLE + "Workbook".encode("utf-16-le"),
            refused="old Excel file.*Save it as .xlsx",
        ),
        OddDocument(
            name="old.ppt",
            make=lambda: OLE + "PowerPoint Document".encode("utf-16-le"),
            refused="old PowerPoint file.*Save it as .pptx",
        ),
        OddDocument(
            name="old-renamed.docx",
            make=lambda: OLE + "WordDocument".encode("utf-16-le"),
            refused="old Word file",
        ),
        OddDocument(name="unknown-old.pptx", make=lambda: OLE, refused="old Office file"),
        OddDocument(name="odd.doc", make=lambda: b"something", refused="Save it as .docx"),
        OddDocument(name="rich.docx", make=lambda: b"{\\rtf1 text}", refused="RTF file"),
        OddDocument(name="mail.eml", make=lambda: b"From: a", refused="not read"),
        OddDocument(name="nothing", make=lambda: b"text", refused="no suffix"),
    ]


def _archive(content_by_name: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in content_by_name.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def _database() -> bytes:
    connection = sqlite3.connect(":memory:")
    connection.execute("create table rows (name text)")
    raw: bytes = connection.serialize()
    connection.close()
    return raw
