"""Makes text that a model, a document, a tool or a person wrote safe to draw as Markdown.

Paragraphs, emphasis, lists, quotes, tables and code survive. Everything that would fetch, link,
compute or style does not: images, links and HTML stay text, `$` is no formula, and Streamlit's
directives, icons and emoji codes (`:red[..]`, `:material/..:`, `:tada:`) are shown as typed.

The page turns some patterns into icons, emoji and links after it has resolved backslash escapes.
Those patterns are parted by an invisible word joiner, and addresses are shown as code.
"""

import re
import unicodedata
from collections.abc import Mapping

from meetmind.ui.plain_tables import with_plain_tables

WORD_JOINER = "\u2060"
HAIR_SPACE = "\u200a"
CITATION_PATTERN = re.compile(
    r"\[((?:architect|backend|frontend|tester|product_manager|file|page)_[0-9a-f]{12})\]"
)

_LINE_ENDS = re.compile(r"\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_UNSHOWABLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufeff\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
)
_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(.*?)\s*#*\s*$")
_RULE = re.compile(r"^\s*(?:=+|-+|(?:[-*_]\s*){3,})\s*$")
_LIST_ITEM = re.compile(r"^(\s*)(?:[-*+]|\d{1,9}[.)])\s")
_TABLE_ROW = re.compile(r"^\s*\|")
_LEAD = re.compile(r"^(?:\s*(?:>|(?:[-*+]|\d{1,9}[.)])(?=\s)))*\s*")
_INNER_HEADING = re.compile(r"^#{1,6}(?=\s|$)")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.{1,500}?)(?<!`)\1(?!`)")
_ADDRESS = re.compile(
    r"(?:(?:https?|ftp)://|www\.)[^\s<>`|\[\]()（），。；、]+|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,9}",
    re.IGNORECASE | re.ASCII,
)
_STRONG = re.compile(r"(?<!\*)\*\*(?=[^\s*])(.{1,300}?)(?<=[^\s*])\*\*(?!\*)")
_SPECIAL = re.compile(r"[\\`\[\]<&$~]")
_COLON = re.compile(r":(?=[\w+\-:/])", re.ASCII)
_EMOJI_LIKE = re.compile(r":(?=[\w+\-/]{1,80}:)|:(?=material[/_])|:(?=//)", re.ASCII)
_WWW = re.compile(r"www(?=\.)", re.IGNORECASE)
_AT = re.compile(r"@(?=\w)")
_LABEL_SPECIAL = re.compile(r"[\\`*_\[\]<>&$~|#!^]")
_LABEL_START = re.compile(r"^(?:[-+]|\d+(?=[.)]))")


def safe_markdown(
    text: str, *, citation_numbers: Mapping[str, int] | None = None, keep_lines: bool = False
) -> str:
    """The text as harmless Markdown.

    `citation_numbers` gives each `[passage id]` that may be shown its number; others are left out.
    `keep_lines` keeps every line break, as plain text documents and people's messages need.
    """
    writer = _BlockWriter(citation_numbers or {}, keep_lines)
    lines = clean_text(text).split("\n")
    for line in with_plain_tables(lines):
        writer.take(line)
    return writer.finished()


def safe_label(text: str) -> str:
    """The text on one line with no Markdown at all: for labels, titles and our own sentences."""
    one_line = " ".join(clean_text(text).split())
    escaped = _LABEL_SPECIAL.sub(r"\\\g<0>", one_line)
    escaped = _LABEL_START.sub(_escaped_start, escaped)
    return _without_patterns(escaped)


def shortened(text: str, width: int) -> str:
    """The text cut to `width` columns with an ellipsis; a Han letter takes two columns."""
    used = 0
    for position, letter in enumerate(text):
        used += 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        if used > width:
            return text[:position].rstrip() + "…"
    return text


def shortened_within(text: str, width: int) -> str:
    """As `shortened`, with the last third kept: texts that begin alike stay apart."""
    if shortened(text, width) == text:
        return text
    tail = shortened(text[::-1], width // 3).rstrip("…")[::-1]
    return shortened(text, width - width // 3) + tail.lstrip()


def clean_text(text: str) -> str:
    """The text with plain line ends and without characters that cannot or must not be shown."""
    with_plain_ends = _LINE_ENDS.sub("\n", text)
    return _UNSHOWABLE.sub("", with_plain_ends)


class _BlockWriter:
    """Writes line after line and knows whether it stands in a code block or a list."""

    def __init__(self, citation_numbers: Mapping[str, int], keep_lines: bool) -> None:
        self._numbers = citation_numbers
        self._keep_lines = keep_lines
        self._written: list[str] = []
        self._code: list[str] | None = None
        self._closing_fence = ""
        self._in_list = False

    def take(self, line: str) -> None:
        fence = _FENCE.match(line)
        if self._code is not None:
            if fence is not None and fence[1].startswith(self._closing_fence):
                self._end_code()
            else:
                self._code.append(line)
        elif fence is not None:
            self._code = []
            self._closing_fence = fence[1]
        else:
            self._write_line(line)

    def finished(self) -> str:
        if self._code is not None:
            self._end_code()
        return "\n".join(self._written).strip("\n")

    def _end_code(self) -> None:
        """Write the code block at the margin, with a fence that nothing inside can close."""
        code = "\n".join(self._code or [])
        runs = [len(run) for run in re.findall(r"`+", code)]
        fence = "`" * max([3, *(length + 1 for length in runs)])
        self._written += ["", f"{fence}text", code, fence, ""]
        self._code = None
        self._in_list = False

    def _write_line(self, line: str) -> None:
        heading = _HEADING.match(line)
        if _RULE.match(line):
            self._written.append("")
        elif heading is not None:
            title = self._inline(heading[1]).replace("**", "")
            self._written += ["", f"**{title}**" if title else "", ""]
        else:
            self._written.append(self._block_line(line))

    def _block_line(self, line: str) -> str:
        content = line.expandtabs(4)
        if not content.strip():
            return ""
        is_item = _LIST_ITEM.match(content) is not None
        if is_item:
            self._in_list = True
        elif not content.startswith(" "):
            self._in_list = False
        if not self._in_list:
            content = content.lstrip()
        ends_hard = self._keep_lines and not is_item and not _TABLE_ROW.match(content)
        return self._inline(content) + ("  " if ends_hard else "")

    def _inline(self, content: str) -> str:
        content = _STRONG.sub(_with_room, content)
        lead = _LEAD.match(content)
        start = "" if lead is None else lead[0]
        rest = content[len(start) :]
        if _RULE.match(rest):
            return start
        if _INNER_HEADING.match(rest):
            rest = WORD_JOINER + rest
        return start + self._with_code_spans(rest)

    def _with_code_spans(self, content: str) -> str:
        parts: list[str] = []
        position = 0
        for span in _CODE_SPAN.finditer(content):
            parts.append(self._with_citations(content[position : span.start()]))
            parts.append(_code_or_text(span[2].strip()))
            position = span.end()
        parts.append(self._with_citations(content[position:]))
        return "".join(parts)

    def _with_citations(self, content: str) -> str:
        parts: list[str] = []
        position = 0
        for citation in CITATION_PATTERN.finditer(content):
            parts.append(_with_addresses(content[position : citation.start()]))
            number = self._numbers.get(citation[1])
            if number is not None:
                parts.append(f":gray-badge[{number}]")
            position = citation.end()
        parts.append(_with_addresses(content[position:]))
        return "".join(parts)


def _with_room(match: re.Match[str]) -> str:
    """Bold text with a hair space where a sign inside meets a letter outside.

    Markdown sees no emphasis in `**so：**that`, which Chinese text is full of:
    https://spec.commonmark.org/0.31.2/#right-flanking-delimiter-run
    """
    before = match.string[: match.start()][-1:]
    after = match.string[match.end() :][:1]
    room_before = before.isalnum() and not match[1][0].isalnum()
    room_after = after.isalnum() and not match[1][-1].isalnum()
    return (HAIR_SPACE if room_before else "") + match[0] + (HAIR_SPACE if room_after else "")


def _with_addresses(content: str) -> str:
    parts: list[str] = []
    position = 0
    for address in _ADDRESS.finditer(content):
        shown = address[0].rstrip("*_.,;:!?")
        parts.append(_inert(content[position : address.start()]))
        parts.append(_code_or_text(shown))
        position = address.start() + len(shown)
    parts.append(_inert(content[position:]))
    return "".join(parts)


def _code_or_text(content: str) -> str:
    """A code span where its content allows one (a bar would split a table's cell), else text."""
    if not content or "`" in content or "|" in content:
        return _inert(content)
    inside = content.replace(":material", f":{WORD_JOINER}material")
    return f"`{inside}`"


def _inert(content: str) -> str:
    escaped = _SPECIAL.sub(r"\\\g<0>", content)
    return _without_patterns(escaped)


def _without_patterns(escaped: str) -> str:
    """Part what the page would make an icon, an emoji or a link of, and escape directives."""
    parted = _EMOJI_LIKE.sub(f":{WORD_JOINER}", escaped)
    parted = _WWW.sub(rf"\g<0>{WORD_JOINER}", parted)
    parted = _AT.sub(f"{WORD_JOINER}@", parted)
    return _COLON.sub(r"\:", parted)


def _escaped_start(match: re.Match[str]) -> str:
    if match[0] in "-+":
        return "\\" + match[0]
    return match[0] + "\\"
