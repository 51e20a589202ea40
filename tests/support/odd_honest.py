"""Ordinary documents of every format in both languages."""

import datetime
import io
import json

from docx import Document
from openpyxl import Workbook
from pptx import Presentation
from pptx.util import Inches

from tests.support.odd_documents import OddDocument
from tests.support.odd_encodings import JAPANESE, TRADITIONAL
from tests.support.odd_pdfs import pdf
from tests.support.odd_tables import csv_text, saved
from tests.support.odd_texts import CHINESE, ENGLISH

ROWS = [["Service", "Limit"], ["order-api", "5 s"], ["支付服务", "3 秒"]]
ROW = "| 支付服务 | 3 秒 |"
MARKDOWN = f"# Orders 订单\n\n## Rules\n\n{ENGLISH}\n\n- one\n- two\n\n## 规则\n\n{CHINESE}\n"


def honest_files() -> list[OddDocument]:
    """One file or more a format."""
    return [
        OddDocument(name="rules.md", make=MARKDOWN.encode, words=(ENGLISH, CHINESE, "- two")),
        OddDocument(
            name="rules-zh.txt",
            make=f"订单规则\n\n一、取消\n\n{CHINESE}".encode,
            words=(CHINESE, "订单规则"),
        ),
        OddDocument(
            name="rules.txt",
            make=f"Rules\n\n1. Cancelling\n\n{ENGLISH}".encode,
            words=(ENGLISH, "Rules"),
        ),
        OddDocument(
            name="faq.json",
            make=lambda: json.dumps([{"title": "退款", "content": CHINESE}]).encode(),
            words=(CHINESE, "退款"),
        ),
        OddDocument(name="limits.csv", make=csv_text(ROWS).encode, words=(ROW,)),
        OddDocument(name="limits-gbk.csv", make=lambda: csv_text(ROWS).encode("gbk"), words=(ROW,)),
        OddDocument(name="limits-semicolon.csv", make=csv_text(ROWS, ";").encode, words=(ROW,)),
        OddDocument(name="limits.tsv", make=csv_text(ROWS, "\t").encode, words=(ROW,)),
        OddDocument(
            name="limits-excel.csv",
            make=lambda: csv_text(ROWS, "\t").encode("utf-16"),
            words=(ROW,),
        ),
        OddDocument(
            name="page.html",
            make=_page,
            words=("Orders · Rules", ENGLISH, CHINESE, ROW, "- two", "total = 1"),
        ),
        OddDocument(
            name="page-gb2312.htm",
            make=_old_page,
            words=(CHINESE,),
        ),
        OddDocument(
            name="page-big5.html",
            make=lambda: f"<html><meta charset=big5><p>{TRADITIONAL}</p>".encode("big5"),
            words=(TRADITIONAL,),
        ),
        OddDocument(
            name="page-japanese.html",
            make=lambda: f"<html><meta charset=shift_jis><p>{JAPANESE}</p>".encode("shift-jis"),
            words=(JAPANESE,),
        ),
        OddDocument(name="handbook.docx", make=_word, words=("Handbook", ENGLISH, CHINESE, ROW)),
        OddDocument(
            name="limits.xlsx",
            make=_excel,
            words=("2026-11-11", "12.5%", "9400", "0.3", ROW, "Orders", "订单"),
        ),
        OddDocument(
            name="talk.pptx",
            make=_slides,
            words=("Plan", "取消规则", ENGLISH, CHINESE, ROW, "Say it slowly"),
        ),
        OddDocument(
            name="plan.pdf",
            make=lambda: pdf(ENGLISH, "Second page here", title="Plan"),
            words=(ENGLISH, "Second page", "Plan"),
        ),
        OddDocument(name="plan-zh.pdf", make=lambda: pdf(CHINESE), words=(CHINESE,)),
    ]


def _old_page() -> bytes:
    content_type = '<meta http-equiv="Content-Type" content="text/html; charset=gb2312">'
    return f"<html>{content_type}<p>{CHINESE}</p></html>".encode("gb2312")


def _page() -> bytes:
    cells = "".join(f"<tr><td>{left}<td>{right}</tr>" for left, right in ROWS)
    body = (
        f"<nav>menu</nav><h1>Orders</h1><h2>Rules</h2><p>{ENGLISH}</p><ul><li>one<li>two</ul>"
        f"<p>{CHINESE}</p><table>{cells}</table><pre>total = 1</pre>"
    )
    return f"<!doctype html><meta charset=utf-8><title>T</title>{body}".encode()


def _word() -> bytes:
    document = Document()
    document.add_heading("Handbook", level=0)
    document.add_heading("Rules", level=1)
    document.add_paragraph(ENGLISH)
    document.add_heading("规则", level=2)
    document.add_paragraph(CHINESE)
    table = document.add_table(rows=0, cols=2)
    for left, right in ROWS:
        cells = table.add_row().cells
        cells[0].text, cells[1].text = left, right
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def _excel() -> bytes:
    workbook = Workbook()
    orders = workbook.worksheets[0]
    orders.title = "Orders"
    orders.append(["Day", "Orders", "Share", "Sum"])
    orders.append([datetime.date(2026, 11, 11), 9_400.0, 0.125, 0.1 + 0.2])
    orders["C2"].number_format = "0.0%"
    chinese = workbook.create_sheet("订单")
    for row in ROWS:
        chinese.append(row)
    return saved(workbook)


def _slides() -> bytes:
    presentation = Presentation()
    first = presentation.slides.add_slide(presentation.slide_layouts[1])
    first.shapes.title.text = "Plan"
    first.placeholders[1].text = ENGLISH
    first.notes_slide.notes_text_frame.text = "Say it slowly"
    second = presentation.slides.add_slide(presentation.slide_layouts[5])
    second.shapes.title.text = "取消规则"
    box = second.shapes.add_textbox(Inches(1), Inches(2), Inches(5), Inches(1))
    box.text_frame.text = CHINESE
    table = second.shapes.add_table(3, 2, Inches(1), Inches(4), Inches(5), Inches(1)).table
    for number, row in enumerate(ROWS):
        for column, text in enumerate(row):
            table.cell(number, column).text = text
    buffer = io.BytesIO()
    presentation.save(buffer)
    return buffer.getvalue()
