"""Starts, stops and resumes runs: what pages and the command line call."""

import logging
import shutil
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, TypeVar

from meetmind.clean_text import clean_bad_chars
from meetmind.database import runs
from meetmind.database.memory import get_memory
from meetmind.errors import BriefRefused, RunIsBusy
from meetmind.events import Decision, Mode
from meetmind.knowledge.words import detect_language
from meetmind.server.approvals import Approvals, DecisionOutcome, PendingCall
from meetmind.server.decisions import Decisions, RatedArguments
from meetmind.server.discussions import RunSummary, run_summary
from meetmind.server.event_loop import EventLoopThread
from meetmind.server.run_tasks import ExecutionParts, RunTasks, workspace_of

logger = logging.getLogger(__name__)

T = TypeVar("T")

BRIEF_CHARACTERS = 20_000
CALL_SECONDS = 20.0


class LocalExecutor:
    """Executes runs as bounded tasks on the event loop of this process."""

    def __init__(self, parts: ExecutionParts, loop: EventLoopThread) -> None:
        self._parts = parts
        self._pool = parts.pool
        self._loop = loop
        self._approvals = Approvals(parts.pool, parts.settings.approval_expires_minutes)
        self._tasks = RunTasks(parts, self._approvals)
        self._decisions = Decisions(
            parts.pool,
            register=parts.register,
            workspace_of=lambda session_id: workspace_of(parts.settings, session_id),
            spans=parts.spans,
        )
        self._wait(self._tasks.watch())

    def start_run(
        self,
        owner_id: str,
        session_id: str,
        brief: str,
        mode: Mode = "auto",
        *,
        language: str | None = None,
        files: Sequence[str] = (),
    ) -> str:
        """Put a brief before the team (or the assistant) and return at once with the run's id.

        `files` are names of files that were attached in the workspace. Raises `BriefRefused`,
        `NotFound` or `RunIsBusy`.
        """
        run_id = self.set_pending_thread(
            owner_id, session_id, brief, mode, language=language, files=files
        )
        self._wait(self._tasks.begin(owner_id, run_id, "start"))
        return run_id

    def set_pending_thread(
        self,
        owner_id: str,
        session_id: str,
        brief: str,
        mode: Mode,
        *,
        language: str | None = None,
        files: Sequence[str] = (),
    ) -> str:
        """Mark a run as in flight, before anybody executes it; its id."""
        text = clean_bad_chars(brief).strip()
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
            files=files,
        )

    def stop_run(self, owner_id: str, run_id: str) -> None:
        """End a run at once and keep what was said; harmless when it is over already."""
        runs.get_run(self._pool, owner_id=owner_id, run_id=run_id)
        self._wait(self._tasks.stop(run_id))

    def decide(
        self,
        owner_id: str,
        run_id: str,
        call_id: str,
        decision: Decision,
        reason: str = "",
        *,
        arguments: Mapping[str, Any] | None = None,
        allow_from_now: bool = False,
        shown: str | None = None,
        shown_effect: str | None = None,
    ) -> DecisionOutcome:
        """Approve or reject a waiting call; the first decision wins and the run goes on.

        `arguments` run instead of those that the role asked for; `allow_from_now` lets calls like
        this one pass for the whole discussion. `shown` is the card's `fingerprint`, `shown_effect`
        the `effect` of rated arguments: an approval holds for nothing else. Raises `NotFound`,
        `RunIsOver` and `ArgumentsRefused`.
        """
        outcome = self._decisions.decide(
            owner_id,
            run_id,
            call_id,
            decision,
            reason,
            arguments=arguments,
            allow_from_now=allow_from_now,
            shown=shown,
            shown_effect=shown_effect,
        )
        if outcome.won:
            self._wait(self._tasks.begin(owner_id, run_id, "decision"))
        return outcome

    def rate_arguments(
        self, owner_id: str, run_id: str, call_id: str, arguments: Mapping[str, Any]
    ) -> RatedArguments:
        """What changed arguments would do; raises `ArgumentsRefused` and `NotFound`."""
        return self._decisions.rate(owner_id, run_id, call_id, arguments)

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
        self._wait(self._tasks.begin(owner_id, run_id, "cut_off"))

    def discard_resumable(self, owner_id: str, run_id: str) -> None:
        """Give up a run that was cut off: what was said stays, its checkpoints go."""
        runs.get_run(self._pool, owner_id=owner_id, run_id=run_id)
        self._wait(self._tasks.stop(run_id, "discarded"))

    def forget_session(self, owner_id: str, session_id: str) -> None:
        """Stop what still runs in a discussion and remove its files, before it is deleted."""
        for row in runs.list_runs(
            self._pool, owner_id=owner_id, session_id=session_id, open_only=True
        ):
            if not self._wait(self._tasks.stop(row.id)):
                raise RunIsBusy(
                    "A call of this discussion is still running; try again in a minute."
                )
        shutil.rmtree(workspace_of(self._parts.settings, session_id), ignore_errors=True)

    def close(self) -> None:
        """Leave the running runs cut off, to be resumed after the next start."""
        if not self._loop.is_running:
            return
        try:
            self._wait(self._tasks.close())
        except RunIsBusy:
            logger.warning("A call was still running at the end; it is settled at the next start.")
        self._loop.stop()

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        try:
            return self._loop.submit(work).result(timeout=CALL_SECONDS)
        except TimeoutError:
            raise RunIsBusy("The discussion is busy with something that takes long.") from None
