"""A database that does not fit is refused with one sentence and a way out."""

import secrets
from collections.abc import Callable, Iterator

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg_pool import ConnectionPool

from meetmind.database import self_check as checks
from meetmind.database.connection import close_pools
from meetmind.database.self_check import run_checks, self_check
from meetmind.database.startup import prepare_database
from meetmind.errors import DatabaseUnfit

CreateDatabase = Callable[[str], str]


@pytest.fixture
def create_database(server_url: str) -> Iterator[CreateDatabase]:
    names = []

    def create(options: str) -> str:
        name = f"meetmind_check_{secrets.token_hex(4)}"
        with psycopg.connect(server_url, autocommit=True) as connection:
            connection.execute(f"create database {name} {options} template template0".encode())
        names.append(name)
        return make_conninfo(server_url, dbname=name)

    yield create
    close_pools()
    with psycopg.connect(server_url, autocommit=True) as connection:
        for name in names:
            connection.execute(f"drop database {name} with (force)".encode())


def run(pool: ConnectionPool, statement: str) -> None:
    with pool.connection() as connection:
        connection.execute(statement.encode())


def test_a_fitting_database_passes_every_check(pool: ConnectionPool) -> None:
    results = run_checks(pool)

    assert [result.name for result in results] == list(checks.CHECKS)
    assert [result.problem for result in results] == [""] * len(results)


def test_an_empty_database_is_made_ready(create_database: CreateDatabase) -> None:
    conninfo = create_database("encoding 'UTF8' locale 'C.UTF-8'")

    pool = prepare_database(conninfo)

    self_check(pool)


def test_an_encoding_that_cannot_hold_chinese_is_refused_before_any_table_is_made(
    create_database: CreateDatabase,
) -> None:
    conninfo = create_database("encoding 'SQL_ASCII' locale 'C'")

    with pytest.raises(DatabaseUnfit, match="encoding is SQL_ASCII") as caught:
        prepare_database(conninfo)

    assert "create database meetmind" in str(caught.value)
    with psycopg.connect(conninfo) as connection:
        tables = connection.execute("select to_regclass('schema_migrations')").fetchone()
    assert tables == (None,)


def test_a_locale_that_is_blind_to_chinese_is_refused(create_database: CreateDatabase) -> None:
    conninfo = create_database("encoding 'UTF8' locale 'C'")

    with pytest.raises(DatabaseUnfit, match="locale does not know Chinese letters"):
        prepare_database(conninfo)


def test_a_missing_extension_is_named(pool: ConnectionPool) -> None:
    run(pool, "drop extension pg_trgm cascade")

    with pytest.raises(DatabaseUnfit, match="extension pg_trgm is missing"):
        self_check(pool)


def test_a_server_that_breaks_off_at_a_distance_is_named_as_such(
    pool: ConnectionPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "DISTANCE", "select pg_terminate_backend(pg_backend_pid())")

    with pytest.raises(DatabaseUnfit, match="built for another processor"):
        self_check(pool)


def test_a_migration_that_is_not_applied_is_named(pool: ConnectionPool) -> None:
    run(pool, "delete from schema_migrations where number = 3")

    with pytest.raises(DatabaseUnfit, match="0003_run_events are not applied"):
        self_check(pool)


def test_after_a_failure_the_other_checks_are_left_out(pool: ConnectionPool) -> None:
    run(pool, "drop extension vector cascade")

    results = run_checks(pool)

    assert [result.name for result in results] == ["encoding", "extensions"]
    assert results[-1].problem
