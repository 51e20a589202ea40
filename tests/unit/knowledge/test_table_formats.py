"""CSV, TSV, Excel and PowerPoint files to sections."""

import io

import pytest
from openpyxl import Workbook
from pptx import Presentation

from meetmind.errors import DocumentUnreadable
from meetmind.knowledge.formats import separated_values
from meetmind.knowledge.loaders import load_document
from meetmind.knowledge.splitters import split_document
from tests.support.odd_honest import ROW, honest_files
from tests.support.odd_tables import csv_text, saved, sheet_of
from tests.unit.knowledge.documents_in_memory import sentences_of

ROWS = [["Service", "Limit"], ["order-api", "5 s"], ["支付服务", "3 秒"]]
TABLE = f"| Service | Limit |\n| --- | --- |\n| order-api | 5 s |\n{ROW}"


def honest(name: str) -> bytes:
    for odd in honest_files():
        if odd.name == name:
            return odd.make()
    raise AssertionError(name)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_separated_values_give_one_table_whatever_separates_them(
    delimiter: str, suffix: str
) -> None:
    document = load_document(f"limits.{suffix}", csv_text(ROWS, delimiter).encode())

    (section,) = document.sections
    assert [block.kind for block in section.blocks] == ["table"]
    assert section.blocks[0].text == TABLE
    assert document.title == "Limits"


def test_every_passage_of_a_long_table_has_its_header() -> None:
    rows = [["Service", "Limit"], *[[f"service-{number}", str(number)] for number in range(400)]]
    pieces = split_document(load_document("limits.csv", csv_text(rows).encode()))

    assert len(pieces) > 5
    assert all(piece.content.startswith("| Service | Limit |\n| --- |") for piece in pieces)


def test_lines_above_a_table_are_text() -> None:
    document = load_document("a.csv", b"Limits of services,,\n,,\nservice,limit,unit\napi,5,s\n")

    text, table = document.sections[0].blocks
    assert text.text == "Limits of services"
    assert table.text.startswith("| service | limit | unit |")


def test_cells_beyond_the_limit_are_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(separated_values, "MOST_CELLS", 5)
    document = load_document("limits.csv", csv_text(ROWS).encode())

    assert sentences_of(document) == ["Only the first 2 rows were read."]


def test_a_sheet_is_a_section_with_dates_and_numbers_as_a_reader_sees_them() -> None:
    document = load_document("limits.xlsx", honest("limits.xlsx"))

    assert [section.heading for section in document.sections] == ["Orders", "订单"]
    assert document.sections[0].blocks[0].text == (
        "| Day | Orders | Share | Sum |\n| --- | --- | --- | --- |\n"
        "| 2026-11-11 | 9400 | 12.5% | 0.3 |"
    )
    assert document.sections[1].blocks[0].text == TABLE


def test_a_workbook_without_anything_is_refused() -> None:
    with pytest.raises(DocumentUnreadable, match="no text"):
        load_document("empty.xlsx", saved(Workbook()))


def test_what_a_workbook_leaves_out_is_noted() -> None:
    workbook = sheet_of([["name", "sum"], ["api", "=1+1"]])
    workbook.create_sheet("Drafts").sheet_state = "hidden"

    assert sentences_of(load_document("a.xlsx", saved(workbook))) == [
        "The hidden sheet Drafts was left out.",
        "Formulas without a stored result were left empty.",
    ]


def test_a_slide_is_a_section_with_its_number_its_table_and_its_notes() -> None:
    document = load_document("talk.pptx", honest("talk.pptx"))

    plan, rules = document.sections
    assert document.title == plan.heading == "Plan"
    assert [block.text for block in plan.blocks][-1] == "Say it slowly"
    assert rules.heading == "取消规则"
    assert [block.kind for block in rules.blocks] == ["text", "table"]
    assert {block.page for block in rules.blocks} == {2}


def test_a_passage_of_slides_is_located_by_their_numbers() -> None:
    presentation = Presentation()
    for number in range(3):
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text = f"Slide {number}"
        slide.placeholders[1].text = f"Text of slide {number}. " * 12
    buffer = io.BytesIO()
    presentation.save(buffer)
    pieces = split_document(load_document("talk.pptx", buffer.getvalue()))

    assert [piece.locator for piece in pieces] == ["p. 1", "p. 2", "p. 3"]
    assert pieces[1].title == "Slide 0 · Slide 1"
