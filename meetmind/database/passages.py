"""Passages as people see them, and their embeddings as the background fills them in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from psycopg import sql
from psycopg.rows import class_row
from psycopg_pool import ConnectionPool

from meetmind.database.agent_tables import ensure_vectors_index, with_tables
from meetmind.database.connection import long_work
from meetmind.database.retrieval import vector_literal

FEWEST_PASSAGES_FOR_AN_INDEX = 1_000


@dataclass(frozen=True, kw_only=True)
class PassageCounts:
    """How much a role's table holds."""

    passages: int
    chinese_passages: int
    english_passages: int
    characters: int
    embedded_passages: int


COUNT_PASSAGES = sql.SQL("""
select
    count(*) as passages,
    count(*) filter (where metadata ->> 'language' = 'zh') as chinese_passages,
    count(*) filter (where metadata ->> 'language' = 'en') as english_passages,
    coalesce(sum(char_length(content)), 0) as characters,
    count(embedding) as embedded_passages
from {passages}
""")


def count_passages(pool: ConnectionPool, table_name: str) -> PassageCounts:
    """Passages, characters, languages and vectors of a role."""
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(PassageCounts))
        counts = cursor.execute(with_tables(COUNT_PASSAGES, table_name)).fetchone()
    assert counts is not None
    return counts


@dataclass(frozen=True, kw_only=True)
class PassageRow:
    """A passage of a role's table."""

    id: str
    title: str
    source: str
    locator: str
    language: str
    content: str


SELECT_PASSAGES = sql.SQL("""
select
    passage.id,
    link.title,
    link.source,
    link.locator,
    passage.metadata ->> 'language' as language,
    passage.content
from passage_sources as link
join {passages} as passage on passage.id = link.passage_id
where link.table_name = %(table_name)s
  and (%(source)s::text is null or link.source = %(source)s)
order by link.source, link.position
limit %(limit)s
offset %(offset)s
""")


def list_passages(
    pool: ConnectionPool, table_name: str, *, source: str | None, offset: int, limit: int
) -> list[PassageRow]:
    """Passages in the order of their documents; one with two sources stands under both."""
    parameters = {"table_name": table_name, "source": source, "offset": offset, "limit": limit}
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(PassageRow))
        return cursor.execute(with_tables(SELECT_PASSAGES, table_name), parameters).fetchall()


@dataclass(frozen=True, kw_only=True)
class PendingPassage:
    """A passage that the embedding model has not seen yet."""

    id: str
    title: str
    summary: str
    content: str


COUNT_PENDING = sql.SQL("""
select count(*)
from {passages}
where embedded_by is distinct from %(model_name)s
""")


def count_pending(pool: ConnectionPool, table_name: str, model_name: str) -> int:
    """How many passages the embedding model has not seen yet."""
    parameters = {"model_name": model_name}
    with pool.connection() as connection:
        row = connection.execute(with_tables(COUNT_PENDING, table_name), parameters).fetchone()
    return row[0] if row is not None else 0


SELECT_PENDING = sql.SQL("""
select
    id,
    metadata ->> 'title' as title,
    metadata ->> 'summary' as summary,
    content
from {passages}
where embedded_by is distinct from %(model_name)s
order by number
limit %(limit)s
""")


def pending_passages(
    pool: ConnectionPool, table_name: str, model_name: str, limit: int
) -> list[PendingPassage]:
    """Passages that the embedding model has not seen yet, the oldest first."""
    parameters = {"model_name": model_name, "limit": limit}
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(PendingPassage))
        return cursor.execute(with_tables(SELECT_PENDING, table_name), parameters).fetchall()


STORE_EMBEDDINGS = sql.SQL("""
update {passages} as passage
set embedding = given.embedding::halfvec(384),
    embedded_by = %(model_name)s
from unnest(%(ids)s::text[], %(vectors)s::text[]) as given (id, embedding)
where passage.id = given.id
""")


def store_embeddings(
    pool: ConnectionPool,
    table_name: str,
    model_name: str,
    vector_by_id: Mapping[str, Sequence[float] | None],
) -> None:
    """Store vectors; None for a passage that the model cannot read."""
    literals: list[str | None] = []
    for vector in vector_by_id.values():
        literals.append(None if vector is None else vector_literal(vector))
    parameters = {
        "model_name": model_name,
        "ids": list(vector_by_id.keys()),
        "vectors": literals,
    }
    with pool.connection() as connection:
        connection.execute(with_tables(STORE_EMBEDDINGS, table_name), parameters)


def index_vectors(pool: ConnectionPool, table_name: str) -> None:
    """Build the vector index once the table is large enough to need one."""
    if count_passages(pool, table_name).embedded_passages < FEWEST_PASSAGES_FOR_AN_INDEX:
        return
    with long_work(pool) as connection:
        ensure_vectors_index(connection, table_name)
