"""Puts a prepared run into the log and the ledger, the way an executor would."""

from collections.abc import Iterable

from psycopg_pool import ConnectionPool

from meetmind.database import (
    person_acts,
    questions,
    run_events,
    runs,
    steering,
    tool_executions,
)
from meetmind.database.tool_executions import CallFacts
from meetmind.events import (
    DiscussionEvent,
    PauseAsked,
    QuestionAnswered,
    QuestionAsked,
    RunEnded,
    RunPaused,
    RunResumed,
    RunWaiting,
    ToolRequested,
    UtteranceEnded,
)
from meetmind.server.services import Services
from tests.support.sample_run import before_decision


def store_run(
    pool: ConnectionPool,
    services: Services,
    owner_id: str,
    brief: str,
    language: str = "en",
    events: Iterable[DiscussionEvent] | None = None,
    session_id: str | None = None,
) -> tuple[str, str]:
    """A discussion with one run, up to the Write that waits unless `events` say otherwise.

    The run is added to the discussion `session_id`, or to a new one. Returns the ids of the
    discussion and of the run.
    """
    if session_id is None:
        session_id = services.discussions.create_session(owner_id, brief)
    run_id = runs.create_run(
        pool,
        owner_id=owner_id,
        session_id=session_id,
        brief=brief,
        mode="auto",
        language=language,
        memory_id=None,
        max_iterations=15,
        model_name="offline",
    )
    epoch = runs.claim_run(pool, run_id)
    assert epoch is not None
    if events is None:
        events = [event for _, event in before_decision(run_id, brief, language)]
    for event in events:
        if isinstance(event, RunResumed):
            person_acts.end_pause(pool, owner_id=owner_id, run_id=run_id)
            epoch = runs.claim_run(pool, run_id)
            assert epoch is not None
        if not _store_act(pool, owner_id, run_id, event):
            store_event(pool, run_id, epoch, event)
    return session_id, run_id


def _store_act(pool: ConnectionPool, owner_id: str, run_id: str, event: DiscussionEvent) -> bool:
    """Store what a person does with a run, which writes its event; False for anything else."""
    if isinstance(event, PauseAsked) and event.withdrawn:
        person_acts.end_pause(pool, owner_id=owner_id, run_id=run_id)
    elif isinstance(event, PauseAsked):
        person_acts.ask_for_pause(pool, owner_id=owner_id, run_id=run_id)
    elif isinstance(event, QuestionAnswered):
        questions.answer_question(
            pool, owner_id=owner_id, run_id=run_id, call_id=event.call_id, answer=event.answer
        )
    else:
        return False
    return True


def store_event(pool: ConnectionPool, run_id: str, epoch: int, event: DiscussionEvent) -> None:
    """One event, with everything else that an executor writes at the same time."""
    if isinstance(event, UtteranceEnded):
        run_events.store_utterance(pool, run_id=run_id, epoch=epoch, event=event)
    elif isinstance(event, RunEnded):
        run_events.close_run(pool, run_id=run_id, epoch=epoch, event=event)
    elif isinstance(event, ToolRequested):
        tool_executions.record_request(
            pool,
            run_id=run_id,
            epoch=epoch,
            request=event,
            status="pending" if event.verdict == "asked" else "approved",
            facts=CallFacts(arguments_sha256="0" * 64),
        )
    elif isinstance(event, QuestionAsked):
        questions.ask_question(pool, run_id=run_id, epoch=epoch, question=event)
    elif isinstance(event, RunPaused):
        steering.rest_paused(pool, run_id=run_id, epoch=epoch)
    else:
        run_events.append_event(pool, run_id=run_id, epoch=epoch, event=event)
    if isinstance(event, RunWaiting):
        runs.rest_run(pool, run_id=run_id, epoch=epoch)
