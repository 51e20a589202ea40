"""The columns that an embedding model has in every role's table, and its vectors on their way in.

`embedding_<key>` holds a passage's vector (null where the model cannot read it), `tokens_<key>` the
compressed vectors of its tokens, `seen_<key>` whether the model has seen it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from psycopg import Connection, sql
from psycopg.rows import class_row
from psycopg_pool import ConnectionPool

from meetmind.database.agent_tables import check_table_name, lock_table
from meetmind.database.connection import long_work
from meetmind.errors import KnowledgeError

MODEL_KEY = re.compile(r"[a-z][a-z0-9]{0,19}")
LONGEST_KEY_IN_A_NAME = 12
FEWEST_PASSAGES_FOR_AN_INDEX = 1_000


def embedding_column(key: str) -> str:
    """The column of the passages' vectors; raises `KnowledgeError` for anything but a key."""
    if MODEL_KEY.fullmatch(key) is None:
        raise KnowledgeError(f"{key!r} is no key of an embedding model.")
    return f"embedding_{key}"


def tokens_column(key: str) -> str:
    """The column of the tokens' vectors; raises `KnowledgeError` for anything but a key."""
    return embedding_column(key).replace("embedding_", "tokens_", 1)


def seen_column(key: str) -> str:
    """The column of what the model has seen; raises `KnowledgeError` for anything but a key."""
    return embedding_column(key).replace("embedding_", "seen_", 1)


def with_columns(statement: sql.SQL, table_name: str, key: str) -> sql.Composed:
    """The statement with `{passages}` and the model's columns filled in."""
    check_table_name(table_name)
    return statement.format(
        passages=sql.Identifier(table_name),
        embedding=sql.Identifier(embedding_column(key)),
        tokens=sql.Identifier(tokens_column(key)),
        seen=sql.Identifier(seen_column(key)),
    )


COUNT_COLUMNS = """
select count(*)
from information_schema.columns
where table_schema = current_schema()
  and table_name = %(table_name)s
  and column_name = any(%(columns)s)
"""

# Vectors stay in the row, so that an exact scan does not look each one up elsewhere. Where only
# some of the columns are left, what they say holds no longer.
ADD_COLUMNS = sql.SQL("""
alter table {passages}
    drop column if exists {embedding},
    drop column if exists {tokens},
    drop column if exists {seen},
    add column {embedding} halfvec({dimensions}),
    add column {tokens} bytea,
    add column {seen} boolean not null default false,
    alter column {embedding} set storage main,
    alter column {tokens} set storage external
""")


def ensure_columns(pool: ConnectionPool, table_name: str, key: str, dimensions: int) -> bool:
    """Add a model's columns to a role's table where they are missing; whether they were."""
    columns = [embedding_column(key), tokens_column(key), seen_column(key)]
    with pool.connection() as connection:
        if _has_columns(connection, table_name, columns):
            return False
        lock_table(connection, table_name)
        if _has_columns(connection, table_name, columns):
            return False
        statement = ADD_COLUMNS.format(
            passages=sql.Identifier(table_name),
            embedding=sql.Identifier(columns[0]),
            tokens=sql.Identifier(columns[1]),
            seen=sql.Identifier(columns[2]),
            dimensions=sql.Literal(dimensions),
        )
        connection.execute(statement, prepare=False)
    return True


def _has_columns(connection: Connection, table_name: str, columns: Sequence[str]) -> bool:
    parameters = {"table_name": table_name, "columns": list(columns)}
    row = connection.execute(COUNT_COLUMNS, parameters).fetchone()
    return row is not None and row[0] == len(columns)


DROP_COLUMNS = sql.SQL("""
alter table {passages}
    drop column if exists {embedding},
    drop column if exists {tokens},
    drop column if exists {seen}
""")


def drop_columns(connection: Connection, table_name: str, key: str) -> None:
    """Remove a model's columns, and with them its vectors and their index."""
    connection.execute(with_columns(DROP_COLUMNS, table_name, key), prepare=False)


@dataclass(frozen=True, kw_only=True)
class PendingPassage:
    """A passage that an embedding model has not seen yet."""

    id: str
    title: str
    summary: str
    content: str
    language: str


COUNT_PENDING = sql.SQL("""
select count(*)
from {passages}
where not {seen}
""")


def count_pending(pool: ConnectionPool, table_name: str, key: str) -> int:
    """How many passages the model has not seen yet."""
    with pool.connection() as connection:
        row = connection.execute(with_columns(COUNT_PENDING, table_name, key)).fetchone()
    return row[0] if row is not None else 0


# The shortest first: a batch of texts of about one length wastes no work on padding.
SELECT_PENDING = sql.SQL("""
select
    id,
    metadata ->> 'title' as title,
    metadata ->> 'summary' as summary,
    content,
    metadata ->> 'language' as language
from {passages}
where not {seen}
order by char_length(content), number
limit %(limit)s
""")


def pending_passages(
    pool: ConnectionPool, table_name: str, key: str, limit: int
) -> list[PendingPassage]:
    """Passages that the model has not seen yet, the shortest first."""
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(PendingPassage))
        statement = with_columns(SELECT_PENDING, table_name, key)
        return cursor.execute(statement, {"limit": limit}).fetchall()


@dataclass(frozen=True, kw_only=True)
class NewEmbedding:
    """What a model makes of a passage; both None where it cannot read it."""

    passage_id: str
    vector: Sequence[float] | None
    tokens: bytes | None


STORE_EMBEDDINGS = sql.SQL("""
update {passages} as passage
set {embedding} = given.embedding::halfvec,
    {tokens} = given.tokens,
    {seen} = true
from unnest(%(ids)s::text[], %(vectors)s::text[], %(tokens)s::bytea[])
    as given (id, embedding, tokens)
where passage.id = given.id
""")


def store_embeddings(
    pool: ConnectionPool, table_name: str, key: str, embeddings: Sequence[NewEmbedding]
) -> None:
    """Store what the model made of passages."""
    literals: list[str | None] = []
    for embedding in embeddings:
        literals.append(None if embedding.vector is None else vector_literal(embedding.vector))
    parameters = {
        "ids": [embedding.passage_id for embedding in embeddings],
        "vectors": literals,
        "tokens": [embedding.tokens for embedding in embeddings],
    }
    with pool.connection() as connection:
        connection.execute(with_columns(STORE_EMBEDDINGS, table_name, key), parameters)


COUNT_EMBEDDED = sql.SQL("""
select count({embedding})
from {passages}
""")

HAS_INDEX = """
select to_regclass(%(index_name)s) is not null
"""

BUILD_INDEX = sql.SQL("""
create index if not exists {index}
on {passages}
using hnsw ({embedding} halfvec_cosine_ops)
where {in_language}
""")


def index_vectors(
    pool: ConnectionPool, table_name: str, key: str, languages: Sequence[str] = ("",)
) -> None:
    """Build the HNSW indexes of a table that is large enough to need them, one a language.

    The empty language is one index over all passages. Below about a thousand passages an exact
    scan is as fast.
    """
    with long_work(pool) as connection:
        row = connection.execute(with_columns(COUNT_EMBEDDED, table_name, key)).fetchone()
        if row is None or row[0] < FEWEST_PASSAGES_FOR_AN_INDEX:
            return
        for language in languages:
            _index_language(connection, table_name, key, language)


def _index_language(connection: Connection, table_name: str, key: str, language: str) -> None:
    # Short enough for PostgreSQL; the end of a key tells models apart.
    name = f"{table_name}_{key[-LONGEST_KEY_IN_A_NAME:]}_{language}".rstrip("_")
    # Even `create index if not exists` would wait for whoever is writing.
    row = connection.execute(HAS_INDEX, {"index_name": f'"{name}"'}).fetchone()
    if row is not None and row[0]:
        return
    statement = BUILD_INDEX.format(
        index=sql.Identifier(name),
        passages=sql.Identifier(table_name),
        embedding=sql.Identifier(embedding_column(key)),
        in_language=in_language(language),
    )
    connection.execute(statement, prepare=False)


def in_language(language: str) -> sql.Composable:
    """The condition of the index over passages in one language; true for all."""
    if not language:
        return sql.SQL("true")
    return sql.SQL("metadata ->> 'language' = {}").format(sql.Literal(language))


def vector_literal(vector: Sequence[float]) -> str:
    """The vector as pgvector reads it."""
    return "[" + ",".join(f"{value:.6g}" for value in vector) + "]"
