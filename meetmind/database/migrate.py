"""Brings the tables of a database up to date: numbered .sql files, each applied once."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg.rows import class_row
from psycopg_pool import ConnectionPool

from meetmind.database.connection import long_work
from meetmind.errors import DatabaseUnfit

MIGRATIONS = Path(__file__).parent / "migrations"


@dataclass(frozen=True, kw_only=True)
class Migration:
    """One file of `migrations/`."""

    number: int
    name: str
    sha256: str
    script: str


@dataclass(frozen=True, kw_only=True)
class AppliedMigration:
    """A row of `schema_migrations`."""

    number: int
    name: str
    sha256: str


def read_migrations(folder: Path = MIGRATIONS) -> list[Migration]:
    """Every migration of `folder` in the order of its number."""
    migrations: list[Migration] = []
    for path in sorted(folder.glob("*.sql")):
        content = path.read_bytes()
        migration = Migration(
            number=int(path.name[:4]),
            name=path.stem,
            sha256=hashlib.sha256(content).hexdigest(),
            script=content.decode("utf-8"),
        )
        if migrations and migrations[-1].number == migration.number:
            raise DatabaseUnfit(f"Two migrations have the number {migration.number:04}.")
        migrations.append(migration)
    return migrations


# Apps that start at once apply migrations one after the other.
LOCK = "select pg_advisory_xact_lock(hashtextextended('meetmind migrations', 0))"

CREATE_HISTORY = """
create table if not exists schema_migrations (
    number integer primary key,
    name text not null,
    sha256 text not null,
    applied_at timestamptz not null default now()
)
"""

INSERT_APPLIED = """
insert into schema_migrations (number, name, sha256)
values (%(number)s, %(name)s, %(sha256)s)
"""


def apply_migrations(pool: ConnectionPool, folder: Path = MIGRATIONS) -> list[str]:
    """Apply what is missing and return its names; a second call returns an empty list.

    Raises `DatabaseUnfit` when an applied file was changed, when the database is newer than this
    program, or when a file fails (which then leaves nothing behind).
    """
    migrations = read_migrations(folder)
    names = []
    for migration in migrations:
        if _apply(pool, migration, migrations):
            names.append(migration.name)
    return names


def _apply(pool: ConnectionPool, migration: Migration, known: list[Migration]) -> bool:
    try:
        with long_work(pool) as connection:
            connection.execute(LOCK)
            connection.execute(CREATE_HISTORY)
            applied = _applied(connection)
            _refuse_surprises(applied, known)
            if migration.number in applied:
                return False
            connection.execute(migration.script.encode(), prepare=False)
            connection.execute(
                INSERT_APPLIED,
                {
                    "number": migration.number,
                    "name": migration.name,
                    "sha256": migration.sha256,
                },
            )
    except psycopg.errors.InsufficientPrivilege:
        raise DatabaseUnfit(
            "This database user may not create tables. Make it the owner of the database that "
            "PG_URL names."
        ) from None
    except psycopg.errors.LockNotAvailable:
        raise DatabaseUnfit(
            "Another process has been changing the tables for two minutes. Wait until it is done, "
            "then start again."
        ) from None
    except (psycopg.ProgrammingError, psycopg.IntegrityError) as error:
        raise DatabaseUnfit(
            f"The migration {migration.name} could not be applied: {error}. Nothing was changed. "
            "Point PG_URL to a database of MeetMind's own."
        ) from error
    return True


SELECT_APPLIED = """
select number, name, sha256
from schema_migrations
order by number
"""


def _applied(connection: psycopg.Connection) -> dict[int, AppliedMigration]:
    with connection.cursor(row_factory=class_row(AppliedMigration)) as cursor:
        rows = cursor.execute(SELECT_APPLIED).fetchall()
    return {row.number: row for row in rows}


def _refuse_surprises(applied: dict[int, AppliedMigration], known: list[Migration]) -> None:
    known_by_number = {migration.number: migration for migration in known}
    for number, row in applied.items():
        migration = known_by_number.get(number)
        if migration is None:
            raise DatabaseUnfit(
                f"The database was made by a newer MeetMind (it has {row.name}). "
                "Update this program, or use another database.",
                migration=row.name,
            )
        if migration.sha256 != row.sha256:
            raise DatabaseUnfit(
                f"The migration {row.name} was changed after it had been applied. Put the file "
                "back as it was and write a new migration instead.",
                migration=row.name,
            )


def unapplied_migrations(pool: ConnectionPool, folder: Path = MIGRATIONS) -> list[str]:
    """Names of the migrations that the database lacks; raises as `apply_migrations` does."""
    migrations = read_migrations(folder)
    try:
        with pool.connection() as connection:
            applied = _applied(connection)
    except psycopg.errors.UndefinedTable:
        applied = {}
    _refuse_surprises(applied, migrations)
    return [migration.name for migration in migrations if migration.number not in applied]


def table_names(folder: Path = MIGRATIONS) -> list[str]:
    """Every table that the migrations create, and the list of the migrations themselves."""
    names = ["schema_migrations"]
    for migration in read_migrations(folder):
        names += re.findall(
            r"^create table (?:if not exists )?(\w+)", migration.script, re.MULTILINE
        )
    return names
