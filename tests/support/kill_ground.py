"""Where kill trials are made: a database and a home for each, and what is left in them."""

import secrets
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

from meetmind.database.startup import prepare_database
from meetmind.events import (
    DiscussionEvent,
    FloorTaken,
    RunEnded,
    RunStarted,
    ToolAskedAgain,
    UtteranceEnded,
    event_from_payload,
)
from meetmind.server.accounts import Accounts
from tests.support.kill_trial import COUNTED, NOTES, NOTES_AT_LAST, Job

LOOSE_KINDS = ("run_resumed", "run_waiting", "run_paused", "tool_asked_again")
"""A run that was cut off has more of these; one that is begun once too often rests once more."""


@dataclass(frozen=True, kw_only=True)
class Ground:
    """A server with a template: every trial gets a copy of it."""

    server_url: str
    template: str
    owner_id: str
    folder: Path

    @contextmanager
    def plot(self, tablespace: str = "") -> Iterator[Job]:
        """A database and a home of one trial, as the job of its first process."""
        name = f"meetmind_kill_{secrets.token_hex(6)}"
        home = self.folder / name
        home.mkdir()
        place = f" tablespace {tablespace}" if tablespace else ""
        on_server(self.server_url, f"create database {name} template {self.template}{place}")
        try:
            url = make_conninfo(self.server_url, dbname=name)
            yield Job(
                database_url=url, home=str(home), owner_id=self.owner_id, log=str(home / "points")
            )
        finally:
            on_server(self.server_url, f"drop database {name} with (force)")
            shutil.rmtree(home, ignore_errors=True)


@contextmanager
def kill_ground(server_url: str) -> Iterator[Ground]:
    """A ground with an account, on a server where databases may be created."""
    template = f"meetmind_kills_{secrets.token_hex(4)}"
    folder = Path(tempfile.mkdtemp(prefix="meetmind-kills-"))
    on_server(server_url, f"create database {template} encoding 'UTF8' template template0")
    try:
        pool = prepare_database(make_conninfo(server_url, dbname=template))
        accounts = Accounts(pool)
        accounts.ensure_first_account()
        owner_id = accounts.sign_in("admin", "admin").id
        pool.close()
        yield Ground(server_url=server_url, template=template, owner_id=owner_id, folder=folder)
    finally:
        on_server(server_url, f"drop database {template} with (force)")
        shutil.rmtree(folder, ignore_errors=True)


def on_server(server_url: str, statement: str) -> None:
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(statement.encode())


@dataclass(frozen=True, kw_only=True)
class Remains:
    """Everything that a discussion has left behind."""

    status: str
    events: tuple[DiscussionEvent, ...]
    messages: tuple[tuple[str, str], ...]
    """Author and words, in order."""
    ledger: tuple[tuple[str, str], ...]
    """Tool and status of every call."""
    checkpoints: int
    notes: str
    effects: tuple[str, ...]
    reached: Counter[str]

    @property
    def utterances(self) -> list[tuple[str, str]]:
        """Id within the run, and words."""
        said = [event for event in self.events if isinstance(event, UtteranceEnded)]
        return [(event.utterance_id.partition(".")[2], event.content) for event in said]

    @property
    def shape(self) -> Counter[str]:
        """How often each event stands in the log, apart from those that a resume adds."""
        found: Counter[str] = Counter()
        for event in self.events:
            if event.kind not in LOOSE_KINDS:
                found[_name_of(event)] += 1
        return found

    @property
    def asked_again(self) -> list[ToolAskedAgain]:
        return [event for event in self.events if isinstance(event, ToolAskedAgain)]


def _name_of(event: DiscussionEvent) -> str:
    utterance_id = str(getattr(event, "utterance_id", "")).partition(".")[2]
    call_id = str(getattr(event, "call_id", ""))
    return " ".join(part for part in (event.kind, utterance_id, call_id) if part)


def remains_of(job: Job) -> Remains:
    """Read a trial's database and home."""
    with psycopg.connect(job.database_url) as connection:
        statuses = connection.execute("select status from runs").fetchall()
        events = connection.execute("select payload from run_events order by seq").fetchall()
        said = connection.execute("select author, content from messages order by seq").fetchall()
        calls = connection.execute(
            "select tool, status from tool_executions order by call_id"
        ).fetchall()
        kept = connection.execute("select count(*) from checkpoints").fetchone()
    home = Path(job.home)
    notes = list(home.glob(f"workspaces/*/{NOTES}"))
    return Remains(
        status=" ".join(row[0] for row in statuses),
        events=tuple(event_from_payload(row[0]) for row in events),
        messages=tuple(said),
        ledger=tuple(calls),
        checkpoints=0 if kept is None else kept[0],
        notes=notes[0].read_text() if notes else "",
        effects=tuple(lines_of(job.effects)),
        reached=Counter(lines_of(Path(job.log))),
    )


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def faults_of(left: Remains, undisturbed: Remains, *, may_be_unsure: bool = False) -> list[str]:
    """What is wrong with what a killed and resumed discussion left; empty when all is well."""
    wrong = []
    if left.status != "done":
        wrong.append(f"the run is {left.status or 'lost'}")
    if left.utterances != undisturbed.utterances:
        wrong.append(f"other utterances: {[name for name, _ in left.utterances]}")
    if left.messages != undisturbed.messages:
        wrong.append(f"{len(left.messages)} messages")
    if left.notes != NOTES_AT_LAST:
        wrong.append(f"the file holds {left.notes!r}")
    if left.effects != (COUNTED,):
        wrong.append(f"{len(left.effects)} effects")
    if left.reached[f"file.replaced:{NOTES}"] != 2:
        wrong.append(f"the file was replaced {left.reached[f'file.replaced:{NOTES}']} times")
    if left.checkpoints:
        wrong.append(f"{left.checkpoints} checkpoints")
    return wrong + _faults_of_asking(left, undisturbed, may_be_unsure) + _faults_of_order(left)


def _faults_of_asking(left: Remains, undisturbed: Remains, may_be_unsure: bool) -> list[str]:
    wrong = []
    again = [f"{event.why} {event.call_id}" for event in left.asked_again]
    if again and not (may_be_unsure and len(again) == 1 and again[0].startswith("unsure")):
        wrong.append(f"asked again: {', '.join(again)}")
    expected = undisturbed.shape
    found = left.shape
    if again and may_be_unsure:
        call_id = left.asked_again[0].call_id
        found[f"tool_decided {call_id}"] -= 1
    more = found - expected
    fewer = expected - found
    if more:
        wrong.append(f"more in the log: {dict(more)}")
    if fewer:
        wrong.append(f"missing in the log: {dict(fewer)}")
    open_calls = [tool for tool, status in left.ledger if status in ("pending", "started")]
    if open_calls:
        wrong.append(f"calls left open: {open_calls}")
    return wrong


def _faults_of_order(left: Remains) -> list[str]:
    wrong = []
    if not left.events or not isinstance(left.events[0], RunStarted):
        wrong.append("the log does not begin with the start")
    if not left.events or not isinstance(left.events[-1], RunEnded):
        wrong.append("the log does not end with the end")
    floors: set[str] = set()
    for event in left.events:
        if isinstance(event, FloorTaken):
            floors.add(event.utterance_id)
        elif isinstance(event, UtteranceEnded) and event.utterance_id not in floors:
            wrong.append(f"{event.utterance_id} ended before it began")
    return wrong
