"""What a file really is: told by its first bytes, whatever its name says."""

import re

from meetmind.knowledge.document_faults import unreadable
from meetmind.knowledge.formats.archive import member_names

PDF_MARK = b"%PDF-"
ZIP_MARKS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
OLE_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
# Streams of the old Office formats, and the reason that names the format to save in.
OLD_OFFICE = (
    ("WordDocument", "old_word"),
    ("Workbook", "old_excel"),
    ("PowerPoint Document", "old_powerpoint"),
)
NEW_SUFFIX = {".doc": ".docx", ".xls": ".xlsx", ".ppt": ".pptx", ".rtf": ".docx"}
MAIN_PARTS = (
    ("word/document.xml", ".docx"),
    ("xl/workbook.xml", ".xlsx"),
    ("ppt/presentation.xml", ".pptx"),
)
# Files that hold no text for us, with the reason; those with short marks must also hold a zero
# byte.
FOREIGN_KINDS = (
    (b"\x89PNG", "picture"),
    (b"\xff\xd8\xff", "picture"),
    (b"GIF8", "picture"),
    (b"II*\x00", "picture"),
    (b"MM\x00*", "picture"),
    (b"BM", "picture"),
    (b"RIFF", "picture_film_or_sound"),
    (b"ID3", "sound"),
    (b"OggS", "sound"),
    (b"fLaC", "sound"),
    (b"\x1f\x8b", "packed"),
    (b"7z\xbc\xaf\x27\x1c", "packed"),
    (b"Rar!", "packed"),
    (b"BZh", "packed"),
    (b"\xfd7zXZ", "packed"),
    (b"\x28\xb5\x2f\xfd", "packed"),
    (b"MZ", "program"),
    (b"\x7fELF", "program"),
    (b"\xcf\xfa\xed\xfe", "program"),
    (b"\xca\xfe\xba\xbe", "program"),
    (b"\x00asm", "program"),
    (b"SQLite format 3\x00", "database"),
    (b"PAR1", "data_file"),
    (b"wOF", "font"),
    (b"\x00\x01\x00\x00", "font"),
)
SURE_MARK_LENGTH = 4
HTML_START = re.compile(
    rb"\A(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--.{0,2000}?-->\s*)*"
    rb"<(?:!doctype\s+html|html[\s>])",
    re.IGNORECASE | re.DOTALL,
)
SAMPLE_BYTES = 4_000


def true_suffix(raw: bytes, suffix: str) -> str:
    """The suffix of the format in which the file is to be read; usually the one that it has.

    Raises `DocumentUnreadable` for what is no document, protected, or in an old format.
    """
    if raw.lstrip()[: len(PDF_MARK)] == PDF_MARK:
        return ".pdf"
    if raw.startswith(ZIP_MARKS):
        return _office_suffix(raw, suffix)
    if raw.startswith(OLE_MARK):
        raise unreadable(_reason_of_ole(raw))
    if raw.startswith(b"{\\rtf"):
        raise unreadable("rtf")
    foreign_kind = _foreign_kind(raw)
    if foreign_kind:
        raise unreadable(foreign_kind)
    if HTML_START.match(raw[:SAMPLE_BYTES]):
        return ".html"
    if suffix in NEW_SUFFIX:
        raise unreadable("old_kind", suffix=suffix, new_suffix=NEW_SUFFIX[suffix])
    return suffix


def _office_suffix(raw: bytes, suffix: str) -> str:
    names = member_names(raw)
    for main_part, office_suffix in MAIN_PARTS:
        if main_part in names:
            return office_suffix
    if not names and suffix in (".docx", ".xlsx", ".pptx"):
        return suffix
    if "mimetype" in names:
        raise unreadable("open_document")
    raise unreadable("zip_archive")


def _reason_of_ole(raw: bytes) -> str:
    """Protected new files and all old ones of Office stand in the same kind of container."""
    if ENCRYPTED_PACKAGE in raw:
        return "office_locked"
    for stream_name, reason in OLD_OFFICE:
        if stream_name.encode("utf-16-le") in raw:
            return reason
    return "old_office"


def _foreign_kind(raw: bytes) -> str:
    sample = raw[:SAMPLE_BYTES]
    if sample[4:8] == b"ftyp":
        return "film_or_picture"
    for mark, reason in FOREIGN_KINDS:
        is_sure = len(mark) >= SURE_MARK_LENGTH or not mark.isalnum() or b"\x00" in sample
        if sample.startswith(mark) and is_sure:
            return reason
    return ""
