"""Opens the database that the settings name, ready for work."""

from dataclasses import dataclass, field

from psycopg_pool import ConnectionPool

from meetmind.config.settings import Settings
from meetmind.database.connection import close_pools, ensure_extensions, get_pg_pool, ping_db
from meetmind.database.embedded import EmbeddedServer, open_embedded
from meetmind.database.migrate import apply_migrations
from meetmind.database.self_check import check_encoding, self_check
from meetmind.errors import DatabaseUnfit


@dataclass(frozen=True, kw_only=True)
class OpenDatabase:
    """The database of this installation."""

    pool: ConnectionPool
    conninfo: str = field(repr=False)
    embedded: EmbeddedServer | None

    def close(self) -> None:
        """Close every connection, then leave the embedded server."""
        close_pools()
        if self.embedded is not None:
            self.embedded.close()


def open_database(settings: Settings) -> OpenDatabase:
    """Start or find the server, check it, apply migrations.

    Raises `EmbeddedServerError`, `DatabaseUnreachable` or `DatabaseUnfit`, each with a sentence.
    """
    embedded = None
    if settings.pg_url is None:
        embedded = open_embedded(settings.meetmind_home)
        conninfo = embedded.conninfo
    else:
        conninfo = settings.pg_url.get_secret_value()
    try:
        pool = prepare_database(conninfo)
    except BaseException:
        close_pools()
        if embedded is not None:
            embedded.close()
        raise
    return OpenDatabase(pool=pool, conninfo=conninfo, embedded=embedded)


def prepare_database(conninfo: str) -> ConnectionPool:
    """The pool of a database that has everything MeetMind needs."""
    ping_db(conninfo)
    pool = get_pg_pool(conninfo)
    encoding_problem = check_encoding(pool)
    if encoding_problem:
        raise DatabaseUnfit(encoding_problem, check="encoding")
    ensure_extensions(pool)
    apply_migrations(pool)
    self_check(pool)
    return pool
