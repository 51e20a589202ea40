"""Who has a run: its lock is taken with care, and watched for as long as somebody works on it."""

import asyncio
import logging
from typing import Any

import psycopg
from psycopg_pool import PoolTimeout

from meetmind.database.runs import RunLock
from meetmind.server.stream import in_thread

logger = logging.getLogger(__name__)

GUARD_SECONDS = 2.0
DATABASE_FAULTS = (psycopg.OperationalError, PoolTimeout, TimeoutError)


async def taken(lock: RunLock) -> bool:
    """Take a run's lock; when we are cancelled meanwhile, what the thread took is given back."""
    taking = asyncio.ensure_future(in_thread(lock.take))
    try:
        return await asyncio.shield(taking)
    except asyncio.CancelledError:
        await asyncio.gather(taking, return_exceptions=True)
        await in_thread(lock.release)
        raise


async def guard_run(lock: RunLock, run_id: str, epoch: int, working: asyncio.Task[Any]) -> None:
    """Cancel the work once somebody else has the run, also in the middle of a long answer.

    The lock's connection is retaken after a restart of the database; that nobody had the run
    meanwhile, its epoch tells.
    """
    while True:
        await asyncio.sleep(GUARD_SECONDS)
        current = await asyncio.to_thread(lock.epoch_now)
        if current == epoch:
            continue
        if current is None:
            lock.release()
            try:
                is_retaken = await taken(lock)
            except DATABASE_FAULTS:
                continue
            if is_retaken and await asyncio.to_thread(lock.epoch_now) in (epoch, None):
                continue
        logger.warning("The run %s is in other hands now.", run_id)
        working.cancel()
        return
