"""Removes every table of an installation, and nothing else of the database."""

import psycopg
from psycopg import sql
from psycopg_pool import ConnectionPool

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.database.migrate import table_names
from meetmind.errors import DatabaseUnfit

CHECKPOINT_TABLES = (
    "checkpoints",
    "checkpoint_blobs",
    "checkpoint_writes",
    "checkpoint_migrations",
)

SELECT_TABLES = """
select tablename
from pg_tables
where schemaname = current_schema()
order by tablename
"""


def installation_tables(pool: ConnectionPool, prefix: str) -> list[str]:
    """The tables that are there: those of migrations and checkpoints, and those of the roles."""
    known = {*table_names(), *CHECKPOINT_TABLES}
    with pool.connection() as connection:
        present = [row[0] for row in connection.execute(SELECT_TABLES)]
    return [name for name in present if name in known or _is_of_a_role(name, prefix)]


def _is_of_a_role(name: str, prefix: str) -> bool:
    for agent_name in AGENT_NAMES:
        table = f"{prefix}_{agent_name}"
        if name == table or name.startswith(f"{table}_"):
            return True
    return False


COUNT_OTHER_APPS = """
select count(*)
from pg_stat_activity
where datname = current_database()
  and application_name = 'meetmind'
  and pid <> pg_backend_pid()
"""


def refuse_while_in_use(conninfo: str) -> None:
    """Raise `DatabaseUnfit` while an app works on this database."""
    with psycopg.connect(conninfo, connect_timeout=10) as connection:
        row = connection.execute(COUNT_OTHER_APPS).fetchone()
    if row is not None and row[0] > 0:
        raise DatabaseUnfit("MeetMind is running on this database. Stop it, then wipe.")


def drop_tables(pool: ConnectionPool, names: list[str]) -> None:
    """Drop these tables, all of them or, when one fails, none."""
    with pool.connection() as connection:
        for name in names:
            statement = sql.SQL("drop table if exists {} cascade").format(sql.Identifier(name))
            connection.execute(statement)
