"""Documents and passages on their way in: one transaction a document, all of it or nothing."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from psycopg import Connection, sql
from psycopg.types.json import Jsonb
from psycopg_pool import ConnectionPool

from meetmind.clean_text import clean_bad_chars
from meetmind.database.agent_tables import lock_table, with_tables
from meetmind.database.documents import NewDocument, upsert_document
from meetmind.database.removal import linked_ids, remove_passages, unlink_passages

LARGEST_SMALLINT = 32_767


@dataclass(frozen=True, kw_only=True)
class NewPassage:
    """A passage of a document, with its terms."""

    id: str
    content: str
    title: str
    summary: str
    source: str
    locator: str
    language: str
    doc_type: str
    frequency_by_term: Mapping[str, int]
    dated: str = ""
    """YYYY-MM-DD; empty where the document says nothing of its date."""

    @property
    def metadata(self) -> dict[str, str]:
        """What stands beside the content."""
        return {
            "title": clean_bad_chars(self.title),
            "summary": clean_bad_chars(self.summary),
            "source": self.source,
            "locator": clean_bad_chars(self.locator),
            "language": self.language,
            "type": clean_bad_chars(self.doc_type),
            "dated": self.dated,
        }

    @property
    def length(self) -> int:
        """How many terms the passage has."""
        return min(sum(self.frequency_by_term.values()), LARGEST_SMALLINT)


@dataclass(frozen=True, kw_only=True)
class Ingested:
    """What the ingestion of a document changed."""

    added: int = 0
    kept: int = 0
    removed: int = 0
    left_out: int = 0
    """Passages that a person had deleted before."""


SELECT_PASSAGE_IDS = sql.SQL("""
select id
from {passages}
""")


def existing_ids(pool: ConnectionPool, table_name: str) -> set[str]:
    """The ids of every passage of a role."""
    with pool.connection() as connection:
        rows = connection.execute(with_tables(SELECT_PASSAGE_IDS, table_name)).fetchall()
    return {passage_id for (passage_id,) in rows}


def replace_document(
    pool: ConnectionPool,
    table_name: str,
    document: NewDocument,
    passages: Sequence[NewPassage],
) -> Ingested:
    """Store a document with its passages in place of what it held before.

    A passage that another document holds too is stored once and keeps its first title; one that
    a person deleted stays away.
    """
    with pool.connection() as connection:
        lock_table(connection, table_name)
        former_ids = linked_ids(connection, table_name, document.source)
        deleted_ids = _deleted_ids(connection, table_name)
        wanted: dict[str, NewPassage] = {}
        for passage in passages:
            if passage.id not in deleted_ids:
                wanted.setdefault(passage.id, passage)
        left_out = len({passage.id for passage in passages}) - len(wanted)
        counted = replace(document, left_out=document.left_out + left_out)
        upsert_document(connection, table_name, counted)
        _remove_renamed(connection, table_name, document.source, list(wanted.values()))
        _update_moved(connection, table_name, document.source, list(wanted.values()))
        added = _insert_passages(connection, table_name, list(wanted.values()))
        _link(connection, table_name, document.source, list(wanted.values()))
        removed = unlink_passages(
            connection, table_name, document.source, former_ids - wanted.keys()
        )
    return Ingested(
        added=added,
        kept=len(wanted) - added,
        removed=removed,
        left_out=left_out,
    )


SELECT_DELETED_IDS = """
select passage_id
from deleted_passages
where table_name = %(table_name)s
"""


def _deleted_ids(connection: Connection, table_name: str) -> set[str]:
    rows = connection.execute(SELECT_DELETED_IDS, {"table_name": table_name}).fetchall()
    return {passage_id for (passage_id,) in rows}


SELECT_RENAMED = sql.SQL("""
select known.id
from {passages} as known
join unnest(%(ids)s::text[], %(metadata)s::jsonb[]) as given (id, metadata) using (id)
where known.metadata ->> 'source' = %(source)s
  and (
      known.metadata ->> 'title' <> given.metadata ->> 'title'
      or known.metadata ->> 'summary' <> given.metadata ->> 'summary'
  )
""")


def _remove_renamed(
    connection: Connection, table_name: str, source: str, passages: Sequence[NewPassage]
) -> None:
    """Make room for passages whose text stayed and whose title changed: it is searched too."""
    if not passages:
        return
    parameters = _metadata_parameters(source, passages)
    rows = connection.execute(with_tables(SELECT_RENAMED, table_name), parameters).fetchall()
    remove_passages(connection, table_name, [passage_id for (passage_id,) in rows])


UPDATE_MOVED = sql.SQL("""
update {passages} as known
set metadata = given.metadata
from unnest(%(ids)s::text[], %(metadata)s::jsonb[]) as given (id, metadata)
where known.id = given.id
  and known.metadata ->> 'source' = %(source)s
  and known.metadata <> given.metadata
""")


def _update_moved(
    connection: Connection, table_name: str, source: str, passages: Sequence[NewPassage]
) -> None:
    """Passages of which only the place or the date changed keep their words and vectors."""
    if passages:
        parameters = _metadata_parameters(source, passages)
        connection.execute(with_tables(UPDATE_MOVED, table_name), parameters)


def _metadata_parameters(source: str, passages: Sequence[NewPassage]) -> dict[str, object]:
    return {
        "ids": [passage.id for passage in passages],
        "metadata": [Jsonb(passage.metadata) for passage in passages],
        "source": source,
    }


INSERT_PASSAGES = sql.SQL("""
insert into {passages} (id, content, metadata, length, is_disabled)
select
    given.*,
    exists (
        select
        from disabled_passages as disabled
        where disabled.table_name = %(table_name)s
          and disabled.passage_id = given.id
    )
from unnest(
    %(ids)s::text[], %(contents)s::text[], %(metadata)s::jsonb[], %(lengths)s::smallint[]
) as given (id, content, metadata, length)
on conflict (id) do nothing
returning id, number
""")


def _insert_passages(
    connection: Connection, table_name: str, passages: Sequence[NewPassage]
) -> int:
    """Insert the passages that are not there yet, with their postings; returns how many."""
    if not passages:
        return 0
    parameters = {
        "table_name": table_name,
        "ids": [passage.id for passage in passages],
        "contents": [clean_bad_chars(passage.content) for passage in passages],
        "metadata": [Jsonb(passage.metadata) for passage in passages],
        "lengths": [passage.length for passage in passages],
    }
    rows = connection.execute(with_tables(INSERT_PASSAGES, table_name), parameters).fetchall()
    number_by_id: dict[str, int] = dict(rows)
    added = [passage for passage in passages if passage.id in number_by_id]
    id_by_term = _count_terms(connection, table_name, added)
    _copy_postings(connection, table_name, added, number_by_id, id_by_term)
    return len(added)


# Nobody else writes meanwhile (lock_table), so that no identity value is spent on a conflict.
INSERT_TERMS = sql.SQL("""
insert into {terms} (term, passages, is_latin)
select given.term, 0, given.term ~ '^[a-z]'
from unnest(%(terms)s::text[]) as given (term)
where not exists (select from {terms} as known where known.term = given.term)
""")

ADD_TO_TERMS = sql.SQL("""
update {terms} as known
set passages = known.passages + given.passages
from unnest(%(terms)s::text[], %(counts)s::integer[]) as given (term, passages)
where known.term = given.term
returning known.term, known.id
""")


def _count_terms(
    connection: Connection, table_name: str, passages: Iterable[NewPassage]
) -> dict[str, int]:
    """Raise the number of passages of every term; returns the terms' ids."""
    passages_by_term: Counter[str] = Counter()
    for passage in passages:
        passages_by_term.update(passage.frequency_by_term.keys())
    if not passages_by_term:
        return {}
    parameters = {
        "terms": list(passages_by_term.keys()),
        "counts": list(passages_by_term.values()),
    }
    connection.execute(with_tables(INSERT_TERMS, table_name), parameters)
    rows = connection.execute(with_tables(ADD_TO_TERMS, table_name), parameters).fetchall()
    return dict(rows)


COPY_POSTINGS = sql.SQL("""
copy {postings} (term_id, passage, frequency, length)
from stdin
""")


def _copy_postings(
    connection: Connection,
    table_name: str,
    passages: Iterable[NewPassage],
    number_by_id: Mapping[str, int],
    id_by_term: Mapping[str, int],
) -> None:
    statement = with_tables(COPY_POSTINGS, table_name)
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for passage in passages:
            number = number_by_id[passage.id]
            for term, frequency in passage.frequency_by_term.items():
                bounded = min(frequency, LARGEST_SMALLINT)
                copy.write_row((id_by_term[term], number, bounded, passage.length))


INSERT_LINKS = """
insert into passage_sources (table_name, passage_id, source, position, title, locator)
select %(table_name)s, given.passage_id, %(source)s, given.position, given.title, given.locator
from unnest(
    %(ids)s::text[], %(positions)s::integer[], %(titles)s::text[], %(locators)s::text[]
) as given (passage_id, position, title, locator)
on conflict (table_name, passage_id, source) do update set
    position = excluded.position,
    title = excluded.title,
    locator = excluded.locator
"""


def _link(
    connection: Connection, table_name: str, source: str, passages: Sequence[NewPassage]
) -> None:
    if not passages:
        return
    connection.execute(
        INSERT_LINKS,
        {
            "table_name": table_name,
            "source": source,
            "ids": [passage.id for passage in passages],
            "positions": list(range(1, len(passages) + 1)),
            "titles": [clean_bad_chars(passage.title) for passage in passages],
            "locators": [clean_bad_chars(passage.locator) for passage in passages],
        },
    )
