"""The pool and its limits, and what is said when nobody answers."""

import time

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg_pool import ConnectionPool

from meetmind.database.connection import (
    BoundedConnection,
    ensure_extensions,
    get_pg_pool,
    long_work,
    ping_db,
)
from meetmind.errors import DatabaseUnfit, DatabaseUnreachable

SECRET = "s3cret-horse"


def setting(pool: ConnectionPool, name: str) -> str:
    with pool.connection() as connection:
        row = connection.execute("select current_setting(%s)", [name]).fetchone()
    assert row is not None
    return str(row[0])


def test_the_same_database_has_the_same_pool(pool: ConnectionPool, database_url: str) -> None:
    assert get_pg_pool(database_url) is pool


def test_a_closed_pool_is_replaced(pool: ConnectionPool, database_url: str) -> None:
    pool.close()

    new_pool = get_pg_pool(database_url)

    assert new_pool is not pool
    assert setting(new_pool, "application_name") == "meetmind"
    new_pool.close()


def test_statements_and_locks_have_limits(pool: ConnectionPool) -> None:
    assert setting(pool, "statement_timeout") == "1min"
    assert setting(pool, "lock_timeout") == "10s"
    assert setting(pool, "idle_in_transaction_session_timeout") == "5min"


def test_options_in_the_address_win(database_url: str) -> None:
    chosen = make_conninfo(database_url, options="-c statement_timeout=5s")
    pool = get_pg_pool(chosen)

    assert setting(pool, "statement_timeout") == "5s"
    assert setting(pool, "lock_timeout") == "10s"
    pool.close()


def test_a_block_is_one_transaction(pool: ConnectionPool) -> None:
    def fail_half_way() -> None:
        with pool.connection() as connection:
            connection.execute("create table half_done (id int)")
            connection.execute("select 1 / 0")

    with pytest.raises(psycopg.errors.DivisionByZero):
        fail_half_way()

    with pool.connection() as connection:
        row = connection.execute("select to_regclass('half_done')").fetchone()
    assert row == (None,)


def test_a_broken_connection_is_replaced_unseen(pool: ConnectionPool, database_url: str) -> None:
    assert setting(pool, "application_name") == "meetmind"
    with psycopg.connect(database_url, autocommit=True) as admin:
        admin.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity "
            "where datname = current_database() and pid <> pg_backend_pid()"
        )

    assert setting(pool, "application_name") == "meetmind"


def test_a_server_that_hangs_is_given_up_after_the_deadline(database_url: str) -> None:
    connection = BoundedConnection.connect(database_url)
    connection.deadline_seconds = 0.2
    started = time.monotonic()

    with pytest.raises(psycopg.OperationalError, match="did not answer within"):
        connection.execute("select pg_sleep(30)")

    assert time.monotonic() - started < 5
    assert connection.closed


def test_long_work_has_no_limit_and_the_connection_gets_its_limit_back(
    pool: ConnectionPool,
) -> None:
    with long_work(pool) as connection:
        row = connection.execute("show statement_timeout").fetchone()
        assert isinstance(connection, BoundedConnection)
        assert connection.deadline_seconds is None
    assert row == ("0",)
    assert connection.deadline_seconds is not None
    assert setting(pool, "statement_timeout") == "1min"


def test_vectors_are_known_to_connections_that_are_older_than_the_extension(
    pool: ConnectionPool,
) -> None:
    with pool.connection() as connection:
        connection.execute("drop extension vector cascade")

    ensure_extensions(pool)

    with pool.connection() as connection:
        row = connection.execute("select '[1,2]'::vector").fetchone()
    assert row is not None
    assert row[0].to_list() == [1.0, 2.0]


def test_a_user_who_may_not_create_extensions_is_told_the_way_out(
    pool: ConnectionPool, database_url: str, server_url: str
) -> None:
    role = conninfo_to_dict(database_url)["dbname"]
    with pool.connection() as connection:
        connection.execute("drop extension vector cascade")
        connection.execute(f"create role {role} login password '{SECRET}'".encode())
    weak_pool = get_pg_pool(make_conninfo(database_url, user=role, password=SECRET))

    with pytest.raises(DatabaseUnfit, match="create extension vector"):
        ensure_extensions(weak_pool)

    weak_pool.close()
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute(f"drop role {role}".encode())


def test_an_answering_server_is_pinged_without_a_word(database_url: str) -> None:
    ping_db(database_url)


def test_nobody_at_the_address_is_said_plainly_and_without_the_password() -> None:
    with pytest.raises(DatabaseUnreachable) as caught:
        ping_db(f"postgresql://meetmind:{SECRET}@127.0.0.1:1/meetmind")

    sentence = str(caught.value)
    assert "PostgreSQL does not answer at 127.0.0.1:1, database meetmind" in sentence
    assert "PG_URL" in sentence
    assert SECRET not in sentence + repr(caught.value.details)
    assert caught.value.__cause__ is None


def test_a_wrong_password_is_said_without_showing_it(database_url: str) -> None:
    with pytest.raises(DatabaseUnreachable, match="password authentication failed") as caught:
        ping_db(make_conninfo(database_url, password=SECRET))

    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    "address", [f"postgresql://meetmind:{SECRET}@[broken", f"nonsense {SECRET}", SECRET]
)
def test_an_address_that_is_none_is_said_without_repeating_it(address: str) -> None:
    with pytest.raises(DatabaseUnreachable, match="PG_URL is not an address") as caught:
        ping_db(address)

    assert SECRET not in str(caught.value)
