"""Whether a map of passages still shows what a role's table holds."""

from dataclasses import dataclass

from psycopg import sql
from psycopg.rows import class_row
from psycopg_pool import ConnectionPool

from meetmind.database.agent_tables import check_table_name
from meetmind.database.embedding_columns import embedding_column


@dataclass(frozen=True, kw_only=True)
class MapFingerprint:
    """What a map would be drawn from."""

    passages: int
    with_vector: int
    digest: str
    """Another one as soon as a passage with a vector comes, goes or is renamed."""


SELECT_FINGERPRINT = sql.SQL("""
select
    count(*) as passages,
    count({embedding}) as with_vector,
    coalesce(
        md5(
            string_agg(id || ' ' || (metadata ->> 'title'), '|' order by id)
            filter (where {embedding} is not null)
        ),
        ''
    ) as digest
from {passages}
""")


def map_fingerprint(pool: ConnectionPool, table_name: str, key: str) -> MapFingerprint:
    """What the model `key` has of a role's table at this moment."""
    check_table_name(table_name)
    statement = SELECT_FINGERPRINT.format(
        embedding=sql.Identifier(embedding_column(key)), passages=sql.Identifier(table_name)
    )
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(MapFingerprint))
        fingerprint = cursor.execute(statement).fetchone()
    assert fingerprint is not None
    return fingerprint
