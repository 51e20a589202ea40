"""The end of a run that does not end by itself: stopped by a person, or failed."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from meetmind.database import runs, tool_executions
from meetmind.database.checkpoints import CheckpointPool, delete_checkpoints
from meetmind.errors import LostTheRun, ModelError, NotFound
from meetmind.events import EndReason, RunEnded
from meetmind.server.run_locks import DATABASE_FAULTS
from meetmind.server.run_parts import ExecutionParts, workspace_of
from meetmind.server.run_settling import end_run_early, settle_started_calls
from meetmind.server.stream import in_thread

logger = logging.getLogger(__name__)

ACTS_LOOK_SECONDS = 0.1
STOP_SECONDS = 8.0
"""How long a person waits for an effect that is under way."""


class RunEnds:
    """Ends runs from outside; what was said stays, what was broken off is settled."""

    def __init__(
        self, parts: ExecutionParts, open_checkpoints: Callable[[], Awaitable[CheckpointPool]]
    ) -> None:
        self._parts = parts
        self._pool = parts.pool
        self._open_checkpoints = open_checkpoints

    async def end_stopped(self, run_id: str, reason: EndReason) -> None:
        """End a run that nobody of this process executes; raises `LostTheRun`."""
        epoch = await in_thread(runs.claim_run, self._pool, run_id)
        if epoch is None:
            return
        await self._wait_for_effects_elsewhere(run_id)
        end = RunEnded(status="stopped", reason=reason)
        await self._end(run_id, epoch, end)

    async def _wait_for_effects_elsewhere(self, run_id: str) -> None:
        """Another process, which has lost the run by now, ends its call before it is settled."""
        until = time.monotonic() + STOP_SECONDS
        while time.monotonic() < until:
            if not await in_thread(tool_executions.acts_now, self._pool, run_id):
                return
            await asyncio.sleep(ACTS_LOOK_SECONDS)

    async def _end(self, run_id: str, epoch: int, end: RunEnded) -> None:
        """Close a run: calls that were broken off are settled, words that came are kept."""
        session_id = await in_thread(runs.session_of, self._pool, run_id)
        await in_thread(
            settle_started_calls,
            self._pool,
            run_id=run_id,
            epoch=epoch,
            workspace=workspace_of(self._parts.settings, session_id),
            is_ending=True,
        )
        await in_thread(end_run_early, self._pool, run_id=run_id, epoch=epoch, end=end)
        await delete_checkpoints(await self._open_checkpoints(), run_id)

    async def fail(self, run_id: str, epoch: int, end: RunEnded) -> None:
        """End a run whose pass broke; where that is not possible it stays cut off."""
        try:
            await self._end(run_id, epoch, end)
        except (LostTheRun, NotFound, *DATABASE_FAULTS) as error:
            logger.warning("The end of %s was not written: %s", run_id, type(error).__name__)


def model_failure(error: ModelError) -> RunEnded:
    """The end of a run whose model cannot be had."""
    details = {key: str(value) for key, value in error.details.items()}
    return RunEnded(status="failed", reason="model_failed", fault=error.fault, details=details)
