"""Documents and passages on their way out: nothing that points to them stays behind."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from psycopg import Connection, sql
from psycopg.rows import class_row
from psycopg_pool import ConnectionPool

from meetmind.database.agent_tables import lock_table, with_tables

SELECT_LINKED_IDS = """
select passage_id
from passage_sources
where table_name = %(table_name)s
  and source = %(source)s
"""


def linked_ids(connection: Connection, table_name: str, source: str) -> set[str]:
    """The ids of the passages of a document."""
    parameters = {"table_name": table_name, "source": source}
    rows = connection.execute(SELECT_LINKED_IDS, parameters).fetchall()
    return {passage_id for (passage_id,) in rows}


DELETE_LINKS = """
delete from passage_sources
where table_name = %(table_name)s
  and source = %(source)s
  and passage_id = any(%(ids)s)
"""

# A passage that two documents share is shown under the one that is left.
RENAME_SHARED = sql.SQL("""
update {passages} as known
set metadata = known.metadata || jsonb_build_object(
    'source', other.source, 'locator', other.locator, 'title', other.title
)
from (
    select distinct on (passage_id) passage_id, source, locator, title
    from passage_sources
    where table_name = %(table_name)s
      and passage_id = any(%(ids)s)
    order by passage_id, source
) as other
where known.id = other.passage_id
  and known.metadata ->> 'source' = %(source)s
""")

SELECT_HOMELESS = """
select given.id
from unnest(%(ids)s::text[]) as given (id)
where not exists (
    select
    from passage_sources
    where table_name = %(table_name)s
      and passage_id = given.id
)
"""


def unlink_passages(
    connection: Connection, table_name: str, source: str, ids: Iterable[str]
) -> int:
    """Take passages out of a document and remove those that no other one holds."""
    parameters = {"table_name": table_name, "source": source, "ids": list(ids)}
    if not parameters["ids"]:
        return 0
    connection.execute(DELETE_LINKS, parameters)
    connection.execute(with_tables(RENAME_SHARED, table_name), parameters)
    rows = connection.execute(SELECT_HOMELESS, parameters).fetchall()
    return remove_passages(connection, table_name, [passage_id for (passage_id,) in rows])


DELETE_PASSAGES = sql.SQL("""
delete from {passages}
where id = any(%(ids)s)
returning number
""")

DELETE_POSTINGS = sql.SQL("""
with gone as (
    delete from {postings}
    where passage = any(%(numbers)s)
    returning term_id
),
gone_by_term as (
    select term_id, count(*) as passages
    from gone
    group by term_id
)
update {terms}
set passages = {terms}.passages - gone_by_term.passages
from gone_by_term
where {terms}.id = gone_by_term.term_id
""")

DELETE_UNUSED_TERMS = sql.SQL("""
delete from {terms}
where passages <= 0
""")


def remove_passages(connection: Connection, table_name: str, ids: Sequence[str]) -> int:
    """Remove passages with everything that points to them; returns how many there were."""
    if not ids:
        return 0
    rows = connection.execute(
        with_tables(DELETE_PASSAGES, table_name), {"ids": list(ids)}
    ).fetchall()
    parameters = {"numbers": [number for (number,) in rows]}
    connection.execute(with_tables(DELETE_POSTINGS, table_name), parameters)
    connection.execute(with_tables(DELETE_UNUSED_TERMS, table_name))
    return len(rows)


DELETE_DOCUMENT = """
delete from documents
where table_name = %(table_name)s
  and source = %(source)s
"""


def remove_document(pool: ConnectionPool, table_name: str, source: str) -> int:
    """Remove a document and the passages that only it held; returns how many passages went."""
    with pool.connection() as connection:
        lock_table(connection, table_name)
        former_ids = linked_ids(connection, table_name, source)
        removed = unlink_passages(connection, table_name, source, former_ids)
        connection.execute(DELETE_DOCUMENT, {"table_name": table_name, "source": source})
    return removed


MARK_DELETED = """
update documents
set status = 'deleted',
    sha256 = '',
    title = '',
    characters = 0,
    left_out = 0,
    report = '',
    report_parts = '[]'
where table_name = %(table_name)s
  and source = %(source)s
"""


def mark_document_deleted(pool: ConnectionPool, table_name: str, source: str) -> int:
    """Remove what a document held and remember that it stays away; returns the passages gone."""
    parameters = {"table_name": table_name, "source": source}
    with pool.connection() as connection:
        lock_table(connection, table_name)
        former_ids = linked_ids(connection, table_name, source)
        removed = unlink_passages(connection, table_name, source, former_ids)
        connection.execute(MARK_DELETED, parameters)
    return removed


# An edited passage is known by the id that it has in its file, and nothing of the edit stays.
REMEMBER_DELETION = sql.SQL("""
with edited as (
    delete from passage_edits
    where table_name = %(table_name)s
      and edited_id = %(passage_id)s
    returning original_id
),
gone as (
    select original_id as id
    from edited
    union
    select %(passage_id)s
    where not exists (select from edited)
)
insert into deleted_passages (table_name, passage_id, source, sources, title, deleted_by)
select
    %(table_name)s,
    gone.id,
    passage.metadata ->> 'source',
    array(
        select source
        from passage_sources
        where table_name = %(table_name)s
          and passage_id = %(passage_id)s
        order by source
    ),
    passage.metadata ->> 'title',
    %(deleted_by)s::uuid
from {passages} as passage
cross join gone
where passage.id = %(passage_id)s
on conflict do nothing
""")

DELETE_ALL_LINKS = """
delete from passage_sources
where table_name = %(table_name)s
  and passage_id = %(passage_id)s
"""


def delete_passage(
    pool: ConnectionPool, table_name: str, passage_id: str, deleted_by: str | None = None
) -> bool:
    """Delete one passage for good; returns False when there is none of this id."""
    parameters = {
        "table_name": table_name,
        "passage_id": passage_id,
        "deleted_by": deleted_by,
    }
    with pool.connection() as connection:
        lock_table(connection, table_name)
        connection.execute(with_tables(REMEMBER_DELETION, table_name), parameters)
        removed = remove_passages(connection, table_name, [passage_id])
        if removed == 0:
            return False
        connection.execute(DELETE_ALL_LINKS, parameters)
    return True


@dataclass(frozen=True, kw_only=True)
class DeletedPassage:
    """What is remembered about a passage that a person deleted: nothing of its text."""

    passage_id: str
    source: str
    title: str
    deleted_at: datetime


SELECT_DELETED = """
select passage_id, source, title, deleted_at
from deleted_passages
where table_name = %(table_name)s
order by deleted_at desc
"""


def list_deleted_passages(pool: ConnectionPool, table_name: str) -> list[DeletedPassage]:
    """The deleted passages of a role, the last one first."""
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(DeletedPassage))
        return cursor.execute(SELECT_DELETED, {"table_name": table_name}).fetchall()


FORGET_DELETED = """
delete from deleted_passages
where table_name = %(table_name)s
  and passage_id = %(passage_id)s
returning sources
"""


def forget_deletion(pool: ConnectionPool, table_name: str, passage_id: str) -> list[str] | None:
    """Let a deleted passage come back; its documents, or None if it is not deleted."""
    parameters = {"table_name": table_name, "passage_id": passage_id}
    with pool.connection() as connection:
        row = connection.execute(FORGET_DELETED, parameters).fetchone()
    return None if row is None else row[0]


EMPTY_TABLES = sql.SQL("""
truncate {passages}, {terms}, {postings}
""")

DELETE_DOCUMENTS = """
delete from documents
where table_name = %(table_name)s
  and status <> 'deleted'
"""


def empty_agent_table(pool: ConnectionPool, table_name: str) -> None:
    """Remove every document and passage of a role; what a person deleted is remembered."""
    with pool.connection() as connection:
        lock_table(connection, table_name)
        connection.execute(with_tables(EMPTY_TABLES, table_name))
        connection.execute(DELETE_DOCUMENTS, {"table_name": table_name})
