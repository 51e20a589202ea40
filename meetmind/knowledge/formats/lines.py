"""Lines of a document's text: headings, list items and wrapped lines put together again."""

import re

from meetmind.knowledge.words import HAN

CHINESE_MARK = re.compile("[\u3000-\u303f\uff00-\uffef]")
CHINESE_END = re.compile(f"[{HAN}”’」』）》]$")
CHINESE_START = re.compile(f"[{HAN}“‘「『（《]")
CUT_AT_HYPHEN = re.compile(r"[a-z]-$")
LIST_ITEM = re.compile(r"^\s*(?:[•▪◦●]\s*|[-*+·–]\s+|\(?\d{1,3}[.)]\s+|[a-z]\)\s+)(?=\S)")
BULLET = re.compile(r"^\s*(?:[•▪◦●]\s*|[*+·–]\s+)")
NUMBERING = re.compile(
    r"^(?:\d{1,2}(?:\.\d{1,2}){0,3}[.)、]?\s+|\d{1,2}[.、](?=\D)|[一二三四五六七八九十百]{1,4}、\s*"
    r"|第[一二三四五六七八九十百\d]{1,4}[章节部分条篇]\s*|[（(][一二三四五六七八九十]{1,3}[)）]\s*"
    r"|(?:chapter|section|part|appendix)\s+[\divx]{1,4}[.:]?\s+)",
    re.IGNORECASE,
)
SENTENCE_MARK_AT_END = re.compile(r"[。．.;；,，:：!！?？、]$")
LONGEST_HEADING = 80


def join_wrapped(lines: list[str]) -> str:
    """One paragraph out of its wrapped lines, without a space where Chinese text was wrapped."""
    joined = ""
    for line in lines:
        text = line.strip()
        if joined and text:
            joined = joined + _gap_at_wrap(joined, text) + text
        else:
            joined = joined or text
    return joined


def _gap_at_wrap(left: str, right: str) -> str:
    """What stood between two lines before the text was wrapped."""
    if CHINESE_END.search(left) and CHINESE_START.match(right):
        return ""
    if CHINESE_MARK.match(left[-1]) or CHINESE_MARK.match(right[0]):
        return ""
    if left[-1].isdigit() and right[0] in "年月日":
        return ""
    if CUT_AT_HYPHEN.search(left) and right[0].islower():
        return ""
    return " "


def is_list_item(line: str) -> bool:
    """Whether a line begins with a bullet or a number of a list."""
    return LIST_ITEM.match(line) is not None


def with_plain_bullet(line: str) -> str:
    """The line with any bullet sign written as `- `."""
    return BULLET.sub("- ", line.strip())


def is_numbered_heading(line: str) -> bool:
    """Whether a line of its own reads like `3. Database connections` or `二、日志留存`."""
    text = line.strip()
    if len(text) > LONGEST_HEADING or SENTENCE_MARK_AT_END.search(text):
        return False
    match = NUMBERING.match(text)
    if match is None:
        return False
    rest = text[match.end() :]
    return bool(rest) and not rest[0].islower()


def without_numbering(heading: str) -> str:
    """`3. Database connections` without its number."""
    rest = NUMBERING.sub("", heading.strip(), count=1)
    return rest or heading.strip()


def markdown_table(rows: list[list[str]]) -> str:
    """The rows as a Markdown table, the first one as its header; short rows are filled up."""
    width = max(len(row) for row in rows)
    lines = []
    for row in rows:
        filled = row + [""] * (width - len(row))
        cells = [cell.replace("|", "/").replace("\n", " ").strip() for cell in filled]
        lines.append("| " + " | ".join(cells) + " |")
    ruler = "| " + " | ".join(["---"] * width) + " |"
    return "\n".join([lines[0], ruler, *lines[1:]])
