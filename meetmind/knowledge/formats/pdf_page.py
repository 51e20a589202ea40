"""What stands where on a page of a PDF: pieces of text with place and size, and ruling lines."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

SAME_LINE = 0.35
"""Two pieces are on one line when their baselines differ by less than this share of the size."""
MOST_LOST_CHARACTERS = 0.02
"""Where the placed lines lack more of pypdf's plain text than this, the plain text is taken."""


@dataclass(frozen=True, kw_only=True)
class TextLine:
    """A line of text; x and y of its beginning, in points, y upwards."""

    page: int
    x: float
    y: float
    size: float
    text: str


@dataclass(frozen=True, kw_only=True)
class Ruling:
    """A straight ruling line, level or upright."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def is_upright(self) -> bool:
        """Whether the line goes up rather than along."""
        return abs(self.x1 - self.x0) < abs(self.y1 - self.y0)


@dataclass(kw_only=True)
class PageContent:
    """The lines and rulings of a page, in the order in which the page draws them."""

    number: int
    lines: list[TextLine] = field(default_factory=list)
    rulings: list[Ruling] = field(default_factory=list)


def read_page(page: Any, number: int) -> PageContent:
    """Lines and rulings of one page of a `pypdf.PdfReader`."""
    content = PageContent(number=number)
    pen = _Pen(content)
    plain_text: str = page.extract_text(visitor_text=pen.write, visitor_operand_before=pen.draw)
    placed_count = sum(_letter_count(line.text) for line in content.lines)
    plain_count = _letter_count(plain_text)
    if abs(plain_count - placed_count) > MOST_LOST_CHARACTERS * plain_count:
        return _without_places(plain_text, number)
    return content


def _without_places(plain_text: str, number: int) -> PageContent:
    """The page as plain lines below each other, all of one size."""
    content = PageContent(number=number)
    for position, text in enumerate(plain_text.split("\n")):
        if text.strip():
            line = TextLine(page=number, x=0.0, y=-12.0 * position, size=10.0, text=text)
            content.lines.append(line)
    return content


def _letter_count(text: str) -> int:
    return len("".join(text.split()))


class _Pen:
    """Follows what the page draws; the two methods are pypdf's visitors."""

    def __init__(self, content: PageContent) -> None:
        self._content = content
        self._at = (0.0, 0.0)

    def write(
        self,
        text: str,
        page_matrix: Sequence[float],
        text_matrix: Sequence[float],
        font: Any,
        font_size: float,
    ) -> None:
        """A piece of text was drawn."""
        if not text.strip():
            return
        x, y = _placed(page_matrix, text_matrix[4], text_matrix[5])
        scale = abs(text_matrix[3] * page_matrix[3]) or 1.0
        line = TextLine(
            page=self._content.number,
            x=x,
            y=y,
            size=round(abs(font_size) * scale, 1),
            text=text,
        )
        self._add(line)

    def draw(
        self,
        operator: bytes,
        operands: Sequence[Any],
        page_matrix: Sequence[float],
        text_matrix: Sequence[float],
    ) -> None:
        """An operator of the page was met; those of straight lines and boxes count."""
        if operator == b"m":
            self._at = _placed(page_matrix, float(operands[0]), float(operands[1]))
        elif operator == b"l":
            end = _placed(page_matrix, float(operands[0]), float(operands[1]))
            self._rule(self._at, end)
            self._at = end
        elif operator == b"re":
            self._box(page_matrix, [float(operand) for operand in operands])

    def _add(self, line: TextLine) -> None:
        lines = self._content.lines
        before = lines[-1] if lines else None
        if before is None or not _continues(before, line):
            lines.append(line)
            return
        lines[-1] = TextLine(
            page=before.page, x=before.x, y=before.y, size=before.size, text=before.text + line.text
        )

    def _rule(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        is_level = abs(start[1] - end[1]) < 1
        is_upright = abs(start[0] - end[0]) < 1
        if is_level != is_upright:
            ruling = Ruling(x0=start[0], y0=start[1], x1=end[0], y1=end[1])
            self._content.rulings.append(ruling)

    def _box(self, page_matrix: Sequence[float], operands: list[float]) -> None:
        """A very thin box is how many programs draw a line; other boxes are backgrounds."""
        x, y, width, height = operands
        if min(abs(width), abs(height)) < 2:
            start = _placed(page_matrix, x, y)
            end = _placed(page_matrix, x + width, y + height)
            if abs(width) < abs(height):
                self._rule(start, (start[0], end[1]))
            else:
                self._rule(start, (end[0], start[1]))


def _continues(before: TextLine, line: TextLine) -> bool:
    """Whether pypdf cut one line in two where the font changed."""
    same_line = abs(before.y - line.y) < SAME_LINE * max(before.size, line.size)
    return same_line and line.x >= before.x and not before.text.endswith("\n")


def _placed(matrix: Sequence[float], x: float, y: float) -> tuple[float, float]:
    return (
        matrix[0] * x + matrix[2] * y + matrix[4],
        matrix[1] * x + matrix[3] * y + matrix[5],
    )
