"""Starts, stops and resumes runs; the one place that executes them."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

import psycopg
from psycopg_pool import ConnectionPool, PoolTimeout

from meetmind.config.settings import Settings
from meetmind.database import runs
from meetmind.database.checkpoints import CheckpointPool, delete_checkpoints, open_checkpoint_pool
from meetmind.database.memory import get_memory
from meetmind.database.runs import RunLock, RunRow
from meetmind.database.storable_text import storable_text
from meetmind.errors import BriefRefused, LostTheRun, ModelError, NotFound
from meetmind.events import Mode, RunEnded
from meetmind.knowledge.words import detect_language
from meetmind.server.approvals import Approvals, DecisionOutcome, PendingCall
from meetmind.server.discussions import RunSummary, run_summary
from meetmind.server.event_loop import EventLoopThread
from meetmind.server.models import Models
from meetmind.server.run_pass import PassOutcome, RunMaterial, run_pass
from meetmind.server.run_settling import end_run_early, settle_started_calls
from meetmind.server.stream import in_thread
from meetmind.tools.workbench import KnowledgeSearch

logger = logging.getLogger(__name__)
T = TypeVar("T")

BRIEF_CHARACTERS = 20_000
RUNS_AT_ONCE = 8
GUARD_SECONDS = 2.0
CALL_SECONDS = 20.0
DATABASE_FAULTS = (psycopg.OperationalError, PoolTimeout, TimeoutError)

Reason = Literal["start", "decision", "cut_off"]


@dataclass(frozen=True, kw_only=True)
class ExecutionParts:
    """What the executor works with."""

    settings: Settings
    pool: ConnectionPool
    conninfo: str
    models: Models
    search: KnowledgeSearch
    classify: Callable[[str], Any]


class LocalExecutor:
    """Executes runs as bounded tasks on the event loop of this process."""

    def __init__(self, parts: ExecutionParts, loop: EventLoopThread) -> None:
        self._parts = parts
        self._pool = parts.pool
        self._loop = loop
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._stopping: set[str] = set()
        self._slots = asyncio.Semaphore(RUNS_AT_ONCE)
        self._checkpoints: CheckpointPool | None = None
        self._opening = asyncio.Lock()
        self._approvals = Approvals(parts.pool)

    # ------------------------------------------------------------------ what pages call

    def start_run(
        self,
        owner_id: str,
        session_id: str,
        brief: str,
        mode: Mode = "auto",
        language: str | None = None,
    ) -> str:
        """Put a brief before the team (or the assistant) and return at once with the run's id.

        Raises `BriefRefused`, `NotFound` or `RunIsBusy`.
        """
        run_id = self.set_pending_thread(owner_id, session_id, brief, mode, language)
        self._wait(self._begin(owner_id, run_id, "start"))
        return run_id

    def set_pending_thread(
        self, owner_id: str, session_id: str, brief: str, mode: Mode, language: str | None = None
    ) -> str:
        """Mark a run as in flight, before anybody executes it; its id."""
        text = storable_text(brief).strip()
        if not text:
            raise BriefRefused("The brief is empty. Write what the team should discuss.")
        if len(text) > BRIEF_CHARACTERS:
            raise BriefRefused(
                f"The brief has {len(text)} characters; at most {BRIEF_CHARACTERS} are possible.",
                limit=BRIEF_CHARACTERS,
            )
        memory = get_memory(self._pool, owner_id)
        return runs.create_run(
            self._pool,
            owner_id=owner_id,
            session_id=session_id,
            brief=text,
            mode=mode,
            language=language or detect_language(text),
            memory_id=None if memory is None else memory.id,
            max_iterations=self._parts.settings.max_iterations,
            model_name=self._parts.models.status().name,
        )

    def stop_run(self, owner_id: str, run_id: str) -> None:
        """End a run at once and keep what was said; harmless when it is over already."""
        runs.get_run(self._pool, owner_id=owner_id, run_id=run_id)
        self._wait(self._stop(run_id))

    def decide(
        self,
        owner_id: str,
        run_id: str,
        call_id: str,
        decision: Literal["approved", "rejected"],
        reason: str = "",
    ) -> DecisionOutcome:
        """Approve or reject a waiting call; the first decision wins and the run goes on."""
        outcome = self._approvals.decide(owner_id, run_id, call_id, decision, reason)
        if outcome.won:
            self._wait(self._begin(owner_id, run_id, "decision"))
        return outcome

    def pending_calls(self, owner_id: str, session_id: str | None = None) -> list[PendingCall]:
        """The calls that wait for this person."""
        return self._approvals.pending_calls(owner_id, session_id)

    def get_resumable(self, owner_id: str) -> list[RunSummary]:
        """The owner's runs that were cut off."""
        rows = runs.list_runs(self._pool, owner_id=owner_id, open_only=True)
        return [run_summary(row) for row in rows if row.status == "running" and not row.is_held]

    def resume_execution(self, owner_id: str, run_id: str) -> None:
        """Go on with a run that was cut off, from its last checkpoint."""
        runs.get_run(self._pool, owner_id=owner_id, run_id=run_id)
        self._wait(self._begin(owner_id, run_id, "cut_off"))

    def discard_resumable(self, owner_id: str, run_id: str) -> None:
        """Give up a run that was cut off: what was said stays, its checkpoints go."""
        self.stop_run(owner_id, run_id)

    def forget_session(self, owner_id: str, session_id: str) -> None:
        """Stop whatever still runs in a discussion, before it is deleted."""
        for row in runs.list_runs(
            self._pool, owner_id=owner_id, session_id=session_id, open_only=True
        ):
            self._wait(self._stop(row.id))

    def close(self) -> None:
        """Leave the running runs cut off, to be resumed after the next start."""
        self._wait(self._close())

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return self._loop.submit(work).result(timeout=CALL_SECONDS)

    # ------------------------------------------------------------------ on the loop

    async def _begin(self, owner_id: str, run_id: str, reason: Reason) -> None:
        """Take the run's lock and execute it in a task, unless somebody else has it."""
        if run_id in self._tasks:
            return
        lock = RunLock(self._parts.conninfo, run_id)
        if not await in_thread(lock.take):
            return
        task = asyncio.create_task(self._execute(owner_id, run_id, reason, lock))
        self._tasks[run_id] = task
        task.add_done_callback(lambda _: self._tasks.pop(run_id, None))

    async def _execute(self, owner_id: str, run_id: str, reason: Reason, lock: RunLock) -> None:
        """Execute until the run rests or is over; look for late decisions after unlocking."""
        while True:
            try:
                async with self._slots:
                    outcome = await self._hold(owner_id, run_id, reason, lock)
            finally:
                await asyncio.shield(in_thread(lock.release))
            if not await self._has_undelivered_decision(run_id, outcome):
                return
            if not await in_thread(lock.take):
                return
            reason = "decision"

    async def _hold(
        self, owner_id: str, run_id: str, reason: Reason, lock: RunLock
    ) -> PassOutcome | None:
        """One pass with the lock held; every fault becomes an end, or leaves the run resumable."""
        epoch = await in_thread(runs.claim_run, self._pool, run_id)
        if epoch is None:
            return None
        working = asyncio.current_task()
        assert working is not None
        guard = asyncio.create_task(self._guard(lock, run_id, epoch, working))
        try:
            return await self._pass(owner_id, run_id, epoch, reason)
        except LostTheRun:
            logger.info("The run %s has another executor now.", run_id)
        except ModelError as error:
            logger.warning("The run %s ended because of the model: %s", run_id, error)
            details = {key: str(value) for key, value in error.details.items()}
            await self._fail(run_id, epoch, _model_failure(error, details))
        except DATABASE_FAULTS as error:
            logger.warning("The run %s was cut off: %s", run_id, type(error).__name__)
        except asyncio.CancelledError:
            if run_id not in self._stopping:
                raise
            await asyncio.shield(self._end_stopped(run_id, epoch))
        except Exception:
            logger.exception("The run %s ended because of a fault inside.", run_id)
            end = RunEnded(status="failed", reason="internal_fault", fault="internal")
            await self._fail(run_id, epoch, end)
        finally:
            guard.cancel()
        return None

    async def _pass(self, owner_id: str, run_id: str, epoch: int, reason: Reason) -> PassOutcome:
        row = await in_thread(runs.get_run, self._pool, owner_id=owner_id, run_id=run_id)
        if reason == "cut_off":
            await in_thread(
                settle_started_calls,
                self._pool,
                run_id=run_id,
                epoch=epoch,
                workspace=self.workspace(row.session_id),
            )
        checkpoints = await self._open_checkpoints()
        outcome = await run_pass(self._material(row, epoch), checkpoints, reason=reason)
        if outcome.over:
            await delete_checkpoints(checkpoints, run_id)
        return outcome

    def _material(self, row: RunRow, epoch: int) -> RunMaterial:
        return RunMaterial(
            row=row,
            epoch=epoch,
            pool=self._pool,
            settings=self._parts.settings,
            client=self._parts.models.client(),
            search=self._parts.search,
            classify=self._parts.classify,
            workspace=self.workspace(row.session_id),
        )

    def workspace(self, session_id: str) -> Path:
        """The folder in which a discussion's tools may write."""
        return self._parts.settings.meetmind_home / "workspaces" / session_id

    async def _open_checkpoints(self) -> CheckpointPool:
        async with self._opening:
            if self._checkpoints is None:
                self._checkpoints = await open_checkpoint_pool(self._parts.conninfo)
            return self._checkpoints

    async def _guard(
        self, lock: RunLock, run_id: str, epoch: int, working: asyncio.Task[Any]
    ) -> None:
        """Watch the lock's connection; retake it after a restart of the database, or give up."""
        while True:
            await asyncio.sleep(GUARD_SECONDS)
            if await asyncio.to_thread(lock.is_alive):
                continue
            lock.release()
            try:
                retaken = await in_thread(lock.take)
            except DATABASE_FAULTS:
                continue
            if not retaken:
                logger.warning("The lock of the run %s is lost.", run_id)
                working.cancel()
                return

    async def _has_undelivered_decision(self, run_id: str, outcome: PassOutcome | None) -> bool:
        if outcome is None or outcome.over:
            return False
        return await in_thread(self._approvals.any_decided, run_id, outcome.waiting_call_ids)

    async def _stop(self, run_id: str) -> None:
        task = self._tasks.get(run_id)
        if task is None:
            epoch = await in_thread(runs.claim_run, self._pool, run_id)
            if epoch is not None:
                await self._end_stopped(run_id, epoch)
            return
        self._stopping.add(run_id)
        task.cancel()
        await asyncio.wait([task])
        self._stopping.discard(run_id)

    async def _end_stopped(self, run_id: str, epoch: int) -> None:
        end = RunEnded(status="stopped", reason="stopped_by_person")
        await in_thread(end_run_early, self._pool, run_id=run_id, epoch=epoch, end=end)
        await delete_checkpoints(await self._open_checkpoints(), run_id)

    async def _fail(self, run_id: str, epoch: int, end: RunEnded) -> None:
        try:
            await in_thread(end_run_early, self._pool, run_id=run_id, epoch=epoch, end=end)
            await delete_checkpoints(await self._open_checkpoints(), run_id)
        except (LostTheRun, NotFound, *DATABASE_FAULTS) as error:
            logger.warning("The end of %s was not written: %s", run_id, type(error).__name__)

    async def _close(self) -> None:
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._checkpoints is not None:
            await self._checkpoints.close()


def _model_failure(error: ModelError, details: dict[str, str]) -> RunEnded:
    return RunEnded(status="failed", reason="model_failed", fault=error.fault, details=details)
