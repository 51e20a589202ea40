"""What people wrote in place of passages; holds over every reading of the file."""

from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row
from psycopg_pool import ConnectionPool


@dataclass(frozen=True, kw_only=True)
class PassageEdit:
    """A passage's new title and text."""

    original_id: str
    edited_id: str
    title: str
    content: str


SELECT_EDITS = """
select original_id, edited_id, title, content
from passage_edits
where table_name = %(table_name)s
"""


def passage_edits(pool: ConnectionPool, table_name: str) -> dict[str, PassageEdit]:
    """The edits of a role by the id that the passage has in its file."""
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(PassageEdit))
        rows = cursor.execute(SELECT_EDITS, {"table_name": table_name}).fetchall()
    return {row.original_id: row for row in rows}


@dataclass(frozen=True, kw_only=True)
class EditRecord:
    """Who edited a passage last, and when."""

    original_id: str
    edited_by: str | None
    """The person's name; None when the account is gone."""
    edited_at: datetime


SELECT_RECORD = """
select
    edit.original_id,
    users.name as edited_by,
    edit.edited_at
from passage_edits as edit
left join users on users.id = edit.edited_by
where edit.table_name = %(table_name)s
  and edit.edited_id = %(passage_id)s
order by edit.edited_at desc
limit 1
"""


def edit_record(pool: ConnectionPool, table_name: str, passage_id: str) -> EditRecord | None:
    """The last edit of a passage; None when it has the text of its file."""
    parameters = {"table_name": table_name, "passage_id": passage_id}
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(EditRecord))
        return cursor.execute(SELECT_RECORD, parameters).fetchone()


# An edit of an edit is an edit of the passages in the file that had become this one.
UPSERT_EDIT = """
with edited as (
    select original_id
    from passage_edits
    where table_name = %(table_name)s
      and edited_id = %(passage_id)s
),
originals as (
    select original_id
    from edited
    union
    select %(passage_id)s
    where not exists (select from edited)
)
insert into passage_edits (table_name, original_id, edited_id, title, content, edited_by)
select
    %(table_name)s, original_id, %(edited_id)s, %(title)s, %(content)s, %(edited_by)s::uuid
from originals
on conflict (table_name, original_id) do update set
    edited_id = excluded.edited_id,
    title = excluded.title,
    content = excluded.content,
    edited_by = excluded.edited_by,
    edited_at = clock_timestamp()
"""


def store_edit(
    pool: ConnectionPool,
    table_name: str,
    *,
    passage_id: str,
    edited_id: str,
    title: str,
    content: str,
    edited_by: str,
) -> None:
    """Keep a passage's new text; it takes its place when the document is read the next time."""
    parameters = {
        "table_name": table_name,
        "passage_id": passage_id,
        "edited_id": edited_id,
        "title": title,
        "content": content,
        "edited_by": edited_by,
    }
    with pool.connection() as connection:
        connection.execute(UPSERT_EDIT, parameters)


DELETE_EDIT = """
delete from passage_edits
where table_name = %(table_name)s
  and edited_id = %(passage_id)s
returning original_id
"""


def remove_edit(pool: ConnectionPool, table_name: str, passage_id: str) -> list[str]:
    """Give an edited passage the text of its file back; the ids that it has there."""
    parameters = {"table_name": table_name, "passage_id": passage_id}
    with pool.connection() as connection:
        rows = connection.execute(DELETE_EDIT, parameters).fetchall()
    return [original_id for (original_id,) in rows]
