"""The log of a run: events in order, appended and never changed."""

from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb
from psycopg_pool import ConnectionPool

from meetmind import faults
from meetmind.errors import LostTheRun, NotFound
from meetmind.events import (
    DiscussionEvent,
    LoggedEvent,
    RunEnded,
    UtteranceEnded,
    event_from_payload,
    event_payload,
)

APPEND_EVENT = """
with counter as (
    update runs
    set last_seq = last_seq + 1
    where id = %(run_id)s::uuid
      and (%(epoch)s::integer is null or epoch = %(epoch)s)
    returning last_seq
)
insert into run_events (run_id, seq, kind, payload)
select %(run_id)s::uuid, last_seq, %(kind)s, %(payload)s
from counter
on conflict do nothing
"""

RUN_EPOCH = "select epoch from runs where id = %(run_id)s::uuid"


def append_event(
    pool: ConnectionPool, *, run_id: str, epoch: int | None, event: DiscussionEvent
) -> None:
    """Append one event in a transaction of its own.

    `epoch` is the executor's; None is for what a person does. A floor or an end that is there
    already is left as it is. Raises `LostTheRun` when the run has another executor by now.
    """
    faults.reach("log.appending", event.kind)
    with pool.connection() as connection, connection.transaction():
        append_within(connection, run_id=run_id, epoch=epoch, event=event)
    faults.reach("log.appended", event.kind)


def append_within(
    connection: psycopg.Connection[Any], *, run_id: str, epoch: int | None, event: DiscussionEvent
) -> bool:
    """`append_event` inside the caller's transaction; whether a row was written."""
    payload = event_payload(event)
    parameters = {"run_id": run_id, "epoch": epoch, "kind": event.kind, "payload": Jsonb(payload)}
    written = connection.execute(APPEND_EVENT, parameters).rowcount
    if written == 1:
        faults.reach("log.written", event.kind)
        return True
    row = connection.execute(RUN_EPOCH, {"run_id": run_id}).fetchone()
    if row is None or (epoch is not None and row[0] != epoch):
        raise LostTheRun("Another executor has taken this run over.")
    return False


STORE_UTTERANCE = """
insert into messages (id, session_id, owner_id, run_id, author, content)
select %(utterance_id)s, session_id, owner_id, id, %(author)s, %(content)s
from runs
where id = %(run_id)s::uuid
on conflict (id) do nothing
"""

DROP_DELTAS = """
delete from run_events
where run_id = %(run_id)s::uuid
  and kind in ('words_arrived', 'words_withdrawn')
  and payload ->> 'utterance_id' = %(utterance_id)s
"""


def store_utterance(
    pool: ConnectionPool, *, run_id: str, epoch: int, event: UtteranceEnded
) -> None:
    """Commit a finished utterance: its event, its message, and its deltas dropped, at once."""
    parameters = {
        "run_id": run_id,
        "utterance_id": event.utterance_id,
        "author": event.agent_name,
        "content": event.content,
    }
    faults.reach("utterance.storing", event.agent_name)
    with pool.connection() as connection, connection.transaction():
        if append_within(connection, run_id=run_id, epoch=epoch, event=event):
            connection.execute(STORE_UTTERANCE, parameters)
            connection.execute(DROP_DELTAS, parameters)
            faults.reach("utterance.written", event.agent_name)
    faults.reach("utterance.stored", event.agent_name)


CLOSE_RUN = """
update runs
set status = %(status)s,
    ended_at = clock_timestamp()
where id = %(run_id)s::uuid
  and epoch = %(epoch)s
"""


def close_run(pool: ConnectionPool, *, run_id: str, epoch: int, event: RunEnded) -> None:
    """Append the end and mark the run as over, at once; raises `LostTheRun`."""
    with pool.connection() as connection, connection.transaction():
        close_within(connection, run_id=run_id, epoch=epoch, event=event)
    faults.reach("run.closed")


def close_within(
    connection: psycopg.Connection[Any], *, run_id: str, epoch: int, event: RunEnded
) -> None:
    """`close_run` inside the caller's transaction."""
    faults.reach("run.closing")
    append_within(connection, run_id=run_id, epoch=epoch, event=event)
    parameters = {"run_id": run_id, "epoch": epoch, "status": event.status}
    connection.execute(CLOSE_RUN, parameters)


EVENTS_AFTER = """
select
    e.seq,
    e.at,
    e.payload
from run_events e
join runs r on r.id = e.run_id
where r.id::text = %(run_id)s
  and r.owner_id = %(owner_id)s::uuid
  and e.seq > %(seq)s
order by e.seq
"""

RUN_EXISTS = """
select 1
from runs
where id::text = %(run_id)s
  and owner_id = %(owner_id)s::uuid
"""


def events_after(
    pool: ConnectionPool, *, owner_id: str, run_id: str, seq: int
) -> list[LoggedEvent]:
    """The events of the owner's run after `seq`, in order; raises `NotFound`."""
    parameters = {"owner_id": owner_id, "run_id": run_id, "seq": seq}
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=dict_row)
        rows = cursor.execute(EVENTS_AFTER, parameters).fetchall()
        if not rows and cursor.execute(RUN_EXISTS, parameters).fetchone() is None:
            raise NotFound("There is no such run.")
    logged = []
    for row in rows:
        event = event_from_payload(row["payload"])
        logged.append(LoggedEvent(run_id=run_id, seq=row["seq"], at=row["at"], event=event))
    return logged


EVENTS_OF_KIND = """
select payload
from run_events
where run_id = %(run_id)s::uuid
  and kind = %(kind)s
  and (%(utterance_id)s::text is null or payload ->> 'utterance_id' = %(utterance_id)s)
order by seq
"""


def payloads_of_kind(
    pool: ConnectionPool, *, run_id: str, kind: str, utterance_id: str | None = None
) -> list[Mapping[str, Any]]:
    """The payloads of one kind of event of a run, in order."""
    parameters = {"run_id": run_id, "kind": kind, "utterance_id": utterance_id}
    with pool.connection() as connection:
        rows = connection.execute(EVENTS_OF_KIND, parameters).fetchall()
    return [row[0] for row in rows]


def utterances_of(pool: ConnectionPool, run_id: str) -> list[UtteranceEnded]:
    """The committed utterances of a run, in order."""
    payloads = payloads_of_kind(pool, run_id=run_id, kind="utterance_ended")
    events = [event_from_payload(payload) for payload in payloads]
    return [event for event in events if isinstance(event, UtteranceEnded)]


UNFINISHED_WORDS = """
select
    f.payload ->> 'utterance_id',
    f.payload ->> 'agent_name',
    (f.payload ->> 'iteration')::integer,
    w.kind,
    coalesce(w.payload ->> 'text', '')
from run_events f
join run_events w
    on w.run_id = f.run_id
    and w.kind in ('words_arrived', 'words_withdrawn')
    and w.payload ->> 'utterance_id' = f.payload ->> 'utterance_id'
where f.run_id = %(run_id)s::uuid
  and f.kind = 'floor_taken'
order by w.seq
"""


def unfinished_utterances(pool: ConnectionPool, run_id: str) -> list[UtteranceEnded]:
    """Utterances that were cut off after their first word, with the words that had arrived."""
    with pool.connection() as connection:
        rows = connection.execute(UNFINISHED_WORDS, {"run_id": run_id}).fetchall()
    words_by_utterance: dict[tuple[str, str, int], str] = {}
    for utterance_id, agent_name, iteration, kind, text in rows:
        key = (utterance_id, agent_name, iteration)
        so_far = words_by_utterance.get(key, "")
        words_by_utterance[key] = so_far + text if kind == "words_arrived" else ""
    unfinished = []
    for (utterance_id, agent_name, iteration), words in words_by_utterance.items():
        if words.strip():
            unfinished.append(
                UtteranceEnded(
                    utterance_id=utterance_id,
                    agent_name=agent_name,
                    iteration=iteration,
                    content=words.strip(),
                    next_agent="",
                    done=False,
                    used_rag=0,
                    rung="cut_off",
                )
            )
    return unfinished
