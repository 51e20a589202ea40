"""Spans of runs: stored in the background, without secrets, for their owner alone."""

import logging
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from psycopg_pool import ConnectionPool

from meetmind.database import runs, sessions
from meetmind.database.traces import list_spans
from meetmind.database.users import find_user_by_name, insert_user
from meetmind.tracing.recorder import SpanRecorder
from meetmind.tracing.spans import Span, SpanKind

BEGAN_AT = datetime(2026, 5, 4, 9, 30, tzinfo=UTC)
KEY = "ghp_" + "a1B2c3" * 6


@pytest.fixture
def recorder(pool: ConnectionPool) -> Iterator[SpanRecorder]:
    recorder = SpanRecorder(pool)
    yield recorder
    recorder.close()


@pytest.fixture
def owner_id(pool: ConnectionPool) -> str:
    return account(pool, "lin")


@pytest.fixture
def run_id(pool: ConnectionPool, owner_id: str) -> str:
    return start_run(pool, owner_id)


def account(pool: ConnectionPool, name: str) -> str:
    insert_user(pool, name, "!")
    user = find_user_by_name(pool, name)
    assert user is not None
    return user.id


def start_run(pool: ConnectionPool, owner_id: str) -> str:
    session_id = sessions.create_session(pool, owner_id=owner_id, title="Shelves")
    return runs.create_run(
        pool,
        owner_id=owner_id,
        session_id=session_id,
        brief="Shelves",
        mode="auto",
        language="en",
        memory_id=None,
        max_iterations=15,
        model_name="offline",
    )


def span(
    run_id: str,
    number: int = 0,
    kind: SpanKind = "tool_call",
    name: str = "grep",
    details: dict[str, Any] | None = None,
) -> Span:
    began_at = BEGAN_AT + timedelta(seconds=number)
    return Span(
        run_id=run_id,
        kind=kind,
        name=name,
        utterance_id=f"{run_id}.1.backend",
        call_id=f"{run_id}.1.backend.0.{number}",
        status="ok",
        began_at=began_at,
        ended_at=began_at + timedelta(milliseconds=250),
        details={} if details is None else details,
    )


def test_spans_come_back_in_the_order_in_which_they_began(
    pool: ConnectionPool, recorder: SpanRecorder, owner_id: str, run_id: str
) -> None:
    recorder.record(span(run_id, 2, "approval", "write"))
    recorder.record(span(run_id, 1, "guard", "policy"))
    assert recorder.flush()

    stored = list_spans(pool, owner_id=owner_id, run_id=run_id)

    assert [(row.kind, row.name) for row in stored] == [("guard", "policy"), ("approval", "write")]
    assert stored[0].call_id == f"{run_id}.1.backend.0.1"
    assert stored[0].began_at == BEGAN_AT + timedelta(seconds=1)
    assert stored[0].ended_at - stored[0].began_at == timedelta(milliseconds=250)


def test_nobody_else_sees_the_spans_of_a_run(
    pool: ConnectionPool, recorder: SpanRecorder, owner_id: str, run_id: str
) -> None:
    recorder.record(span(run_id))
    assert recorder.flush()

    assert list_spans(pool, owner_id=account(pool, "eve"), run_id=run_id) == []
    assert list_spans(pool, owner_id=owner_id, run_id="no-such-run") == []
    assert len(list_spans(pool, owner_id=owner_id, run_id=run_id)) == 1


def test_no_secret_stands_in_a_stored_span(
    pool: ConnectionPool, recorder: SpanRecorder, owner_id: str, run_id: str
) -> None:
    details = {
        "arguments": {
            "url": f"https://me:{KEY}@host/x",
            "headers": {"Authorization": "plain words"},
        },
        "lines": [f"use {KEY}\x00", "\ud800half"],
        "input_tokens": 17,
        "seconds": float("nan"),
        "at": BEGAN_AT,
    }
    recorder.record(span(run_id, name=f"fetch {KEY}", details=details))
    assert recorder.flush()

    (stored,) = list_spans(pool, owner_id=owner_id, run_id=run_id)

    assert stored.name == "fetch [masked]"
    assert stored.details == {
        "arguments": {
            "url": "https://me:[masked]@host/x",
            "headers": {"Authorization": "[masked]"},
        },
        "lines": ["use [masked]", "half"],
        "input_tokens": 17,
        "seconds": "NaN",
        "at": str(BEGAN_AT),
    }


def test_details_that_no_row_can_hold_are_left_out_and_said_so(
    pool: ConnectionPool, recorder: SpanRecorder, owner_id: str, run_id: str
) -> None:
    endless: dict[str, Any] = {}
    endless["again"] = endless
    recorder.record(span(run_id, 1, details=endless))
    recorder.record(span(run_id, 2, details={"text": "word " * 20_000}))
    assert recorder.flush()

    first, second = list_spans(pool, owner_id=owner_id, run_id=run_id)

    assert first.details == {"left_out": "not JSON: ValueError"}
    assert second.details["left_out"].endswith(" characters")


def test_many_spans_of_several_threads_are_all_stored(
    pool: ConnectionPool, recorder: SpanRecorder, owner_id: str, run_id: str
) -> None:
    def record_some(first: int) -> None:
        for number in range(first, first + 200):
            recorder.record(span(run_id, number))

    threads = [threading.Thread(target=record_some, args=(first,)) for first in (0, 200, 400)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert recorder.flush()

    assert len(list_spans(pool, owner_id=owner_id, run_id=run_id)) == 600
    assert recorder.dropped == 0


def test_spans_of_a_run_that_is_gone_do_not_cost_the_others(
    pool: ConnectionPool, recorder: SpanRecorder, owner_id: str, run_id: str
) -> None:
    recorder.record(span("00000000-0000-0000-0000-000000000000", 1))
    recorder.record(span(run_id, 2))
    assert recorder.flush()

    assert len(list_spans(pool, owner_id=owner_id, run_id=run_id)) == 1


def test_what_waits_is_stored_when_the_recorder_is_closed(
    pool: ConnectionPool, owner_id: str, run_id: str
) -> None:
    recorder = SpanRecorder(pool)
    recorder.record(span(run_id))
    recorder.close()
    recorder.close()
    recorder.record(span(run_id))

    assert len(list_spans(pool, owner_id=owner_id, run_id=run_id)) == 1
    assert recorder.dropped == 1


@pytest.fixture
def absent_pool() -> Iterator[ConnectionPool]:
    """A pool whose database does not answer."""
    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)
    pool = ConnectionPool("host=127.0.0.1 port=1 connect_timeout=1", timeout=0.3, open=True)
    yield pool
    pool.close()
    logging.getLogger("psycopg.pool").setLevel(logging.NOTSET)


def test_a_run_is_never_held_up_while_the_database_is_away(
    absent_pool: ConnectionPool, caplog: pytest.LogCaptureFixture
) -> None:
    recorder = SpanRecorder(absent_pool, most_waiting=50)

    begun = time.perf_counter()
    for number in range(5_000):
        recorder.record(span("any", number))
    seconds = time.perf_counter() - begun
    with caplog.at_level(logging.WARNING):
        assert recorder.flush()
        recorder.close()

    assert seconds < 0.25
    assert recorder.dropped == 5_000
    lines = [record for record in caplog.records if record.name == "meetmind.tracing.recorder"]
    assert len(lines) == 1


def test_spans_are_stored_again_once_the_database_is_back(
    pool: ConnectionPool, owner_id: str, run_id: str, caplog: pytest.LogCaptureFixture
) -> None:
    recorder = SpanRecorder(pool)
    with pool.connection() as connection:
        connection.execute("alter table agent_trace_spans rename to away")
    recorder.record(span(run_id, 1))
    assert recorder.flush()
    with pool.connection() as connection:
        connection.execute("alter table away rename to agent_trace_spans")
    recorder.record(span(run_id, 2))
    assert recorder.flush()
    recorder.close()

    assert len(list_spans(pool, owner_id=owner_id, run_id=run_id)) == 1
    assert recorder.dropped == 1
