"""Checkpoints of running graphs, a saver a run; the one async database module."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import AsyncConnection, OperationalError
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, ConnectionPool

from meetmind import faults

T = TypeVar("T")

CALL_SECONDS = 30.0
"""The deadline of one call; a server that hangs is caught by nothing else."""
SETUP_LOOK_SECONDS = 0.05
TRUSTED_SECONDS = 1.0
"""A connection that answered so lately is not asked again: a turn writes a dozen checkpoints."""


class CheckpointPool(AsyncConnectionPool[AsyncConnection[DictRow]]):
    """Connections for checkpoints; each is asked at most once a second whether it still answers."""

    def __init__(self, conninfo: str) -> None:
        super().__init__(
            conninfo,
            min_size=1,
            max_size=8,
            open=False,
            check=self._check_lately,
            timeout=15,
            kwargs={
                "autocommit": True,
                "prepare_threshold": 0,
                "row_factory": dict_row,
                "connect_timeout": 5,
            },
        )
        self._answered_at: WeakKeyDictionary[AsyncConnection[DictRow], float] = WeakKeyDictionary()

    def distrust(self) -> None:
        """Ask every connection again before it is used: one of them has failed."""
        self._answered_at.clear()

    async def _check_lately(self, connection: AsyncConnection[DictRow]) -> None:
        now = time.monotonic()
        if now - self._answered_at.get(connection, -TRUSTED_SECONDS) < TRUSTED_SECONDS:
            return
        await self.check_connection(connection)
        self._answered_at[connection] = now


SETUP_LOCK = "select pg_try_advisory_lock(hashtextextended('checkpoint tables', 0)) as is_mine"
SETUP_UNLOCK = "select pg_advisory_unlock(hashtextextended('checkpoint tables', 0))"


async def open_checkpoint_pool(conninfo: str) -> CheckpointPool:
    """An async pool on the running event loop, with the checkpoint tables made."""
    pool = CheckpointPool(conninfo)
    try:
        await pool.open(wait=True, timeout=15)
        async with pool.connection() as connection:
            await _make_tables(connection)
    except BaseException:
        await pool.close()
        raise
    return pool


async def _make_tables(connection: AsyncConnection[DictRow]) -> None:
    """Make the tables; of two programs that begin on a new database at once, one waits.

    It asks again and again, since waiting within a statement would hold up the indexes that the
    other one builds concurrently.
    """
    while True:
        row = await (await connection.execute(SETUP_LOCK)).fetchone()
        if row is not None and row["is_mine"]:
            break
        await asyncio.sleep(SETUP_LOOK_SECONDS)
    try:
        await AsyncPostgresSaver(connection).setup()
    finally:
        await connection.execute(SETUP_UNLOCK)


class RunSaver(AsyncPostgresSaver):
    """The saver of LangGraph, with points round everything that it writes.

    What it writes may be written twice, so that a connection that a restart of the server broke is
    replaced unseen.
    """

    def __init__(self, pool: CheckpointPool) -> None:
        super().__init__(pool)
        self._pool = pool

    async def _again_once(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do it, and once more on a lost connection; raises `TimeoutError` when it takes long."""
        async with asyncio.timeout(CALL_SECONDS):
            try:
                return await work()
            except OperationalError:
                self._pool.distrust()
                return await work()

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Read a checkpoint."""
        read = super().aget_tuple
        return await self._again_once(lambda: read(config))

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Write a checkpoint."""
        faults.reach("checkpoint.putting", _node_of(config))
        put = super().aput
        stored = await self._again_once(lambda: put(config, checkpoint, metadata, new_versions))
        faults.reach("checkpoint.put", _node_of(config))
        return stored

    async def adelete_thread(self, thread_id: str) -> None:
        """Drop every checkpoint of a run."""
        delete = super().adelete_thread
        await self._again_once(lambda: delete(thread_id))

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Keep what the graph needs to rest: interrupts, answers to them, faults.

        What a task brought is not written on its own, since the checkpoint that follows in the same
        moment holds it. Killed in between, the task is repeated; it looks first whether its words
        and the results of its calls are stored.
        """
        if not any(channel in WRITES_IDX_MAP for channel, _ in writes):
            return
        faults.reach("checkpoint.writing", _node_of(config))
        put = super().aput_writes
        await self._again_once(lambda: put(config, writes, task_id, task_path))
        faults.reach("checkpoint.written", _node_of(config))


def _node_of(config: RunnableConfig) -> str:
    """The node whose tool loop is written, or `graph` for the graph itself."""
    namespace = str(config["configurable"].get("checkpoint_ns", ""))
    return namespace.partition(":")[0] or "graph"


def run_saver(pool: CheckpointPool) -> RunSaver:
    """A saver for one run: savers serialise their calls, so runs must not share one."""
    return RunSaver(pool)


async def delete_checkpoints(pool: CheckpointPool, run_id: str) -> None:
    """Drop everything that was kept for resuming a run."""
    await run_saver(pool).adelete_thread(run_id)


CHECKPOINTS_EXIST = "select to_regclass('checkpoint_writes') is not null"

SELECT_LEFT_BEHIND = """
with kept as (
    select thread_id from checkpoints
    union
    select thread_id from checkpoint_blobs
    union
    select thread_id from checkpoint_writes
)
select kept.thread_id
from kept
left join runs r on r.id::text = kept.thread_id
where r.id is null
   or r.status in ('done', 'stopped', 'failed')
"""


def left_behind(pool: ConnectionPool) -> list[str]:
    """The runs that are over and whose checkpoints are still there: a crash came in between."""
    with pool.connection() as connection:
        row = connection.execute(CHECKPOINTS_EXIST).fetchone()
        if row is None or not row[0]:
            return []
        rows = connection.execute(SELECT_LEFT_BEHIND).fetchall()
    return [str(row[0]) for row in rows]
