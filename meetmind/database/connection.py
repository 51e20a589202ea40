"""Connections to PostgreSQL: one pool a database, every call with a deadline.

`with pool.connection() as connection:` is one transaction: committed at the end of the block,
rolled back when it raises. Statements are cut after a minute, waits for a lock after ten seconds,
and a server that hangs (which no setting of the server catches) a little later by ourselves.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import psycopg
from pgvector.psycopg import register_vector
from psycopg.abc import PQGen
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.types import TypeInfo
from psycopg_pool import ConnectionPool

from meetmind.errors import DatabaseUnfit, DatabaseUnreachable

T = TypeVar("T")

CONNECT_SECONDS = 10
PING_SECONDS = 5
STATEMENT_SECONDS = 60
LOCK_WAIT_SECONDS = 10
IDLE_TRANSACTION_SECONDS = 300
DEADLINE_SECONDS = STATEMENT_SECONDS + 15.0
POOL_SIZE = 10
EXTENSION_NAMES = ("vector", "pg_trgm")

_pools: dict[str, ConnectionPool] = {}
_pools_lock = threading.Lock()


class BoundedConnection(psycopg.Connection[Any]):
    """A connection on which no single wait for the server lasts longer than its deadline."""

    deadline_seconds: float | None = DEADLINE_SECONDS
    """None for work that is known to be long, such as building an index."""

    def wait(self, gen: PQGen[T], interval: float = 0.1, timeout: float | None = None) -> T:
        """Wait for the server; on a time-out the connection is closed and the call fails."""
        limit = self.deadline_seconds if timeout is None else timeout
        try:
            return super().wait(gen, interval, limit)
        except psycopg.errors._WaitTimeout:
            if timeout is not None:
                raise
            self.pgconn.finish()
            raise psycopg.OperationalError(
                f"the database did not answer within {limit:.0f} seconds"
            ) from None


def get_pg_pool(conninfo: str) -> ConnectionPool:
    """The pool of the database at `conninfo`, the same one at every call.

    A connection that a restart of the server broke is replaced unseen.
    """
    with _pools_lock:
        pool = _pools.get(conninfo)
        if pool is None or pool.closed:
            pool = ConnectionPool(
                session_conninfo(conninfo),
                connection_class=BoundedConnection,
                min_size=1,
                max_size=POOL_SIZE,
                timeout=CONNECT_SECONDS + 5,
                check=ConnectionPool.check_connection,
                configure=_configure,
                name="meetmind",
                open=True,
            )
            _pools[conninfo] = pool
        return pool


def close_pools() -> None:
    """Close every pool, for the end of the process or of a test."""
    with _pools_lock:
        pools = list(_pools.values())
        _pools.clear()
    for pool in pools:
        pool.close()


def session_conninfo(conninfo: str) -> str:
    """`conninfo` with our limits; options that stand in it already come last and so win."""
    given = conninfo_to_dict(conninfo)
    options = [
        f"-c statement_timeout={STATEMENT_SECONDS}s",
        f"-c lock_timeout={LOCK_WAIT_SECONDS}s",
        f"-c idle_in_transaction_session_timeout={IDLE_TRANSACTION_SECONDS}s",
        str(given.get("options") or ""),
    ]
    parameters: dict[str, Any] = {
        "application_name": "meetmind",
        "connect_timeout": CONNECT_SECONDS,
        **given,
        "options": " ".join(options).strip(),
        "client_encoding": "utf8",
    }
    return make_conninfo("", **parameters)


def _configure(connection: psycopg.Connection[Any]) -> None:
    """Teach a new connection the types of pgvector, where the database has it."""
    if TypeInfo.fetch(connection, "vector") is not None:
        register_vector(connection)


LIFT_LIMITS = "set local statement_timeout = 0; set local lock_timeout = '120s'"


@contextmanager
def long_work(pool: ConnectionPool) -> Iterator[psycopg.Connection[Any]]:
    """A transaction without a time limit, for migrations and for building an index."""
    with pool.connection() as connection:
        if isinstance(connection, BoundedConnection):
            connection.deadline_seconds = None
        try:
            connection.execute(LIFT_LIMITS, prepare=False)
            yield connection
        finally:
            if isinstance(connection, BoundedConnection):
                connection.deadline_seconds = DEADLINE_SECONDS


def ping_db(conninfo: str) -> None:
    """Raise `DatabaseUnreachable` with a sentence, never with a password, unless it answers."""
    try:
        address = _address(conninfo)
    except psycopg.ProgrammingError:
        raise DatabaseUnreachable(
            "PG_URL is not an address of a PostgreSQL server. It looks like "
            "postgresql://user:password@host:5432/database; correct it in .env.",
            address="PG_URL",
        ) from None
    try:
        with BoundedConnection.connect(
            conninfo, connect_timeout=PING_SECONDS, application_name="meetmind"
        ) as connection:
            connection.deadline_seconds = PING_SECONDS
            connection.execute("select 1")
    except psycopg.OperationalError as error:
        reason = _reason(error, conninfo)
        raise DatabaseUnreachable(
            f"PostgreSQL does not answer at {address}: {reason}. Start that server or correct "
            "PG_URL in .env; leave PG_URL empty to use the embedded one.",
            address=address,
            reason=reason,
        ) from None


def _address(conninfo: str) -> str:
    given = conninfo_to_dict(conninfo)
    host = given.get("host") or given.get("hostaddr") or "this machine"
    return f"{host}:{given.get('port') or 5432}, database {given.get('dbname') or 'postgres'}"


def _reason(error: psycopg.OperationalError, conninfo: str) -> str:
    """What libpq says after its list of attempts, without the password should it stand there."""
    first_line = str(error).strip().partition("\n")[0] or "no reason given"
    reason = first_line.rpartition(" failed: ")[2].removeprefix("FATAL:").strip().rstrip(".")
    password = conninfo_to_dict(conninfo).get("password")
    if password:
        reason = reason.replace(str(password), "***")
    return reason


EXTENSION_PRESENT = """
select 1
from pg_extension
where extname = %(name)s
"""


def ensure_extensions(pool: ConnectionPool) -> None:
    """Create the extensions that are missing; raises `DatabaseUnfit` when that is impossible."""
    created = False
    for name in EXTENSION_NAMES:
        created = _ensure_extension(pool, name) or created
    if created:
        # Connections that were opened before do not know the new types.
        pool.drain()


def _ensure_extension(pool: ConnectionPool, name: str) -> bool:
    statement = psycopg.sql.SQL("create extension if not exists {}")
    creation = statement.format(psycopg.sql.Identifier(name))
    try:
        with pool.connection() as connection:
            if connection.execute(EXTENSION_PRESENT, {"name": name}).fetchone() is not None:
                return False
            connection.execute(creation)
    except psycopg.errors.UniqueViolation:
        # Another app created it in the same moment.
        return True
    except psycopg.errors.InsufficientPrivilege:
        raise DatabaseUnfit(
            f"The extension {name} is missing and this database user may not create it. "
            f"Let an administrator run `create extension {name}` in this database.",
            extension=name,
        ) from None
    except psycopg.DatabaseError as error:
        if isinstance(error, psycopg.OperationalError):
            raise
        raise DatabaseUnfit(
            f"The PostgreSQL server does not have the extension {name}. Install it there (pgvector "
            "for vector, the contrib package for pg_trgm), or leave PG_URL empty.",
            extension=name,
        ) from None
    return True
