"""Checkpoints of running graphs, a saver a run; the one async database module."""

from collections.abc import Awaitable, Callable
from typing import Any

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import AsyncConnection
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

CheckpointPool = AsyncConnectionPool[AsyncConnection[DictRow]]


async def open_checkpoint_pool(conninfo: str) -> CheckpointPool:
    """An async pool on the running event loop, with the checkpoint tables made."""
    check: Callable[[Any], Awaitable[None]] = AsyncConnectionPool.check_connection
    pool: CheckpointPool = AsyncConnectionPool(
        conninfo,
        min_size=1,
        max_size=8,
        open=False,
        check=check,
        timeout=15,
        kwargs={
            "autocommit": True,
            "prepare_threshold": 0,
            "row_factory": dict_row,
            "connect_timeout": 5,
        },
    )
    await pool.open(wait=True, timeout=15)
    saver = AsyncPostgresSaver(pool)
    await saver.setup()
    return pool


def run_saver(pool: CheckpointPool) -> AsyncPostgresSaver:
    """A saver for one run: savers serialise their calls, so runs must not share one."""
    return AsyncPostgresSaver(pool)


async def delete_checkpoints(pool: CheckpointPool, run_id: str) -> None:
    """Drop everything that was kept for resuming a run."""
    await run_saver(pool).adelete_thread(run_id)
