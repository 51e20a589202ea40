"""Lines of a document's text: headings, list items and wrapped lines put together again."""

import re

from meetmind.knowledge.words import HAN

HAN_OR_MARK = f"[{HAN}\u3000-\u303f\uff00-\uffef]"
BETWEEN_HAN = re.compile(f"(?<={HAN_OR_MARK}) (?={HAN_OR_MARK})")
LIST_ITEM = re.compile(r"^\s*(?:[-*+•·▪◦–]\s+|\(?\d{1,3}[.)]\s+|[a-z]\)\s+)(?=\S)")
BULLET = re.compile(r"^\s*[•·▪◦–*+]\s+")
NUMBERING = re.compile(
    r"^(?:\d{1,2}(?:\.\d{1,2}){0,3}[.)、]?\s+|\d{1,2}[.、](?=\D)|[一二三四五六七八九十百]{1,4}、\s*"
    r"|第[一二三四五六七八九十百\d]{1,4}[章节部分条篇]\s*|[（(][一二三四五六七八九十]{1,3}[)）]\s*"
    r"|(?:chapter|section|part|appendix)\s+[\divx]{1,4}[.:]?\s+)",
    re.IGNORECASE,
)
SENTENCE_MARK_AT_END = re.compile(r"[。．.;；,，:：!！?？、]$")
LONGEST_HEADING = 80


def join_wrapped(lines: list[str]) -> str:
    """One paragraph out of its wrapped lines, without a space between two Han characters."""
    stripped = [line.strip() for line in lines]
    joined = " ".join(line for line in stripped if line)
    return BETWEEN_HAN.sub("", joined)


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
