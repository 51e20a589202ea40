"""Bytes of a text file to clean text: the encoding is recognised or the file is refused."""

import codecs
import re

from meetmind.clean_text import clean_bad_chars
from meetmind.knowledge.document_faults import unreadable
from meetmind.knowledge.old_encodings import (
    FEWEST_COMMON_CHARACTERS,
    common_share,
    recognised_encoding,
)

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
UNWANTED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f\ufdd0-\ufdef\ufffe\uffff\ufeff]")
TURNS_DIRECTION = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
LINE_END = re.compile("\r\n|\r|\x0c|\u2028|\u2029|\x85")
SHIFTED_TEXT = re.compile(rb"\x1b[$(][@-J)]|~\{[!-}]+~\}")
"""ISO-2022 and HZ write Chinese and Japanese as ASCII between such marks."""
MOST_CONTROL_CHARACTERS = 0.02
MOST_REPLACEMENT_CHARACTERS = 0.02
SAMPLE_BYTES = 4_000
LINE_LENGTH_SHOWN = 300


def decode_text(raw: bytes) -> str:
    """The text in any encoding that is recognised, cleaned.

    Raises `DocumentUnreadable` when the bytes are no text or in an encoding that is not recognised.
    """
    text = _decoded(raw)
    control_characters = len(re.findall("[\x01-\x08\x0e-\x1f]", text))
    if control_characters > MOST_CONTROL_CHARACTERS * len(text):
        raise unreadable("control_characters")
    if text.count("\ufffd") > MOST_REPLACEMENT_CHARACTERS * len(text):
        raise unreadable("letters_replaced")
    return clean_text(text)


def clean_text(text: str) -> str:
    """The text without NUL, control characters and lone surrogates, with plain line ends."""
    with_plain_line_ends = LINE_END.sub("\n", text)
    without_bad_chars = clean_bad_chars(with_plain_line_ends)
    return UNWANTED.sub("", without_bad_chars)


def clean_line(text: str, longest: int = LINE_LENGTH_SHOWN) -> str:
    """A title, heading or name as one line: spaces folded, no sign that turns the direction."""
    without_turns = TURNS_DIRECTION.sub("", clean_text(text))
    line = " ".join(without_turns.split())
    if len(line) <= longest:
        return line
    return line[: longest - 1].rstrip() + "…"


def _decoded(raw: bytes) -> str:
    for mark, encoding in BYTE_ORDER_MARKS:
        if raw.startswith(mark):
            return _decode_strictly(raw, encoding)
    utf16 = _utf16_without_mark(raw)
    if utf16 is not None:
        return _decode_strictly(raw, utf16)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return _decode_other(raw, error)
    if text.isascii() and SHIFTED_TEXT.search(raw):
        raise unreadable("unknown_encoding")
    return text


def _decode_strictly(raw: bytes, encoding: str) -> str:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        name = encoding.removesuffix("-sig").upper()
        raise unreadable("damaged_encoding", encoding=name) from None


def _utf16_without_mark(raw: bytes) -> str | None:
    """UTF-16 shows by the zero bytes of its spaces, digits and line ends."""
    sample = raw[:SAMPLE_BYTES]
    if len(raw) % 2 or sample.count(0) * 50 < len(sample):
        return None
    for encoding in ("utf-16-le", "utf-16-be"):
        text = sample.decode(encoding, errors="replace")
        if common_share(text) >= FEWEST_COMMON_CHARACTERS:
            return encoding
    return None


def _decode_other(raw: bytes, fault: UnicodeDecodeError) -> str:
    """UTF-8 that was cut within its last character, or an encoding of old."""
    was_cut = fault.reason == "unexpected end of data" and fault.start > len(raw) - 4
    if was_cut and len(raw) > SAMPLE_BYTES // 100:
        whole = raw[: fault.start].decode("utf-8")
        if not whole.isascii():
            return whole
    encoding = recognised_encoding(raw)
    if encoding is None:
        raise unreadable("unknown_encoding")
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        raise unreadable("unknown_encoding") from None
