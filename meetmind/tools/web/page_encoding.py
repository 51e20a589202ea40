"""The bytes of a web page to clean text: by its header, by what it says of itself, by its signs."""

import codecs

from meetmind.errors import DocumentUnreadable, ToolError
from meetmind.knowledge.encodings import BYTE_ORDER_MARKS, clean_text, decode_text
from meetmind.knowledge.formats.html import CHARSET_BYTES, DECLARED_CHARSET, WIDER_ENCODING

MOST_REPLACEMENTS = 0.01
REPLACEMENT = "\ufffd"
TEXT_ENCODINGS = (
    "utf-8", "utf-16", "utf-32", "ascii", "latin", "iso8859", "cp", "gb", "big5", "hkscs",
    "shift_jis", "euc_", "iso2022_jp", "koi8", "mac-", "tis-620",
)  # fmt: skip
"""How the codec of a real page is named; Python's other codecs are no charsets."""


def decoded_page(raw: bytes, header_charset: str) -> str:
    """The text of a page, cleaned; `header_charset` may be empty or wrong.

    A mark at the beginning and valid UTF-8 are believed first: what a header or a page says of
    itself is often left over from something else. Raises `ToolError` for what is no text.
    """
    if not _begins_with_mark(raw) and not _is_utf8(raw):
        for charset in (header_charset, _declared_charset(raw)):
            text = _decoded_as(raw, charset)
            if text is not None:
                return clean_text(text)
    try:
        return decode_text(raw)
    except DocumentUnreadable as error:
        raise ToolError(
            f"The page is no readable text ({error}). Use another page.", reason="unreadable_page"
        ) from None


def _begins_with_mark(raw: bytes) -> bool:
    return any(raw.startswith(mark) for mark, _ in BYTE_ORDER_MARKS)


def _is_utf8(raw: bytes) -> bool:
    """Also when the page was cut within its last character."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        decoder.decode(raw)
    except UnicodeDecodeError:
        return False
    return not (raw.isascii() and b"\x1b" in raw)


def _declared_charset(raw: bytes) -> str:
    match = DECLARED_CHARSET.search(raw[:CHARSET_BYTES])
    if match is None:
        return ""
    declared: bytes = match[1] or match[2]
    return declared.decode("ascii", "ignore")


def _decoded_as(raw: bytes, charset: str) -> str | None:
    """The text in this charset; None when the name is none or the bytes do not fit it."""
    try:
        name = codecs.lookup(charset).name if charset.isascii() else ""
    except (LookupError, ValueError):
        return None
    if not name.startswith(TEXT_ENCODINGS):
        return None
    text = raw.decode(WIDER_ENCODING.get(name, name), "replace")
    if text.count(REPLACEMENT) > MOST_REPLACEMENTS * len(text) + 1:
        return None
    return text.removesuffix(REPLACEMENT)
