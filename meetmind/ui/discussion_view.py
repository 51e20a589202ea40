"""Folds the events of a run into what the page shows of it; pure functions only.

The view is a cache: folding the log again from the start gives the same value.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import assert_never

from meetmind.events import (
    BriefRewritten,
    BudgetChanged,
    DiscussionEvent,
    FloorTaken,
    GuardActed,
    HandedOver,
    IntentRecognised,
    LoggedEvent,
    ModelFellBack,
    ModelHeld,
    ModelRetried,
    PauseAsked,
    PersonSpoke,
    QuestionAnswered,
    QuestionAsked,
    RouteChosen,
    RunEnded,
    RunPaused,
    RunResumed,
    RunStarted,
    RunWaiting,
    TalkCompacted,
    ToolAskedAgain,
    ToolDecided,
    ToolFinished,
    ToolRequested,
    ToolsUnavailable,
    ToolUndone,
    UtteranceEnded,
    WordsArrived,
    WordsWithdrawn,
)
from meetmind.ui.call_folding import (
    after_asked_again,
    after_decision,
    after_request,
    after_result,
)
from meetmind.ui.person_folding import after_answer, after_question, after_words
from meetmind.ui.run_view import (
    Compaction,
    Limits,
    Note,
    PointView,
    QuietLine,
    RunView,
    Said,
    Utterance,
)
from meetmind.ui.view_changes import change_said, change_step, change_utterance, utterance_of


def fold(view: RunView, logged_events: Iterable[LoggedEvent]) -> RunView:
    """The view after `logged_events`; what it has seen already is skipped."""
    for logged in logged_events:
        if logged.seq > view.last_seq:
            view = replace(_after(view, logged), last_seq=logged.seq, last_at=logged.at)
    return view


def _after(view: RunView, logged: LoggedEvent) -> RunView:  # noqa: PLR0912 - one case an event
    event: DiscussionEvent = logged.event
    match event:
        case RunStarted():
            limits = _limits(event)
            return replace(view, started=event, started_at=logged.at, limits=limits)
        case RunWaiting():
            return replace(view, waiting_for=(*event.call_ids, *event.question_ids))
        case RunPaused():
            paused = replace(view, is_paused=True, pause_asked=False)
            return _with_line(paused, logged, event)
        case PauseAsked():
            asked = replace(view, pause_asked=not event.withdrawn)
            return _with_line(asked, logged, event)
        case RunEnded():
            return _after_end(view, logged, event)
        case RunResumed():
            resumed = replace(view, waiting_for=(), is_paused=False)
            return _with_line(resumed, logged, event)
        case BudgetChanged():
            return _with_line(replace(view, limits=_limits(event)), logged, event)
        case (
            BriefRewritten()
            | IntentRecognised()
            | RouteChosen()
            | ModelRetried()
            | ModelHeld()
            | ModelFellBack()
            | GuardActed()
        ):
            return _with_line(view, logged, event)
        case PersonSpoke():
            return after_words(view, logged, event)
        case QuestionAsked():
            return after_question(view, logged, event)
        case QuestionAnswered():
            return after_answer(view, event)
        case TalkCompacted():
            compaction = Compaction(at=logged.at, event=event)
            return replace(view, compactions=(*view.compactions, compaction))
        case HandedOver():
            return _after_handover(view, logged, event)
        case FloorTaken():
            return _after_floor(view, logged, event)
        case WordsArrived():
            return _with_words(view, event.utterance_id, event.text)
        case WordsWithdrawn():
            return change_utterance(view, event.utterance_id, lambda u: replace(u, words=""))
        case ToolsUnavailable():
            return change_utterance(
                view, event.utterance_id, lambda u: replace(u, tools_unavailable=True)
            )
        case ToolRequested():
            return after_request(view, logged, event)
        case ToolDecided():
            return after_decision(view, event)
        case ToolAskedAgain():
            return after_asked_again(view, logged, event)
        case ToolFinished():
            return after_result(view, event)
        case ToolUndone():
            by = event.undone_by
            return change_step(view, event.call_id, lambda step: replace(step, undone_by=by))
        case UtteranceEnded():
            return _after_utterance(view, event)
        case _:
            assert_never(event)


def _with_line(view: RunView, logged: LoggedEvent, event: Note) -> RunView:
    line = QuietLine(seq=logged.seq, at=logged.at, event=event)
    return replace(view, items=(*view.items, line))


def _limits(event: RunStarted | BudgetChanged) -> Limits:
    return Limits(
        max_iterations=event.max_iterations,
        max_tokens=event.max_tokens,
        max_minutes=event.max_minutes,
        max_cost=event.max_cost,
    )


def _after_end(view: RunView, logged: LoggedEvent, event: RunEnded) -> RunView:
    ended = replace(
        view,
        ended=event,
        ended_at=logged.at,
        waiting_for=(),
        pause_asked=False,
        is_paused=False,
    )
    return _with_line(ended, logged, event)


def _after_floor(view: RunView, logged: LoggedEvent, event: FloorTaken) -> RunView:
    if utterance_of(view, event.utterance_id) is not None:
        return view
    utterance = Utterance(
        id=event.utterance_id,
        agent_name=event.agent_name,
        iteration=event.iteration,
        began_at=logged.at,
        first_opinion=event.first_opinion,
    )

    def taken_up(said: Said) -> Said:
        if said.taken_up_in or said.to_agent not in ("", event.agent_name):
            return said
        return replace(said, taken_up_by=event.agent_name, taken_up_in=event.utterance_id)

    heard = change_said(view, taken_up)
    return replace(heard, items=(*heard.items, utterance))


def _with_words(view: RunView, utterance_id: str, text: str) -> RunView:
    return change_utterance(view, utterance_id, lambda u: replace(u, words=u.words + text))


def _after_handover(view: RunView, logged: LoggedEvent, event: HandedOver) -> RunView:
    """A role's own hand-over belongs to its turn; a guard's is a line of its own as well."""
    if event.by == "guard" or utterance_of(view, event.utterance_id) is None:
        return _with_line(view, logged, event)
    return change_utterance(view, event.utterance_id, lambda u: replace(u, handed_over=event))


def _after_utterance(view: RunView, event: UtteranceEnded) -> RunView:
    spoken = change_utterance(
        view, event.utterance_id, lambda u: replace(u, words=event.content, ended=event)
    )

    def answered(said: Said) -> Said:
        is_its_turn = said.taken_up_in == event.utterance_id
        return replace(said, is_answered=True) if is_its_turn else said

    heard = change_said(spoken, answered)
    return replace(heard, points=_points_after(heard.points, event))


def _points_after(points: tuple[PointView, ...], event: UtteranceEnded) -> tuple[PointView, ...]:
    """The points with this turn's changes to them and the speaker's stances."""
    view_by_id = {known.point.id: known for known in points}
    for point in event.points:
        known = view_by_id.get(point.id, PointView(point=point))
        view_by_id[point.id] = replace(known, point=point)
    for stance in event.stances:
        known_point = view_by_id.get(stance.point_id)
        if known_point is not None:
            stances = {**known_point.stance_by_role, event.agent_name: stance}
            view_by_id[stance.point_id] = replace(known_point, stance_by_role=stances)
    return tuple(view_by_id.values())
