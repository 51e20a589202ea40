"""The spans of runs: what was done, how long it took and how it ended."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from psycopg.rows import class_row
from psycopg.types.json import Jsonb
from psycopg_pool import ConnectionPool


@dataclass(frozen=True, kw_only=True)
class SpanRow:
    """A span as it stands in the table; `details` holds no secrets."""

    run_id: str
    kind: str
    name: str
    utterance_id: str
    call_id: str
    status: str
    began_at: datetime
    ended_at: datetime
    details: dict[str, Any]


INSERT_SPANS = """
insert into agent_trace_spans (
    run_id, kind, name, utterance_id, call_id, status, began_at, ended_at, details
)
select
    runs.id, span.kind, span.name, span.utterance_id, span.call_id, span.status,
    span.began_at, span.ended_at, span.details
from jsonb_to_recordset(%(spans)s) as span (
    run_id uuid, kind text, name text, utterance_id text, call_id text, status text,
    began_at timestamptz, ended_at timestamptz, details jsonb
)
join runs on runs.id = span.run_id
"""


def insert_spans(pool: ConnectionPool, spans: Sequence[SpanRow]) -> int:
    """Store spans in one statement; how many. Those of runs that are gone are left out."""
    objects: list[dict[str, Any]] = []
    for span in spans:
        fields = asdict(span)
        fields["began_at"] = span.began_at.isoformat()
        fields["ended_at"] = span.ended_at.isoformat()
        objects.append(fields)
    with pool.connection() as connection:
        return connection.execute(INSERT_SPANS, {"spans": Jsonb(objects)}).rowcount


SELECT_SPANS = """
select
    span.run_id::text,
    span.kind,
    span.name,
    span.utterance_id,
    span.call_id,
    span.status,
    span.began_at,
    span.ended_at,
    span.details
from agent_trace_spans as span
join runs on runs.id = span.run_id
where runs.owner_id = %(owner_id)s::uuid
  and runs.id::text = %(run_id)s
order by span.began_at, span.ended_at, span.id
"""


def list_spans(pool: ConnectionPool, *, owner_id: str, run_id: str) -> list[SpanRow]:
    """The spans of one of the owner's runs, the earliest first; none of anybody else's."""
    parameters = {"owner_id": owner_id, "run_id": run_id}
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(SpanRow))
        return cursor.execute(SELECT_SPANS, parameters).fetchall()
