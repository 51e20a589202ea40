"""Takes spans from a run at once and stores them in the background, without secrets."""

import json
import logging
import queue
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import psycopg
from psycopg_pool import ConnectionPool

from meetmind.clean_text import clean_bad_chars, clean_value
from meetmind.database.traces import SpanRow, insert_spans
from meetmind.redaction import redact_text, redact_value
from meetmind.tracing.spans import Span

MOST_WAITING = 2_000
SPANS_AT_ONCE = 200
LONGEST_DETAILS = 40_000
"""Characters as JSON; a trace names what was done, the ledger and the log hold the texts."""
CLOSING_SECONDS = 5.0

logger = logging.getLogger(__name__)


class _End:
    """The last thing in the queue."""


_Waiting = Span | threading.Event | _End


class SpanRecorder:
    """Stores spans without ever holding up a run; safe to use from several threads at once.

    While the database is away spans are dropped and counted.
    """

    def __init__(self, pool: ConnectionPool, *, most_waiting: int = MOST_WAITING) -> None:
        self._pool = pool
        self._waiting: queue.Queue[_Waiting] = queue.Queue(most_waiting)
        self._count_lock = threading.Lock()
        self._dropped = 0
        self._is_failing = False
        self._is_closed = False
        self._thread = threading.Thread(target=self._write, name="spans", daemon=True)
        self._thread.start()

    @property
    def dropped(self) -> int:
        """How many spans were lost."""
        return self._dropped

    def record(self, span: Span) -> None:
        """Take a span; returns at once, whatever the database does."""
        if self._is_closed:
            self._drop(1, "the recorder is closed")
            return
        try:
            self._waiting.put_nowait(span)
        except queue.Full:
            self._drop(1, "too many are waiting")

    def flush(self, seconds: float = CLOSING_SECONDS) -> bool:
        """Wait until all that was recorded is stored or dropped; False when that takes longer."""
        reached = threading.Event()
        try:
            self._waiting.put(reached, timeout=seconds)
        except queue.Full:
            return False
        return reached.wait(seconds)

    def close(self) -> None:
        """Store what waits and end the thread; gives up after five seconds. Safe to call twice."""
        if self._is_closed:
            return
        self._is_closed = True
        try:
            self._waiting.put(_End(), timeout=CLOSING_SECONDS)
        except queue.Full:
            return
        self._thread.join(CLOSING_SECONDS)

    def _write(self) -> None:
        has_ended = False
        while not has_ended:
            spans: list[Span] = []
            reached: list[threading.Event] = []
            for entry in self._next_batch():
                if isinstance(entry, Span):
                    spans.append(entry)
                elif isinstance(entry, threading.Event):
                    reached.append(entry)
                else:
                    has_ended = True
            self._store(spans)
            for event in reached:
                event.set()

    def _next_batch(self) -> list[_Waiting]:
        """Everything that waits, at least one thing and at most one insert's worth."""
        batch = [self._waiting.get()]
        while len(batch) < SPANS_AT_ONCE:
            try:
                batch.append(self._waiting.get_nowait())
            except queue.Empty:
                break
        return batch

    def _store(self, spans: Sequence[Span]) -> None:
        if not spans:
            return
        rows = [_row_of(span) for span in spans]
        try:
            insert_spans(self._pool, rows)
        except psycopg.Error as error:
            self._drop(len(rows), str(error))
        else:
            self._is_failing = False

    def _drop(self, count: int, reason: str) -> None:
        """Count lost spans; only the first of a row of losses is told."""
        with self._count_lock:
            self._dropped += count
            is_first = not self._is_failing
            self._is_failing = True
        if is_first:
            logger.warning("Spans of runs are not stored for now: %s", reason)


def _row_of(span: Span) -> SpanRow:
    return SpanRow(
        run_id=span.run_id,
        kind=span.kind,
        name=_safe_text(span.name),
        utterance_id=span.utterance_id,
        call_id=span.call_id,
        status=_safe_text(span.status),
        began_at=span.began_at,
        ended_at=span.ended_at,
        details=_safe_details(span.details),
    )


def _safe_text(text: str) -> str:
    return redact_text(clean_bad_chars(text)).text


def _safe_details(details: Mapping[str, Any]) -> dict[str, Any]:
    """The details as the database can hold them: without secrets, and of bounded size."""
    try:
        plain = json.dumps(dict(details), default=str)
        cleaned = clean_value(json.loads(plain, parse_constant=str))
    except (TypeError, ValueError, RecursionError) as error:
        return {"left_out": f"not JSON: {type(error).__name__}"}
    safe: dict[str, Any] = redact_value(cleaned)
    characters = len(json.dumps(safe, ensure_ascii=False))
    if characters > LONGEST_DETAILS:
        return {"left_out": f"{characters} characters"}
    return safe
