"""What people and guards do to a run, folded into what the page shows of it."""

from meetmind.events import (
    BudgetChanged,
    DiscussionEvent,
    FloorTaken,
    GuardActed,
    PauseAsked,
    PersonSpoke,
    QuestionAnswered,
    QuestionAsked,
    RunEnded,
    RunPaused,
    RunResumed,
    RunStarted,
    RunWaiting,
    TalkCompacted,
    UtteranceEnded,
)
from meetmind.ui.run_view import Limits, QuietLine, RunView, Said
from meetmind.ui.runs import settled_and_live
from tests.unit.ui.test_discussion_view import end, floor, view_of

STARTED = RunStarted(
    brief="b", mode="team", language="en", model_name="m", offline=True, max_iterations=15
)
ASKED = QuestionAsked(
    utterance_id="run.1.backend",
    agent_name="backend",
    call_id="q",
    question="24 or 72 hours?",
    choices=("24", "72"),
)


def said_in(view: RunView) -> list[Said]:
    return [item for item in view.items if isinstance(item, Said)]


def words(message_id: str = "m", to_agent: str = "") -> PersonSpoke:
    return PersonSpoke(message_id=message_id, text="And refunds?", said_by="lin", to_agent=to_agent)


def test_words_to_everybody_are_answered_by_the_next_turn() -> None:
    open_words = view_of(floor(), words())
    assert said_in(open_words)[0].taken_up_by == ""
    taken_up = view_of(floor(), words(), end(), floor("tester", 2))
    assert said_in(taken_up)[0].taken_up_by == "tester"
    assert not said_in(taken_up)[0].is_answered
    answered = view_of(floor(), words(), end(), floor("tester", 2), end("tester", 2))
    assert said_in(answered)[0].is_answered


def test_words_to_one_role_wait_for_its_turn() -> None:
    events: list[DiscussionEvent] = [words(to_agent="tester"), floor(), end()]
    assert said_in(view_of(*events))[0].taken_up_by == ""
    assert not said_in(view_of(*events))[0].is_answered
    later = view_of(*events, floor("tester", 2), end("tester", 2))
    assert said_in(later)[0].is_answered


def test_a_turn_that_went_on_when_the_words_came_does_not_answer_them() -> None:
    view = view_of(floor(), words(), end())
    assert not said_in(view)[0].is_answered


def test_words_that_are_told_twice_stand_once() -> None:
    assert len(said_in(view_of(words(), words()))) == 1


def test_words_said_during_a_turn_stand_with_what_still_changes() -> None:
    settled, live = settled_and_live(view_of(floor("architect", 0), end("architect", 0), words()))
    assert [type(item).__name__ for item in settled] == ["Utterance"]
    assert [type(item).__name__ for item in live] == ["Said"]


def test_a_run_rests_for_a_question_until_it_is_answered() -> None:
    waiting = view_of(floor(), ASKED, ASKED, RunWaiting(call_ids=(), question_ids=("q",)))
    assert waiting.rests
    assert waiting.waiting_for == ("q",)
    assert len(waiting.utterances[0].questions) == 1
    answered = view_of(
        floor(),
        ASKED,
        RunWaiting(call_ids=("c",), question_ids=("q",)),
        QuestionAnswered(call_id="q", answer="", answered_by="lin"),
    )
    assert answered.waiting_for == ("c",)
    question = answered.utterances[0].questions[0]
    assert (question.answer, question.answered_by) == ("", "lin")


def test_a_pause_is_asked_for_taken_back_and_ended() -> None:
    assert view_of(PauseAsked(asked_by="lin")).pause_asked
    taken_back = (PauseAsked(asked_by="lin"), PauseAsked(asked_by="lin", withdrawn=True))
    assert not view_of(*taken_back).pause_asked
    paused = view_of(PauseAsked(asked_by="lin"), RunPaused())
    assert paused.rests
    assert not paused.pause_asked
    assert not view_of(RunPaused(), RunResumed(reason="pause")).rests
    assert not view_of(RunPaused(), RunEnded(status="stopped", reason="stopped_by_person")).rests


def test_the_limits_are_those_of_the_last_change() -> None:
    changed = BudgetChanged(
        max_iterations=20, max_tokens=None, max_minutes=5, max_cost=None, changed_by="lin"
    )
    assert view_of(STARTED).limits == Limits(max_iterations=15)
    assert view_of(STARTED, changed).limits == Limits(max_iterations=20, max_minutes=5)


def test_a_first_opinion_is_known_from_the_floor() -> None:
    first = FloorTaken(
        utterance_id="run.1.backend", agent_name="backend", iteration=1, first_opinion=True
    )
    assert view_of(first).utterances[0].first_opinion
    assert not view_of(floor()).utterances[0].first_opinion


def test_guards_and_compactions_leave_their_traces() -> None:
    guard = GuardActed(guard="same_speaker", utterance_id="u", agent_name="backend")
    compacted = TalkCompacted(
        summary_id="s",
        through_message_id="run.1.backend",
        messages=3,
        tokens_before=900,
        tokens_after=200,
        by="limit",
    )
    view = view_of(floor(), end(), guard, compacted)
    assert isinstance(view.items[-1], QuietLine)
    assert view.items[-1].event == guard
    assert [compaction.event for compaction in view.compactions] == [compacted]


def test_what_is_not_settled_is_left_for_the_next_run() -> None:
    from meetmind.events import Point

    points = (
        Point(id="p1", question="a", state="settled"),
        Point(id="p2", question="b", state="recorded_open", reason="no figures"),
        Point(id="p3", question="c"),
    )
    said: UtteranceEnded = end("architect", 0, points=points)
    left = view_of(floor("architect", 0), said).open_points
    assert [point.id for point in left] == ["p2", "p3"]
