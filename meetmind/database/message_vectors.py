"""Vectors of what was said, for the recall of earlier passages of a discussion."""

from collections.abc import Sequence
from dataclasses import dataclass

from psycopg.rows import class_row
from psycopg_pool import ConnectionPool


@dataclass(frozen=True, kw_only=True)
class UnreadMessage:
    """A message without a vector of the model in question."""

    id: str
    content: str


UNREAD_MESSAGES = """
select
    m.id,
    m.content
from messages m
left join message_vectors v on v.message_id = m.id and v.model = %(model)s
where v.message_id is null
order by m.seq desc
limit %(limit)s
"""


def unread_messages(pool: ConnectionPool, *, model: str, limit: int) -> list[UnreadMessage]:
    """Messages of every discussion that have no vector of this model, the newest first."""
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(UnreadMessage))
        return cursor.execute(UNREAD_MESSAGES, {"model": model, "limit": limit}).fetchall()


UPSERT_VECTOR = """
insert into message_vectors (message_id, session_id, owner_id, model, content, embedding)
select m.id, m.session_id, m.owner_id, %(model)s, %(content)s, %(vector)s::halfvec
from messages m
where m.id = %(message_id)s
on conflict (message_id) do update
set model = excluded.model,
    content = excluded.content,
    embedding = excluded.embedding,
    embedded_at = clock_timestamp()
"""


def upsert_vector(
    pool: ConnectionPool, *, message_id: str, model: str, content: str, vector: Sequence[float]
) -> None:
    """Keep what a model makes of a message; `content` holds no secrets any more.

    A message that was deleted meanwhile leaves nothing behind.
    """
    parameters = {
        "message_id": message_id,
        "model": model,
        "content": content,
        "vector": vector_text(vector),
    }
    with pool.connection() as connection:
        connection.execute(UPSERT_VECTOR, parameters)


@dataclass(frozen=True, kw_only=True)
class RecalledRow:
    """A message near a question."""

    message_id: str
    author: str
    content: str
    score: float
    """Cosine, -1 to 1."""


NEAREST_MESSAGES = """
select
    v.message_id,
    m.author,
    v.content,
    (1 - (v.embedding <=> %(vector)s::halfvec))::double precision as score
from message_vectors v
join messages m on m.id = v.message_id
where v.session_id::text = %(session_id)s
  and v.owner_id = %(owner_id)s::uuid
  and v.model = %(model)s
  and m.seq <= %(through_seq)s
order by v.embedding <=> %(vector)s::halfvec, m.seq
limit %(limit)s
"""


def nearest_messages(
    pool: ConnectionPool,
    *,
    owner_id: str,
    session_id: str,
    model: str,
    vector: Sequence[float],
    through_seq: int,
    limit: int,
) -> list[RecalledRow]:
    """The messages of one discussion of this owner that are nearest, up to a place in the talk."""
    parameters = {
        "owner_id": owner_id,
        "session_id": session_id,
        "model": model,
        "vector": vector_text(vector),
        "through_seq": through_seq,
        "limit": limit,
    }
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(RecalledRow))
        return cursor.execute(NEAREST_MESSAGES, parameters).fetchall()


def vector_text(vector: Sequence[float]) -> str:
    """A vector as PostgreSQL reads it."""
    numbers = ",".join(f"{number:.5g}" for number in vector)
    return f"[{numbers}]"
