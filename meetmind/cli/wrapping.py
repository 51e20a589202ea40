"""Lines for a terminal: Chinese takes two cells a character and breaks anywhere."""

import re
import unicodedata

from rich.cells import cell_len

from meetmind.hidden_characters import visible_text

WIDE = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60\U00020000-\U0003ffff"
# Spaces, one wide character, or a run of narrow ones.
PIECES = re.compile(rf"[ ]+|[{WIDE}]|[^ {WIDE}]+")
# These never begin a line; they stay with what they close.
CLOSING = frozenset("，。、；：？！）】》」』”’…,.;:?!)]}%")
# And these never end one.
OPENING = frozenset("（【《「『“‘([{")


BLANK_AT_END = re.compile(r" (?=\r?$)", re.M)
CONTINUED = "↪ "
"""Before the rest of a line that is too long for the terminal; no text can stand so far left."""


def printable(text: str) -> str:
    """`text` without what could steer a terminal: escapes and other control characters."""
    kept = []
    for character in text.replace("\r\n", "\n").replace("\t", "    "):
        if character == "\n" or unicodedata.category(character) not in {"Cc", "Cs"}:
            kept.append(character)
    return "".join(kept)


def wrapped(text: str, width: int, indent: str = "") -> str:
    """`text` broken into lines of at most `width` cells, each beginning with `indent`."""
    room = max(width - cell_len(indent), 2)
    lines = []
    for paragraph in printable(text).split("\n"):
        for line in _lines(paragraph, room):
            lines.append((indent + line).rstrip())
    return "\n".join(lines)


def exact(text: str, width: int, indent: str = "") -> str:
    """`text` whole, in lines of at most `width` cells: nothing vanishes and nothing is stripped.

    What cannot be seen is written out, tabs and the blank at the end of a line as well. A line that
    is too long goes on behind `CONTINUED`, so that it cannot pass for two.
    """
    shown = BLANK_AT_END.sub("⟨U+0020⟩", visible_text(text))
    shown = shown.replace("\r\n", "\n").replace("\t", "⟨U+0009⟩")
    before = indent or " " * cell_len(CONTINUED)
    continued = CONTINUED.rjust(len(before))
    room = max(width - cell_len(before), 2)
    lines: list[str] = []
    for line in shown.split("\n"):
        first, *others = _cut(line, room)
        lines.append(before + first)
        lines.extend(continued + part for part in others)
    return "\n".join(lines)


def _lines(paragraph: str, room: int) -> list[str]:
    lines = []
    line = ""
    for piece in _pieces(paragraph, room):
        if cell_len((line + piece).rstrip()) <= room:
            line += piece
            continue
        lines.append(line)
        line = piece.lstrip()
    lines.append(line)
    return lines


def _pieces(paragraph: str, room: int) -> list[str]:
    """What may not be torn apart, as long as it fits on a line of its own."""
    pieces: list[str] = []
    for found in PIECES.findall(paragraph):
        for part in _cut(found, room):
            if pieces and _belongs_to(pieces[-1], part, room):
                pieces[-1] += part
            else:
                pieces.append(part)
    return pieces


def _belongs_to(before: str, part: str, room: int) -> bool:
    if before.isspace() or part.isspace() or cell_len(before + part) > room:
        return False
    return part[0] in CLOSING or before[-1] in OPENING


def _cut(piece: str, room: int) -> list[str]:
    """A word or an address that is longer than a line, in parts that fit."""
    parts = []
    part = ""
    for character in piece:
        if part and cell_len(part + character) > room:
            parts.append(part)
            part = ""
        part += character
    parts.append(part)
    return parts
