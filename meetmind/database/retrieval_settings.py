"""What was chosen in the app about the search of knowledge, every choice kept."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.rows import class_row
from psycopg.types.json import Jsonb
from psycopg_pool import ConnectionPool


@dataclass(frozen=True, kw_only=True)
class SettingsRow:
    """One choice."""

    number: int
    settings: Mapping[str, Any]
    chosen_at: datetime


SELECT_LAST = """
select number, settings, chosen_at
from retrieval_settings
order by number desc
limit %(limit)s
"""


def last_settings(pool: ConnectionPool, limit: int) -> list[SettingsRow]:
    """The last choices, the one in force first."""
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(SettingsRow))
        return cursor.execute(SELECT_LAST, {"limit": limit}).fetchall()


INSERT_SETTINGS = """
insert into retrieval_settings (settings, chosen_by)
values (%(settings)s, %(chosen_by)s::uuid)
"""


def store_settings(
    pool: ConnectionPool, settings: Mapping[str, Any], chosen_by: str | None
) -> None:
    """Put a choice in force."""
    parameters = {"settings": Jsonb(settings), "chosen_by": chosen_by}
    with pool.connection() as connection:
        connection.execute(INSERT_SETTINGS, parameters)
