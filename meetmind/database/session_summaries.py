"""Summaries of discussions: each stands for everything up to its boundary."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from psycopg.rows import class_row
from psycopg_pool import ConnectionPool

from meetmind.database.messages import MessageRow
from meetmind.database.run_events import append_within
from meetmind.events import TalkCompacted

MadeBy = Literal["person", "limit"]


@dataclass(frozen=True, kw_only=True)
class SummaryRow:
    """What models see in place of the messages up to `summarized_through_seq`."""

    id: str
    summary: str
    summarized_through_seq: int
    through_message_id: str
    messages: int
    """How many messages it stands for, those of the summary before it included."""
    tokens_before: int
    tokens_after: int
    model_name: str
    made_by: MadeBy
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class TalkMessage(MessageRow):
    """A message with its place in the talk; places grow, with gaps."""

    seq: int


@dataclass(frozen=True, kw_only=True)
class StoredTalk:
    """A discussion as models see it: the newest summary and everything behind its boundary."""

    summary: SummaryRow | None
    messages: tuple[TalkMessage, ...]


LATEST_SUMMARY = """
select
    id::text,
    summary,
    summarized_through_seq,
    through_message_id,
    messages,
    tokens_before,
    tokens_after,
    model_name,
    made_by,
    created_at
from session_summaries
where session_id::text = %(session_id)s
  and owner_id = %(owner_id)s::uuid
order by summarized_through_seq desc
limit 1
"""


def latest_summary(pool: ConnectionPool, *, owner_id: str, session_id: str) -> SummaryRow | None:
    """The summary that is in force, or None before the first one."""
    parameters = {"owner_id": owner_id, "session_id": session_id}
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(SummaryRow))
        return cursor.execute(LATEST_SUMMARY, parameters).fetchone()


MESSAGES_BEHIND = """
select
    id,
    run_id::text,
    author,
    content,
    seq
from messages
where session_id::text = %(session_id)s
  and owner_id = %(owner_id)s::uuid
  and seq > %(through_seq)s
order by seq
"""


def stored_talk(pool: ConnectionPool, *, owner_id: str, session_id: str) -> StoredTalk:
    """The newest summary and the messages behind its own boundary, so that nothing falls between.

    A summary that is stored in this very moment is seen the next time.
    """
    summary = latest_summary(pool, owner_id=owner_id, session_id=session_id)
    parameters = {
        "owner_id": owner_id,
        "session_id": session_id,
        "through_seq": -1 if summary is None else summary.summarized_through_seq,
    }
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(TalkMessage))
        messages = cursor.execute(MESSAGES_BEHIND, parameters).fetchall()
    return StoredTalk(summary=summary, messages=tuple(messages))


INSERT_SUMMARY = """
insert into session_summaries (
    id, session_id, owner_id, summary, summarized_through_seq, through_message_id,
    messages, tokens_before, tokens_after, model_name, made_by
)
select
    %(summary_id)s::uuid, m.session_id, m.owner_id, %(summary)s, m.seq, m.id,
    %(messages)s, %(tokens_before)s, %(tokens_after)s, %(model_name)s, %(by)s
from messages m
where m.id = %(through_message_id)s
  and m.session_id::text = %(session_id)s
  and m.owner_id = %(owner_id)s::uuid
  and not exists (
    select 1
    from session_summaries other
    where other.session_id = m.session_id
      and other.summarized_through_seq >= m.seq
  )
on conflict do nothing
"""


def store_summary(
    pool: ConnectionPool,
    *,
    owner_id: str,
    session_id: str,
    summary: str,
    model_name: str,
    event: TalkCompacted,
    run_id: str,
    epoch: int | None,
) -> bool:
    """Put a summary in force and tell it in a run's log, both or nothing.

    False when a summary reaches as far or further already, or the discussion is gone. Raises
    `LostTheRun` when `epoch` is no longer the run's; None is for what a person does.
    """
    parameters = {
        "summary_id": event.summary_id,
        "owner_id": owner_id,
        "session_id": session_id,
        "summary": summary,
        "through_message_id": event.through_message_id,
        "messages": event.messages,
        "tokens_before": event.tokens_before,
        "tokens_after": event.tokens_after,
        "model_name": model_name,
        "by": event.by,
    }
    with pool.connection() as connection, connection.transaction():
        is_new = connection.execute(INSERT_SUMMARY, parameters).rowcount == 1
        if is_new:
            append_within(connection, run_id=run_id, epoch=epoch, event=event)
        return is_new


NEWEST_RUN = """
select
    id::text,
    language
from runs
where session_id::text = %(session_id)s
  and owner_id = %(owner_id)s::uuid
order by created_at desc
limit 1
"""


def newest_run(pool: ConnectionPool, *, owner_id: str, session_id: str) -> tuple[str, str] | None:
    """Id and language of a discussion's newest run; None where nothing was asked yet."""
    parameters = {"owner_id": owner_id, "session_id": session_id}
    with pool.connection() as connection:
        row = connection.execute(NEWEST_RUN, parameters).fetchone()
    return None if row is None else (row[0], row[1])


@dataclass(frozen=True, kw_only=True)
class TurnOutcomeRow:
    """How a tool call of an utterance ended, as far as a summary has to keep it."""

    utterance_id: str
    tool: str
    target: str
    status: str
    changes_a_file: bool
    is_undone: bool
    error: str
    """The exact message of what failed; empty otherwise."""


OUTCOMES_OF_TURNS = """
select
    utterance_id,
    tool,
    coalesce(nullif(target, ''), arguments ->> 'path', arguments ->> 'url', '') as target,
    status,
    coalesce(target_sha256_after is not null, false) as changes_a_file,
    undone_at is not null as is_undone,
    coalesce(
        nullif(result ->> 'error', ''),
        nullif(decision_reason, ''),
        case when status in ('refused', 'failed', 'unsure') then nullif(reason, '') end,
        ''
    ) as error
from tool_executions
where session_id::text = %(session_id)s
  and owner_id = %(owner_id)s::uuid
  and utterance_id = any(%(utterance_ids)s)
  and (
    target_sha256_after is not null
    or status in ('failed', 'refused', 'rejected', 'unsure')
    or result ->> 'status' <> 'ok'
  )
order by requested_at, call_id
"""


def outcomes_of_turns(
    pool: ConnectionPool, *, owner_id: str, session_id: str, utterance_ids: Sequence[str]
) -> list[TurnOutcomeRow]:
    """Files that were changed and calls that did not go well in these turns, in order."""
    parameters = {
        "owner_id": owner_id,
        "session_id": session_id,
        "utterance_ids": list(utterance_ids),
    }
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(TurnOutcomeRow))
        return cursor.execute(OUTCOMES_OF_TURNS, parameters).fetchall()
