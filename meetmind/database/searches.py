"""The searches of discussions with all their numbers, and what people judged about passages."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.rows import class_row
from psycopg.types.json import Jsonb
from psycopg_pool import ConnectionPool

INSERT_SEARCH = """
insert into searches (run_id, owner_id, agent_name, query, trace)
select id, owner_id, %(agent_name)s, %(query)s, %(trace)s
from runs
where id = %(run_id)s::uuid
returning id::text
"""


def store_search(
    pool: ConnectionPool, *, run_id: str, agent_name: str, query: str, trace: Mapping[str, Any]
) -> str | None:
    """Keep a search of a run; its id, or None when the run is gone."""
    parameters = {
        "run_id": run_id,
        "agent_name": agent_name,
        "query": query,
        "trace": Jsonb(trace),
    }
    with pool.connection() as connection:
        row = connection.execute(INSERT_SEARCH, parameters).fetchone()
    return None if row is None else row[0]


@dataclass(frozen=True, kw_only=True)
class SearchRow:
    """A kept search, without its numbers."""

    id: str
    session_id: str
    session_title: str
    agent_name: str
    query: str
    searched_at: datetime


SELECT_SEARCHES = """
select
    searches.id::text,
    runs.session_id::text,
    sessions.title as session_title,
    searches.agent_name,
    searches.query,
    searches.searched_at
from searches
join runs on runs.id = searches.run_id
join sessions on sessions.id = runs.session_id
where searches.owner_id = %(owner_id)s::uuid
  and (%(session_id)s::uuid is null or runs.session_id = %(session_id)s::uuid)
order by searches.searched_at desc
limit %(limit)s
"""


def list_searches(
    pool: ConnectionPool, owner_id: str, session_id: str | None, limit: int
) -> list[SearchRow]:
    """The owner's searches, of one discussion or of all, the last one first."""
    parameters = {"owner_id": owner_id, "session_id": session_id, "limit": limit}
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(SearchRow))
        return cursor.execute(SELECT_SEARCHES, parameters).fetchall()


SELECT_SEARCH = """
select
    searches.id::text,
    runs.session_id::text,
    sessions.title as session_title,
    searches.agent_name,
    searches.query,
    searches.searched_at
from searches
join runs on runs.id = searches.run_id
join sessions on sessions.id = runs.session_id
where searches.id::text = %(search_id)s
  and searches.owner_id = %(owner_id)s::uuid
"""


def find_search(pool: ConnectionPool, owner_id: str, search_id: str) -> SearchRow | None:
    """One of the owner's searches without its numbers; None when there is none of this id."""
    parameters = {"owner_id": owner_id, "search_id": search_id}
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(SearchRow))
        return cursor.execute(SELECT_SEARCH, parameters).fetchone()


SELECT_TRACE = """
select trace
from searches
where id::text = %(search_id)s
  and owner_id = %(owner_id)s::uuid
"""


def search_trace(pool: ConnectionPool, owner_id: str, search_id: str) -> Mapping[str, Any] | None:
    """All numbers of one of the owner's searches; None when there is none of this id."""
    parameters = {"owner_id": owner_id, "search_id": search_id}
    with pool.connection() as connection:
        row = connection.execute(SELECT_TRACE, parameters).fetchone()
    return None if row is None else row[0]


@dataclass(frozen=True, kw_only=True)
class JudgementRow:
    """Whether a passage answers a question, as somebody marked it."""

    table_name: str
    question: str
    passage_id: str
    is_relevant: bool


UPSERT_JUDGEMENT = """
insert into judgements (table_name, question, passage_id, is_relevant, judged_by)
values (%(table_name)s, %(question)s, %(passage_id)s, %(is_relevant)s, %(judged_by)s::uuid)
on conflict (judged_by, table_name, question, passage_id) do update set
    is_relevant = excluded.is_relevant,
    judged_at = clock_timestamp()
"""


def store_judgement(pool: ConnectionPool, judged_by: str, judgement: JudgementRow) -> None:
    """Keep a mark in place of an earlier one."""
    parameters = {
        "table_name": judgement.table_name,
        "question": judgement.question,
        "passage_id": judgement.passage_id,
        "is_relevant": judgement.is_relevant,
        "judged_by": judged_by,
    }
    with pool.connection() as connection:
        connection.execute(UPSERT_JUDGEMENT, parameters)


DELETE_JUDGEMENT = """
delete from judgements
where judged_by = %(judged_by)s::uuid
  and table_name = %(table_name)s
  and question = %(question)s
  and passage_id = %(passage_id)s
"""


def remove_judgement(
    pool: ConnectionPool, judged_by: str, table_name: str, question: str, passage_id: str
) -> None:
    """Take a mark back."""
    parameters = {
        "judged_by": judged_by,
        "table_name": table_name,
        "question": question,
        "passage_id": passage_id,
    }
    with pool.connection() as connection:
        connection.execute(DELETE_JUDGEMENT, parameters)


SELECT_JUDGEMENTS = """
select table_name, question, passage_id, is_relevant
from judgements
where judged_by = %(judged_by)s::uuid
order by table_name, question, passage_id
"""


def list_judgements(pool: ConnectionPool, judged_by: str) -> list[JudgementRow]:
    """Everything that somebody marked."""
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(JudgementRow))
        return cursor.execute(SELECT_JUDGEMENTS, {"judged_by": judged_by}).fetchall()
