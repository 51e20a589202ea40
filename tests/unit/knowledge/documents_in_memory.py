"""Small documents of every format, made for one test."""

import io

from docx import Document
from pypdf import PdfReader, PdfWriter
from reportlab.lib.pagesizes import A5
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Table

from meetmind.knowledge.documents import LoadedDocument

GRID = ("GRID", (0, 0), (-1, -1), 0.5, "grey")


def sentences_of(document: LoadedDocument) -> list[str]:
    """The notes of a document in English."""
    return [str(note) for note in document.notes]


def word_document() -> bytes:
    document = Document()
    document.add_heading("Refund handbook", level=1)
    document.add_paragraph("Refunds are paid within three days.")
    document.add_heading("Limits", level=2)
    document.add_paragraph("Two people confirm large refunds.")
    document.add_paragraph("above 250 euros", style="List Bullet")
    document.add_paragraph("above 2,000 yuan", style="List Bullet")
    document.add_heading("Channels", level=2)
    table = document.add_table(rows=0, cols=2)
    for left, right in (("Channel", "Days"), ("WeChat Pay", "1"), ("Card", "5")):
        cells = table.add_row().cells
        cells[0].text, cells[1].text = left, right
    table.rows[2].cells[0].merge(table.rows[2].cells[1])
    return _saved(document)


def empty_word_document() -> bytes:
    return _saved(Document())


def pdf_document() -> bytes:
    """Three pages with a running header, a paragraph over two pages and a table over two pages."""
    styles = getSampleStyleSheet()
    rows = [["Service", "Limit"]] + [[f"service-{number}", str(number)] for number in range(40)]
    story = [
        Paragraph("Capacity plan", styles["Title"]),
        Paragraph("Demand", styles["Heading2"]),
        Paragraph("The highest hour so far brought 9,400 orders and the plan", styles["Normal"]),
        PageBreak(),
        Paragraph("doubles that number for sixty minutes.", styles["Normal"]),
        Paragraph("Limits of services", styles["Heading2"]),
        Table(rows, colWidths=[120, 60], repeatRows=1, style=[GRID]),
    ]
    buffer = io.BytesIO()
    template = SimpleDocTemplate(buffer, pagesize=A5)
    template.build(story, onFirstPage=_running_header, onLaterPages=_running_header)
    return buffer.getvalue()


def pdf_without_text() -> bytes:
    writer = PdfWriter()
    writer.add_blank_page(200, 200)
    return _written(writer)


def locked_pdf() -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf_document())))
    writer.encrypt("secret", algorithm="RC4-128")
    return _written(writer)


def _running_header(canvas: Canvas, template: SimpleDocTemplate) -> None:
    canvas.setFont("Helvetica", 8)
    canvas.drawString(40, A5[1] - 30, f"Qingzhou Trade, page {template.page}")


def _saved(document: "Document") -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def _written(writer: PdfWriter) -> bytes:
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()
