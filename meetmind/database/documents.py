"""Which documents a role has, as they were read last, and which passages come from which."""

from dataclasses import dataclass

from psycopg import Connection
from psycopg.rows import class_row
from psycopg_pool import ConnectionPool

from meetmind.clean_text import clean_bad_chars


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
    status: str = "read"
    report: str = ""


@dataclass(frozen=True, kw_only=True)
class KnownDocument:
    """A document as it was when it was read last."""

    source: str
    origin: str
    sha256: str
    status: str
    report: str


SELECT_KNOWN_DOCUMENTS = """
select source, origin, sha256, status, report
from documents
where table_name = %(table_name)s
"""


def known_documents(pool: ConnectionPool, table_name: str) -> dict[str, KnownDocument]:
    """Every document of a role by its source."""
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(KnownDocument))
        rows = cursor.execute(SELECT_KNOWN_DOCUMENTS, {"table_name": table_name}).fetchall()
    return {row.source: row for row in rows}


UPSERT_DOCUMENT = """
insert into documents
    (table_name, source, origin, sha256, title, doc_type, language, characters, status, report)
values
    (%(table_name)s, %(source)s, %(origin)s, %(sha256)s, %(title)s, %(doc_type)s, %(language)s,
     %(characters)s, %(status)s, %(report)s)
on conflict (table_name, source) do update set
    origin = excluded.origin,
    sha256 = excluded.sha256,
    title = excluded.title,
    doc_type = excluded.doc_type,
    language = excluded.language,
    characters = excluded.characters,
    status = excluded.status,
    report = excluded.report,
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
            "status": document.status,
            "report": clean_bad_chars(document.report),
        },
    )


UPDATE_FAILED = """
insert into documents
    (table_name, source, origin, sha256, title, doc_type, language, status, report)
values
    (%(table_name)s, %(source)s, %(origin)s, %(sha256)s, '', '', '', 'failed', %(report)s)
on conflict (table_name, source) do update set
    sha256 = excluded.sha256,
    status = excluded.status,
    report = excluded.report,
    ingested_at = clock_timestamp()
"""


def record_failure(pool: ConnectionPool, table_name: str, document: NewDocument) -> None:
    """Write down that a document could not be read; what it held before stays in use."""
    parameters = {
        "table_name": table_name,
        "source": document.source,
        "origin": document.origin,
        "sha256": document.sha256,
        "report": clean_bad_chars(document.report),
    }
    with pool.connection() as connection:
        connection.execute(UPDATE_FAILED, parameters)


@dataclass(frozen=True, kw_only=True)
class DocumentSummary:
    """A document with what came out of it."""

    source: str
    title: str
    doc_type: str
    language: str
    passages: int
    characters: int
    status: str
    """`read`, or `failed` with the reason in `report`."""
    report: str


SELECT_DOCUMENTS = """
select
    documents.source,
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
    documents.status,
    documents.report
from documents
where table_name = %(table_name)s
order by documents.source
"""


def list_documents(pool: ConnectionPool, table_name: str) -> list[DocumentSummary]:
    """Every document of a role in the order of its name, unreadable ones too."""
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(DocumentSummary))
        return cursor.execute(SELECT_DOCUMENTS, {"table_name": table_name}).fetchall()
