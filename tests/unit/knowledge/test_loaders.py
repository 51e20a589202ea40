"""Files of every format to documents, and broken ones to one sentence."""

import json

import pytest

from meetmind.errors import DocumentUnreadable
from meetmind.knowledge import loaders
from meetmind.knowledge.documents import LoadedDocument
from meetmind.knowledge.loaders import load_document, shown_name
from tests.support.odd_pdfs import pdf
from tests.unit.knowledge.documents_in_memory import (
    empty_word_document,
    locked_pdf,
    pdf_document,
    pdf_without_text,
    sentences_of,
    word_document,
)

MARKDOWN = """---
author: nobody
---
# Coupon handbook

Coupons are **checked** once.

## Stacking

An order accepts few coupons,
and a further one is refused.

- first rule
- second rule
  goes on

| Type | Order |
|------|-------|
| fixed | 2 |

### Example

```
# not a heading
total = 1
```
"""

PLAIN_TEXT = """Refund pipeline

1. Path of a refund

A refund starts in order-service and ends at the channel, which is a path of
three records that share one number.

2. Steps

1. open the case
2. pay the money

三、退款的时限

退款在三天内到账。
"""


def section_texts(document: LoadedDocument) -> dict[str, str]:
    texts: dict[str, str] = {}
    for section in document.sections:
        texts[section.heading] = "\n".join(block.text for block in section.blocks)
    return texts


def test_markdown_gives_title_headings_lists_tables_and_code() -> None:
    document = load_document("coupon-handbook.md", MARKDOWN.encode())

    assert document.title == "Coupon handbook"
    assert [section.heading for section in document.sections] == [
        "",
        "Stacking",
        "Stacking > Example",
    ]
    stacking = document.sections[1].blocks
    assert [block.kind for block in stacking] == ["text", "text", "table"]
    assert stacking[0].text == "An order accepts few coupons, and a further one is refused."
    assert stacking[1].text == "- first rule\n- second rule goes on"
    assert document.sections[2].blocks[0].kind == "code"


def test_plain_text_gives_numbered_headings_in_both_languages_and_keeps_lists() -> None:
    document = load_document("refund.txt", PLAIN_TEXT.encode())

    assert document.title == "Refund pipeline"
    assert section_texts(document) == {
        "1. Path of a refund": (
            "A refund starts in order-service and ends at the channel, which is a path of three "
            "records that share one number."
        ),
        "2. Steps": "1. open the case\n2. pay the money",
        "三、退款的时限": "退款在三天内到账。",
    }


def test_json_gives_one_passage_an_entry_and_notes_what_it_skipped() -> None:
    entries = [
        {"type": "FAQ", "title": "Refunds", "summary": "In short", "content": "Within 3 days.\x00"},
        {"title": "Nothing here"},
        {"title": "Lone \ud800 surrogate", "content": "kept"},
    ]
    document = load_document("customer-rights.json", json.dumps(entries).encode())

    assert [section.title for section in document.sections] == ["Refunds", "Lone surrogate"]
    assert document.sections[0].doc_type == "faq"
    assert document.sections[0].blocks[0].text == "Within 3 days."
    assert sentences_of(document) == ["Entry 2 was skipped: it has no content."]


def test_word_gives_headings_lists_and_tables_with_merged_cells() -> None:
    document = load_document("refunds.docx", word_document())

    assert document.title == "Refund handbook"
    assert section_texts(document) == {
        "": "Refunds are paid within three days.",
        "Limits": "Two people confirm large refunds.\n- above 250 euros\n- above 2,000 yuan",
        "Channels": ("| Channel | Days |\n| --- | --- |\n| WeChat Pay | 1 |\n| Card 5 |  |"),
    }


def test_pdf_gives_headings_by_size_and_joins_what_a_page_break_cut() -> None:
    document = load_document("capacity.pdf", pdf_document())

    demand, limits = document.sections
    assert document.title == "Capacity plan"
    assert demand.heading == "Demand"
    assert demand.blocks[0].page == 1
    assert demand.blocks[0].text == (
        "The highest hour so far brought 9,400 orders and the plan doubles that number for sixty "
        "minutes."
    )
    assert limits.heading == "Limits of services"


def test_a_pdf_table_over_two_pages_is_one_table_with_one_header() -> None:
    document = load_document("capacity.pdf", pdf_document())

    (table,) = document.sections[1].blocks
    lines = table.text.split("\n")
    assert table.kind == "table"
    assert lines[:3] == ["| Service | Limit |", "| --- | --- |", "| service-0 | 0 |"]
    assert len(lines) == 42
    assert table.text.count("Service") == 1


def test_the_running_header_of_a_pdf_is_left_out() -> None:
    document = load_document("capacity.pdf", pdf_document())

    assert "Qingzhou Trade" not in str(document.sections)


def test_pages_of_one_line_that_are_all_alike_are_no_running_headers() -> None:
    document = load_document("a.pdf", pdf("Page 1 of it", "Page 2 of it", "Page 3 of it"))

    assert "Page 2 of it" in str(document.sections)


@pytest.mark.parametrize(
    ("source", "raw", "reason"),
    [
        ("a.txt", b"  \n ", "empty"),
        ("a.txt", b"\xff\xfe\x00", "damaged"),
        ("a.xls", b"something", "Save it as .xlsx"),
        ("a.xyz", b"something", "not read"),
        ("a.json", b"{broken", "not valid JSON"),
        ("a.json", b'{"title": "no list"}', "list of objects"),
        ("a.json", b"[" * 100_000, "not valid JSON"),
        ("a.json", b'[{"title": "nothing"}]', "no text"),
        ("a.docx", b"not a zip", "not a Word document"),
        ("a.docx", b"PK\x03\x04 broken", "not a Word document"),
        ("a.docx", empty_word_document(), "no text"),
        ("a.pdf", b"not a pdf", "not a PDF"),
        ("a.pdf", b"%PDF-1.7 broken", "damaged"),
        ("a.pdf", pdf_document()[:700], "damaged"),
        ("a.pdf", pdf_without_text(), "no text"),
        ("a.pdf", locked_pdf(), "password"),
        ("a.md", b"# Only a title", "no text"),
    ],
)
def test_a_bad_file_gives_one_plain_sentence(source: str, raw: bytes, reason: str) -> None:
    with pytest.raises(DocumentUnreadable, match=reason) as caught:
        load_document(source, raw)

    assert "Traceback" not in str(caught.value)
    assert str(caught.value).endswith((".", ")"))


def test_a_file_that_is_far_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loaders, "MOST_BYTES", 10)

    with pytest.raises(DocumentUnreadable, match="larger than"):
        load_document("a.txt", b"more than ten bytes")


@pytest.mark.parametrize(
    ("source", "doc_type"),
    [
        ("incident-reports.txt", "incident"),
        ("双十一事故复盘.txt", "incident"),
        ("error-copy-faq.txt", "faq"),
        ("adr-014.txt", "decision"),
        ("handbook.txt", "guideline"),
    ],
)
def test_the_name_of_a_document_says_its_type(source: str, doc_type: str) -> None:
    assert load_document(source, b"Some text that is there.").doc_type == doc_type


def test_a_document_without_a_title_is_named_after_its_file() -> None:
    raw = b'[{"title": "Cart", "content": "The cart holds goods."}]'

    assert load_document("cart-and-account-api-zh.json", raw).title == "Cart and account api"


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("two\nlines.md", "two lines.md"),
        ("invoice\u202efdp.exe", "invoicefdp.exe"),
        ("🧾 退款.txt", "🧾 退款.txt"),
        ("a" * 500 + ".docx", "a" * 99 + "…" + "a" * 15 + ".docx"),
    ],
)
def test_an_odd_name_is_shown_on_one_bounded_line(source: str, shown: str) -> None:
    assert shown_name(source) == shown


def test_a_file_is_read_as_what_it_is_and_says_so() -> None:
    document = load_document("refunds.txt", word_document())

    assert document.title == "Refund handbook"
    assert sentences_of(document) == ["The file is named .txt but was read as what it is: .docx."]


def test_text_beyond_what_can_be_stored_is_left_out_and_noted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(loaders, "MOST_CHARACTERS", 10)
    document = load_document("a.txt", b"Twenty letters here.\n\nAnother twenty here.")

    assert [block.text for block in document.sections[0].blocks] == ["Another tw"]
    assert document.title == "Twenty letters here."
    assert sentences_of(document) == ["Only the first 10 characters were read."]


def test_a_private_key_is_masked_before_it_could_be_cut_in_two() -> None:
    lines = ["QUJDREVG" * 8] * 60
    key = "\n".join(["-----BEGIN PRIVATE KEY-----", *lines, "-----END PRIVATE KEY-----"])
    document = load_document("keys.txt", f"The key of the gateway.\n\n{key}\n\nKeep it.".encode())

    assert "QUJD" not in str(document)
    assert "[masked]" in str(document.sections)
    assert sentences_of(document) == ["Private keys that were masked: 1."]
