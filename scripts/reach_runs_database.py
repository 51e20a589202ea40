"""`database_faults`: the database is restarted, hung, starved and filled up under a discussion."""

import contextlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT_ROOT), str(PROJECT_ROOT / "scripts")]

import psycopg  # noqa: E402 - the paths above come first
from reach_lines import ReachLines  # noqa: E402

from meetmind import faults  # noqa: E402
from meetmind.database.connection import POOL_SIZE  # noqa: E402
from tests.support.forking_parent import ForkingParent  # noqa: E402
from tests.support.kill_cases import KillCase, play_all, undisturbed  # noqa: E402
from tests.support.kill_ground import Ground, Remains, kill_ground, on_server  # noqa: E402
from tests.support.kill_trial import TrialModel  # noqa: E402
from tests.support.live_run import (  # noqa: E402
    REFUSALS,
    LiveRun,
    beside,
    live_run,
    short_deadlines,
)
from tests.support.own_server import OwnServer, own_server  # noqa: E402
from tests.support.room import scripted_client  # noqa: E402

DISK_MEGABYTES = 96
FILLER_BYTES = 1_000_000
LATE_SECONDS = 6.0
"""Longer than `short_deadlines` allows a call."""

Mistreat = Callable[[OwnServer, LiveRun], None]

OURS = "a.datname like 'meetmind_kill%'"
OF_THE_LOCK = f"{OURS} and pid in (select l.pid from pg_locks l where l.locktype = 'advisory')"
OF_THE_POOL = f"{OURS} and a.application_name = 'meetmind'"
OF_CHECKPOINTS = f"{OURS} and a.application_name = '' and not ({OF_THE_LOCK})"


def restart_while_idle(server: OwnServer, run: LiveRun) -> None:
    server.restart()
    run.begin()


def restart_in_a_stream(server: OwnServer, run: LiveRun) -> None:
    run.in_stream()
    server.restart()


def crash_in_a_stream(server: OwnServer, run: LiveRun) -> None:
    run.in_stream()
    server.restart("immediate")


def restart_in_a_tool(server: OwnServer, run: LiveRun) -> None:
    run.in_effect()
    server.restart()


def restart_while_waiting(server: OwnServer, run: LiveRun) -> None:
    run.at_rest()
    server.restart()


def restart_while_deciding(server: OwnServer, run: LiveRun) -> None:
    run.at_rest()
    restarting = beside(server.restart)
    while restarting.is_alive():
        with contextlib.suppress(*REFUSALS):
            run.decide()
    restarting.join()


def down_for_six_seconds(server: OwnServer, run: LiveRun) -> None:
    run.in_stream()
    server.stop()
    time.sleep(6)
    server.start()


def down_in_a_tool(server: OwnServer, run: LiveRun) -> None:
    run.in_effect()
    server.stop()
    time.sleep(4)
    server.start()


def down_while_waiting(server: OwnServer, run: LiveRun) -> None:
    run.at_rest()
    server.stop()
    with contextlib.suppress(*REFUSALS):
        run.decide()
    server.start()


def backend_of_the_lock(server: OwnServer, run: LiveRun) -> None:
    run.in_stream()
    assert server.end_backends(OF_THE_LOCK) == 1


def backend_of_the_lock_again_and_again(server: OwnServer, run: LiveRun) -> None:
    run.in_stream()
    for _ in range(10):
        server.end_backends(OF_THE_LOCK)
        time.sleep(0.2)


def backends_of_the_pool(server: OwnServer, run: LiveRun) -> None:
    run.in_stream()
    assert server.end_backends(OF_THE_POOL) >= 1


def backends_of_the_pool_again_and_again(server: OwnServer, run: LiveRun) -> None:
    run.in_stream()
    for _ in range(20):
        server.end_backends(OF_THE_POOL)
        time.sleep(0.1)


def backends_of_checkpoints(server: OwnServer, run: LiveRun) -> None:
    run.in_stream()
    assert server.end_backends(OF_CHECKPOINTS) >= 1


def all_backends_in_a_tool(server: OwnServer, run: LiveRun) -> None:
    run.in_effect()
    assert server.end_backends(OURS) >= 2


def pool_used_up_for_a_while(server: OwnServer, run: LiveRun) -> None:
    run.in_stream()
    with pool_used_up(run):
        time.sleep(1.5)


def pool_used_up_for_long(server: OwnServer, run: LiveRun) -> None:
    run.in_stream()
    with pool_used_up(run):
        time.sleep(10)


@contextmanager
def pool_used_up(run: LiveRun) -> Iterator[None]:
    """Hold every connection of the app's pool."""
    with ExitStack() as held:
        for _ in range(POOL_SIZE):
            held.enter_context(run.room.pool.connection(timeout=10))
        yield


def server_used_up(server: OwnServer, run: LiveRun) -> None:
    """No connection is left on the server when a decision wants to begin a pass."""
    run.at_rest()
    with ExitStack() as held:
        with contextlib.suppress(psycopg.OperationalError):
            while True:
                held.enter_context(psycopg.connect(server.url))
        with contextlib.suppress(*REFUSALS):
            run.decide()
        time.sleep(2)


def hung_in_a_stream(server: OwnServer, run: LiveRun) -> None:
    run.in_stream()
    server.hang(2)


def hung_in_a_stream_for_long(server: OwnServer, run: LiveRun) -> None:
    run.in_stream()
    server.hang(15)


def hung_in_a_tool(server: OwnServer, run: LiveRun) -> None:
    run.in_effect()
    server.hang(8)


def hung_at_a_checkpoint(server: OwnServer, run: LiveRun) -> None:
    run.begin()
    run.wait_for_point("checkpoint.putting:architect_node", 2)
    server.hang(8)


def hung_while_deciding(server: OwnServer, run: LiveRun) -> None:
    run.at_rest()
    with server.hung(), contextlib.suppress(*REFUSALS):
        run.decide()


def two_executors(server: OwnServer, run: LiveRun) -> None:
    """The lock is lost, and another executor takes the run over in that moment."""
    other = run.room.open_with(scripted_client(TrialModel()))
    run.in_effect()
    server.end_backends(OF_THE_LOCK)
    other.resume_execution(run.room.owner_id, run.run_id)
    run.was_unsure = True


def utterance_given_up_and_written_late(server: OwnServer, run: LiveRun) -> None:
    given_up(run, "utterance.storing:architect")


def utterance_given_up_and_committed_late(server: OwnServer, run: LiveRun) -> None:
    given_up(run, "utterance.written:architect")


def event_given_up_and_written_late(server: OwnServer, run: LiveRun) -> None:
    given_up(run, "log.appending:handed_over")


def end_of_a_call_given_up_and_committed_late(server: OwnServer, run: LiveRun) -> None:
    given_up(run, "ledger.finishing:Write")


def given_up(run: LiveRun, point: str) -> None:
    """A write that takes longer than its deadline, and happens after the run was taken up again."""
    faults.arm(f"{point}=delay:{LATE_SECONDS}@1", run.job.log)
    run.begin()
    run.wait_and_decide()
    run.wait_for_point(point)


CASES: Sequence[Mistreat] = (
    restart_while_idle,
    restart_in_a_stream,
    crash_in_a_stream,
    restart_in_a_tool,
    restart_while_waiting,
    restart_while_deciding,
    down_for_six_seconds,
    down_in_a_tool,
    down_while_waiting,
    backend_of_the_lock,
    backend_of_the_lock_again_and_again,
    backends_of_the_pool,
    backends_of_the_pool_again_and_again,
    backends_of_checkpoints,
    all_backends_in_a_tool,
    pool_used_up_for_a_while,
    pool_used_up_for_long,
    server_used_up,
    hung_in_a_stream,
    hung_in_a_stream_for_long,
    hung_in_a_tool,
    hung_at_a_checkpoint,
    hung_while_deciding,
    two_executors,
    utterance_given_up_and_written_late,
    utterance_given_up_and_committed_late,
    event_given_up_and_written_late,
    end_of_a_call_given_up_and_committed_late,
)


@dataclass(frozen=True, kw_only=True)
class Played:
    """One case, and what went wrong; empty when all is well."""

    name: str
    faults: Sequence[str]
    seconds: float


def measure(lines: ReachLines) -> None:
    """Mistreat a server under live runs, then fail at each point in processes of their own."""
    with own_server() as server, kill_ground(server.url) as ground:
        with ForkingParent() as parent:
            expected = undisturbed(ground, parent)
        played = [play(server, ground, expected, case) for case in CASES]
        played += full_disk(lines, server, ground, expected)
        played += failed_points(ground, expected)
    for one in played:
        if one.faults:
            lines.note(f"database_faults {one.name}: {'; '.join(one.faults)}")
    lines.all_of("database_faults", sum(not one.faults for one in played), len(played))


def play(
    server: OwnServer, ground: Ground, expected: Remains, case: Mistreat, tablespace: str = ""
) -> Played:
    """One live run that is mistreated and then goes on to its end."""
    began = time.monotonic()
    name = case.__name__.replace("_", " ")
    wrong: list[str] = []
    try:
        with short_deadlines(), live_run(ground, tablespace) as run:
            case(server, run)
            run.finish()
            wrong = run.faults(expected)
    except (AssertionError, *REFUSALS) as error:
        wrong.append(f"{type(error).__name__}: {error}")
    return Played(name=name, faults=wrong, seconds=time.monotonic() - began)


def full_disk(
    lines: ReachLines, server: OwnServer, ground: Ground, expected: Remains
) -> list[Played]:
    """The same on a small disk that runs full, where one may be mounted."""
    with tempfile.TemporaryDirectory(prefix="meetmind-disk-") as place:
        mounting = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MEGABYTES}m", "tmpfs", place]
        if subprocess.run(mounting, capture_output=True, check=False).returncode != 0:
            lines.note("database_faults: no small disk may be mounted; `fail:disk` stands for it")
            return []
        try:
            return [full_disk_case(server, ground, expected, Path(place), at) for at in FULL_AT]
        finally:
            subprocess.run(["umount", "--lazy", place], check=False)


FULL_AT: Sequence[tuple[str, Callable[[LiveRun], None]]] = (
    ("at the start", LiveRun.begin),
    ("in a stream", LiveRun.in_stream),
    ("in a tool", LiveRun.in_effect),
    ("while waiting", LiveRun.at_rest),
)


def full_disk_case(
    server: OwnServer,
    ground: Ground,
    expected: Remains,
    place: Path,
    at: tuple[str, Callable[[LiveRun], None]],
) -> Played:
    """The disk of the tables fills up at this moment, and has room again some seconds later."""
    name, reach_it = at
    folder = place / name.replace(" ", "_")
    folder.mkdir()
    server.hand_over(folder)
    tablespace = folder.name
    on_server(server.url, f"create tablespace {tablespace} location '{folder}'")

    def fill_up(server: OwnServer, run: LiveRun) -> None:
        if reach_it is not LiveRun.begin:
            reach_it(run)
        filler = place / "filler"
        with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(FILLER_BYTES))
        try:
            with contextlib.suppress(*REFUSALS):
                if not run.run_id:
                    run.begin()
                run.decide()
            time.sleep(4)
        finally:
            filler.unlink()
        if not run.run_id:
            run.begin()

    played = play(server, ground, expected, fill_up, tablespace)
    on_server(server.url, f"drop tablespace {tablespace}")
    return Played(name=f"disk full {name}", faults=played.faults, seconds=played.seconds)


def failed_points(ground: Ground, expected: Remains) -> list[Played]:
    """At each point the connection is lost, or the disk is full where something is written."""
    cases = []
    for line in sorted(expected.reached):
        # Within a tool such a fault is the tool's, and the discussion goes on with it.
        if line.startswith("file."):
            continue
        cases.append(KillCase(point=line.removesuffix(":"), act="fail:connection"))
        if line.startswith(WRITING):
            cases.append(KillCase(point=line.removesuffix(":"), act="fail:disk"))
    played = []
    for outcome in play_all(ground, cases, expected):
        wrong = list(outcome.faults)
        if not outcome.is_hit:
            wrong.append("the point was not reached")
        played.append(Played(name=outcome.case.name, faults=wrong, seconds=outcome.seconds))
    return played


WRITING = ("log.written:", "utterance.written:", "checkpoint.putting:", "checkpoint.writing:")


if __name__ == "__main__":
    measure(ReachLines("runs_database"))
