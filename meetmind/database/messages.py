"""What was said, as the models see it (table `messages`)."""

from dataclasses import dataclass

from psycopg.rows import class_row
from psycopg_pool import ConnectionPool

PERSON = "person"


@dataclass(frozen=True, kw_only=True)
class MessageRow:
    """A brief or an utterance, in the order in which it was stored."""

    id: str
    run_id: str
    author: str
    content: str


GET_MESSAGES = """
select
    id,
    run_id::text,
    author,
    content
from messages
where session_id = %(session_id)s::uuid
  and owner_id = %(owner_id)s::uuid
order by seq
"""


def get_messages(pool: ConnectionPool, *, owner_id: str, session_id: str) -> list[MessageRow]:
    """Everything of a discussion, oldest first: what was folded into a summary too."""
    parameters = {"owner_id": owner_id, "session_id": session_id}
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(MessageRow))
        return cursor.execute(GET_MESSAGES, parameters).fetchall()


GET_CONTEXT_MESSAGES = """
select
    id,
    run_id::text,
    author,
    content
from messages
where session_id = %(session_id)s::uuid
  and owner_id = %(owner_id)s::uuid
  and seq > coalesce(
    (
        select max(summarized_through_seq)
        from session_summaries
        where session_id = %(session_id)s::uuid
          and owner_id = %(owner_id)s::uuid
    ),
    -1
  )
order by seq
"""


def get_context_messages(
    pool: ConnectionPool, *, owner_id: str, session_id: str
) -> list[MessageRow]:
    """What a model may be shown in full, oldest first: everything behind the newest summary."""
    parameters = {"owner_id": owner_id, "session_id": session_id}
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(MessageRow))
        return cursor.execute(GET_CONTEXT_MESSAGES, parameters).fetchall()


GET_MESSAGE = """
select content
from messages
where id = %(message_id)s
"""


def get_message(pool: ConnectionPool, message_id: str) -> str | None:
    """The text of one message, or None."""
    with pool.connection() as connection:
        row = connection.execute(GET_MESSAGE, {"message_id": message_id}).fetchone()
    return None if row is None else str(row[0])
