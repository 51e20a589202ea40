"""Build the PDF and DOCX seed documents from their Markdown sources.

Every ``data/seed_sources/<agent>/<name>.pdf.md`` becomes ``data/seed/<agent>/<name>.pdf`` and
every ``<name>.docx.md`` becomes ``<name>.docx``. The sources use a small subset of Markdown: ``#``
and ``##`` headings, paragraphs, ``- `` lists and ``|`` tables. Building twice gives byte-identical
files.
"""

import argparse
import io
import os
import re
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from xml.sax.saxutils import escape

from docx import Document
from reportlab.lib import colors
from reportlab.lib.pagesizes import A5
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Table

ROOT = Path(__file__).resolve().parent.parent
DEFAULT_FONT = "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc"
FONT = "SeedFont"
MARGIN = 17 * mm
SIZES = {"title": 20.0, "heading": 15.0, "text": 11.0, "item": 11.0, "cell": 9.5}
FIXED_DATE = datetime(2026, 1, 1, tzinfo=UTC)
CHINESE = re.compile(r"[\u4e00-\u9fff]")


@dataclass
class Block:
    """One piece of a source: a title, heading, paragraph ("text"), list item or table."""

    kind: str
    text: str = ""
    rows: list[list[str]] = field(default_factory=list)


def plain(text: str) -> str:
    """Drop the inline marks of Markdown, which neither format shows."""
    return text.replace("**", "").replace("`", "").strip()


def table_rows(lines: list[str]) -> list[list[str]]:
    """Read the cells of a Markdown table without its dashed separator row."""
    rows = [[plain(cell) for cell in line.strip().strip("|").split("|")] for line in lines]
    return [row for row in rows if not all(re.fullmatch(r":?-+:?", cell) for cell in row)]


def join_lines(lines: list[str]) -> str:
    """Join the lines of a paragraph, without a space between two Chinese characters."""
    text = " ".join(line.strip() for line in lines)
    return plain(
        re.sub(r"(?<=[\u3000-\u9fff\uff00-\uffef]) (?=[\u3000-\u9fff\uff00-\uffef])", "", text)
    )


def parse(source: str) -> Iterator[Block]:
    """Split a Markdown source into blocks, in order."""
    spaced = re.sub(r"(?m)^(#{1,2} .*)$", r"\n\1\n", source)
    spaced = re.sub(r"(?m)^(?=- )|(?<=[^|\n]\n)(?=\|)", "\n", spaced)
    for chunk in re.split(r"\n\s*\n", spaced.strip()):
        yield parse_chunk(chunk.strip().splitlines())


def parse_chunk(lines: list[str]) -> Block:
    """Turn the lines of one heading, list item, table or paragraph into a block."""
    first = lines[0]
    if first.startswith("|"):
        return Block("table", rows=table_rows(lines))
    if first.startswith("- "):
        return Block("item", join_lines([first[2:], *lines[1:]]))
    if first.startswith("## "):
        return Block("heading", plain(first[3:]))
    if first.startswith("# "):
        return Block("title", plain(first[2:]))
    return Block("text", join_lines(lines))


def pdf_paragraph(kind: str, text: str) -> Paragraph:
    """Lay out text in the style of its kind; only Chinese may break between any two characters."""
    size = SIZES[kind]
    style = ParagraphStyle(
        kind,
        fontName=FONT,
        fontSize=size,
        leading=size * 1.5,
        spaceBefore=size * 0.8 if kind in ("title", "heading") else 0,
        spaceAfter=0 if kind == "cell" else size * 0.6,
        leftIndent=12 if kind == "item" else 0,
        bulletFontName=FONT,
        keepWithNext=kind in ("title", "heading"),
        wordWrap="CJK" if CHINESE.search(text) else None,
    )
    return Paragraph(escape(text), style, bulletText="•" if kind == "item" else None)


def column_widths(rows: list[list[str]], width: float) -> list[float]:
    """Give each column room for its longest word and share the rest by the longest cell."""
    columns = list(zip(*rows, strict=True))
    words = [
        max(re.findall(r"[\u3000-\u9fff]{1,4}|[^\s\u3000-\u9fff]+", " ".join(column)), key=len)
        for column in columns
    ]
    least = [pdfmetrics.stringWidth(word, FONT, SIZES["cell"]) + 14 for word in words]
    lengths = [
        max(pdfmetrics.stringWidth(cell, FONT, SIZES["cell"]) for cell in column)
        for column in columns
    ]
    return [
        low + (width - sum(least)) * length / sum(lengths)
        for low, length in zip(least, lengths, strict=True)
    ]


def pdf_table(rows: list[list[str]], width: float) -> Table:
    """Lay out a table over the full text width, with its first row repeated on every page."""
    cells = [[pdf_paragraph("cell", cell) for cell in row] for row in rows]
    table = Table(cells, colWidths=column_widths(rows, width), repeatRows=1, spaceAfter=8)
    table.setStyle(
        [
            ("GRID", (0, 0), (-1, -1), 0.5, colors.grey),
            ("BACKGROUND", (0, 0), (-1, 0), colors.whitesmoke),
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ]
    )
    return table


def build_pdf(blocks: list[Block], target: Path) -> None:
    """Write the blocks as an A5 document."""
    title = next((block.text for block in blocks if block.kind == "title"), target.stem)
    margins = {
        "leftMargin": MARGIN,
        "rightMargin": MARGIN,
        "topMargin": MARGIN,
        "bottomMargin": MARGIN,
    }
    document = SimpleDocTemplate(
        str(target), pagesize=A5, title=title, author="Qingzhou Trade", invariant=1, **margins
    )
    story: list[Flowable] = [
        pdf_table(block.rows, document.width)
        if block.kind == "table"
        else pdf_paragraph(block.kind, block.text)
        for block in blocks
    ]
    document.build(story)


def build_docx(blocks: list[Block], target: Path) -> None:
    """Write the blocks with Word's own heading, list and table styles."""
    styles = {"title": "Heading 1", "heading": "Heading 2", "text": "Normal", "item": "List Bullet"}
    document = Document()
    document.core_properties.author = "Qingzhou Trade"
    document.core_properties.created = document.core_properties.modified = FIXED_DATE
    for block in blocks:
        if block.kind != "table":
            document.add_paragraph(block.text, style=styles[block.kind])
            continue
        table = document.add_table(rows=0, cols=len(block.rows[0]), style="Table Grid")
        for row in block.rows:
            for cell, text in zip(table.add_row().cells, row, strict=True):
                cell.text = text
    buffer = io.BytesIO()
    document.save(buffer)
    target.write_bytes(with_fixed_dates(buffer))


def with_fixed_dates(archive: io.BytesIO) -> bytes:
    """Repack a zip archive with one fixed time stamp, so that every build gives the same bytes."""
    result = io.BytesIO()
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            info = zipfile.ZipInfo(name, FIXED_DATE.timetuple()[:6])
            info.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(info, old.read(name))
    return result.getvalue()


def main() -> None:
    """Build every source under data/seed_sources."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--font",
        default=os.environ.get("SEED_FONT", DEFAULT_FONT),
        help="TrueType font with Chinese",
    )
    font = Path(parser.parse_args().font)
    if not font.is_file():
        sys.exit(
            f"font not found: {font}; install fonts-wqy-microhei or pass --font / set SEED_FONT"
        )
    pdfmetrics.registerFont(TTFont(FONT, str(font), subfontIndex=0))
    builders = {".pdf": build_pdf, ".docx": build_docx}
    for source in sorted((ROOT / "data" / "seed_sources").glob("*/*.*.md")):
        target = ROOT / "data" / "seed" / source.parent.name / source.stem
        target.parent.mkdir(parents=True, exist_ok=True)
        builders[target.suffix](list(parse(source.read_text(encoding="utf-8"))), target)
        print(target.relative_to(ROOT))


if __name__ == "__main__":
    main()
