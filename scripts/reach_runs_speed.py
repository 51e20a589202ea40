"""`turn_overhead`, `turn_100_vs_10`, `storage_100_turns_mb`, `stream_vs_model`, `stop_s`."""

import asyncio
import itertools
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROJECT_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT_ROOT), str(PROJECT_ROOT / "scripts")]

import psycopg  # noqa: E402 - the paths above come first
from langchain_core.messages import HumanMessage  # noqa: E402
from langgraph.checkpoint.memory import InMemorySaver  # noqa: E402
from psycopg_pool import ConnectionPool  # noqa: E402
from reach_lines import ReachLines  # noqa: E402
from reach_room import fresh_database  # noqa: E402
from reach_runs_talk import LongTalkModel, MeasuringRoom  # noqa: E402

from meetmind.agents.listening import LogListener  # noqa: E402
from meetmind.database import runs  # noqa: E402
from meetmind.database.connection import get_pg_pool  # noqa: E402
from meetmind.events import FloorTaken, WordsArrived  # noqa: E402
from meetmind.llm.scripted import ScriptedChatModel, says  # noqa: E402
from meetmind.server import run_pass  # noqa: E402
from meetmind.server.accounts import Accounts  # noqa: E402
from meetmind.server.run_steering import Prices, RunSteering  # noqa: E402
from meetmind.server.stream import RunIdentity, RunLog  # noqa: E402
from tests.support.open_run import open_run  # noqa: E402
from tests.support.room import Room, scripted_client, wait_until  # noqa: E402

ROUNDS = 5
SHORT_TURNS = 13
LONG_TURNS = 100
LONG_UTTERANCE_WORDS = 280
"""About 2,000 characters."""
CHUNKS = 3000
CHUNK_SECONDS = 0.002
MEGABYTE = 1_000_000
LONG_SECONDS = 600.0
LOOK_SECONDS = 0.2
TABLES = (
    "run_events",
    "agent_trace_spans",
    "checkpoints",
    "checkpoint_blobs",
    "checkpoint_writes",
)


def measure(lines: ReachLines) -> None:
    """Measure everything on one fresh database."""
    with fresh_database() as database_url, opened_room(database_url) as room:
        measure_overhead(lines, room)
        measure_stream(lines, room)
        measure_stop(lines, room)
    with fresh_database() as database_url, opened_room(database_url) as room:
        measure_long_run(lines, room)


@contextmanager
def opened_room(database_url: str) -> Iterator[MeasuringRoom]:
    """A room over this database, owned by its first account."""
    pool = get_pg_pool(database_url)
    accounts = Accounts(pool)
    accounts.ensure_first_account()
    owner_id = accounts.sign_in("admin", "admin").id
    with tempfile.TemporaryDirectory() as home:
        room = MeasuringRoom(
            pool=pool, database_url=database_url, home=Path(home), owner_id=owner_id
        )
        try:
            yield room
        finally:
            room.close()
            pool.close()


@dataclass(frozen=True, kw_only=True)
class TurnFigures:
    """One run: the median seconds of a turn, and what a turn commits."""

    seconds: float
    commits: float
    checkpoint_bytes: float


def measure_overhead(lines: ReachLines, room: MeasuringRoom) -> None:
    """What keeping checkpoints costs a turn, in commits of the same size."""
    stored = [short_run(room) for _ in range(ROUNDS)]
    with in_memory_savers():
        unstored = [short_run(room) for _ in range(ROUNDS)]
    commits = statistics.median(figure.commits for figure in stored)
    own_commits = commits - statistics.median(figure.commits for figure in unstored)
    a_turn = statistics.median(figure.seconds for figure in stored)
    without = statistics.median(figure.seconds for figure in unstored)
    size = statistics.median(figure.checkpoint_bytes for figure in stored) / max(own_commits, 1)
    commit_seconds = one_commit(room.pool, round(size))
    lines.note(
        f"a turn {a_turn * 1000:.0f} ms, in memory {without * 1000:.0f} ms; {own_commits:.1f} of "
        f"{commits:.1f} commits are checkpoints of {size:.0f} bytes, one such commit "
        f"{commit_seconds * 1000:.2f} ms"
    )
    lines.at_most("turn_overhead", (a_turn - without) / (own_commits * commit_seconds), 3)
    lines.at_most("turn_commits", commits, 25, places=1)


@contextmanager
def in_memory_savers() -> Iterator[None]:
    """Within the block runs keep their checkpoints in memory."""
    savers: dict[int, Any] = {}
    kept: Callable[..., Any] = run_pass.run_saver

    def memory_saver(pool: Any) -> Any:
        return savers.setdefault(id(pool), InMemorySaver())

    run_pass.run_saver = memory_saver  # type: ignore[assignment]
    try:
        yield
    finally:
        run_pass.run_saver = kept


def short_run(room: MeasuringRoom) -> TurnFigures:
    """A discussion of some turns; commits are counted by the transaction ids that it used."""
    room.max_iterations = SHORT_TURNS
    executor = room.open_with(scripted_client(LongTalkModel()))
    session_id = room.new_session()
    before = next_transaction(room.pool)
    written_before = checkpoint_bytes(room.pool)
    run_id = executor.start_run(room.owner_id, session_id, "How is it done?", "team")
    wait_for_end(room, run_id)
    spent = next_transaction(room.pool) - before
    written = checkpoint_bytes(room.pool) - written_before
    executor.close()
    seconds = turn_seconds(room, run_id)
    turns = len(seconds) + 1
    return TurnFigures(
        seconds=statistics.median(seconds[1:]),
        commits=spent / turns,
        checkpoint_bytes=written / turns,
    )


def wait_for_end(room: Room, run_id: str) -> None:
    """Look at the state alone, and seldom: reading the events again and again would be measured."""
    deadline = time.monotonic() + LONG_SECONDS
    while room.state(run_id) != "done":
        assert time.monotonic() < deadline, room.state(run_id)
        time.sleep(LOOK_SECONDS)


def turn_seconds(room: Room, run_id: str) -> list[float]:
    """How long each turn took, from one floor to the next."""
    floors = [entry.at for entry in room.logged(run_id) if isinstance(entry.event, FloorTaken)]
    return [(later - earlier).total_seconds() for earlier, later in itertools.pairwise(floors)]


def next_transaction(pool: ConnectionPool) -> int:
    """Every transaction that writes takes one number; reading takes none."""
    with pool.connection() as connection:
        row = connection.execute("select pg_snapshot_xmax(pg_current_snapshot())::text").fetchone()
    assert row is not None
    return int(row[0])


def checkpoint_bytes(pool: ConnectionPool) -> int:
    """What the checkpoint tables hold on disk, dead rows included."""
    with pool.connection() as connection:
        row = connection.execute(
            "select sum(pg_table_size(c.oid))::bigint from pg_class c "
            "where c.relname in ('checkpoints', 'checkpoint_blobs', 'checkpoint_writes')"
        ).fetchone()
    assert row is not None
    return int(row[0] or 0)


def one_commit(pool: ConnectionPool, size: int) -> float:
    """The median seconds of inserting and committing one row of this size."""
    times = []
    with pool.connection() as connection:
        connection.execute("create table if not exists commit_probe (content bytea)")
    with psycopg.connect(pool.conninfo, autocommit=True) as connection:
        for _ in range(200):
            began = time.perf_counter()
            connection.execute("insert into commit_probe values (%s)", [b"x" * size])
            times.append(time.perf_counter() - began)
    return statistics.median(times)


def measure_stream(lines: ReachLines, room: MeasuringRoom) -> None:
    """Many small chunks through client, listener and log, against the model alone."""
    text = "word " * CHUNKS
    ratios = []
    for _ in range(3):
        alone = asyncio.run(drained(streaming_model(text)))
        ratios.append(asyncio.run(shown(room, streaming_model(text))) / alone)
    lines.at_most("stream_vs_model", statistics.median(ratios), 1.3)


def streaming_model(text: str) -> ScriptedChatModel:
    content = f'{{"content": "{text}", "next_agent": "tester"}}'
    return ScriptedChatModel(
        [says(content)], piece_characters=len(content) // CHUNKS, piece_seconds=CHUNK_SECONDS
    )


async def drained(model: ScriptedChatModel) -> float:
    """The seconds of the model's own stream."""
    began = time.perf_counter()
    async for _ in model.astream([HumanMessage(content="Go.")]):
        pass
    return time.perf_counter() - began


async def shown(room: MeasuringRoom, model: ScriptedChatModel) -> float:
    """The seconds until the last word stands in the log."""
    session_id, run_id, epoch = open_run(room.pool, room.owner_id)
    identity = RunIdentity(
        run_id=run_id, session_id=session_id, owner_id=room.owner_id, epoch=epoch
    )
    log = RunLog(room.pool, identity)
    steering = RunSteering(room.pool, identity, Prices())
    schema = {"title": "T", "type": "object", "properties": {"content": {"type": "string"}}}
    began = time.perf_counter()
    await scripted_client(model).stream_structured(
        [HumanMessage(content="Go.")],
        schema,
        listener=LogListener(log, f"{run_id}.0.architect", steering),
    )
    await log.flush()
    seconds = time.perf_counter() - began
    assert any(isinstance(event, WordsArrived) for event in room.events(run_id))
    runs.claim_run(room.pool, run_id)
    return seconds


def measure_stop(lines: ReachLines, room: MeasuringRoom) -> None:
    """From the click to the state that every other page sees, in the middle of a stream."""
    room.max_iterations = SHORT_TURNS
    times = []
    for _ in range(ROUNDS):
        executor = room.open_with(scripted_client(LongTalkModel(piece_seconds=0.05)))
        run_id = executor.start_run(room.owner_id, room.new_session(), "How is it done?", "team")
        room.wait_for(run_id, WordsArrived)
        began = time.perf_counter()
        executor.stop_run(room.owner_id, run_id)
        wait_until(lambda run_id=run_id: room.state(run_id) == "stopped")  # type: ignore[misc]
        times.append(time.perf_counter() - began)
        executor.close()
    lines.at_most("stop_s", statistics.median(times), 1)


def measure_long_run(lines: ReachLines, room: MeasuringRoom) -> None:
    """A hundred turns of two thousand characters: time a turn, and what is left on disk."""
    room.max_iterations = LONG_TURNS
    before = table_bytes(room.pool)
    executor = room.open_with(scripted_client(LongTalkModel(utterance_words=LONG_UTTERANCE_WORDS)))
    run_id = executor.start_run(room.owner_id, room.new_session(), "How is it done?", "team")
    wait_for_end(room, run_id)
    executor.close()
    seconds = turn_seconds(room, run_id)
    assert len(seconds) == LONG_TURNS - 1, f"{len(seconds) + 1} turns"
    early = statistics.median(seconds[5:15])
    late = statistics.median(seconds[-10:])
    lines.note(f"a turn {early * 1000:.0f} ms at the 10th, {late * 1000:.0f} ms at the 100th")
    lines.at_most("turn_100_vs_10", late / early, 1.5)
    vacuumed(room.pool)
    after = table_bytes(room.pool)
    for table in TABLES:
        lines.note(f"{table}: {(after[table] - before.get(table, 0)) / MEGABYTE:.2f} MB")
    grown = sum(after.values()) - sum(before.values())
    lines.at_most("storage_100_turns_mb", grown / MEGABYTE, 5)


def table_bytes(pool: ConnectionPool) -> dict[str, int]:
    """Tables with their indexes and long values, in bytes."""
    sizes = {}
    with pool.connection() as connection:
        for table in TABLES:
            row = connection.execute(
                "select pg_total_relation_size(to_regclass(%s))", [table]
            ).fetchone()
            assert row is not None
            sizes[table] = int(row[0] or 0)
    return sizes


def vacuumed(pool: ConnectionPool) -> None:
    """What autovacuum does by itself a minute later; it gives back only empty pages at the end."""
    with psycopg.connect(pool.conninfo, autocommit=True) as connection:
        for table in TABLES:
            connection.execute(f"vacuum {table}".encode())


if __name__ == "__main__":
    measure(ReachLines("runs_speed"))
