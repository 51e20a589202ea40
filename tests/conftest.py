"""One PostgreSQL for the test session, and a database of its own for every test that asks."""

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg_pool import ConnectionPool

from meetmind.database.connection import get_pg_pool
from meetmind.database.embedded import open_embedded
from meetmind.database.startup import prepare_database

HOME_PREFIX = "meetmind-tests-"
# A test database lives for seconds: it need not survive a power cut.
FAST_SETTINGS = ("fsync = off", "full_page_writes = off", "synchronous_commit = off")


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """A server on which databases may be created: MEETMIND_TEST_PG_URL or the embedded one."""
    given = os.environ.get("MEETMIND_TEST_PG_URL")
    if given:
        yield given
        return
    remove_homes_of_killed_sessions()
    home = Path(tempfile.gettempdir()) / f"{HOME_PREFIX}{os.getpid()}"
    home.mkdir(mode=0o755)
    server = open_embedded(home)
    try:
        make_fast(server.conninfo)
        yield server.conninfo
    finally:
        server.close()
        shutil.rmtree(home)


@pytest.fixture(scope="session")
def template_database(server_url: str) -> Iterator[str]:
    """The name of a migrated database that nobody is connected to."""
    name = f"meetmind_template_{secrets.token_hex(4)}"
    run_on_server(server_url, f"create database {name} encoding 'UTF8' template template0")
    pool = prepare_database(make_conninfo(server_url, dbname=name))
    pool.close()
    yield name
    run_on_server(server_url, f"drop database {name} with (force)")


@pytest.fixture
def database_url(server_url: str, template_database: str) -> Iterator[str]:
    """A fresh, migrated database, dropped after the test."""
    name = f"meetmind_test_{secrets.token_hex(4)}"
    run_on_server(server_url, f"create database {name} template {template_database}")
    yield make_conninfo(server_url, dbname=name)
    run_on_server(server_url, f"drop database {name} with (force)")


@pytest.fixture
def pool(database_url: str) -> Iterator[ConnectionPool]:
    """Connections to the test's own database."""
    pool = get_pg_pool(database_url)
    yield pool
    pool.close()


def run_on_server(server_url: str, statement: str) -> None:
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(statement.encode())


def make_fast(conninfo: str) -> None:
    with psycopg.connect(conninfo, autocommit=True) as connection:
        for setting in FAST_SETTINGS:
            connection.execute(f"alter system set {setting}".encode())
        connection.execute("select pg_reload_conf()")


def remove_homes_of_killed_sessions() -> None:
    """A killed test session leaves its server running: stop it and remove its files."""
    for home in Path(tempfile.gettempdir()).glob(f"{HOME_PREFIX}*"):
        number = home.name.removeprefix(HOME_PREFIX)
        if number.isdigit() and not psutil.pid_exists(int(number)):
            open_embedded(home).close()
            shutil.rmtree(home, ignore_errors=True)
