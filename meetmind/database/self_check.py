"""Asks a database whether MeetMind can work on it: one sentence and a way out for each failure."""

from collections.abc import Callable
from dataclasses import dataclass

import psycopg
from psycopg_pool import ConnectionPool

from meetmind.database.connection import EXTENSION_NAMES
from meetmind.database.migrate import unapplied_migrations
from meetmind.errors import DatabaseUnfit

OTHER_SERVER = "Set PG_URL to another PostgreSQL server, or leave it empty for the embedded one."


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    """How one check went; `problem` is empty when all is well."""

    name: str
    problem: str = ""


def self_check(pool: ConnectionPool) -> None:
    """Raise `DatabaseUnfit` with the sentence of the first check that fails."""
    for result in run_checks(pool):
        if result.problem:
            raise DatabaseUnfit(result.problem, check=result.name)


def run_checks(pool: ConnectionPool) -> list[CheckResult]:
    """Every check in order; after the first failure the rest could only repeat it."""
    results = []
    for name, check in CHECKS.items():
        problem = _outcome(check, pool)
        results.append(CheckResult(name=name, problem=problem))
        if problem:
            break
    return results


def _outcome(check: Callable[[ConnectionPool], str], pool: ConnectionPool) -> str:
    try:
        return check(pool)
    except DatabaseUnfit as error:
        return str(error)
    except psycopg.Error as error:
        return f"The database failed a check: {str(error).strip()}. {OTHER_SERVER}"


SHOW_ENCODING = """
select pg_encoding_to_char(encoding)::text
from pg_database
where datname = current_database()
"""


def check_encoding(pool: ConnectionPool) -> str:
    """The database stores text as UTF-8."""
    with pool.connection() as connection:
        row = connection.execute(SHOW_ENCODING).fetchone()
    encoding = "unknown" if row is None else row[0]
    if encoding == "UTF8":
        return ""
    return (
        f"The database's encoding is {encoding}, which cannot hold Chinese reliably. Create one "
        "with `create database meetmind encoding 'UTF8' template template0` and set PG_URL to it."
    )


SELECT_EXTENSIONS = """
select extname
from pg_extension
"""


def check_extensions(pool: ConnectionPool) -> str:
    """Both extensions are there."""
    with pool.connection() as connection:
        present = {row[0] for row in connection.execute(SELECT_EXTENSIONS)}
    for name in EXTENSION_NAMES:
        if name not in present:
            return (
                f"The extension {name} is missing. Let an administrator run "
                f"`create extension {name}` in this database."
            )
    return ""


DISTANCE = """
select array_fill(0.5::real, array[384])::vector <=> array_fill(0.25::real, array[384])::vector
"""

TEN_VECTORS = """
create temporary table self_check_vectors on commit drop as
select array_fill(number::real, array[384])::vector(384) as embedding
from generate_series(1, 10) as number
"""

BUILD_INDEX = """
create index on self_check_vectors
using hnsw (embedding vector_cosine_ops)
"""


def check_vectors(pool: ConnectionPool) -> str:
    """A distance of 384 dimensions and a small index work: a toy vector would prove nothing."""
    try:
        with pool.connection() as connection:
            connection.execute(DISTANCE)
            connection.execute(TEN_VECTORS)
            connection.execute(BUILD_INDEX)
    except psycopg.OperationalError:
        return (
            "The server broke off while it computed with vectors: its pgvector was probably built "
            f"for another processor. Install a pgvector for this machine. {OTHER_SERVER}"
        )
    return ""


SHOW_TRIGRAMS = "select show_trgm('健康')"


def check_chinese_trigrams(pool: ConnectionPool) -> str:
    """pg_trgm sees Chinese letters, which it does not under a C locale."""
    with pool.connection() as connection:
        row = connection.execute(SHOW_TRIGRAMS).fetchone()
    if row is not None and row[0]:
        return ""
    return (
        "The database's locale does not know Chinese letters. Create one with `create database "
        "meetmind encoding 'UTF8' locale 'C.UTF-8' template template0` and set PG_URL to it."
    )


def check_migrations(pool: ConnectionPool) -> str:
    """Every migration is applied."""
    missing = unapplied_migrations(pool)
    if not missing:
        return ""
    return (
        f"The migrations {', '.join(missing)} are not applied. Start the app, which applies them."
    )


CHECKS: dict[str, Callable[[ConnectionPool], str]] = {
    "encoding": check_encoding,
    "extensions": check_extensions,
    "vectors": check_vectors,
    "chinese_trigrams": check_chinese_trigrams,
    "migrations": check_migrations,
}


SELECT_VERSIONS = """
select
    split_part(current_setting('server_version'), ' ', 1),
    (select extversion from pg_extension where extname = 'vector'),
    pg_size_pretty(pg_database_size(current_database()))
"""


def server_versions(pool: ConnectionPool) -> dict[str, str]:
    """Version of the server and of pgvector, and the size of the database."""
    with pool.connection() as connection:
        row = connection.execute(SELECT_VERSIONS).fetchone()
    assert row is not None
    return {"server": row[0], "pgvector": row[1] or "-", "size": row[2]}
