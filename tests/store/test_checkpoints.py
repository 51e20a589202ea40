"""The checkpoint tables are made once, whoever comes first; a broken connection is replaced."""

import asyncio
from typing import Any

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import empty_checkpoint
from psycopg_pool import ConnectionPool

from meetmind.database.checkpoints import open_checkpoint_pool, run_saver

INTERRUPT = "__interrupt__"
CONFIG: RunnableConfig = {"configurable": {"thread_id": "run", "checkpoint_ns": ""}}
CUT_OTHERS = """
select pg_terminate_backend(pid)
from pg_stat_activity
where datname = current_database()
  and pid <> pg_backend_pid()
"""


def test_several_programs_may_begin_on_a_new_database_at_once(database_url: str) -> None:
    async def begin() -> None:
        pools = await asyncio.gather(*[open_checkpoint_pool(database_url) for _ in range(5)])
        for pool in pools:
            await pool.close()

    asyncio.run(begin())


def test_a_connection_that_broke_a_moment_ago_loses_no_checkpoint(database_url: str) -> None:
    async def write() -> Any:
        pool = await open_checkpoint_pool(database_url)
        saver = run_saver(pool)
        await saver.aput(CONFIG, empty_checkpoint(), {}, {})
        with psycopg.connect(database_url, autocommit=True) as connection:
            connection.execute(CUT_OTHERS)
        second = empty_checkpoint()
        await saver.aput(CONFIG, second, {}, {})
        kept = await saver.aget_tuple(CONFIG)
        await pool.close()
        return kept, second["id"]

    kept, second_id = asyncio.run(write())
    assert kept.checkpoint["id"] == second_id


def test_only_what_a_run_rests_for_is_written_beside_its_checkpoints(
    database_url: str, pool: ConnectionPool
) -> None:
    async def write() -> None:
        checkpoints = await open_checkpoint_pool(database_url)
        saver = run_saver(checkpoints)
        stored = await saver.aput(CONFIG, empty_checkpoint(), {}, {})
        await saver.aput_writes(stored, [("messages", ["words"])], "task")
        await saver.aput_writes(stored, [(INTERRUPT, ["a question"])], "task")
        await checkpoints.close()

    asyncio.run(write())
    with pool.connection() as connection:
        channels = connection.execute("select channel from checkpoint_writes").fetchall()
    assert channels == [(INTERRUPT,)]
