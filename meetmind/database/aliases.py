"""Other names of one thing in a role's knowledge, kept by people."""

from dataclasses import dataclass

from psycopg.rows import class_row
from psycopg_pool import ConnectionPool


@dataclass(frozen=True, kw_only=True)
class Alias:
    """Two names of one thing; a question with either is searched with both."""

    id: int
    name: str
    alias: str


SELECT_ALIASES = """
select id, name, alias
from aliases
where table_name = %(table_name)s
order by name, alias
"""


def list_aliases(pool: ConnectionPool, table_name: str) -> list[Alias]:
    """The aliases of a role, by name."""
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(Alias))
        return cursor.execute(SELECT_ALIASES, {"table_name": table_name}).fetchall()


INSERT_ALIAS = """
insert into aliases (table_name, name, alias, created_by)
values (%(table_name)s, %(name)s, %(alias)s, %(created_by)s::uuid)
on conflict (table_name, name, alias) do nothing
"""


def add_alias(
    pool: ConnectionPool, table_name: str, name: str, alias: str, created_by: str
) -> bool:
    """Keep another name; False when it was there already."""
    parameters = {
        "table_name": table_name,
        "name": name,
        "alias": alias,
        "created_by": created_by,
    }
    with pool.connection() as connection:
        return connection.execute(INSERT_ALIAS, parameters).rowcount == 1


DELETE_ALIAS = """
delete from aliases
where table_name = %(table_name)s
  and id = %(alias_id)s
"""


def delete_alias(pool: ConnectionPool, table_name: str, alias_id: int) -> bool:
    """Forget another name; False when there is none of this id."""
    parameters = {"table_name": table_name, "alias_id": alias_id}
    with pool.connection() as connection:
        return connection.execute(DELETE_ALIAS, parameters).rowcount == 1
