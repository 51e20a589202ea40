"""Versions of what the roles are told about a person; the newest one holds."""

from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row
from psycopg_pool import ConnectionPool


@dataclass(frozen=True, kw_only=True)
class MemoryVersion:
    """One version of somebody's memory, as Markdown."""

    id: str
    content: str
    created_at: datetime


SELECT_NEWEST = """
select id::text, content, created_at
from memory_versions
where owner_id = %(owner_id)s::uuid
order by created_at desc, id
limit 1
"""


def get_memory(pool: ConnectionPool, owner_id: str) -> MemoryVersion | None:
    """The memory that holds now, or None when there never was one."""
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(MemoryVersion))
        return cursor.execute(SELECT_NEWEST, {"owner_id": owner_id}).fetchone()


SELECT_VERSION = """
select id::text, content, created_at
from memory_versions
where owner_id = %(owner_id)s::uuid
  and id = %(version_id)s::uuid
"""


def get_version(pool: ConnectionPool, owner_id: str, version_id: str) -> MemoryVersion | None:
    """One version by its id, of this owner alone."""
    parameters = {"owner_id": owner_id, "version_id": version_id}
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(MemoryVersion))
        return cursor.execute(SELECT_VERSION, parameters).fetchone()


INSERT_VERSION = """
insert into memory_versions (owner_id, content)
values (%(owner_id)s::uuid, %(content)s)
returning id::text, content, created_at
"""


def insert_version(pool: ConnectionPool, owner_id: str, content: str) -> MemoryVersion:
    """Store a new version, which holds from now on."""
    parameters = {"owner_id": owner_id, "content": content}
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(MemoryVersion))
        version = cursor.execute(INSERT_VERSION, parameters).fetchone()
    assert version is not None
    return version


SELECT_VERSIONS = """
select id::text, content, created_at
from memory_versions
where owner_id = %(owner_id)s::uuid
order by created_at desc, id
"""


def list_versions(pool: ConnectionPool, owner_id: str) -> list[MemoryVersion]:
    """Every version, the newest first."""
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(MemoryVersion))
        return cursor.execute(SELECT_VERSIONS, {"owner_id": owner_id}).fetchall()
