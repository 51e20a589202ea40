"""The lines of a PDF put together: headings by size, paragraphs across pages, ruled tables."""

import re
from collections import Counter

from meetmind.knowledge.documents import Block, Section
from meetmind.knowledge.encodings import clean_text
from meetmind.knowledge.formats.lines import (
    LONGEST_HEADING,
    is_list_item,
    is_numbered_heading,
    join_wrapped,
    markdown_table,
    with_plain_bullet,
)
from meetmind.knowledge.formats.pdf_page import PageContent, TextLine
from meetmind.knowledge.formats.pdf_tables import lines_and_tables

HEADING_SIZE = 1.15
"""A line this much larger than the body is a heading."""
PARAGRAPH_GAP = 1.25
"""A gap this much larger than the usual one begins a paragraph."""
LONGEST_HEADING_LINES = 3
FEWEST_PAGES_WITH_RUNNING_LINES = 3
SENTENCE_END = re.compile("[.!?。！？…:：][\"'”’」』）)]*$")

Rows = list[list[str]]


class PdfLayout:
    """Turns the pages of a PDF into a title and sections."""

    def __init__(self, pages: list[PageContent]) -> None:
        self.title = ""
        self.sections: list[Section] = []
        self._pages = pages
        self._running_lines = _running_lines(pages)
        self._body_size = _body_size(pages)
        self._usual_gap = _usual_gap(pages)
        self._heading: list[TextLine] = []
        self._heading_text = ""
        self._paragraph: list[TextLine] = []
        self._blocks: list[Block] = []
        self._table: Rows = []
        self._table_page = 0

    def read(self) -> None:
        """Read all pages in order."""
        known_words = _known_words(self._pages)
        for page in self._pages:
            for part in lines_and_tables(page, known_words):
                if isinstance(part, list):
                    self._take_table(part, page.number)
                elif _without_digits(part) not in self._running_lines:
                    self._take_line(part)
        self._close_heading()
        self._close_section()

    def _take_line(self, line: TextLine) -> None:
        self._close_table()
        if self._is_heading(line):
            if self._heading and not self._continues_heading(line):
                self._close_heading()
            self._close_paragraph()
            self._heading.append(line)
            return
        self._close_heading()
        if self._paragraph and not self._continues(self._paragraph[-1], line):
            self._close_paragraph()
        self._paragraph.append(line)

    def _take_table(self, rows: Rows, page: int) -> None:
        """A table on the next page with as many columns goes on; its repeated header is dropped."""
        self._close_heading()
        self._close_paragraph()
        if not rows:
            return
        if self._table and len(self._table[0]) == len(rows[0]):
            has_same_header = rows[0] == self._table[0]
            self._table.extend(rows[1:] if has_same_header else rows)
            return
        self._close_table()
        self._table = rows
        self._table_page = page

    def _is_heading(self, line: TextLine) -> bool:
        text = line.text.strip()
        if line.size >= HEADING_SIZE * self._body_size:
            return len(text) <= 2 * LONGEST_HEADING
        stands_apart = not self._paragraph or not self._continues(self._paragraph[-1], line)
        return stands_apart and is_numbered_heading(text) and not is_list_item(text)

    def _continues_heading(self, line: TextLine) -> bool:
        before = self._heading[-1]
        is_near = line.page == before.page and 0 < before.y - line.y < 2.2 * line.size
        is_same_kind = abs(line.size - before.size) < 0.5 and not is_numbered_heading(line.text)
        return is_near and is_same_kind and len(self._heading) < LONGEST_HEADING_LINES

    def _continues(self, before: TextLine, line: TextLine) -> bool:
        if is_list_item(line.text) and not is_numbered_heading(before.text):
            return False
        if line.page != before.page:
            return not SENTENCE_END.search(before.text.strip())
        return abs(before.y - line.y) <= PARAGRAPH_GAP * self._usual_gap

    def _close_heading(self) -> None:
        if not self._heading:
            return
        lines, self._heading = self._heading, []
        text = _joined_text(lines)
        if not self.title and not self.sections and not self._blocks and not self._heading_text:
            if lines[0].size >= HEADING_SIZE * self._body_size:
                self.title = text
                return
        self._close_section()
        self._heading_text = text

    def _close_paragraph(self) -> None:
        if not self._paragraph:
            return
        lines, self._paragraph = self._paragraph, []
        text = _joined_text(lines)
        plain = with_plain_bullet(text)
        self._blocks.append(Block(kind="text", text=plain, page=lines[0].page))

    def _close_table(self) -> None:
        if not self._table:
            return
        rows, self._table = self._table, []
        table = markdown_table(rows)
        text = clean_text(table)
        self._blocks.append(Block(kind="table", text=text, page=self._table_page))

    def _close_section(self) -> None:
        self._close_paragraph()
        self._close_table()
        if self._blocks:
            section = Section(heading=self._heading_text, blocks=tuple(self._blocks))
            self.sections.append(section)
        self._blocks = []
        self._heading_text = ""


def _joined_text(lines: list[TextLine]) -> str:
    joined = join_wrapped([line.text for line in lines])
    return clean_text(joined)


def _body_size(pages: list[PageContent]) -> float:
    """The size in which most characters are set."""
    characters_by_size: Counter[float] = Counter()
    for page in pages:
        for line in page.lines:
            characters_by_size[line.size] += len(line.text)
    return characters_by_size.most_common(1)[0][0]


def _usual_gap(pages: list[PageContent]) -> float:
    """The most frequent distance between two baselines."""
    count_by_gap: Counter[float] = Counter()
    for page in pages:
        for above, below in zip(page.lines, page.lines[1:], strict=False):
            gap = round(above.y - below.y, 1)
            if gap > 1:
                count_by_gap[gap] += 1
    if not count_by_gap:
        return 0.0
    return count_by_gap.most_common(1)[0][0]


def _running_lines(pages: list[PageContent]) -> set[str]:
    """Headers and footers: first or last lines that stand on most pages, whatever their number."""
    if len(pages) < FEWEST_PAGES_WITH_RUNNING_LINES:
        return set()
    pages_by_text: Counter[str] = Counter()
    for page in pages:
        edge_lines = page.lines[:1] + page.lines[-1:]
        pages_by_text.update({_without_digits(line) for line in edge_lines})
    most_pages = len(pages) * 0.6
    running = {text for text, page_count in pages_by_text.items() if page_count > most_pages}
    for page in pages:
        if any(_without_digits(line) not in running for line in page.lines):
            return running
    # Pages that hold nothing else are the text, however much they resemble each other.
    return set()


def _without_digits(line: TextLine) -> str:
    return re.sub(r"\d+", "#", line.text.strip())


def _known_words(pages: list[PageContent]) -> set[str]:
    """The words of the document, for cells that were cut within a word."""
    words: set[str] = set()
    for page in pages:
        for line in page.lines:
            for word in line.text.split():
                words.add(word.strip(".,;:!?()[]\"'“”").lower())
    return words
