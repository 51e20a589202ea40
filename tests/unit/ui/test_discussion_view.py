from datetime import UTC, datetime, timedelta

from meetmind.events import (
    DiscussionEvent,
    FloorTaken,
    HandedOver,
    LoggedEvent,
    Point,
    RunEnded,
    RunResumed,
    RunWaiting,
    Stance,
    ToolAskedAgain,
    ToolDecided,
    ToolFinished,
    ToolRequested,
    UtteranceEnded,
    WordsArrived,
    WordsWithdrawn,
)
from meetmind.ui.citations import number_citations, passages_of, without_open_citation
from meetmind.ui.discussion_view import fold
from meetmind.ui.run_view import QuietLine, RunView
from meetmind.ui.runs import settled_and_live
from tests.support.sample_run import PASSAGES, after_decision, before_decision

RUN = "run"
START = datetime(2026, 11, 30, 12, tzinfo=UTC)


def logged(events: list[DiscussionEvent]) -> list[LoggedEvent]:
    listed = []
    for seq, event in enumerate(events, start=1):
        at = START + timedelta(seconds=seq)
        listed.append(LoggedEvent(run_id=RUN, seq=seq, at=at, event=event))
    return listed


def view_of(*events: DiscussionEvent) -> RunView:
    return fold(RunView(run_id=RUN), logged(list(events)))


def whole_run() -> list[DiscussionEvent]:
    before = [event for _, event in before_decision(RUN, "A brief", "en")]
    decided = ToolDecided(call_id=f"{RUN}.4.architect.0.0", decision="approved", decided_by="admin")
    after = [event for _, event in after_decision(RUN, "approved")]
    return [*before, decided, RunResumed(reason="decision"), *after]


def floor(agent: str = "backend", iteration: int = 1) -> FloorTaken:
    return FloorTaken(
        utterance_id=f"{RUN}.{iteration}.{agent}", agent_name=agent, iteration=iteration
    )


def end(
    agent: str = "backend", iteration: int = 1, content: str = "x", **more: object
) -> UtteranceEnded:
    values: dict[str, object] = {"next_agent": "tester", "done": False, "used_rag": 1} | more
    return UtteranceEnded(
        utterance_id=f"{RUN}.{iteration}.{agent}",
        agent_name=agent,
        iteration=iteration,
        content=content,
        **values,  # type: ignore[arg-type]
    )


def test_folding_in_pieces_gives_the_same_view_as_folding_at_once() -> None:
    events = logged(whole_run())
    at_once = fold(RunView(run_id=RUN), events)
    piecewise = RunView(run_id=RUN)
    for event in events:
        piecewise = fold(piecewise, [event])
    assert piecewise == at_once


def test_events_that_were_seen_are_skipped() -> None:
    events = logged(whole_run())
    view = fold(RunView(run_id=RUN), events)
    assert fold(view, events) == view


def test_a_whole_run_has_its_turns_and_its_end() -> None:
    view = view_of(*whole_run())
    speakers = [utterance.agent_name for utterance in view.utterances]
    assert speakers == ["architect", "backend", "product_manager", "frontend", "architect"]
    assert view.turns == 5
    assert view.ended == RunEnded(status="done", reason="closed_by_architect")
    assert view.waiting_for == ()


def test_words_arrive_and_a_withdrawal_begins_again() -> None:
    utterance_id = f"{RUN}.1.backend"
    words = [WordsArrived(utterance_id=utterance_id, text=text) for text in ("It ", "is")]
    assert view_of(floor(), *words).utterances[0].words == "It is"
    again = view_of(floor(), *words, WordsWithdrawn(utterance_id=utterance_id))
    assert again.utterances[0].words == ""


def test_the_stored_words_replace_what_had_arrived() -> None:
    view = view_of(
        floor(), WordsArrived(utterance_id=f"{RUN}.1.backend", text="dra"), end(content="final")
    )
    assert view.utterances[0].words == "final"


def test_deltas_that_were_dropped_from_the_log_leave_no_gap() -> None:
    events = logged([floor(), end(content="final")])
    late = [events[0], LoggedEvent(run_id=RUN, seq=9, at=START, event=events[1].event)]
    assert fold(RunView(run_id=RUN), late).utterances[0].words == "final"


def test_a_floor_that_is_told_twice_is_one_turn() -> None:
    assert len(view_of(floor(), floor()).utterances) == 1


def test_a_call_goes_from_asked_to_decided_to_its_result() -> None:
    request = ToolRequested(
        utterance_id=f"{RUN}.1.backend",
        agent_name="backend",
        call_id="c",
        tool="Write",
        risk="high",
        arguments={"path": "a.md"},
        verdict="asked",
    )
    waiting = view_of(floor(), request, RunWaiting(call_ids=("c",)))
    assert waiting.waiting_for == ("c",)
    assert waiting.utterances[0].steps[0].status == "asked"
    decided = fold(
        waiting,
        [
            LoggedEvent(
                run_id=RUN,
                seq=9,
                at=START,
                event=ToolDecided(
                    call_id="c", decision="rejected", decided_by="admin", reason="no"
                ),
            )
        ],
    )
    assert decided.waiting_for == ()
    assert decided.utterances[0].steps[0].decision_reason == "no"
    finished = fold(
        decided,
        [
            LoggedEvent(
                run_id=RUN,
                seq=10,
                at=START,
                event=ToolFinished(
                    utterance_id=f"{RUN}.1.backend",
                    call_id="c",
                    tool="Write",
                    status="rejected",
                    summary="",
                ),
            )
        ],
    )
    assert finished.utterances[0].steps[0].status == "rejected"


def test_a_role_hands_over_inside_its_turn_and_a_guard_in_a_line_of_its_own() -> None:
    by_role = HandedOver(
        from_agent="backend", to_agent="tester", by="role", utterance_id=f"{RUN}.1.backend"
    )
    by_guard = HandedOver(from_agent="backend", to_agent="architect", by="guard", guard="last_turn")
    view = view_of(floor(), end(), by_role)
    assert view.utterances[0].handed_over == by_role
    guarded = view_of(floor(), end(), by_guard)
    assert isinstance(guarded.items[-1], QuietLine)


def test_after_a_resumption_the_floor_holder_and_the_hand_over_keep_their_turn() -> None:
    floors = (floor(), RunResumed(reason="cut_off"), floor())
    words = WordsArrived(utterance_id=f"{RUN}.1.backend", text="so")
    going_on = view_of(*floors, words)
    assert going_on.floor_holder == going_on.utterances[0]
    handed = HandedOver(
        from_agent="backend",
        to_agent="tester",
        by="role",
        reason="risks",
        utterance_id=f"{RUN}.1.backend",
    )
    over = view_of(*floors, words, end(), handed)
    assert over.floor_holder is None
    assert over.utterances[0].handed_over == handed


def test_points_keep_the_newest_stance_of_every_role() -> None:
    point = Point(id="p", question="How long?")
    settled = Point(id="p", question="How long?", state="settled")
    view = view_of(
        floor("architect", 0),
        end("architect", 0, points=(point,)),
        floor(),
        end(stances=(Stance(point_id="p", stance="object"),)),
        floor("backend", 2),
        end("backend", 2, stances=(Stance(point_id="p", stance="agree"),)),
        floor("architect", 3),
        end("architect", 3, points=(settled,)),
    )
    assert [known.point for known in view.points] == [settled]
    assert view.points[0].stance_by_role["backend"].stance == "agree"


def test_what_still_changes_begins_after_the_last_finished_turn() -> None:
    view = view_of(floor(), end(), floor("tester", 2))
    settled, live = settled_and_live(view)
    assert [item.id for item in settled] == [f"{RUN}.1.backend"]  # type: ignore[union-attr]
    assert [item.id for item in live] == [f"{RUN}.2.tester"]  # type: ignore[union-attr]


def test_citations_are_numbered_in_the_order_of_their_appearance() -> None:
    view = view_of(*whole_run())
    passage_by_id = passages_of([view])
    numbers = number_citations([view], passage_by_id)
    assert numbers == {passage_id: n for n, passage_id in enumerate(PASSAGES, start=1)}


def test_a_citation_that_no_tool_returned_has_no_number() -> None:
    view = view_of(floor(), end(content="x [backend_ffffffffffff]"))
    assert number_citations([view], passages_of([view])) == {}


def test_the_beginning_of_a_citation_is_not_shown() -> None:
    assert without_open_citation("kept 72 h [backend_ab1") == "kept 72 h "
    assert without_open_citation("kept [backend_ab12cd34ef56] so") == (
        "kept [backend_ab12cd34ef56] so"
    )


def test_a_call_that_waits_again_shows_the_new_change_and_why() -> None:
    def asked(call_id: str) -> ToolRequested:
        return ToolRequested(
            utterance_id="u",
            agent_name="backend",
            call_id=call_id,
            tool="Edit",
            risk="medium",
            arguments={"path": "a.md"},
            verdict="asked",
            preview="-a\n+b",
        )

    view = view_of(
        FloorTaken(utterance_id="u", agent_name="backend", iteration=0),
        asked("first"),
        asked("second"),
        ToolDecided(call_id="second", decision="approved", decided_by="li", how="grant"),
        RunWaiting(call_ids=("first",)),
        ToolAskedAgain(call_id="second", why="permission_ended"),
        ToolAskedAgain(call_id="first", why="file_changed", preview="-c\n+b"),
    )
    first, second = view.utterances[0].steps
    assert view.waiting_for == ("first", "second")
    assert (first.asked_again, first.preview) == ("file_changed", "-c\n+b")
    assert (second.asked_again, second.preview, second.decision) == (
        "permission_ended",
        "-a\n+b",
        None,
    )
    assert first.asked_at == START + timedelta(seconds=7)
