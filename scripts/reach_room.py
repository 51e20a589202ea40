"""A migrated database of its own on an embedded server, for measures that need no app."""

import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

from meetmind.database.embedded import open_embedded
from meetmind.database.startup import prepare_database


@contextmanager
def fresh_database() -> Iterator[str]:
    """The address of an empty, migrated database; its server goes with it."""
    home = Path(tempfile.mkdtemp(prefix="meetmind-reach-"))
    home.chmod(0o755)
    server = open_embedded(home)
    try:
        name = f"meetmind_{secrets.token_hex(4)}"
        with psycopg.connect(server.conninfo, autocommit=True) as connection:
            connection.execute(
                f"create database {name} encoding 'UTF8' template template0".encode()
            )
        database_url = make_conninfo(server.conninfo, dbname=name)
        prepare_database(database_url).close()
        yield database_url
    finally:
        server.close()
        shutil.rmtree(home, ignore_errors=True)
