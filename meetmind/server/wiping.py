"""Empties an installation: every table of it goes, the documents on disk stay."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from psycopg_pool import ConnectionPool

from meetmind.config.settings import Settings
from meetmind.database.connection import close_pools, get_pg_pool, ping_db
from meetmind.database.embedded import open_embedded
from meetmind.database.wiping import drop_tables, installation_tables, refuse_while_in_use


@dataclass(frozen=True, kw_only=True)
class Wipe:
    """What a wipe would remove; nothing is gone until `carry_out`."""

    tables: list[str]
    _pool: ConnectionPool

    def carry_out(self) -> None:
        """Remove the tables, for good."""
        drop_tables(self._pool, self.tables)


@contextmanager
def prepared_wipe(settings: Settings) -> Iterator[Wipe]:
    """Look what there is to remove; raises `DatabaseError`, also while the app is running."""
    embedded = None
    if settings.pg_url is None:
        embedded = open_embedded(settings.meetmind_home)
        conninfo = embedded.conninfo
    else:
        conninfo = settings.pg_url.get_secret_value()
    try:
        ping_db(conninfo)
        refuse_while_in_use(conninfo)
        pool = get_pg_pool(conninfo)
        yield Wipe(tables=installation_tables(pool, settings.pg_table_prefix), _pool=pool)
    finally:
        close_pools()
        if embedded is not None:
            embedded.close()
