"""A passage's words as harmless Markdown with the words of a question marked in colour."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from meetmind.ui.safe_text import WORD_JOINER, clean_text, safe_markdown

# Private characters stand for the marks until the text is safe: no document has a use for them.
BEGINS = "\ue0f0\ue0f1\ue0f2\ue0f3"
ENDS = "\ue0ff"
_OURS = re.compile(f"[{BEGINS}{ENDS}]")
_END_BEFORE_BRACKET = re.compile(rf"{ENDS}(?=[({{\[])")
_CODE_SPAN = re.compile(r"(?<!\\)(`+)(?!`).*?(?<!`)\1(?!`)")
_FENCE = re.compile(r"^(`{3,})(?:text)?$")
LONGEST_ENDING = 4
"""Letters that a Latin word of the vocabulary, which is a stem, may have behind it."""


@dataclass(frozen=True, kw_only=True)
class Marking:
    """Words and the colour of the theme that they are marked in."""

    colour: str
    words: Sequence[str]
    are_stems: bool = False
    """Whether Latin words may go on: `refund` marks `refunds` too."""


@dataclass(frozen=True, kw_only=True)
class _Span:
    start: int
    end: int
    number: int


def marked_markdown(text: str, markings: Sequence[Marking]) -> str:
    """The text as `safe_markdown` makes it, every word of the markings on a coloured ground.

    Where two markings want the same word the first has it; at most four are told apart.
    """
    plain = _OURS.sub("", clean_text(text))
    spans = _spans(plain, markings[: len(BEGINS)])
    parts: list[str] = []
    position = 0
    for span in spans:
        parts.append(plain[position : span.start])
        parts.append(BEGINS[span.number] + plain[span.start : span.end] + ENDS)
        position = span.end
    parts.append(plain[position:])
    safe = safe_markdown("".join(parts), keep_lines=True)
    colours = [marking.colour for marking in markings]
    return _with_colours(safe, colours)


def _spans(text: str, markings: Iterable[Marking]) -> list[_Span]:
    """The places of all words in their order, none within another."""
    taken: list[int] = [-1] * len(text)
    for number, marking in enumerate(markings):
        for word in marking.words:
            for match in _pattern(word, marking.are_stems).finditer(text):
                for place in range(match.start(), match.end()):
                    taken[place] = number if taken[place] < 0 else taken[place]
    spans: list[_Span] = []
    for place, number in enumerate(taken):
        if number < 0:
            continue
        if spans and spans[-1].end == place and spans[-1].number == number:
            spans[-1] = _Span(start=spans[-1].start, end=place + 1, number=number)
        else:
            spans.append(_Span(start=place, end=place + 1, number=number))
    return spans


def _pattern(word: str, is_stem: bool) -> re.Pattern[str]:
    escaped = re.escape(word)
    if not word.isascii():
        return re.compile(escaped, re.IGNORECASE)
    ending = f"[a-z]{{0,{LONGEST_ENDING}}}" if is_stem else ""
    return re.compile(f"(?<![a-z0-9]){escaped}{ending}(?![a-z0-9])", re.IGNORECASE | re.ASCII)


def _with_colours(safe: str, colours: Sequence[str]) -> str:
    """The marks as directives; code shows what is typed, so that there are none in it."""
    written: list[str] = []
    closing_fence = ""
    for line in safe.split("\n"):
        fence = _FENCE.match(line)
        if closing_fence:
            written.append(_OURS.sub("", line))
            if line == closing_fence:
                closing_fence = ""
        elif fence is not None:
            closing_fence = fence[1]
            written.append(line)
        else:
            written.append(_coloured_line(line, colours))
    return "\n".join(written)


def _coloured_line(line: str, colours: Sequence[str]) -> str:
    parts: list[str] = []
    position = 0
    for span in _CODE_SPAN.finditer(line):
        parts.append(_coloured(line[position : span.start()], colours))
        parts.append(_OURS.sub("", span[0]))
        position = span.end()
    parts.append(_coloured(line[position:], colours))
    return "".join(parts)


def _coloured(content: str, colours: Sequence[str]) -> str:
    for begin, colour in zip(BEGINS, colours, strict=False):
        # A colon right before a directive would make another kind of directive of it.
        content = content.replace(f":{begin}", f"\\:{begin}")
        content = content.replace(begin, f":{colour}-background[")
    # A bracket right behind it would be read as its attributes or as a link.
    content = _END_BEFORE_BRACKET.sub(f"]{WORD_JOINER}", content)
    return content.replace(ENDS, "]")
