"""Executes runs as tasks on the event loop: lock, passes, guard, stop."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, Literal

from meetmind import faults
from meetmind.database import approvals, questions, runs, steering
from meetmind.database.checkpoints import (
    CheckpointPool,
    delete_checkpoints,
    left_behind,
    open_checkpoint_pool,
)
from meetmind.database.runs import RunLock, RunRow
from meetmind.errors import LostTheRun, ModelError, RunIsBusy
from meetmind.events import EndReason, RunEnded
from meetmind.server.approvals import Approvals
from meetmind.server.run_ends import STOP_SECONDS, RunEnds, model_failure
from meetmind.server.run_locks import DATABASE_FAULTS, guard_run, taken
from meetmind.server.run_opening import RunMaterial
from meetmind.server.run_parts import ExecutionParts, workspace_of
from meetmind.server.run_pass import PassOutcome, run_pass
from meetmind.server.run_settling import settle_started_calls
from meetmind.server.stream import in_thread

logger = logging.getLogger(__name__)

RUNS_AT_ONCE = 8
SEARCHES_AT_ONCE = 2
LOOK_SECONDS = 15.0
STOP_TRIES = 3

Reason = Literal["start", "decision", "cut_off", "pause"]


class RunTasks:
    """The runs that this process executes; every method runs on the event loop."""

    def __init__(self, parts: ExecutionParts, approvals: Approvals) -> None:
        self._parts = parts
        self._pool = parts.pool
        self._approvals = approvals
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._asked_again: set[str] = set()
        self._slots = asyncio.Semaphore(RUNS_AT_ONCE)
        self._search_slots = asyncio.Semaphore(SEARCHES_AT_ONCE)
        self._checkpoints: CheckpointPool | None = None
        self._opening = asyncio.Lock()
        self._watching: asyncio.Task[None] | None = None
        self._beside: set[asyncio.Task[None]] = set()
        self._ends = RunEnds(parts, self._open_checkpoints)

    async def begin(self, owner_id: str, run_id: str, reason: Reason) -> None:
        """Take the run's lock and execute it in a task, unless somebody else has it."""
        if run_id in self._tasks:
            self._asked_again.add(run_id)
            return
        lock = RunLock(self._parts.conninfo, run_id)
        if not await taken(lock):
            return
        faults.reach("lock.taken")
        task = asyncio.create_task(self._execute(owner_id, run_id, reason, lock))
        # A task that is cancelled before its first step runs none of its own cleaning up.
        task.add_done_callback(lambda done: self._forget(run_id, done, lock))
        self._tasks[run_id] = task

    async def _execute(self, owner_id: str, run_id: str, reason: Reason, lock: RunLock) -> None:
        """Execute until the run rests or is over; look for late decisions after unlocking."""
        try:
            while True:
                self._asked_again.discard(run_id)
                try:
                    async with self._slots:
                        outcome = await self._hold(owner_id, run_id, reason, lock)
                finally:
                    await asyncio.shield(in_thread(lock.release))
                    faults.reach("lock.released")
                if outcome is None or not await self._goes_on(run_id, outcome):
                    return
                if not await taken(lock):
                    return
                reason = "pause" if outcome.is_paused else "decision"
        except DATABASE_FAULTS as error:
            logger.warning("The run %s was left: %s", run_id, type(error).__name__)
        finally:
            self._tasks.pop(run_id, None)

    def _forget(self, run_id: str, task: asyncio.Task[None], lock: RunLock) -> None:
        if self._tasks.get(run_id) is task:
            del self._tasks[run_id]
        lock.release()

    async def _goes_on(self, run_id: str, outcome: PassOutcome) -> bool:
        """Whether a person's word came in while the run was being laid to rest.

        A word that comes while we look is looked at again.
        """
        while not outcome.over:
            self._asked_again.discard(run_id)
            if await self._has_word_on(run_id, outcome):
                return True
            if run_id not in self._asked_again:
                return False
        return False

    async def _has_word_on(self, run_id: str, outcome: PassOutcome) -> bool:
        """Whether the person has spoken on what the run waits for."""
        if outcome.is_paused:
            return not await in_thread(steering.is_pause_asked, self._pool, run_id)
        if await in_thread(self._approvals.any_decided, run_id, outcome.waiting_call_ids):
            return True
        return await in_thread(
            questions.any_answered, self._pool, run_id=run_id, call_ids=outcome.question_ids
        )

    async def _hold(
        self, owner_id: str, run_id: str, reason: Reason, lock: RunLock
    ) -> PassOutcome | None:
        """One pass with the lock held; every fault becomes an end, or leaves the run resumable."""
        epoch = await in_thread(lock.claim)
        if epoch is None:
            return None
        faults.reach("run.claimed")
        working = asyncio.current_task()
        assert working is not None
        guard = asyncio.create_task(guard_run(lock, run_id, epoch, working))
        try:
            return await self._pass(owner_id, run_id, epoch, reason)
        except LostTheRun:
            logger.info("The run %s has another executor now.", run_id)
        except ModelError as error:
            logger.warning("The run %s ended because of the model: %s", run_id, error)
            await self._ends.fail(run_id, epoch, model_failure(error))
        except DATABASE_FAULTS as error:
            logger.warning("The run %s was cut off: %s", run_id, type(error).__name__)
        except Exception:
            logger.exception("The run %s ended because of a fault inside.", run_id)
            end = RunEnded(status="failed", reason="internal_fault", fault="internal")
            await self._ends.fail(run_id, epoch, end)
        finally:
            guard.cancel()
            await asyncio.wait([guard])
            if self._parts.recall is not None:
                self._parts.recall.wake()
        return None

    async def _pass(self, owner_id: str, run_id: str, epoch: int, reason: Reason) -> PassOutcome:
        row = await in_thread(runs.get_run, self._pool, owner_id=owner_id, run_id=run_id)
        # Whatever begins the pass: nobody else has the run, so what had started was broken off.
        await in_thread(
            settle_started_calls,
            self._pool,
            run_id=run_id,
            epoch=epoch,
            workspace=workspace_of(self._parts.settings, row.session_id),
        )
        faults.reach("run.settled")
        await asyncio.to_thread(self._parts.wait_for_tools)
        checkpoints = await self._open_checkpoints()
        outcome = await run_pass(self._material(row, epoch), checkpoints, reason=reason)
        if outcome.over:
            await delete_checkpoints(checkpoints, run_id)
            faults.reach("checkpoints.deleted")
        return outcome

    def _material(self, row: RunRow, epoch: int) -> RunMaterial:
        return RunMaterial(
            row=row,
            epoch=epoch,
            pool=self._pool,
            settings=self._parts.settings,
            client=self._parts.models.client(),
            search=self._parts.search,
            search_slots=self._search_slots,
            classify=self._parts.classify,
            workspace=workspace_of(self._parts.settings, row.session_id),
            register=self._parts.register(),
            spans=self._parts.spans,
            net=self._parts.net,
            recall=self._parts.recall,
        )

    async def _open_checkpoints(self) -> CheckpointPool:
        async with self._opening:
            if self._checkpoints is None:
                self._checkpoints = await open_checkpoint_pool(self._parts.conninfo)
            return self._checkpoints

    async def stop(self, run_id: str, reason: EndReason = "stopped_by_person") -> bool:
        """End a run at once, whoever executes it; effects that are under way end first.

        False when such an effect takes longer than a person waits: the run ends right after it.
        """
        for _ in range(STOP_TRIES):
            task = self._tasks.get(run_id)
            if task is not None:
                task.cancel()
                await asyncio.wait([task], timeout=STOP_SECONDS)
                if not task.done():
                    self._keep(self._stop_later(task, run_id, reason))
                    return False
            try:
                await self._ends.end_stopped(run_id, reason)
            except LostTheRun:
                # Somebody began a pass in this very moment; it is stopped like the one before.
                continue
            return True
        raise RunIsBusy("The discussion could not be stopped at once; try again.")

    async def _stop_later(self, task: asyncio.Task[None], run_id: str, reason: EndReason) -> None:
        await asyncio.wait([task])
        await self.stop(run_id, reason)

    def _keep(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run something beside everything else; it is waited for at the end."""
        task = asyncio.create_task(work)
        self._beside.add(task)
        task.add_done_callback(self._put_down)
        return task

    def _put_down(self, task: asyncio.Task[None]) -> None:
        self._beside.discard(task)
        if not task.cancelled() and task.exception() is not None:
            logger.warning("Work beside the runs failed: %s", type(task.exception()).__name__)

    async def watch(self) -> None:
        """Begin to look after runs that rest: expired calls, and decisions that nobody acted on."""
        self._watching = asyncio.create_task(self._look_after_resting_runs())

    async def _look_after_resting_runs(self) -> None:
        minutes = self._parts.settings.approval_expires_minutes
        seconds = None if minutes is None else minutes * 60
        pause = LOOK_SECONDS if seconds is None else min(LOOK_SECONDS, seconds / 4)
        while True:
            try:
                if seconds is not None:
                    await in_thread(approvals.expire_calls, self._pool, seconds=seconds)
                for run in await in_thread(runs.decided_and_resting, self._pool):
                    reason: Reason = "pause" if run.is_paused else "decision"
                    # A lock that is being taken must not be left behind when the program ends.
                    beginning = self._keep(self.begin(run.owner_id, run.run_id, reason))
                    await asyncio.shield(beginning)
                for run_id in await in_thread(left_behind, self._pool):
                    await delete_checkpoints(await self._open_checkpoints(), run_id)
            except DATABASE_FAULTS as error:
                logger.warning("Resting runs were not looked at: %s", type(error).__name__)
            except Exception:  # the next look may succeed, and nobody else looks
                logger.exception("Resting runs were not looked at.")
            await asyncio.sleep(pause)

    async def close(self) -> None:
        """Cut the runs of this process off, to be resumed later."""
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)
        await asyncio.gather(*self._beside, return_exceptions=True)
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._checkpoints is not None:
            await self._checkpoints.close()
