"""The discussion of the kill trial within this process, while its database is mistreated."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from meetmind import faults
from meetmind.database import checkpoints, connection, run_events, runs
from meetmind.database.connection import BoundedConnection, get_pg_pool
from meetmind.errors import MeetMindError
from meetmind.server import run_locks, run_tasks, stream
from meetmind.server.execution import LocalExecutor
from tests.support.kill_cases import has_open_call
from tests.support.kill_ground import Ground, Remains, faults_of, lines_of, remains_of
from tests.support.kill_trial import (
    BRIEF,
    OVER,
    SHORT_TALK,
    TURNS,
    Job,
    TrialModel,
    count_tool,
    decide_waiting,
    has_checkpoints,
    speak_and_pause,
)
from tests.support.room import Room, scripted_client, wait_until

ALLOWED_STATES = {"running", "waiting", "paused", "cut_off", "done", "stopped"}
DEADLINE_SECONDS = 90.0
SLOW_PIECE_SECONDS = 0.05
SLOW_TOOL_SECONDS = 1.5
LOOK_SECONDS = 0.05
REFUSALS = (MeetMindError, psycopg.OperationalError, TimeoutError)


@dataclass(kw_only=True)
class Epochs:
    """As which executor each event of a run was written, in the order of the log."""

    written: list[int] = field(default_factory=list)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Watch every append; its transaction holds the run's row, so this is the log's order."""
        append_within = run_events.append_within

        def append_and_note(*given: Any, **named: Any) -> bool:
            is_written = append_within(*given, **named)
            if is_written and named["epoch"] is not None:
                self.written.append(named["epoch"])
            return is_written

        run_events.append_within = append_and_note
        try:
            yield
        finally:
            run_events.append_within = append_within


@dataclass(kw_only=True)
class LiveRun:
    """One run, its executor, and what was seen of it."""

    room: Room
    job: Job
    executor: LocalExecutor
    run_id: str = ""
    seen_states: set[str] = field(default_factory=set)
    epochs: Epochs = field(default_factory=Epochs)
    was_unsure: bool = False

    def begin(self) -> None:
        session_id = self.room.new_session()
        self.run_id = self.executor.start_run(self.room.owner_id, session_id, BRIEF, "team")

    def wait_for_point(self, line: str, times: int = 1) -> None:
        """Until the run has come by this point so often."""
        wait_until(lambda: lines_of(Path(self.job.log)).count(line) >= times)

    def in_stream(self) -> None:
        """Begin, and wait until words of the first turn come."""
        self.begin()
        self.wait_and_decide()
        self.wait_for_point("words.waiting:", 5)

    def in_effect(self) -> None:
        """Begin, and wait until a call with an effect is under way."""
        self.begin()
        self.wait_and_decide()
        self.wait_for_point("gate.claimed:count")

    def wait_and_decide(self) -> None:
        """Approve the calls of the first turn."""
        self.room.wait_until_waiting(self.run_id)
        self.decide()

    def decide(self) -> None:
        """What the person of the kill trial does where the run waits."""
        for call in self.executor.pending_calls(self.room.owner_id):
            if call.asked_again == "unsure":
                # Whoever is asked whether something has happened looks first.
                time.sleep(SLOW_TOOL_SECONDS)
        speak_and_pause(self.room, self.executor, self.run_id)
        decide_waiting(self.executor, self.job)

    def at_rest(self) -> None:
        """Begin, and wait until the run waits for a person and nobody holds it."""
        self.begin()
        self.room.wait_until_waiting(self.run_id)
        self.wait_for_point("lock.released:")

    def state(self) -> str:
        """The state, or nothing while the database does not answer."""
        try:
            state = self.room.state(self.run_id)
        except (*REFUSALS, AssertionError):
            return ""
        self.seen_states.add(state)
        return state

    def finish(self) -> None:
        """Do what a person would: resume what was cut off, decide what waits, to the end."""
        deadline = time.monotonic() + DEADLINE_SECONDS
        while (state := self.state()) not in OVER:
            if time.monotonic() > deadline:
                raise AssertionError(f"the run is still {state or 'unknown'}")
            try:
                if state == "cut_off":
                    self.was_unsure = self.was_unsure or has_open_call(self.job, "count")
                    self.executor.resume_execution(self.room.owner_id, self.run_id)
                elif state == "waiting":
                    self.decide()
                elif state == "paused":
                    self.executor.go_on_run(self.room.owner_id, self.run_id)
            except REFUSALS:
                pass
            time.sleep(LOOK_SECONDS)
        wait_until(lambda: not has_checkpoints(self.room))

    def faults(self, expected: Remains) -> list[str]:
        """What is wrong with how it ended."""
        wrong = faults_of(remains_of(self.job), expected, may_be_unsure=self.was_unsure)
        odd = self.seen_states - ALLOWED_STATES
        if odd:
            wrong.append(f"it was {', '.join(sorted(odd))}")
        if self.epochs.written != sorted(self.epochs.written):
            wrong.append(f"two executors wrote: epochs {self.epochs.written}")
        return wrong


@contextmanager
def live_run(ground: Ground, tablespace: str = "") -> Iterator[LiveRun]:
    """A room on a database of its own, with every point written down."""
    with ground.plot(tablespace) as job:
        room = Room(
            pool=get_pg_pool(job.database_url),
            database_url=job.database_url,
            home=Path(job.home),
            owner_id=job.owner_id,
            max_iterations=TURNS,
            tools=[count_tool(job.effects, SLOW_TOOL_SECONDS)],
            settings=SHORT_TALK,
        )
        model = TrialModel(piece_seconds=SLOW_PIECE_SECONDS)
        run = LiveRun(room=room, job=job, executor=room.open_with(scripted_client(model)))
        faults.arm("", job.log)
        try:
            with run.epochs.watched():
                yield run
        finally:
            faults.disarm()
            room.close()
            room.pool.close()


@contextmanager
def short_deadlines() -> Iterator[None]:
    """The product's patience made short: a trial takes seconds where it would take minutes."""
    short: list[tuple[Any, str, float]] = [
        (stream, "CALL_SECONDS", 3.0),
        (checkpoints, "CALL_SECONDS", 3.0),
        (run_locks, "GUARD_SECONDS", 0.3),
        (run_tasks, "LOOK_SECONDS", 0.5),
        (runs, "LOCK_SECONDS", 2.0),
        (BoundedConnection, "deadline_seconds", 4.0),
        (connection, "CONNECT_SECONDS", 2),
    ]
    before = [(place, name, getattr(place, name)) for place, name, _ in short]
    for place, name, value in short:
        setattr(place, name, value)
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)
        for place, name, value in before:
            setattr(place, name, value)


def beside(work: Callable[[], Any]) -> threading.Thread:
    """Do something at the same time."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread
