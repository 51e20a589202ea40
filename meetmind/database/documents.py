"""Which documents a role has, as they were read last, and which passages come from which."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg import Connection
from psycopg.rows import kwargs_row
from psycopg.types.json import Jsonb
from psycopg_pool import ConnectionPool

from meetmind.clean_text import clean_bad_chars
from meetmind.i18n.document_notes import Detail, Note


@dataclass(frozen=True, kw_only=True)
class NewDocument:
    """What is kept about a document."""

    source: str
    origin: str
    sha256: str
    title: str = ""
    doc_type: str = ""
    language: str = ""
    characters: int = 0
    bytes: int = 0
    left_out: int = 0
    """Passages that were not stored, because of a limit or because a person deleted them."""
    status: str = "read"
    report: str = ""
    """In English; the same in no language are its parts."""
    report_parts: tuple[Note, ...] = ()


@dataclass(frozen=True, kw_only=True)
class KnownDocument:
    """A document as it was when it was read last."""

    source: str
    origin: str
    sha256: str
    status: str
    report: str
    report_parts: tuple[Note, ...]


SELECT_KNOWN_DOCUMENTS = """
select source, origin, sha256, status, report, report_parts
from documents
where table_name = %(table_name)s
"""


def known_documents(pool: ConnectionPool, table_name: str) -> dict[str, KnownDocument]:
    """Every document of a role by its source."""
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=kwargs_row(_known_document))
        rows = cursor.execute(SELECT_KNOWN_DOCUMENTS, {"table_name": table_name}).fetchall()
    return {row.source: row for row in rows}


def _known_document(*, report_parts: list[Mapping[str, Any]], **columns: Any) -> KnownDocument:
    return KnownDocument(report_parts=_notes(report_parts), **columns)


def _notes(stored: list[Mapping[str, Any]]) -> tuple[Note, ...]:
    return tuple(Note(reason=part["reason"], details=part["details"]) for part in stored)


def _stored(notes: Sequence[Note]) -> Jsonb:
    parts: list[dict[str, object]] = []
    for note in notes:
        details: dict[str, Detail] = {}
        for name, detail in note.details.items():
            details[name] = clean_bad_chars(detail) if isinstance(detail, str) else detail
        parts.append({"reason": note.reason, "details": details})
    return Jsonb(parts)


UPSERT_DOCUMENT = """
insert into documents
    (table_name, source, origin, sha256, title, doc_type, language, characters, bytes, left_out,
     status, report, report_parts)
values
    (%(table_name)s, %(source)s, %(origin)s, %(sha256)s, %(title)s, %(doc_type)s, %(language)s,
     %(characters)s, %(bytes)s, %(left_out)s, %(status)s, %(report)s, %(report_parts)s)
on conflict (table_name, source) do update set
    origin = excluded.origin,
    sha256 = excluded.sha256,
    title = excluded.title,
    doc_type = excluded.doc_type,
    language = excluded.language,
    characters = excluded.characters,
    bytes = excluded.bytes,
    left_out = excluded.left_out,
    status = excluded.status,
    report = excluded.report,
    report_parts = excluded.report_parts,
    ingested_at = clock_timestamp()
"""


def upsert_document(connection: Connection, table_name: str, document: NewDocument) -> None:
    """Write down what is known about a document."""
    connection.execute(
        UPSERT_DOCUMENT,
        {
            "table_name": table_name,
            "source": document.source,
            "origin": document.origin,
            "sha256": document.sha256,
            "title": clean_bad_chars(document.title),
            "doc_type": clean_bad_chars(document.doc_type),
            "language": document.language,
            "characters": document.characters,
            "bytes": document.bytes,
            "left_out": document.left_out,
            "status": document.status,
            "report": clean_bad_chars(document.report),
            "report_parts": _stored(document.report_parts),
        },
    )


UPDATE_FAILED = """
insert into documents
    (table_name, source, origin, sha256, title, doc_type, language, bytes, status, report,
     report_parts)
values
    (%(table_name)s, %(source)s, %(origin)s, %(sha256)s, '', '', '', %(bytes)s, 'failed',
     %(report)s, %(report_parts)s)
on conflict (table_name, source) do update set
    sha256 = excluded.sha256,
    status = excluded.status,
    report = excluded.report,
    report_parts = excluded.report_parts,
    ingested_at = clock_timestamp()
"""


def record_failure(pool: ConnectionPool, table_name: str, document: NewDocument) -> None:
    """Write down that a document could not be read; what it held before stays in use."""
    parameters = {
        "table_name": table_name,
        "source": document.source,
        "origin": document.origin,
        "sha256": document.sha256,
        "bytes": document.bytes,
        "report": clean_bad_chars(document.report),
        "report_parts": _stored(document.report_parts),
    }
    with pool.connection() as connection:
        connection.execute(UPDATE_FAILED, parameters)


@dataclass(frozen=True, kw_only=True)
class DocumentSummary:
    """A document with what came out of it."""

    source: str
    origin: str
    """`seed` or `upload`."""
    title: str
    doc_type: str
    language: str
    passages: int
    characters: int
    bytes: int
    left_out: int
    status: str
    """`read`, `failed` with the reason in `report`, or `deleted`."""
    report: str
    """In English; the same in no language are its parts, which an earlier version did not keep."""
    report_parts: tuple[Note, ...]
    ingested_at: datetime


SELECT_DOCUMENTS = """
select
    documents.source,
    documents.origin,
    documents.title,
    documents.doc_type,
    documents.language,
    (
        select count(*)
        from passage_sources
        where passage_sources.table_name = documents.table_name
          and passage_sources.source = documents.source
    ) as passages,
    documents.characters,
    documents.bytes,
    documents.left_out,
    documents.status,
    documents.report,
    documents.report_parts,
    documents.ingested_at
from documents
where table_name = %(table_name)s
order by documents.source
"""


def list_documents(pool: ConnectionPool, table_name: str) -> list[DocumentSummary]:
    """Every document of a role in the order of its name, unreadable and deleted ones too."""
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=kwargs_row(_document_summary))
        return cursor.execute(SELECT_DOCUMENTS, {"table_name": table_name}).fetchall()


def _document_summary(*, report_parts: list[Mapping[str, Any]], **columns: Any) -> DocumentSummary:
    return DocumentSummary(report_parts=_notes(report_parts), **columns)


COUNT_DOCUMENTS = """
select count(distinct source)
from passage_sources
where table_name = %(table_name)s
"""


def count_documents(pool: ConnectionPool, table_name: str) -> int:
    """How many documents have passages in a role's table."""
    with pool.connection() as connection:
        row = connection.execute(COUNT_DOCUMENTS, {"table_name": table_name}).fetchone()
    return 0 if row is None else row[0]


FORGET_VERSION = """
update documents
set sha256 = ''
where table_name = %(table_name)s
  and source = %(source)s
"""


def read_again(pool: ConnectionPool, table_name: str, source: str) -> None:
    """Have a document read at the next ingestion, whether its file changed or not."""
    with pool.connection() as connection:
        connection.execute(FORGET_VERSION, {"table_name": table_name, "source": source})


FORGET_DELETION = """
delete from documents
where table_name = %(table_name)s
  and source = %(source)s
  and status = 'deleted'
"""


def restore_document(pool: ConnectionPool, table_name: str, source: str) -> bool:
    """Let a deleted document be read again at the next ingestion; False when it is not deleted."""
    parameters = {"table_name": table_name, "source": source}
    with pool.connection() as connection:
        return connection.execute(FORGET_DELETION, parameters).rowcount == 1
