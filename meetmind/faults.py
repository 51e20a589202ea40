"""Faults on purpose: named points at which a run can be killed, delayed or made to fail.

A point is one line, `faults.reach("gate.claimed", tool)`, and does nothing unless the environment
variable `MEETMIND_FAULTS` is set when the program starts:

    MEETMIND_FAULTS=gate.claimed:Write=kill@2,log.appended=delay:0.5,checkpoint.putting=fail:disk

Each part is `point[:detail]=action[@n]`. The actions: `kill` (SIGKILL of this process), `delay:<s>`
(the thread that came by stands still for so many seconds), `fail` (raises `InjectedFault`),
`fail:connection` (what a lost connection to the database raises), `fail:disk` (what a database
with a full disk raises), `fail:file` (what a file on a full disk raises). `@n` acts the n-th time
that the point is reached, `@*` and nothing every time. Every point that is reached is appended to
the file `MEETMIND_FAULTS_LOG`, if one is named, before anything is done there.
"""

import errno
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType

from meetmind.errors import SettingsError

SPEC_VARIABLE = "MEETMIND_FAULTS"
LOG_VARIABLE = "MEETMIND_FAULTS_LOG"

POINTS: Mapping[str, str] = MappingProxyType(
    {
        "run.created": "A brief and its run are stored; nobody executes it yet.",
        "lock.taken": "The run's lock is held; the epoch is not raised yet.",
        "run.claimed": "The epoch is raised; nothing was done with it yet.",
        "run.settled": "Calls that a crash broke off are settled.",
        "run.started": "The start is in the log; there is no checkpoint yet.",
        "run.resumed": "The log says that the run goes on; the graph does not yet.",
        "node.entered": "A node begins (detail: the node).",
        "node.leaving": "A node has done its work; its checkpoint is not written (the node).",
        "floor.taken": "A role has the floor (the role).",
        "model.asked": "A request of the tool loop is about to be sent (the role).",
        "model.answered": "The model has answered the tool loop (the role).",
        "calls.ruled": "Every call of the model's message has its ruling (the role).",
        "turn.looked_up": "The tool loop is over; the role has not spoken (the role).",
        "turn.answered": "The words have come whole; they are not stored (the role).",
        "words.waiting": "Some words came and wait in memory for their row.",
        "log.appending": "An event is about to be appended (its kind).",
        "log.written": "An event is written in a transaction that is still open (its kind).",
        "log.appended": "An event is committed (its kind).",
        "utterance.storing": "A finished utterance is about to be stored (the role).",
        "utterance.written": "It is written in a transaction that is still open (the role).",
        "utterance.stored": "It is committed (the role).",
        "handover.told": "The log says who is next (the role that spoke).",
        "ledger.requesting": "A call is about to be written into the ledger (the tool).",
        "ledger.requested": "It is committed there with its ruling (the tool).",
        "gate.interrupting": "A call waits: the graph is about to be interrupted (the tool).",
        "gate.claiming": "An approved call is about to be claimed (the tool).",
        "gate.claimed": "It is claimed and has not acted (the tool).",
        "gate.version_kept": "What the file held is kept for an undo (the tool).",
        "file.writing": "A file's new content is about to be written aside (its name).",
        "file.written": "It is written aside and not renamed yet (its name).",
        "file.replaced": "The file has its new content (its name).",
        "effect.done": "The tool has acted; its end is not in the ledger (the tool).",
        "ledger.finishing": "The end of a call is written in an open transaction (the tool).",
        "ledger.finished": "The end of a call is committed (the tool).",
        "decision.stored": "A person's decision is committed; the pass has not begun.",
        "run.waiting": "The log says that the run waits; its status does not.",
        "run.rested": "The run waits for a person; its lock is still held.",
        "run.paused": "The run rests because a person wanted it; its lock is still held.",
        "question.asked": "A question to the person is committed.",
        "question.answered": "The person's answer is committed; the pass has not begun.",
        "words.said": "Words that a person said into the run are committed.",
        "talk.compacted": "A summary of the talk is committed.",
        "checkpoint.putting": "A checkpoint is about to be written (the node, or `graph`).",
        "checkpoint.put": "It is committed (the node, or `graph`).",
        "checkpoint.writing": "A node's writes are about to be stored (the node, or `graph`).",
        "checkpoint.written": "They are committed (the node, or `graph`).",
        "run.closing": "The run is about to be closed.",
        "run.closed": "It is closed; its checkpoints are still there.",
        "checkpoints.deleted": "Its checkpoints are gone.",
        "lock.released": "The run's lock is given back.",
    }
)
"""Every point and what has happened when it is reached; in brackets its detail."""


class InjectedFault(Exception):
    """The fault of the action `fail`, which no code expects."""


def reach(point: str, detail: str = "") -> None:
    """Say that this point is reached; whatever is armed for it happens."""
    if _armed is not None:
        _armed.reach(point, detail)


@dataclass(kw_only=True)
class Fault:
    """What is to happen at a point; `detail` empty: whatever the detail."""

    point: str
    detail: str
    act: Callable[[], None]
    hit: int | None
    """The time at which it acts, counted from 1; None is every time."""
    seen: int = 0

    def is_due(self, point: str, detail: str) -> bool:
        """Count a point that was reached, and say whether to act."""
        if point != self.point or self.detail not in ("", detail):
            return False
        self.seen += 1
        return self.hit in (None, self.seen)


class ArmedFaults:
    """The faults of this process."""

    def __init__(self, faults: list[Fault], log_path: str = "") -> None:
        self._faults = faults
        self._log_path = log_path
        self._counting = threading.Lock()

    def reach(self, point: str, detail: str) -> None:
        """Write the point down, then act; raises `LookupError` for a point that nobody named."""
        if point not in POINTS:
            raise LookupError(f"{point} is not in the register of points")
        with self._counting:
            self._write_down(point, detail)
            due = [fault for fault in self._faults if fault.is_due(point, detail)]
        for fault in due:
            fault.act()

    def _write_down(self, point: str, detail: str) -> None:
        if not self._log_path:
            return
        handle = os.open(self._log_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(handle, f"{point}:{detail}\n".encode())
        finally:
            os.close(handle)


_armed: ArmedFaults | None = None


def arm_from(environment: Mapping[str, str]) -> None:
    """Arm what the environment asks for; raises `SettingsError` for a spec that cannot be read."""
    spec = environment.get(SPEC_VARIABLE, "")
    log_path = environment.get(LOG_VARIABLE, "")
    if spec.strip() or log_path:
        arm(spec, log_path)


def arm(spec: str, log_path: str = "") -> None:
    """Arm the faults of `spec` in place of those before; raises `SettingsError`."""
    global _armed  # noqa: PLW0603 - one a process, read at every point
    parts = [part.strip() for part in spec.split(",")]
    _armed = ArmedFaults([_fault(part) for part in parts if part], log_path)


def disarm() -> None:
    """Make every point do nothing again."""
    global _armed  # noqa: PLW0603 - see `arm`
    _armed = None


@contextmanager
def armed(spec: str, log_path: str = "") -> Iterator[None]:
    """Faults for the length of a block."""
    arm(spec, log_path)
    try:
        yield
    finally:
        disarm()


def _fault(part: str) -> Fault:
    place, equals, wanted = part.partition("=")
    point, _, detail = place.strip().partition(":")
    if not equals or point not in POINTS:
        raise _refused(part, f"{point or 'nothing'} is no point; meetmind/faults.py lists them")
    action, at, times = wanted.strip().partition("@")
    hit = None if times in ("", "*") else _times(part, times)
    if at and not times:
        raise _refused(part, "behind @ stands a number or *")
    return Fault(point=point, detail=detail, act=_action(part, action), hit=hit)


def _times(part: str, times: str) -> int:
    if not times.isdigit() or int(times) == 0:
        raise _refused(part, "behind @ stands a number from 1 on, or *")
    return int(times)


def _action(part: str, action: str) -> Callable[[], None]:
    name, _, value = action.partition(":")
    if name == "kill" and not value:
        return _kill
    if name == "delay":
        return _delay_of(part, value)
    if name == "fail" and value in _FAILURES:
        return _FAILURES[value]
    raise _refused(part, "the action is kill, delay:<seconds>, or fail with connection, disk, file")


def _delay_of(part: str, value: str) -> Callable[[], None]:
    try:
        seconds = float(value)
    except ValueError:
        raise _refused(part, "delay takes seconds, such as delay:0.5") from None
    if not 0 < seconds < 3600:
        raise _refused(part, "delay takes between 0 and 3600 seconds")
    return lambda: time.sleep(seconds)


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _fail() -> None:
    raise InjectedFault("a fault on purpose")


def _fail_connection() -> None:
    import psycopg

    raise psycopg.OperationalError("the connection is lost (a fault on purpose)")


def _fail_disk() -> None:
    import psycopg

    raise psycopg.errors.DiskFull("no space left on the device (a fault on purpose)")


def _fail_file() -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


_FAILURES: Mapping[str, Callable[[], None]] = MappingProxyType(
    {"": _fail, "connection": _fail_connection, "disk": _fail_disk, "file": _fail_file}
)


def _refused(part: str, why: str) -> SettingsError:
    return SettingsError(
        f"{SPEC_VARIABLE} holds {part!r}, which is not a fault: {why}. Correct it or unset it."
    )
