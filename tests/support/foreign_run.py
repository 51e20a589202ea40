"""A discussion in which every word is hostile, put into the log as an executor would."""

from collections.abc import Iterator, Sequence

from psycopg_pool import ConnectionPool

from meetmind.database import run_events, runs
from meetmind.events import (
    BriefRewritten,
    BudgetChanged,
    DiscussionEvent,
    FloorTaken,
    GuardActed,
    HandedOver,
    IntentRecognised,
    ModelFellBack,
    PassageEvidence,
    PathScore,
    PauseAsked,
    PersonSpoke,
    Point,
    QuestionAnswered,
    QuestionAsked,
    RouteChosen,
    RunEnded,
    RunStarted,
    RunWaiting,
    Stance,
    ToolDecided,
    ToolFinished,
    ToolRequested,
    UtteranceEnded,
)
from tests.support.foreign_texts import hostile_text

ROLE = "architect"
CITED = f"{ROLE}_0a1b2c3d4e5f"


def store_hostile_runs(pool: ConnectionPool, owner_id: str, session_id: str) -> str:
    """A finished run and one that waits for a decision; the id of the finished one."""
    finished = _new_run(pool, owner_id, session_id, "brief", finished_run)
    _new_run(pool, owner_id, session_id, "brief2", waiting_run)
    return finished


def _new_run(
    pool: ConnectionPool, owner_id: str, session_id: str, brief: str, events_of: object
) -> str:
    run_id = runs.create_run(
        pool,
        owner_id=owner_id,
        session_id=session_id,
        brief=hostile_text(brief),
        mode="auto",
        language="en",
        memory_id=None,
        max_iterations=15,
        model_name="offline",
    )
    epoch = runs.claim_run(pool, run_id)
    assert epoch is not None
    assert callable(events_of)
    _append(pool, run_id, epoch, list(events_of(run_id)))
    return run_id


def _append(
    pool: ConnectionPool, run_id: str, epoch: int, events: Sequence[DiscussionEvent]
) -> None:
    for event in events:
        if isinstance(event, UtteranceEnded):
            run_events.store_utterance(pool, run_id=run_id, epoch=epoch, event=event)
        elif isinstance(event, RunEnded):
            run_events.close_run(pool, run_id=run_id, epoch=epoch, event=event)
        else:
            run_events.append_event(pool, run_id=run_id, epoch=epoch, event=event)
        if isinstance(event, RunWaiting):
            runs.rest_run(pool, run_id=run_id, epoch=epoch)


def finished_run(run_id: str) -> Iterator[DiscussionEvent]:
    """A turn with every kind of call, words, stances and hand-overs."""
    yield _started("brief")
    yield BriefRewritten(
        rewritten_query=hostile_text("rewritten"),
        expansion_terms=(hostile_text("expansion"),),
        fell_back=False,
    )
    yield IntentRecognised(
        intent=hostile_text("intent"), score=0.9, margin=0.8, rung=hostile_text("rung")
    )
    yield RouteChosen(route="team", by="intent")
    utterance_id = f"{run_id}.0.{ROLE}"
    yield FloorTaken(utterance_id=utterance_id, agent_name=ROLE, iteration=0)
    yield from _search(utterance_id)
    yield from _other_call(utterance_id)
    yield from _read_call(utterance_id)
    yield from _decided_call(utterance_id, 3, "approved")
    yield from _decided_call(utterance_id, 4, "rejected")
    yield from _answered_question(utterance_id)
    yield UtteranceEnded(
        utterance_id=utterance_id,
        agent_name=ROLE,
        iteration=0,
        content=f"[{CITED}]\n\n{hostile_text('words')}",
        next_agent="backend",
        done=False,
        used_rag=1,
        stances=(
            Stance(
                point_id="p1",
                stance="object",
                why=hostile_text("stance"),
                resolves_if=hostile_text("resolves"),
                changed_because=hostile_text("changed"),
            ),
        ),
        points=(
            Point(
                id="p1",
                question=hostile_text("oldpoint"),
                state="recorded_open",
                reason=hostile_text("pointreason"),
            ),
        ),
        evidence=(hostile_passage(),),
    )
    yield HandedOver(
        from_agent=ROLE,
        to_agent="backend",
        by="role",
        reason=hostile_text("handover"),
        utterance_id=utterance_id,
    )
    yield HandedOver(
        from_agent="backend", to_agent="tester", by="guard", reason=hostile_text("guard")
    )
    yield from _steering(run_id, utterance_id)
    yield RunEnded(status="done", reason="closed_by_architect")


def waiting_run(run_id: str) -> Iterator[DiscussionEvent]:
    """A turn that set a point, and one whose call waits."""
    yield _started("brief2")
    yield RouteChosen(route="team", by="person")
    first = f"{run_id}.0.{ROLE}"
    yield FloorTaken(utterance_id=first, agent_name=ROLE, iteration=0)
    yield UtteranceEnded(
        utterance_id=first,
        agent_name=ROLE,
        iteration=0,
        content="A point.",
        next_agent="backend",
        done=False,
        used_rag=0,
        points=(Point(id="p1", question=hostile_text("point")),),
    )
    utterance_id = f"{run_id}.1.backend"
    yield FloorTaken(utterance_id=utterance_id, agent_name="backend", iteration=1)
    call_id = f"{utterance_id}.0.0"
    yield _request(
        utterance_id,
        call_id,
        tool=hostile_text("asktool"),
        risk="high",
        verdict="asked",
        arguments={"path": hostile_text("askpath"), "content": hostile_text("askargs")},
        reason=hostile_text("askwhy"),
        preview=hostile_text("askdiff"),
    )
    question_id = f"{utterance_id}.0.1"
    yield _question(utterance_id, question_id, "open")
    yield RunWaiting(call_ids=(call_id,), question_ids=(question_id,))


def _question(utterance_id: str, call_id: str, name: str) -> QuestionAsked:
    return QuestionAsked(
        utterance_id=utterance_id,
        agent_name=utterance_id.rsplit(".", 1)[-1],
        call_id=call_id,
        question=hostile_text(f"{name}question"),
        choices=(hostile_text(f"{name}choice"), "No"),
        why=hostile_text(f"{name}questionwhy"),
    )


def _answered_question(utterance_id: str) -> Iterator[DiscussionEvent]:
    call_id = f"{utterance_id}.0.5"
    yield _question(utterance_id, call_id, "old")
    yield QuestionAnswered(
        call_id=call_id, answer=hostile_text("answer"), answered_by=hostile_text("answerer")
    )


def _steering(run_id: str, utterance_id: str) -> Iterator[DiscussionEvent]:
    """What people, guards and models do beside the turns."""
    yield PersonSpoke(
        message_id=f"{run_id}.said", text=hostile_text("said"), said_by=hostile_text("sayer")
    )
    yield GuardActed(
        guard=hostile_text("guardname"), utterance_id=utterance_id, agent_name="architect"
    )
    yield PauseAsked(asked_by=hostile_text("pauser"))
    yield BudgetChanged(
        max_iterations=3,
        max_tokens=None,
        max_minutes=None,
        max_cost=None,
        changed_by=hostile_text("budgeter"),
    )
    yield ModelFellBack(
        fault=hostile_text("fellfault"),
        from_model=hostile_text("frommodel"),
        to_model=hostile_text("tomodel"),
    )


def hostile_passage() -> PassageEvidence:
    """The passage that the search found and the words cite."""
    return PassageEvidence(
        passage_id=CITED,
        agent_name=ROLE,
        title=hostile_text("evtitle"),
        source=hostile_text("evsource"),
        locator=hostile_text("evlocator"),
        language="en",
        content=hostile_text("evcontent"),
        rank=1,
        coverage=0.6,
        matched_terms=(hostile_text("evterms"),),
        path_scores=(PathScore(path=hostile_text("evpath"), rank=1, score=0.5),),
        fused_score=0.03,
    )


def _started(brief: str) -> RunStarted:
    return RunStarted(
        brief=hostile_text(brief),
        mode="auto",
        language="en",
        model_name=hostile_text(f"model{brief}"),
        offline=False,
        max_iterations=15,
    )


def _request(utterance_id: str, call_id: str, **details: object) -> ToolRequested:
    agent_name = utterance_id.rsplit(".", 1)[-1]
    return ToolRequested(
        utterance_id=utterance_id,
        agent_name=agent_name,
        call_id=call_id,
        **{"risk": "low", "verdict": "allowed", **details},  # type: ignore[arg-type] - plain values
    )


def _search(utterance_id: str) -> Iterator[DiscussionEvent]:
    call_id = f"{utterance_id}.0.0"
    query = hostile_text("query")
    yield _request(utterance_id, call_id, tool="rag_search", arguments={"query": query})
    yield ToolFinished(
        utterance_id=utterance_id,
        call_id=call_id,
        tool="rag_search",
        status="ok",
        summary="",
        evidence=(hostile_passage(),),
        mode=hostile_text("mode"),
        degraded=(hostile_text("degraded"),),
        seconds=0.04,
    )


def _other_call(utterance_id: str) -> Iterator[DiscussionEvent]:
    call_id = f"{utterance_id}.0.1"
    yield _request(
        utterance_id,
        call_id,
        tool=hostile_text("tool"),
        arguments={hostile_text("argname"): hostile_text("argument")},
        reason=hostile_text("why"),
        preview=hostile_text("preview"),
    )
    yield ToolFinished(
        utterance_id=utterance_id,
        call_id=call_id,
        tool=hostile_text("tool"),
        status="error",
        summary=hostile_text("result"),
    )


def _read_call(utterance_id: str) -> Iterator[DiscussionEvent]:
    call_id = f"{utterance_id}.0.2"
    path = hostile_text("readpath")
    yield _request(utterance_id, call_id, tool="Read", arguments={"path": path})
    yield ToolFinished(
        utterance_id=utterance_id,
        call_id=call_id,
        tool="Read",
        status="ok",
        summary=hostile_text("readresult"),
    )


def _decided_call(utterance_id: str, number: int, decision: str) -> Iterator[DiscussionEvent]:
    call_id = f"{utterance_id}.0.{number}"
    path = hostile_text(f"{decision}path")
    yield _request(
        utterance_id,
        call_id,
        tool="Write",
        risk="high",
        verdict="asked",
        arguments={"path": path, "content": hostile_text(f"{decision}content")},
        reason=hostile_text(f"{decision}why"),
        preview=hostile_text(f"{decision}diff"),
    )
    yield ToolDecided(
        call_id=call_id,
        decision=decision,  # type: ignore[arg-type] - one of the two
        decided_by=hostile_text(f"{decision}by"),
        reason=hostile_text(f"{decision}reason"),
    )
    yield ToolFinished(
        utterance_id=utterance_id,
        call_id=call_id,
        tool="Write",
        status="ok" if decision == "approved" else "rejected",
        summary=hostile_text(f"{decision}result"),
    )
