"""Markdown files: ATX and underlined headings, tables, fenced code, lists and paragraphs."""

import re

from meetmind.knowledge.documents import Block, Section
from meetmind.knowledge.encodings import clean_line, decode_text
from meetmind.knowledge.formats.lines import LONGEST_TITLE, is_list_item, join_wrapped

HEADING = re.compile(r"^ {0,3}(?P<marks>#{1,6})\s+(?P<text>.*)$")
CLOSING_MARKS = re.compile(r"(?:^|(?<=\s))#+$")
FENCE = re.compile(r"^ {0,3}(?P<fence>`{3,}|~{3,})")
UNDERLINE = re.compile(r"^ {0,3}(=+|-{3,})\s*$")
FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
INLINE_MARKS = re.compile(r"\*\*|__|`")


def read_markdown(raw: bytes) -> tuple[str, list[Section]]:
    """The title (the first heading of level 1, if any) and the sections."""
    return markdown_sections(decode_text(raw))


def markdown_sections(markdown: str) -> tuple[str, list[Section]]:
    """The title and the sections of a text in Markdown."""
    text = FRONT_MATTER.sub("", markdown, count=1)
    reader = _MarkdownReader()
    for line in text.split("\n"):
        reader.take(line.rstrip())
    reader.close_section()
    return reader.title, reader.sections


class _MarkdownReader:
    """Collects lines into blocks and blocks into sections."""

    def __init__(self) -> None:
        self.title = ""
        self.sections: list[Section] = []
        self._path: list[tuple[int, str]] = []
        self._blocks: list[Block] = []
        self._lines: list[str] = []
        self._fence = ""

    def take(self, line: str) -> None:
        """Take the next line."""
        if self._fence or FENCE.match(line):
            self._take_code(line)
            return
        heading = HEADING.match(line)
        if heading:
            self._begin_section(len(heading["marks"]), heading["text"])
        elif UNDERLINE.match(line) and len(self._lines) == 1 and not is_list_item(self._lines[0]):
            text = self._lines.pop()
            self._begin_section(1 if "=" in line else 2, text)
        elif not line.strip():
            self._close_block()
        else:
            self._take_text(line)

    def close_section(self) -> None:
        """End the section; one without any text only names what follows."""
        self._close_block()
        if self._blocks:
            heading = " > ".join(text for _, text in self._path)
            self.sections.append(Section(heading=heading, blocks=tuple(self._blocks)))
        self._blocks = []

    def _begin_section(self, level: int, text: str) -> None:
        self.close_section()
        without_closing = CLOSING_MARKS.sub("", text.strip())
        unmarked = INLINE_MARKS.sub("", without_closing)
        plain = clean_line(unmarked, LONGEST_TITLE)
        if level == 1 and not self.title and not self.sections:
            self.title = plain
            return
        while self._path and self._path[-1][0] >= level:
            self._path.pop()
        self._path.append((level, plain))

    def _take_text(self, line: str) -> None:
        in_table = bool(self._lines) and self._lines[0].lstrip().startswith("|")
        if self._lines and in_table != line.lstrip().startswith("|"):
            self._close_block()
        self._lines.append(line)

    def _take_code(self, line: str) -> None:
        if not self._fence:
            self._close_block()
            match = FENCE.match(line)
            self._fence = match["fence"] if match else ""
            self._lines.append(line)
            return
        self._lines.append(line)
        if line.strip().startswith(self._fence):
            self._blocks.append(Block(kind="code", text="\n".join(self._lines)))
            self._lines = []
            self._fence = ""

    def _close_block(self) -> None:
        if not self._lines:
            return
        lines, self._lines = self._lines, []
        if self._fence:
            self._fence = ""
            self._blocks.append(Block(kind="code", text="\n".join([*lines, "```"])))
        elif lines[0].lstrip().startswith("|") and len(lines) > 2:
            table = "\n".join(line.strip() for line in lines)
            self._blocks.append(Block(kind="table", text=table))
        else:
            text = _paragraph(lines)
            self._blocks.append(Block(kind="text", text=text))


def _paragraph(lines: list[str]) -> str:
    """Wrapped lines joined, list items each on a line of their own."""
    items: list[list[str]] = []
    for line in lines:
        if is_list_item(line) or not items:
            items.append([line])
        else:
            items[-1].append(line)
    return "\n".join(join_wrapped(item) for item in items)
