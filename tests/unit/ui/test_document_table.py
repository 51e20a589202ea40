from datetime import UTC, datetime, timedelta

import pytest

from meetmind.server.knowledge_rows import DocumentSummary
from meetmind.ui.show_document_table import DocumentWish, wanted_documents
from meetmind.ui.show_knowledge import document_names

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def document(
    source: str, title: str, *, size: int = 1, passages: int = 1, status: str = "read", age: int = 0
) -> DocumentSummary:
    return DocumentSummary(
        source=source,
        origin="seed",
        title=title,
        doc_type="rule",
        language="en",
        passages=passages,
        characters=size,
        bytes=size,
        left_out=0,
        status=status,
        report="",
        report_parts=(),
        ingested_at=NOW - timedelta(days=age),
    )


DOCUMENTS = [
    document("a.md", "Refunds", size=5, passages=9, age=3),
    document("b.md", "Prices", size=9, passages=2, age=1),
    document("c.pdf", "", size=2, passages=0, status="failed", age=2),
]


def sources(wish: DocumentWish) -> list[str]:
    return [document.source for document in wanted_documents(DOCUMENTS, wish)]


def test_documents_are_found_by_title_and_by_file_name() -> None:
    assert sources(DocumentWish(words=" refund ")) == ["a.md"]
    assert sources(DocumentWish(words=".PDF")) == ["c.pdf"]
    assert sources(DocumentWish(status="failed")) == ["c.pdf"]
    assert sources(DocumentWish(words="refund", status="failed")) == []


@pytest.mark.parametrize(
    ("sort_by", "expected"),
    [
        ("name", ["a.md", "b.md", "c.pdf"]),
        ("newest", ["b.md", "c.pdf", "a.md"]),
        ("largest", ["b.md", "a.md", "c.pdf"]),
        ("passages", ["a.md", "b.md", "c.pdf"]),
    ],
)
def test_documents_are_put_in_the_wanted_order(sort_by: str, expected: list[str]) -> None:
    assert sources(DocumentWish(sort_by=sort_by)) == expected


def test_documents_of_one_title_are_told_apart_by_their_files() -> None:
    same = [document("a-zh.json", "Decisions"), document("a.json", "Decisions")]
    names = document_names([*same, *DOCUMENTS])
    assert names["a-zh.json"] == "Decisions · a-zh.json"
    assert names["a.json"] == "Decisions · a.json"
    assert names["b.md"] == "Prices"
    assert names["c.pdf"] == "c.pdf"
