"""`approval_races`: many deciders of one call in several processes: one wins, one effect."""

import multiprocessing
import os
import random
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.synchronize import Barrier
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT_ROOT), str(PROJECT_ROOT / "scripts")]

from psycopg_pool import ConnectionPool  # noqa: E402 - the paths above come first
from reach_lines import ReachLines  # noqa: E402
from reach_room import fresh_database  # noqa: E402

from meetmind.database import approvals, tool_executions  # noqa: E402
from meetmind.database.approvals import Verdict  # noqa: E402
from meetmind.database.connection import get_pg_pool  # noqa: E402
from meetmind.database.tool_executions import CallFacts  # noqa: E402
from meetmind.events import Decision, ToolRequested  # noqa: E402
from meetmind.server.accounts import Accounts  # noqa: E402
from tests.support.open_run import open_run  # noqa: E402

RACES = 1000
PROCESSES = 3
DECIDERS = (2, 10)
SEED = 20261201

Decide = Callable[[ConnectionPool, "Race", str, Decision], bool]


@dataclass(frozen=True, kw_only=True)
class Race:
    """One waiting call and how many decide on it at the same moment."""

    run_id: str
    epoch: int
    call_id: str
    deciders: int


@dataclass(frozen=True, kw_only=True)
class Ground:
    """Where the races are run."""

    database_url: str
    owner_id: str
    effects: Path
    races: Sequence[Race]


def measure(lines: ReachLines) -> None:
    """Run the races with the ledger's decision, and again with one that looks before it writes."""
    lost = races_gone_wrong(RACES, decide_first)
    lost_without_guard = races_gone_wrong(RACES, look_then_decide)
    lines.none_of("approval_races", lost, RACES, bad_without_guard=lost_without_guard)


def decide_first(pool: ConnectionPool, race: Race, owner_id: str, decision: Decision) -> bool:
    """The product's decision, and the claim and effect of an executor."""
    verdict = Verdict(decider_id=owner_id, decision=decision)
    return approvals.decide_call(pool, run_id=race.run_id, call_id=race.call_id, verdict=verdict)


LOOK = "select status from tool_executions where run_id = %s::uuid and call_id = %s"
WRITE = "update tool_executions set status = %s where run_id = %s::uuid and call_id = %s"


def look_then_decide(pool: ConnectionPool, race: Race, owner_id: str, decision: Decision) -> bool:
    """The decision that the ledger must not have: read, then write without a condition."""
    with pool.connection() as connection:
        row = connection.execute(LOOK, [race.run_id, race.call_id]).fetchone()
        if row is None or row[0] != "pending":
            return False
        connection.execute(WRITE, [decision, race.run_id, race.call_id])
    return True


def races_gone_wrong(count: int, decide: Decide) -> int:
    """Prepare so many races, run them in several processes, and look at what is left."""
    with fresh_database() as database_url, tempfile.TemporaryDirectory() as folder:
        ground = prepared(database_url, Path(folder), count)
        barrier = multiprocessing.get_context("spawn").Barrier(PROCESSES)
        started = []
        for number in range(PROCESSES):
            worker = multiprocessing.get_context("spawn").Process(
                target=run_races, args=(ground, number, barrier, decide.__name__)
            )
            worker.start()
            started.append(worker)
        for worker in started:
            worker.join()
            assert worker.exitcode == 0, "a process of deciders failed"
        return looked_at(ground)


def prepared(database_url: str, folder: Path, count: int) -> Ground:
    """Calls that wait, in runs of fifty calls each."""
    pool = get_pg_pool(database_url)
    accounts = Accounts(pool)
    accounts.ensure_first_account()
    owner_id = accounts.sign_in("admin", "admin").id
    chance = random.Random(SEED)
    races: list[Race] = []
    for start in range(0, count, 50):
        _, run_id, epoch = open_run(pool, owner_id)
        for number in range(start, min(start + 50, count)):
            ask(pool, run_id, epoch, f"call-{number}")
            deciders = chance.randint(*DECIDERS)
            races.append(
                Race(run_id=run_id, epoch=epoch, call_id=f"call-{number}", deciders=deciders)
            )
    pool.close()
    return Ground(database_url=database_url, owner_id=owner_id, effects=folder, races=races)


def ask(pool: ConnectionPool, run_id: str, epoch: int, call_id: str) -> None:
    request = ToolRequested(
        utterance_id=f"{run_id}.0.architect",
        agent_name="architect",
        call_id=call_id,
        tool="Write",
        risk="high",
        arguments={"path": f"{call_id}.md", "content": "x"},
        verdict="asked",
    )
    facts = CallFacts(arguments_sha256="0" * 64)
    tool_executions.record_request(
        pool, run_id=run_id, epoch=epoch, request=request, status="pending", facts=facts
    )


def run_races(ground: Ground, number: int, barrier: Barrier, decide_name: str) -> None:
    """One process: its share of the deciders of every race, all starting at the same moment."""
    decide: Decide = {"decide_first": decide_first, "look_then_decide": look_then_decide}[
        decide_name
    ]
    pool = get_pg_pool(ground.database_url)
    for race in ground.races:
        mine = [place for place in range(race.deciders) if place % PROCESSES == number]
        threads = [
            threading.Thread(target=take_part, args=(ground, pool, race, place, decide))
            for place in mine
        ]
        barrier.wait(60)
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    pool.close()


def take_part(ground: Ground, pool: ConnectionPool, race: Race, place: int, decide: Decide) -> None:
    """Decide; then act as an executor would, whoever won."""
    decision: Decision = "approved" if place % 2 == 0 else "rejected"
    if decide(pool, race, ground.owner_id, decision):
        note(ground.effects / f"{race.call_id}.won", decision)
    is_mine = tool_executions.claim_call(
        pool,
        run_id=race.run_id,
        epoch=race.epoch,
        call_id=race.call_id,
        arguments_sha256="0" * 64,
    )
    if is_mine:
        note(ground.effects / f"{race.call_id}.effect", "effect")


def note(path: Path, word: str) -> None:
    """One line more; appending is whole for such short texts."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(handle, f"{word}\n".encode())
    os.close(handle)


def looked_at(ground: Ground) -> int:
    """How many races had not exactly one winner, or not the effect of the winner's word."""
    gone_wrong = 0
    for race in ground.races:
        winners = words_in(ground.effects / f"{race.call_id}.won")
        effects = words_in(ground.effects / f"{race.call_id}.effect")
        if winners.total() != 1 or effects.total() != winners["approved"]:
            gone_wrong += 1
    return gone_wrong


def words_in(path: Path) -> Counter[str]:
    return Counter(path.read_text().split()) if path.exists() else Counter()


if __name__ == "__main__":
    measure(ReachLines("tools_races"))
