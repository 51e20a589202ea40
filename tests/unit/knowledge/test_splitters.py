"""Documents to passages."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from meetmind.knowledge.cutting import CONTENT_TOKENS, weight_of
from meetmind.knowledge.documents import Block, LoadedDocument, Piece, Section
from meetmind.knowledge.loaders import load_document
from meetmind.knowledge.sentences import split_sentences
from meetmind.knowledge.splitters import LIMITS, PASSAGE_TOKENS, split_document
from meetmind.knowledge.token_bound import most_tokens

CHINESE_SENTENCE = "未支付订单在三十分钟后自动取消，库存同时释放，优惠券退回账户。"
ENGLISH_SENTENCE = "Unpaid orders are cancelled after 30 minutes and their stock is released. "


def split_markdown(text: str) -> list[Piece]:
    return split_document(load_document("handbook.md", text.encode()))


def one_section(*blocks: Block, doc_type: str = "guideline") -> LoadedDocument:
    section = Section(heading="1. Limits", blocks=blocks)
    return LoadedDocument(source="a.md", title="Handbook", doc_type=doc_type, sections=(section,))


def text_block(text: str, page: int = 0) -> Block:
    return Block(kind="text", text=text, page=page)


def test_a_section_of_usual_size_is_one_passage() -> None:
    for body in (CHINESE_SENTENCE * 14, ENGLISH_SENTENCE * 10):
        pieces = split_markdown(f"# Orders\n\n## Cancellation\n\n{body}\n\n## Refund\n\n{body}")

        assert [piece.title for piece in pieces] == ["Orders · Cancellation", "Orders · Refund"]
        assert pieces[0].content == body.strip()
        assert pieces[0].locator == "Cancellation"


def test_a_long_section_is_cut_into_parts_of_about_equal_size_at_sentence_ends() -> None:
    for sentence in (CHINESE_SENTENCE, ENGLISH_SENTENCE):
        document = one_section(text_block((sentence * 60).strip()))
        pieces = split_document(document)

        weights = [weight_of(piece.content) for piece in pieces]
        assert len(pieces) > 2
        assert max(weights) <= LIMITS.one_passage
        assert min(weights) > LIMITS.one_passage / 3
        assert all(piece.content.endswith((".", "。")) for piece in pieces)


def test_a_tiny_section_joins_the_next_one_and_the_last_joins_the_one_before() -> None:
    body = ENGLISH_SENTENCE * 5
    pieces = split_markdown(f"# T\n\n## A\n\nShort.\n\n## B\n\n{body}\n\n## C\n\nShort too.")

    (piece,) = pieces
    assert piece.title == "T · A"
    assert piece.content.startswith("Short.\n\nB\n\nUnpaid orders")
    assert piece.content.endswith("C\n\nShort too.")


def test_json_entries_are_never_merged() -> None:
    raw = b'[{"title": "A", "content": "Short."}, {"title": "B", "content": "Short too."}]'
    pieces = split_document(load_document("rules.json", raw))

    assert [(piece.title, piece.content) for piece in pieces] == [
        ("A", "Short."),
        ("B", "Short too."),
    ]


def test_a_long_table_is_cut_by_rows_under_its_header_again() -> None:
    rows = [f"| service-{number} | {number * 100} orders an hour |" for number in range(120)]
    table = "\n".join(["| Service | Limit |", "| --- | --- |", *rows])
    pieces = split_document(one_section(Block(kind="table", text=table)))

    assert len(pieces) > 2
    for piece in pieces:
        assert piece.content.startswith("| Service | Limit |\n| --- | --- |\n| service-")
        assert weight_of(piece.content) <= LIMITS.hard_bound
    assert sum(piece.content.count("| service-") for piece in pieces) == 120


def test_code_is_cut_only_at_its_lines() -> None:
    code = "\n".join(f"line_{number} = {number}" for number in range(200))
    pieces = split_document(one_section(Block(kind="code", text=code)))

    lines = [line for piece in pieces for line in piece.content.split("\n") if line]
    assert lines == code.split("\n")


def test_an_incident_is_kept_together_longer_than_a_guideline() -> None:
    block = text_block(ENGLISH_SENTENCE * 17)

    assert len(split_document(one_section(block, doc_type="incident"))) == 1
    assert len(split_document(one_section(block))) == 2


def test_a_pdf_passage_is_located_by_its_pages() -> None:
    pieces = split_document(one_section(text_block("One.", page=3), text_block("Two.", page=4)))

    assert pieces[0].locator == "p. 3-4"


def test_the_number_of_a_heading_is_no_part_of_the_title() -> None:
    pieces = split_document(one_section(text_block("Some text.")))

    assert pieces[0].title == "Handbook · Limits"
    assert pieces[0].locator == "1. Limits"


def test_sentences_end_in_both_languages_and_not_at_abbreviations() -> None:
    text = "订单已取消。“可以退款吗？”可以！ It costs approx. 3.5 EUR, e.g. for tea. Yes. Is it? No"

    assert split_sentences(text) == [
        "订单已取消。",
        "“可以退款吗？”",
        "可以！",
        "It costs approx. 3.5 EUR, e.g. for tea.",
        "Yes.",
        "Is it?",
        "No",
    ]


def test_a_table_with_a_header_that_is_too_long_names_its_columns_in_every_row() -> None:
    names = " | ".join(f"column {number}" for number in range(120))
    cells = " | ".join(f"cell {number}" for number in range(120))
    ruler = " | ".join(["---"] * 120)
    table = f"| {names} |\n| {ruler} |\n| {cells} |"
    pieces = split_document(one_section(Block(kind="table", text=table)))

    everything = "; ".join(piece.content for piece in pieces)
    assert "column 0: cell 0; column 1: cell 1" in everything
    assert "column 119: cell 119" in everything


def test_a_chinese_section_is_cut_before_it_has_more_tokens_than_the_models_read() -> None:
    pieces = split_document(one_section(text_block(CHINESE_SENTENCE * 17), doc_type="incident"))

    assert len(pieces) == 2
    assert all(piece.content.endswith("。") for piece in pieces)
    assert all(most_tokens(piece.content) <= CONTENT_TOKENS for piece in pieces)


def test_a_long_title_and_summary_leave_room_for_the_content() -> None:
    section = Section(heading="题" * 300, summary="概" * 900, blocks=(text_block("词" * 900),))
    document = LoadedDocument(source="a.md", title="书", doc_type="faq", sections=(section,))
    for piece in split_document(document):
        assert most_tokens(piece.title + piece.summary + piece.content) <= PASSAGE_TOKENS


def test_a_text_full_of_abbreviations_is_split_in_the_same_time_a_letter() -> None:
    assert split_sentences("e.g. No. " * 30_000) == [("e.g. No. " * 30_000).strip()]


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="ab 。.,\n未支付|", min_size=1, max_size=6_000))
def test_no_passage_is_too_heavy_and_no_letter_is_lost(text: str) -> None:
    pieces = split_document(one_section(text_block(text)))

    assert all(weight_of(piece.content) <= LIMITS.hard_bound for piece in pieces)
    kept = "".join(piece.content for piece in pieces)
    assert re.sub(r"\s", "", kept) == re.sub(r"\s", "", text)
