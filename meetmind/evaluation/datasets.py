"""Sets of judged questions: documents, questions, and which document answers which question.

A set is a folder of three files in UTF-8:

docs.jsonl      {"id": ..., "title": ..., "text": ...} a line; title and text may be empty
queries.jsonl   {"id": ..., "text": ...} a line
qrels.tsv       a header line, then query_id, doc_id and relevance, with tabs between them

A relevance of 1 and more is relevant.
"""

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from meetmind.errors import DatasetUnreadable

DOCUMENTS_FILE = "docs.jsonl"
QUERIES_FILE = "queries.jsonl"
JUDGEMENTS_FILE = "qrels.tsv"


@dataclass(frozen=True, kw_only=True)
class Document:
    """Something that can be found."""

    id: str
    title: str
    text: str

    @property
    def content(self) -> str:
        """The title and the text, each on lines of its own where there is one."""
        return f"{self.title}\n{self.text}".strip()


@dataclass(frozen=True, kw_only=True)
class Query:
    """A question to ask of the documents."""

    id: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """Documents and the questions that at least one of them answers."""

    name: str
    documents: tuple[Document, ...]
    queries: tuple[Query, ...]
    """Only questions with something to find: without a relevant document a ranking says nothing."""
    relevance_by_query: Mapping[str, Mapping[str, int]]
    """For each of the questions the judged documents and their relevance."""


@dataclass(frozen=True, kw_only=True)
class FileLine:
    """A line of one of the files, with its number for messages."""

    path: Path
    number: int
    text: str

    def problem(self, complaint: str) -> DatasetUnreadable:
        """The error that tells where the complaint belongs."""
        return DatasetUnreadable(f"{self.path}, line {self.number}: {complaint}")


def read_dataset(folder: Path) -> Dataset:
    """The set in the folder, named after it.

    Raises `DatasetUnreadable` with the file and the line when anything in it is wrong.
    """
    documents = _read_documents(folder / DOCUMENTS_FILE)
    queries = _read_queries(folder / QUERIES_FILE)
    document_ids = {document.id for document in documents}
    query_ids = {query.id for query in queries}
    judgements_path = folder / JUDGEMENTS_FILE
    judged = _read_judgements(judgements_path, document_ids, query_ids)
    answerable_queries = tuple(query for query in queries if _is_answered(judged.get(query.id)))
    if not answerable_queries:
        raise DatasetUnreadable(f"{judgements_path}: no question has a relevant document.")
    return Dataset(
        name=folder.resolve().name,
        documents=documents,
        queries=answerable_queries,
        relevance_by_query={query.id: judged[query.id] for query in answerable_queries},
    )


def sample(dataset: Dataset, queries: int, seed: int) -> Dataset:
    """The set with so many of its questions, drawn by the seed, in their order; all documents stay.

    Raises `ValueError` for less than one question.
    """
    if queries < 1:
        raise ValueError("A sample needs at least one question.")
    if queries >= len(dataset.queries):
        return dataset
    drawn_places = random.Random(seed).sample(range(len(dataset.queries)), queries)  # noqa: S311
    drawn_queries = tuple(dataset.queries[place] for place in sorted(drawn_places))
    relevance_by_query = {query.id: dataset.relevance_by_query[query.id] for query in drawn_queries}
    return replace(dataset, queries=drawn_queries, relevance_by_query=relevance_by_query)


def _is_answered(relevance_by_id: Mapping[str, int] | None) -> bool:
    if relevance_by_id is None:
        return False
    return any(relevance > 0 for relevance in relevance_by_id.values())


def _read_documents(path: Path) -> tuple[Document, ...]:
    documents: list[Document] = []
    seen_ids: set[str] = set()
    for line in _lines_of(path):
        fields = _object_of(line)
        id_ = _new_id(line, fields, seen_ids)
        title = _text_of(line, fields, "title")
        text = _text_of(line, fields, "text")
        documents.append(Document(id=id_, title=title, text=text))
    if not documents:
        raise DatasetUnreadable(f"{path}: there is no document in it.")
    return tuple(documents)


def _read_queries(path: Path) -> tuple[Query, ...]:
    queries: list[Query] = []
    seen_ids: set[str] = set()
    for line in _lines_of(path):
        fields = _object_of(line)
        id_ = _new_id(line, fields, seen_ids)
        text = _text_of(line, fields, "text")
        if not text.strip():
            raise line.problem("the question is empty.")
        queries.append(Query(id=id_, text=text))
    if not queries:
        raise DatasetUnreadable(f"{path}: there is no question in it.")
    return tuple(queries)


def _read_judgements(
    path: Path, document_ids: set[str], query_ids: set[str]
) -> dict[str, dict[str, int]]:
    relevance_by_query: dict[str, dict[str, int]] = {}
    lines = _lines_of(path)
    header = next(lines, None)
    if header is not None and _is_whole_number(header.text.split("\t")[-1]):
        raise header.problem("the first line must be a header, and this is a judgement.")
    for line in lines:
        query_id, document_id, relevance = _judgement_of(line)
        if query_id not in query_ids:
            raise line.problem(f"there is no question {query_id}.")
        if document_id not in document_ids:
            raise line.problem(f"there is no document {document_id}.")
        relevance_by_id = relevance_by_query.setdefault(query_id, {})
        if document_id in relevance_by_id:
            raise line.problem(f"document {document_id} is judged twice for question {query_id}.")
        relevance_by_id[document_id] = relevance
    return relevance_by_query


def _judgement_of(line: FileLine) -> tuple[str, str, int]:
    columns = line.text.split("\t")
    if len(columns) != 3:
        raise line.problem(
            f"there are {len(columns)} columns between tabs instead of three: "
            "query_id, doc_id and relevance."
        )
    query_id, document_id, relevance = columns
    if not _is_whole_number(relevance):
        raise line.problem(f"the relevance {relevance!r} is not a whole number.")
    return query_id, document_id, int(relevance)


def _is_whole_number(text: str) -> bool:
    digits = text.strip().removeprefix("-")
    return digits.isascii() and digits.isdigit()


def _lines_of(path: Path) -> Iterator[FileLine]:
    """The lines that are not blank. A line ends at a line feed alone: JSON may hold U+2028."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DatasetUnreadable(f"{path} cannot be read: {error.strerror}.") from error
    content = content.removeprefix(b"\xef\xbb\xbf")
    for number, raw_line in enumerate(content.split(b"\n"), start=1):
        try:
            text = raw_line.decode("utf-8").strip()
        except UnicodeDecodeError as error:
            raise DatasetUnreadable(f"{path}, line {number}: this is not UTF-8.") from error
        if text:
            yield FileLine(path=path, number=number, text=text)


def _object_of(line: FileLine) -> dict[str, Any]:
    try:
        fields = json.loads(line.text)
    except ValueError as error:
        raise line.problem(f"this is not JSON ({error}).") from error
    if not isinstance(fields, dict):
        raise line.problem("this is JSON, but not an object with fields.")
    return fields


def _new_id(line: FileLine, fields: dict[str, Any], seen_ids: set[str]) -> str:
    id_ = _text_of(line, fields, "id")
    if not id_.strip():
        raise line.problem("the id is empty.")
    if id_ in seen_ids:
        raise line.problem(f"the id {id_} stands in an earlier line already.")
    seen_ids.add(id_)
    return id_


def _text_of(line: FileLine, fields: dict[str, Any], name: str) -> str:
    if name not in fields:
        raise line.problem(f'the field "{name}" is missing.')
    value = fields[name]
    if not isinstance(value, str):
        raise line.problem(f'the field "{name}" is not a text.')
    return value
