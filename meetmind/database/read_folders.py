"""Folders of this machine that every discussion may read, as `@name/...`."""

from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row
from psycopg_pool import ConnectionPool


@dataclass(frozen=True, kw_only=True)
class ReadFolderRow:
    """A folder that an administrator opened for reading; `path` is absolute."""

    name: str
    path: str
    added_by: str | None
    added_at: datetime


SELECT_FOLDERS = """
select f.name, f.path, u.name as added_by, f.added_at
from read_folders f
left join users u on u.id = f.added_by
order by f.name
"""


def list_folders(pool: ConnectionPool) -> list[ReadFolderRow]:
    """Every folder, by name."""
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(ReadFolderRow))
        return cursor.execute(SELECT_FOLDERS).fetchall()


INSERT_FOLDER = """
insert into read_folders (name, path, added_by)
values (%(name)s, %(path)s, %(person_id)s::uuid)
on conflict (name) do nothing
"""


def add_folder(pool: ConnectionPool, *, name: str, path: str, person_id: str) -> bool:
    """Open a folder under a name; False when the name is taken."""
    parameters = {"name": name, "path": path, "person_id": person_id}
    with pool.connection() as connection:
        return connection.execute(INSERT_FOLDER, parameters).rowcount == 1


DELETE_FOLDER = """
delete from read_folders
where name = %(name)s
"""


def remove_folder(pool: ConnectionPool, name: str) -> bool:
    """Close a folder; False when there is none of this name."""
    with pool.connection() as connection:
        return connection.execute(DELETE_FOLDER, {"name": name}).rowcount == 1
