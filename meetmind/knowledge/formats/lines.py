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
LONGEST_TITLE = 200


def join_wrapped(lines: list[str]) -> str:
    """One paragraph out of its wrapped lines, without a space where Chinese text was wrapped."""
    parts: list[str] = []
    for line in lines:
        text = line.strip()
        if parts and text:
            gap = _gap_at_wrap(parts[-1][-2:], text)
            parts.append(gap)
        if text:
            parts.append(text)
    return "".join(parts)


def _gap_at_wrap(left: str, right: str) -> str:
    """What stood between two lines before the text was wrapped; `left` is the end of a line."""
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


def with_first_paragraphs(rows: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """Lines above a table (rows with one filled cell before wider ones), and the table's rows."""
    is_wide = any(_filled_count(row) > 1 for row in rows)
    paragraphs: list[str] = []
    start = 0
    while is_wide and _filled_count(rows[start]) == 1:
        paragraphs.append("".join(rows[start]).strip())
        start += 1
    return paragraphs, rows[start:]


def _filled_count(row: list[str]) -> int:
    return sum(1 for cell in row if cell.strip())


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
