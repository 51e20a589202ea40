"""Bytes of a text file to clean text: the encoding is recognised or the file is refused."""

import codecs
import re

from meetmind.errors import DocumentUnreadable

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
UNWANTED = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff\ufeff]"
)
LINE_END = re.compile("\r\n|\r|\x0c|\u2028|\u2029|\x85")
MOST_CONTROL_CHARACTERS = 0.02
FEWEST_COMMON_CHARACTERS = 0.9
SAMPLE_BYTES = 4_000


def decode_text(raw: bytes) -> str:
    """The text in UTF-8, UTF-16, UTF-32 or GB18030, cleaned.

    Raises `DocumentUnreadable` when the bytes are no text or in an encoding that is not recognised.
    """
    text = _decoded(raw)
    control_characters = len(re.findall("[\x01-\x08\x0e-\x1f]", text))
    if control_characters > MOST_CONTROL_CHARACTERS * len(text):
        raise DocumentUnreadable("This is not a text file: it is full of control characters.")
    return clean_text(text)


def clean_text(text: str) -> str:
    """The text without NUL, control characters and lone surrogates, with plain line ends."""
    with_plain_line_ends = LINE_END.sub("\n", text)
    return UNWANTED.sub("", with_plain_line_ends)


def _decoded(raw: bytes) -> str:
    for mark, encoding in BYTE_ORDER_MARKS:
        if raw.startswith(mark):
            return _decode_strictly(raw, encoding)
    utf16 = _utf16_without_mark(raw)
    if utf16 is not None:
        return _decode_strictly(raw, utf16)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return _decode_chinese(raw)


def _decode_strictly(raw: bytes, encoding: str) -> str:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        name = encoding.removesuffix("-sig").upper()
        raise DocumentUnreadable(
            f"The file says that it is {name} but it is damaged. Save it again as UTF-8."
        ) from None


def _utf16_without_mark(raw: bytes) -> str | None:
    """UTF-16 shows by the zero bytes of its spaces, digits and line ends."""
    sample = raw[:SAMPLE_BYTES]
    if len(raw) % 2 or sample.count(0) * 50 < len(sample):
        return None
    for encoding in ("utf-16-le", "utf-16-be"):
        text = sample.decode(encoding, errors="replace")
        if _common_share(text) >= FEWEST_COMMON_CHARACTERS:
            return encoding
    return None


def _decode_chinese(raw: bytes) -> str:
    """GB18030, believed only when nearly all its characters are common ones.

    Nearly any bytes can be read as GB18030; in another encoding they give rare characters.
    """
    unknown = DocumentUnreadable(
        "The encoding is not recognised (UTF-8, UTF-16 and GB18030 are). Save it again as UTF-8."
    )
    try:
        text = raw.decode("gb18030")
    except UnicodeDecodeError:
        raise unknown from None
    foreign = "".join(character for character in text if ord(character) >= 0x80)
    if _common_share(foreign) < FEWEST_COMMON_CHARACTERS:
        raise unknown
    return text


def _common_share(text: str) -> float:
    """The share of characters that ordinary English and Chinese texts are made of."""
    if not text:
        return 1.0
    common_count = sum(1 for character in text if _is_common(character))
    return common_count / len(text)


def _is_common(character: str) -> bool:
    """Whether it is printable ASCII, or a symbol or first-level character of GB 2312."""
    if character.isascii():
        return character.isprintable() or character in "\n\r\t"
    try:
        lead = character.encode("gb2312")[0]
    except UnicodeEncodeError:
        return False
    return lead in (0xA1, 0xA3) or 0xB0 <= lead <= 0xD7
