"""Discussions as their owner sees them: the list, the runs, the events."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from psycopg_pool import ConnectionPool

from meetmind.clean_text import clean_bad_chars
from meetmind.database import run_events, runs, sessions
from meetmind.database.runs import RunRow
from meetmind.database.sessions import SessionRow
from meetmind.errors import NotFound
from meetmind.events import LoggedEvent

TITLE_CHARACTERS = 120


@dataclass(frozen=True, kw_only=True)
class SessionSummary:
    """One discussion in a list; `state` is that of its last run."""

    id: str
    title: str
    updated_at: datetime
    state: str
    """empty, running, waiting, paused, cut_off, done, stopped or failed."""


@dataclass(frozen=True, kw_only=True)
class RunSummary:
    """One run of a discussion."""

    id: str
    session_id: str
    state: str
    """running, waiting, paused, cut_off, done, stopped or failed."""
    mode: str
    model_name: str
    created_at: datetime
    ended_at: datetime | None
    last_seq: int
    pause_asked: bool
    max_iterations: int
    max_tokens: int | None
    max_minutes: float | None
    max_cost: float | None
    """None is no limit."""
    input_tokens: int
    output_tokens: int
    cost: float
    work_seconds: float
    """Waiting for a person is left out."""


class Discussions:
    """Reads and arranges discussions; every method takes their owner."""

    def __init__(self, pool: ConnectionPool, end_runs: Callable[[str, str], None]) -> None:
        self._pool = pool
        self._end_runs = end_runs

    def create_session(self, owner_id: str, title: str) -> str:
        """A new discussion; its id."""
        return sessions.create_session(self._pool, owner_id=owner_id, title=shown_title(title))

    def list_sessions(self, owner_id: str, search: str = "") -> list[SessionSummary]:
        """The owner's discussions, newest first; `search` looks into titles and words."""
        rows = sessions.list_sessions(
            self._pool, owner_id=owner_id, search=clean_bad_chars(search.strip())
        )
        return [_session_summary(row) for row in rows]

    def get_session(self, owner_id: str, session_id: str) -> SessionSummary:
        """One discussion; raises `NotFound`."""
        rows = sessions.list_sessions(
            self._pool, owner_id=owner_id, session_id=clean_bad_chars(session_id)
        )
        if not rows:
            raise NotFound("There is no such discussion.")
        return _session_summary(rows[0])

    def rename_session(self, owner_id: str, session_id: str, title: str) -> None:
        """Give a discussion another title; raises `NotFound`."""
        sessions.rename_session(
            self._pool, owner_id=owner_id, session_id=session_id, title=shown_title(title)
        )

    def delete_session(self, owner_id: str, session_id: str) -> None:
        """Delete a discussion with everything in it; raises `NotFound`."""
        self.get_session(owner_id, session_id)
        self._end_runs(owner_id, session_id)
        sessions.delete_session(self._pool, owner_id=owner_id, session_id=session_id)

    def list_runs(self, owner_id: str, session_id: str) -> list[RunSummary]:
        """The runs of a discussion, oldest first."""
        rows = runs.list_runs(self._pool, owner_id=owner_id, session_id=session_id)
        return [run_summary(row) for row in rows]

    def events_after(self, owner_id: str, run_id: str, seq: int) -> list[LoggedEvent]:
        """The events of a run after `seq`; raises `NotFound`."""
        return run_events.events_after(self._pool, owner_id=owner_id, run_id=run_id, seq=seq)


def shown_title(title: str) -> str:
    """A title on one line, not too long and never empty."""
    one_line = " ".join(clean_bad_chars(title).split())
    if len(one_line) > TITLE_CHARACTERS:
        one_line = one_line[: TITLE_CHARACTERS - 1] + "…"
    return one_line or "…"


def run_summary(row: RunRow) -> RunSummary:
    """A run as pages show it; one that is marked running and held by nobody was cut off."""
    return RunSummary(
        id=row.id,
        session_id=row.session_id,
        state=_state(row.status, row.is_held),
        mode=row.mode,
        model_name=row.model_name,
        created_at=row.created_at,
        ended_at=row.ended_at,
        last_seq=row.last_seq,
        pause_asked=row.pause_asked,
        max_iterations=row.max_iterations,
        max_tokens=row.max_tokens,
        max_minutes=row.max_minutes,
        max_cost=row.max_cost,
        input_tokens=row.input_tokens,
        output_tokens=row.output_tokens,
        cost=row.cost,
        work_seconds=row.work_seconds,
    )


def _session_summary(row: SessionRow) -> SessionSummary:
    state = "empty"
    if row.last_run_status is not None:
        state = _state(row.last_run_status, row.last_run_is_held)
    return SessionSummary(id=row.id, title=row.title, updated_at=row.updated_at, state=state)


def _state(status: str, is_held: bool) -> str:
    if status == "running" and not is_held:
        return "cut_off"
    return status
