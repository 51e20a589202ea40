"""The tables of a role's knowledge: passages, words and which word stands in which passage.

`<prefix>_<role>` holds the passages, `..._terms` the vocabulary with the number of passages of each
word, `..._postings` how often a word stands in a passage (with the passage's length, so that BM25
needs no look at the passages). Names come from the prefix and the roster alone.
"""

import re

from psycopg import Connection, sql
from psycopg_pool import ConnectionPool

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.errors import KnowledgeError

PREFIX = re.compile(r"[a-z_][a-z0-9_]{0,30}")
TABLE_NAME = re.compile(rf"[a-z_][a-z0-9_]{{0,30}}_(?:{'|'.join(AGENT_NAMES)})")


def get_table_name(prefix: str, agent_name: str) -> str:
    """The name of a role's table; raises `KnowledgeError` for anything but a prefix and a role."""
    if PREFIX.fullmatch(prefix) is None:
        raise KnowledgeError(f"{prefix!r} cannot be the prefix of a table.")
    if agent_name not in AGENT_NAMES:
        raise KnowledgeError(f"There is no role {agent_name!r}.")
    return f"{prefix}_{agent_name}"


def check_table_name(table_name: str) -> None:
    """Raise `KnowledgeError` for anything but the name of a role's table."""
    if TABLE_NAME.fullmatch(table_name) is None:
        raise KnowledgeError(f"{table_name!r} is no table of a role.")


def with_tables(statement: sql.SQL, table_name: str) -> sql.Composed:
    """The statement with `{passages}`, `{terms}` and `{postings}` of this role filled in."""
    check_table_name(table_name)
    return statement.format(
        passages=sql.Identifier(table_name),
        terms=sql.Identifier(f"{table_name}_terms"),
        postings=sql.Identifier(f"{table_name}_postings"),
        numbers_index=sql.Identifier(f"{table_name}_numbers"),
        similar_index=sql.Identifier(f"{table_name}_similar"),
        by_passage_index=sql.Identifier(f"{table_name}_by_passage"),
        disabled_index=sql.Identifier(f"{table_name}_disabled"),
    )


TABLE_EXISTS = """
select to_regclass(%(table_name)s) is not null
"""

CREATE_TABLES = sql.SQL("""
create table if not exists {passages} (
    id text primary key,
    number integer generated always as identity,
    content text not null,
    metadata jsonb not null,
    -- in terms
    length smallint not null,
    -- shown on the Knowledge page and never found
    is_disabled boolean not null default false
);

create unique index if not exists {numbers_index} on {passages} (number) include (length);
create index if not exists {disabled_index} on {passages} (number) where is_disabled;

create table if not exists {terms} (
    id integer generated always as identity primary key,
    term text not null unique,
    passages integer not null,
    is_latin boolean not null
) with (fillfactor = 70);

create index if not exists {similar_index} on {terms} using gin (term gin_trgm_ops) where is_latin;

create table if not exists {postings} (
    term_id integer not null,
    passage integer not null,
    frequency smallint not null,
    length smallint not null,
    primary key (term_id, passage) include (frequency, length)
);

create index if not exists {by_passage_index} on {postings} (passage);
""")


def ensure_agent_table(pool: ConnectionPool, table_name: str) -> None:
    """Create the tables of a role where they are missing."""
    with pool.connection() as connection:
        row = connection.execute(TABLE_EXISTS, {"table_name": f'"{table_name}"'}).fetchone()
        if row is not None and row[0]:
            return
        lock_table(connection, table_name)
        connection.execute(with_tables(CREATE_TABLES, table_name), prepare=False)


LOCK_TABLE = """
select pg_advisory_xact_lock(hashtextextended(%(table_name)s, 0))
"""


def lock_table(connection: Connection, table_name: str) -> None:
    """Let nobody else write a role's tables until the end of the transaction."""
    connection.execute(LOCK_TABLE, {"table_name": table_name})


COUNT_DOCS = sql.SQL("""
select count(*)
from {passages}
""")


def count_docs(pool: ConnectionPool, table_name: str) -> int:
    """How many passages a role's table holds."""
    with pool.connection() as connection:
        row = connection.execute(with_tables(COUNT_DOCS, table_name)).fetchone()
    return row[0] if row is not None else 0


DROP_TABLES = sql.SQL("""
drop table if exists {passages}, {terms}, {postings}
""")

DELETE_DOCUMENTS = """
delete from documents
where table_name = %(table_name)s
"""

DELETE_DELETIONS = """
delete from deleted_passages
where table_name = %(table_name)s
"""

DELETE_DISABLINGS = """
delete from disabled_passages
where table_name = %(table_name)s
"""

DELETE_EDITS = """
delete from passage_edits
where table_name = %(table_name)s
"""

DELETE_ALIASES = """
delete from aliases
where table_name = %(table_name)s
"""

DELETE_JUDGEMENTS = """
delete from judgements
where table_name = %(table_name)s
"""


def delete_agent_table(pool: ConnectionPool, table_name: str) -> None:
    """Remove a role's tables with everything that is known about its documents."""
    kept_beside = (
        DELETE_DOCUMENTS,
        DELETE_DELETIONS,
        DELETE_DISABLINGS,
        DELETE_EDITS,
        DELETE_ALIASES,
        DELETE_JUDGEMENTS,
    )
    with pool.connection() as connection:
        lock_table(connection, table_name)
        connection.execute(with_tables(DROP_TABLES, table_name))
        for statement in kept_beside:
            connection.execute(statement, {"table_name": table_name})


SELECT_TABLE_NAMES = """
select tablename
from pg_tables
where schemaname = current_schema()
order by tablename
"""


def list_agent_tables(pool: ConnectionPool) -> list[str]:
    """The tables of every role under every prefix, also of prefixes that are no longer in force."""
    with pool.connection() as connection:
        rows = connection.execute(SELECT_TABLE_NAMES).fetchall()
    existing = {name for (name,) in rows}
    found = []
    for name in sorted(existing):
        if TABLE_NAME.fullmatch(name) and f"{name}_terms" in existing:
            found.append(name)
    return found
