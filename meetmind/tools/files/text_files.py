"""Text files as bytes and as text: the encoding, the byte order mark and the line ends are kept."""

import codecs
import re
from dataclasses import dataclass

from meetmind.errors import ToolError
from meetmind.knowledge.old_encodings import recognised_encoding
from meetmind.tools.files.line_ends import dominant_end

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
CONTROL_CHARACTER = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f]")
MOST_CONTROL_CHARACTERS = 0.02
OLD_CHINESE = "gb18030"


@dataclass(frozen=True, kw_only=True)
class TextFile:
    """A decoded file; `text` has its own line ends and no byte order mark."""

    text: str
    encoding: str
    mark: bytes = b""

    @property
    def line_end(self) -> str:
        """The line end that new lines get."""
        return dominant_end(self.text)

    @property
    def has_lines(self) -> bool:
        """Whether any line of it has an end."""
        return "\n" in self.text or "\r" in self.text

    @property
    def encoding_name(self) -> str:
        """The encoding as people write it."""
        name = self.encoding.upper()
        return f"{name} with BOM" if self.mark else name


NEW_FILE = TextFile(text="", encoding="utf-8")


def decode_file(path: str, content: bytes) -> TextFile:
    """The text in the bytes of a file; raises `ToolError` where they are no text."""
    for mark, encoding in BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return _decoded(path, content, encoding, mark)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return _decoded(path, content, recognised_encoding(content) or OLD_CHINESE, b"")
    return _checked(path, TextFile(text=text, encoding="utf-8"))


def encode_file(path: str, text: str, like: TextFile) -> bytes:
    """The bytes of a new text in the encoding of the old one, with its byte order mark.

    Raises `ToolError` when that encoding has no place for a character.
    """
    try:
        return like.mark + text.encode(like.encoding)
    except UnicodeEncodeError as error:
        character = text[error.start]
        raise ToolError(
            f"{path!r} is kept in {like.encoding_name}, which has no {character!r}. "
            "Write the text without it, or write a new file, which is kept in UTF-8.",
            reason="not_in_encoding",
        ) from None


def decode_for_change(path: str, content: bytes) -> TextFile:
    """Like `decode_file`, for a file that is written back.

    Raises `ToolError` also when its bytes would not come back as they are.
    """
    decoded = decode_file(path, content)
    if encode_file(path, decoded.text, decoded) != content:
        raise ToolError(
            f"{path!r} cannot be changed without damage to its encoding. Write a new file.",
            reason="not_text",
        )
    return decoded


def _decoded(path: str, content: bytes, encoding: str, mark: bytes) -> TextFile:
    try:
        text = content[len(mark) :].decode(encoding)
    except UnicodeDecodeError:
        raise _not_text(path) from None
    return _checked(path, TextFile(text=text, encoding=encoding, mark=mark))


def _checked(path: str, decoded: TextFile) -> TextFile:
    control_characters = CONTROL_CHARACTER.findall(decoded.text)
    if len(control_characters) > MOST_CONTROL_CHARACTERS * len(decoded.text):
        raise _not_text(path)
    return decoded


def _not_text(path: str) -> ToolError:
    return ToolError(
        f"{path!r} is not a text in an encoding that is known. Go on without it.",
        reason="not_text",
    )
