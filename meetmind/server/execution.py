"""Starts, stops and resumes runs: what pages and the command line call."""

import logging
import shutil
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, TypeVar

from meetmind import faults
from meetmind.config.budget import Budget
from meetmind.database import runs
from meetmind.errors import RunIsBusy
from meetmind.events import Decision, Mode
from meetmind.server.approvals import Approvals, DecisionOutcome, PendingCall
from meetmind.server.decisions import Decisions, RatedArguments
from meetmind.server.discussions import RunSummary, run_summary
from meetmind.server.event_loop import EventLoopThread
from meetmind.server.new_runs import NewRun, store_new_run
from meetmind.server.questions import PendingQuestion, Questions
from meetmind.server.run_parts import ExecutionParts, workspace_of
from meetmind.server.run_tasks import RunTasks
from meetmind.server.steering import RunActs

logger = logging.getLogger(__name__)

T = TypeVar("T")

CALL_SECONDS = 20.0


class LocalExecutor:
    """Executes runs as bounded tasks on the event loop of this process."""

    def __init__(self, parts: ExecutionParts, loop: EventLoopThread) -> None:
        self._parts = parts
        self._pool = parts.pool
        self._loop = loop
        self._approvals = Approvals(parts.pool, parts.settings.approval_expires_minutes)
        self._acts = RunActs(parts.pool)
        self._questions = Questions(parts.pool)
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
        asked_agent: str = "",
        continues_run_id: str | None = None,
        budget: Budget | None = None,
        max_iterations: int | None = None,
    ) -> str:
        """Put a brief before the team (or the assistant) and return at once with the run's id.

        `files` are names of files that were attached in the workspace. A brief for one role
        (`asked_agent`) goes to the team. `continues_run_id` is the run whose open points are taken
        up. Limits that are None are those of the settings. Raises `BriefRefused`, `BudgetRefused`,
        `NotFound` or `RunIsBusy`.
        """
        wanted = NewRun(
            brief=brief,
            mode=mode,
            language=language,
            files=files,
            asked_agent=asked_agent,
            continues_run_id=continues_run_id,
            budget=budget,
            max_iterations=max_iterations,
        )
        run_id = self._stored(owner_id, session_id, wanted)
        faults.reach("run.created")
        self._wait(self._tasks.begin(owner_id, run_id, "start"))
        return run_id

    def set_pending_thread(
        self, owner_id: str, session_id: str, brief: str, mode: Mode = "auto"
    ) -> str:
        """Mark a run as in flight, before anybody executes it; its id."""
        return self._stored(owner_id, session_id, NewRun(brief=brief, mode=mode))

    def _stored(self, owner_id: str, session_id: str, wanted: NewRun) -> str:
        return store_new_run(
            self._pool,
            self._parts.settings,
            owner_id=owner_id,
            session_id=session_id,
            wanted=wanted,
            model_name=self._parts.models.status().name,
        )

    def say_into_run(self, owner_id: str, run_id: str, words: str, to_agent: str = "") -> str:
        """Say something into an open run; the next speaker answers, or the role that is asked.

        The message's id. Raises `BriefRefused`, `NotFound` and `RunIsOver`: what is said after the
        end begins a run that continues this one.
        """
        message_id = self._acts.say(owner_id, run_id, words, to_agent)
        faults.reach("words.said")
        return message_id

    def pause_run(self, owner_id: str, run_id: str) -> None:
        """Let the run rest before its next turn; raises `NotFound` and `RunIsOver`."""
        self._acts.ask_for_pause(owner_id, run_id)

    def withdraw_pause(self, owner_id: str, run_id: str) -> None:
        """Take a pause back, whether the run rests in it by now or not."""
        if self._acts.end_pause(owner_id, run_id):
            self._wait(self._tasks.begin(owner_id, run_id, "pause"))

    def go_on_run(self, owner_id: str, run_id: str) -> None:
        """Let a paused run go on; raises `NotFound` and `RunIsOver`."""
        self.withdraw_pause(owner_id, run_id)

    def change_budget(
        self, owner_id: str, run_id: str, *, max_iterations: int, budget: Budget
    ) -> None:
        """Change what an open run may use, from its next turn on; None is no limit.

        Raises `BudgetRefused`, `NotFound` and `RunIsOver`.
        """
        self._acts.change_budget(owner_id, run_id, max_iterations, budget)

    def answer_question(self, owner_id: str, run_id: str, call_id: str, answer: str) -> bool:
        """Answer a role's question, '' leaves it open; the first answer counts and the run goes on.

        False when somebody was faster. Raises `BriefRefused`, `NotFound` and `RunIsOver`.
        """
        won = self._questions.answer(owner_id, run_id, call_id, answer)
        if won:
            faults.reach("question.answered")
            self._wait(self._tasks.begin(owner_id, run_id, "decision"))
        return won

    def pending_questions(
        self, owner_id: str, session_id: str | None = None
    ) -> list[PendingQuestion]:
        """The questions that wait for this person."""
        return self._questions.pending_questions(owner_id, session_id)

    def stop_run(self, owner_id: str, run_id: str) -> bool:
        """End a run at once and keep what was said; harmless when it is over already.

        False when a call with an effect is under way for so long that the run ends after it.
        """
        runs.get_run(self._pool, owner_id=owner_id, run_id=run_id)
        return self._wait(self._tasks.stop(run_id))

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
            faults.reach("decision.stored")
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
        """Go on with a run that was cut off, from its last checkpoint.

        A pause that was asked for before still holds; the page offers to take it back.
        """
        runs.get_run(self._pool, owner_id=owner_id, run_id=run_id)
        self._wait(self._tasks.begin(owner_id, run_id, "cut_off"))

    def discard_resumable(self, owner_id: str, run_id: str) -> None:
        """Give up a run that was cut off: what was said stays, its checkpoints go.

        Raises `RunIsBusy` when somebody has resumed it meanwhile.
        """
        run = runs.get_run(self._pool, owner_id=owner_id, run_id=run_id)
        if run.is_held:
            raise RunIsBusy("This discussion goes on again; stop it if it should end.")
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
