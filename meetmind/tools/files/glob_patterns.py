"""Glob patterns matched segment by segment: no pattern takes more than a bounded time."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from meetmind.errors import PathRefused, ToolError

MOST_SEGMENTS = 24
MOST_ALTERNATIVES = 32
ANY_DEPTH = "**"
BRACES = re.compile(r"\{([^{}]*)\}")
SIGN = re.compile(r"\[[!^]?[^\]*!^][^\]*]*\]|.", re.S)
"""A set in brackets, or one character."""


@dataclass(frozen=True, kw_only=True)
class GlobPattern:
    """A pattern with `*`, `?`, `[a-z]`, `{md,txt}` and, as a segment of its own, `**`."""

    alternatives: tuple[tuple[str, ...], ...]

    def matches(self, parts: tuple[str, ...]) -> bool:
        """Whether the parts of a relative path fit one of the alternatives."""
        return any(_matches(segments, parts) for segments in self.alternatives)


def read_glob(pattern: str) -> GlobPattern:
    """The pattern of a role; raises `ToolError` for one that is not understood."""
    composed = unicodedata.normalize("NFC", pattern)
    alternatives = [_segments(plain) for plain in _without_braces(composed)]
    for segments in alternatives:
        for segment in segments:
            segment_matches(segment, "")
            for piece in segment.split("*"):
                _piece(piece)
    return GlobPattern(alternatives=tuple(alternatives))


def _without_braces(pattern: str) -> list[str]:
    """`a.{md,txt}` becomes `a.md` and `a.txt`; inner braces come first."""
    pending = [pattern]
    plain: list[str] = []
    while pending:
        current = pending.pop()
        braces = BRACES.search(current)
        if braces is None:
            plain.append(current)
            continue
        before, after = current[: braces.start()], current[braces.end() :]
        for choice in braces.group(1).split(","):
            pending.append(before + choice + after)
        if len(pending) + len(plain) > MOST_ALTERNATIVES:
            raise ToolError(
                f"The braces stand for more than {MOST_ALTERNATIVES} patterns. Use fewer.",
                reason="bad_pattern",
            )
    return plain


def _segments(pattern: str) -> tuple[str, ...]:
    segments: list[str] = []
    for segment in pattern.split("/"):
        if segment in ("", ".") or (segment == ANY_DEPTH and segments[-1:] == [ANY_DEPTH]):
            continue
        segments.append(segment)
    if pattern.startswith(("/", "~")) or "\\" in pattern or ".." in segments:
        raise PathRefused(
            "The pattern must be relative to the workspace, such as **/*.md.", reason="outside"
        )
    if not segments or len(segments) > MOST_SEGMENTS:
        raise ToolError(
            f"The pattern must have 1 to {MOST_SEGMENTS} segments, such as **/*.md.",
            reason="bad_pattern",
        )
    return tuple(segments)


def _matches(segments: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """Dynamic programming over the segments: which beginnings of the path fit so far."""
    fitting = {0}
    for segment in segments:
        if segment == ANY_DEPTH:
            fitting = set(range(min(fitting), len(parts) + 1))
        else:
            fitting = _one_part_on(segment, parts, fitting)
        if not fitting:
            return False
    return len(parts) in fitting


def _one_part_on(segment: str, parts: tuple[str, ...], fitting: set[int]) -> set[int]:
    further: set[int] = set()
    for count in fitting:
        if count < len(parts) and segment_matches(segment, parts[count]):
            further.add(count + 1)
    return further


@lru_cache(maxsize=4096)
def segment_matches(segment: str, name: str) -> bool:
    """Whether a name fits a segment; for each piece between stars its leftmost fit will do."""
    if "*" not in segment:
        return _piece(segment).fullmatch(name) is not None
    first, *between, last = segment.split("*")
    beginning = _piece(first).match(name)
    if beginning is None:
        return False
    position = beginning.end()
    for piece in between:
        found = _piece(piece).search(name, position)
        if found is None:
            return False
        position = found.end()
    return _piece(last, end=r"\Z").search(name, position) is not None


@lru_cache(maxsize=512)
def _piece(piece: str, end: str = "") -> re.Pattern[str]:
    """A piece without stars as a regular expression of fixed length, which cannot backtrack."""
    signs = [_sign(sign) for sign in SIGN.findall(piece)]
    try:
        return re.compile("".join(signs) + end, re.S)
    except re.error:
        raise ToolError(
            f"The brackets in {piece!r} are not understood. Write them as in [a-z].",
            reason="bad_pattern",
        ) from None


def _sign(sign: str) -> str:
    if sign == "?":
        return "."
    if len(sign) == 1:
        return re.escape(sign)
    inside = sign[1:-1]
    negation = ""
    if inside[0] in "!^":
        negation, inside = "^", inside[1:]
    members = [member if member == "-" else re.escape(member) for member in inside]
    return "[" + negation + "".join(members) + "]"
