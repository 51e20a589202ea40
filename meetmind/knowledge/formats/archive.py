"""Office files are ZIP archives of XML: checked before any library unpacks them."""

import io
import zipfile
from collections.abc import Iterator

from meetmind.knowledge.document_faults import unreadable

MOST_MEMBERS = 10_000
MOST_UNPACKED_BYTES = 200_000_000
MOST_XML_BYTES = 100_000_000
HARMLESS_BYTES = 20_000_000
MOST_TIMES_LARGER = 150
"""Real Office files unpack to 3 to 40 times their size."""
READ_BYTES = 1_000_000
XML_SUFFIXES = (".xml", ".rels", ".vml")
# In an Office file neither ever has a place; an entity can grow to any size or name a local file.
FORBIDDEN_MARKS = tuple(
    mark.encode(encoding)
    for mark in ("<!DOCTYPE", "<!ENTITY")
    for encoding in ("ascii", "utf-16-le", "utf-16-be")
)
LONGEST_MARK = max(len(mark) for mark in FORBIDDEN_MARKS)


def check_archive(raw: bytes, reason: str) -> None:
    """Look at every member of the archive; `reason` is that of a damaged one, such as `not_word`.

    Raises `DocumentUnreadable` for what is damaged, protected, or would unpack to far too much.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            _check_sizes(archive, len(raw))
            for member in archive.infolist():
                if member.filename.lower().endswith(XML_SUFFIXES):
                    _check_xml(archive, member)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, ValueError, OSError, EOFError) as error:
        raise unreadable(reason, fault=str(error)) from None
    except (NotImplementedError, RuntimeError):
        # zipfile says so for a member with a password or an unknown compression.
        raise unreadable("locked_or_packed") from None


def member_names(raw: bytes) -> frozenset[str]:
    """The names in an archive; none where it cannot be opened."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            return frozenset(archive.namelist())
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return frozenset()


def _check_sizes(archive: zipfile.ZipFile, packed_bytes: int) -> None:
    members = archive.infolist()
    if len(members) > MOST_MEMBERS:
        raise unreadable("many_parts", limit=MOST_MEMBERS)
    unpacked_bytes = sum(member.file_size for member in members)
    is_blown_up = unpacked_bytes > MOST_TIMES_LARGER * packed_bytes
    if unpacked_bytes > MOST_UNPACKED_BYTES or (unpacked_bytes > HARMLESS_BYTES and is_blown_up):
        raise unreadable(
            "blown_up",
            unpacked=unpacked_bytes // 1_000_000,
            packed=f"{packed_bytes / 1_000_000:.1f}",
        )


def _check_xml(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    if member.file_size > MOST_XML_BYTES:
        raise unreadable("blown_up_part")
    for window in _windows(archive, member):
        for mark in FORBIDDEN_MARKS:
            if mark in window:
                raise unreadable("entities")


def _windows(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """The member piece by piece; a mark on a border stands whole in the later piece."""
    rest = b""
    with archive.open(member) as stream:
        while chunk := stream.read(READ_BYTES):
            yield rest + chunk
            rest = chunk[-LONGEST_MARK:]
