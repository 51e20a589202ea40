"""Odd archives under the names of Office files: broken, locked, or bombs."""

import io
import struct
import zipfile

from tests.support.odd_documents import OddDocument
from tests.support.odd_office import excel, powerpoint, word
from tests.support.odd_texts import ENGLISH

TOO_LARGE = "too large when it is unpacked"
ENTITIES = "defines XML entities"
DTD = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def archives() -> list[OddDocument]:
    """Archives that are no documents, broken, locked, or bombs."""
    return [
        OddDocument(name="text.docx", make=lambda: b"not a zip", refused="not a Word document"),
        OddDocument(name="text.xlsx", make=lambda: b"not a zip", refused="not an Excel file"),
        OddDocument(name="text.pptx", make=lambda: b"not a zip", refused="not a PowerPoint file"),
        OddDocument(name="cut.docx", make=lambda: word()[:-40], refused="damaged"),
        OddDocument(name="half.xlsx", make=lambda: excel()[:2_000], refused="damaged"),
        OddDocument(name="flipped.docx", make=_flipped, refused="damaged"),
        OddDocument(
            name="bomb.docx",
            make=lambda: _with(word(), {"word/media/a": zeros(300)}),
            refused=TOO_LARGE,
        ),
        OddDocument(
            name="bomb.xlsx",
            make=lambda: _with(excel(), {"xl/sharedStrings.xml": zeros(60)}),
            refused=TOO_LARGE,
        ),
        OddDocument(
            name="bomb.pptx",
            make=lambda: _with(powerpoint(), {"ppt/a.xml": zeros(120)}),
            refused=TOO_LARGE,
        ),
        OddDocument(name="many-parts.docx", make=_many_parts, refused="more than 10000 parts"),
        OddDocument(name="lying-size.docx", make=_lying_size, refused="damaged"),
        OddDocument(name="locked-part.docx", make=_locked_part, refused="protected by a password"),
        OddDocument(name="unknown-packing.docx", make=_unknown_packing, refused="unknown way"),
        OddDocument(
            name="entities.docx",
            make=lambda: _with_dtd(word(), "word/document.xml"),
            refused=ENTITIES,
        ),
        OddDocument(
            name="entities.xlsx",
            make=lambda: _with_dtd(excel(), "xl/workbook.xml"),
            refused=ENTITIES,
        ),
        OddDocument(
            name="entities.pptx",
            make=lambda: _with_dtd(powerpoint(), "ppt/presentation.xml"),
            refused=ENTITIES,
        ),
        OddDocument(name="entities-utf16.docx", make=_utf16_dtd, refused=ENTITIES),
        OddDocument(name="late-entities.docx", make=_late_dtd, refused=ENTITIES),
        OddDocument(name="local-file.xlsx", make=_local_file, refused=ENTITIES),
        OddDocument(
            name="stored-zip.docx", make=lambda: _zip({"a.txt": b"text"}), refused="ZIP archive"
        ),
        OddDocument(
            name="zip-in-zip.docx",
            make=lambda: _zip({"b.zip": _zip({"a": zeros(1)})}),
            refused="ZIP archive",
        ),
        OddDocument(
            name="climbing.docx",
            make=lambda: _with(word(), {"../../evil.txt": b"x"}),
            words=(ENGLISH,),
        ),
        OddDocument(
            name="no-body.docx",
            make=lambda: _with(word(), {"word/document.xml": b""}),
            refused="damaged",
        ),
        OddDocument(
            name="no-types.docx",
            make=lambda: _with(word(), {"[Content_Types].xml": b""}),
            refused="damaged",
        ),
        OddDocument(
            name="broken-xml.docx",
            make=lambda: _with(word(), {"word/document.xml": b"<w:x"}),
            refused="damaged",
        ),
        OddDocument(
            name="broken-xml.xlsx",
            make=lambda: _with(excel(), {"xl/workbook.xml": b"<x"}),
            refused="damaged",
        ),
        OddDocument(
            name="broken-xml.pptx",
            make=lambda: _with(powerpoint(), {"ppt/presentation.xml": b"<x"}),
            refused="damaged",
        ),
        OddDocument(name="deep-xml.docx", make=_deep_xml, refused="damaged"),
    ]


def zeros(megabytes: int) -> bytes:
    """What packs best."""
    return bytes(megabytes * 1_000_000)


def _zip(content_by_name: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in content_by_name.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def _parts(raw: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _with(raw: bytes, content_by_name: dict[str, bytes]) -> bytes:
    return _zip({**_parts(raw), **content_by_name})


def _with_dtd(raw: bytes, name: str) -> bytes:
    xml = _parts(raw)[name].split(b"?>", 1)[-1]
    return _with(raw, {name: DTD + xml})


def _utf16_dtd() -> bytes:
    xml = '<?xml version="1.0" encoding="utf-16"?><!DOCTYPE x [<!ENTITY a "b">]><x/>'
    return _with(word(), {"word/document.xml": xml.encode("utf-16")})


def _late_dtd() -> bytes:
    xml = b"<!-- " + b"x" * 999_990 + b" --><!DOCTYPE x [<!ENTITY a 'b'>]><x/>"
    return _with(word(), {"word/document.xml": xml})


def _local_file() -> bytes:
    xml = b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><sst><si><t>&a;</t></si></sst>'
    return _with(excel(), {"xl/sharedStrings.xml": xml})


def _flipped() -> bytes:
    raw = bytearray(word())
    for position in range(400, 900):
        raw[position] ^= 0xFF
    return bytes(raw)


def _many_parts() -> bytes:
    return _with(word(), {f"word/part{number}.bin": b"" for number in range(10_001)})


def _member_fields(raw: bytes, mark: bytes, offset: int, packed: bytes) -> bytes:
    """Every header with the mark changed at the offset behind its beginning."""
    changed = bytearray(raw)
    start = changed.find(mark)
    while start >= 0:
        changed[start + offset : start + offset + len(packed)] = packed
        start = changed.find(mark, start + 4)
    return bytes(changed)


def _lying_size() -> bytes:
    return _member_fields(word(), b"PK\x01\x02", 24, struct.pack("<I", 10))


def _locked_part() -> bytes:
    locked = _member_fields(word(), b"PK\x03\x04", 6, b"\x01\x00")
    return _member_fields(locked, b"PK\x01\x02", 8, b"\x01\x00")


def _unknown_packing() -> bytes:
    changed = _member_fields(word(), b"PK\x03\x04", 8, b"\x63\x00")
    return _member_fields(changed, b"PK\x01\x02", 10, b"\x63\x00")


def _deep_xml() -> bytes:
    start = f'<w:document xmlns:w="{WORD}"><w:body>'
    deep = start + "<w:p>" * 5_000 + "</w:p>" * 5_000 + "</w:body></w:document>"
    return _with(word(), {"word/document.xml": deep.encode()})
