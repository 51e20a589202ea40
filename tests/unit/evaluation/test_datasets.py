"""Judged questions from a folder: what is read, and what a broken folder is told."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from meetmind.errors import DatasetUnreadable
from meetmind.evaluation.datasets import Dataset, read_dataset, sample

HEADER = "query_id\tdoc_id\trel"
DOCUMENTS = (
    {"id": "d1", "title": "Refunds", "text": "Money goes back within five days."},
    {"id": "d2", "title": "", "text": "退款五日内到账。"},
    {"id": "d3", "title": "", "text": ""},
)
QUERIES = (
    {"id": "q1", "text": "When is a refund paid?"},
    {"id": "q2", "text": "退款多久到账？"},
    {"id": "q3", "text": "Who delivers on Sundays?"},
)
JUDGEMENTS = (HEADER, "q1\td1\t2", "q1\td3\t0", "q2\td2\t1", "q3\td1\t0")


def write_folder(
    folder: Path,
    documents: Sequence[object] = DOCUMENTS,
    queries: Sequence[object] = QUERIES,
    judgements: Sequence[str] = JUDGEMENTS,
) -> Path:
    folder.mkdir(exist_ok=True)
    write_lines(folder / "docs.jsonl", [as_line(document) for document in documents])
    write_lines(folder / "queries.jsonl", [as_line(query) for query in queries])
    write_lines(folder / "qrels.tsv", judgements)
    return folder


def as_line(value: object) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def write_lines(path: Path, lines: Sequence[str]) -> None:
    content = "".join(f"{line}\n" for line in lines)
    path.write_text(content, encoding="utf-8", newline="")


def complaint_about(folder: Path) -> str:
    with pytest.raises(DatasetUnreadable) as caught:
        read_dataset(folder)
    return str(caught.value)


@pytest.fixture
def many_queries(tmp_path: Path) -> Dataset:
    queries = [{"id": f"q{number}", "text": f"Question {number}?"} for number in range(20)]
    judgements = [HEADER, *(f"q{number}\td1\t1" for number in range(20))]
    return read_dataset(write_folder(tmp_path / "many", queries=queries, judgements=judgements))


def test_a_folder_gives_its_documents_questions_and_judgements(tmp_path: Path) -> None:
    dataset = read_dataset(write_folder(tmp_path / "shop"))

    assert dataset.name == "shop"
    assert [document.id for document in dataset.documents] == ["d1", "d2", "d3"]
    assert dataset.queries[1].text == "退款多久到账？"
    assert dataset.relevance_by_query == {"q1": {"d1": 2, "d3": 0}, "q2": {"d2": 1}}


def test_a_question_without_a_relevant_document_is_left_out(tmp_path: Path) -> None:
    dataset = read_dataset(write_folder(tmp_path))

    assert [query.id for query in dataset.queries] == ["q1", "q2"]


def test_the_content_of_a_document_is_its_title_and_its_text(tmp_path: Path) -> None:
    contents = [document.content for document in read_dataset(write_folder(tmp_path)).documents]

    assert contents == ["Refunds\nMoney goes back within five days.", "退款五日内到账。", ""]


def test_lines_from_windows_blank_lines_and_a_byte_order_mark_do_no_harm(tmp_path: Path) -> None:
    folder = write_folder(tmp_path)
    expected = read_dataset(folder)
    for path in folder.iterdir():
        content = path.read_bytes().replace(b"\n", b"\r\n\r\n")
        path.write_bytes(b"\xef\xbb\xbf" + content)

    assert read_dataset(folder) == expected


def test_a_line_separator_inside_a_text_does_not_end_the_line(tmp_path: Path) -> None:
    documents = [{"id": "d1", "title": "", "text": "one\u2028two"}, *DOCUMENTS[1:]]

    dataset = read_dataset(write_folder(tmp_path, documents=documents))

    assert dataset.documents[0].text == "one\u2028two"


@pytest.mark.parametrize("name", ["docs.jsonl", "queries.jsonl", "qrels.tsv"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    path = write_folder(tmp_path) / name
    path.unlink()

    assert complaint_about(tmp_path) == f"{path} cannot be read: No such file or directory."


@pytest.mark.parametrize(
    ("second_line", "complaint"),
    [
        ('{"id": "d2", "title":', "this is not JSON"),
        ('["d2"]', "not an object"),
        ('{"id": "d2", "title": ""}', 'the field "text" is missing'),
        ('{"id": "d2", "text": ""}', 'the field "title" is missing'),
        ('{"title": "", "text": ""}', 'the field "id" is missing'),
        ('{"id": 2, "title": "", "text": ""}', 'the field "id" is not a text'),
        ('{"id": " ", "title": "", "text": ""}', "the id is empty"),
        ('{"id": "d1", "title": "", "text": ""}', "the id d1 stands in an earlier line already"),
    ],
)
def test_a_broken_document_is_named_with_its_line(
    tmp_path: Path, second_line: str, complaint: str
) -> None:
    folder = write_folder(tmp_path, documents=[DOCUMENTS[0], second_line])

    assert complaint_about(folder).startswith(f"{folder / 'docs.jsonl'}, line 2: ")
    assert complaint in complaint_about(folder)


@pytest.mark.parametrize(
    ("second_line", "complaint"),
    [
        ("no JSON", "this is not JSON"),
        ('{"id": "q2"}', 'the field "text" is missing'),
        ('{"id": "q2", "text": "  "}', "the question is empty"),
        ('{"id": "q1", "text": "Again?"}', "the id q1 stands in an earlier line already"),
    ],
)
def test_a_broken_question_is_named_with_its_line(
    tmp_path: Path, second_line: str, complaint: str
) -> None:
    folder = write_folder(tmp_path, queries=[QUERIES[0], second_line])

    assert complaint_about(folder).startswith(f"{folder / 'queries.jsonl'}, line 2: ")
    assert complaint in complaint_about(folder)


@pytest.mark.parametrize(
    ("third_line", "complaint"),
    [
        ("q9\td1\t1", "there is no question q9"),
        ("q1\td9\t1", "there is no document d9"),
        ("q1\td2\tyes", "the relevance 'yes' is not a whole number"),
        ("q1\td2\t0.5", "the relevance '0.5' is not a whole number"),
        ("q1\td1\t1", "document d1 is judged twice for question q1"),
        ("q1 d2 1", "there are 1 columns between tabs instead of three"),
        ("q1\t0\td2\t1", "there are 4 columns between tabs instead of three"),
    ],
)
def test_a_broken_judgement_is_named_with_its_line(
    tmp_path: Path, third_line: str, complaint: str
) -> None:
    folder = write_folder(tmp_path, judgements=[HEADER, "q1\td1\t1", third_line])

    assert complaint_about(folder).startswith(f"{folder / 'qrels.tsv'}, line 3: ")
    assert complaint in complaint_about(folder)


def test_judgements_without_a_header_are_refused_so_that_none_is_lost(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, judgements=["q1\td1\t1", "q2\td2\t1"])

    assert "line 1: the first line must be a header" in complaint_about(folder)


def test_bytes_that_are_not_utf8_are_named_with_their_line(tmp_path: Path) -> None:
    folder = write_folder(tmp_path)
    path = folder / "docs.jsonl"
    path.write_bytes(path.read_bytes() + "退款".encode("gbk"))

    assert complaint_about(folder) == f"{path}, line 4: this is not UTF-8."


@pytest.mark.parametrize("judgements", [[], [HEADER], [HEADER, "q1\td1\t0"]])
def test_a_set_without_any_relevant_document_is_refused(
    tmp_path: Path, judgements: list[str]
) -> None:
    folder = write_folder(tmp_path, judgements=judgements)

    assert (
        complaint_about(folder) == f"{folder / 'qrels.tsv'}: no question has a relevant document."
    )


def test_empty_files_are_refused(tmp_path: Path) -> None:
    assert "there is no document" in complaint_about(write_folder(tmp_path / "a", documents=[]))
    assert "there is no question" in complaint_about(write_folder(tmp_path / "b", queries=[]))


def test_a_sample_keeps_all_documents_and_the_order_of_its_questions(many_queries: Dataset) -> None:
    drawn = sample(many_queries, queries=5, seed=1)
    ids = [query.id for query in drawn.queries]
    all_ids = [query.id for query in many_queries.queries]

    assert len(ids) == 5
    assert ids == sorted(ids, key=all_ids.index)
    assert list(drawn.relevance_by_query) == ids
    assert drawn.documents == many_queries.documents


def test_a_seed_draws_the_same_questions_again_and_another_seed_draws_others(
    many_queries: Dataset,
) -> None:
    first = sample(many_queries, queries=5, seed=1)

    assert sample(many_queries, queries=5, seed=1) == first
    assert sample(many_queries, queries=5, seed=2) != first


def test_a_sample_of_more_than_there_are_is_the_whole_set(many_queries: Dataset) -> None:
    assert sample(many_queries, queries=100, seed=1) is many_queries


def test_a_sample_of_no_question_is_refused(many_queries: Dataset) -> None:
    with pytest.raises(ValueError, match="at least one question"):
        sample(many_queries, queries=0, seed=1)
