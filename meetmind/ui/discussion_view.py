"""Folds the events of a run into what the page shows of it; pure functions only.

The view is a cache: folding the log again from the start gives the same value.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import assert_never

from meetmind.events import (
    BriefRewritten,
    DiscussionEvent,
    FloorTaken,
    HandedOver,
    IntentRecognised,
    LoggedEvent,
    ModelRetried,
    RouteChosen,
    RunEnded,
    RunResumed,
    RunStarted,
    RunWaiting,
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
from meetmind.ui.run_view import (
    Note,
    PointView,
    QuietLine,
    RunView,
    Step,
    StepStatus,
    Utterance,
)

UtteranceChange = Callable[[Utterance], Utterance]
StepChange = Callable[[Step], Step]
STATUS_BY_VERDICT: dict[str, StepStatus] = {
    "allowed": "running",
    "asked": "asked",
    "refused": "refused",
}


def fold(view: RunView, logged_events: Iterable[LoggedEvent]) -> RunView:
    """The view after `logged_events`; what it has seen already is skipped."""
    for logged in logged_events:
        if logged.seq > view.last_seq:
            view = replace(_after(view, logged), last_seq=logged.seq)
    return view


def _after(view: RunView, logged: LoggedEvent) -> RunView:  # noqa: PLR0912 - one case an event
    event: DiscussionEvent = logged.event
    match event:
        case RunStarted():
            return replace(view, started=event, started_at=logged.at)
        case RunWaiting():
            return replace(view, waiting_for=event.call_ids)
        case RunEnded():
            ended = replace(view, ended=event, ended_at=logged.at, waiting_for=())
            return _with_line(ended, logged, event)
        case RunResumed():
            return _with_line(replace(view, waiting_for=()), logged, event)
        case BriefRewritten() | IntentRecognised() | RouteChosen() | ModelRetried():
            return _with_line(view, logged, event)
        case HandedOver():
            return _after_handover(view, logged, event)
        case FloorTaken():
            return _after_floor(view, logged, event)
        case WordsArrived():
            return _with_words(view, event.utterance_id, event.text)
        case WordsWithdrawn():
            return _change_utterance(view, event.utterance_id, lambda u: replace(u, words=""))
        case ToolsUnavailable():
            return _change_utterance(
                view, event.utterance_id, lambda u: replace(u, tools_unavailable=True)
            )
        case ToolRequested():
            return _after_tool_request(view, logged, event)
        case ToolDecided():
            return _after_decision(view, event)
        case ToolAskedAgain():
            return _after_new_question(view, logged, event)
        case ToolFinished():
            return _after_tool_end(view, event)
        case ToolUndone():
            by = event.undone_by
            return _change_step(view, event.call_id, lambda step: replace(step, undone_by=by))
        case UtteranceEnded():
            return _after_utterance(view, event)
        case _:
            assert_never(event)


def _with_line(view: RunView, logged: LoggedEvent, event: Note) -> RunView:
    line = QuietLine(seq=logged.seq, at=logged.at, event=event)
    return replace(view, items=(*view.items, line))


def _after_floor(view: RunView, logged: LoggedEvent, event: FloorTaken) -> RunView:
    if _utterance(view, event.utterance_id) is not None:
        return view
    utterance = Utterance(
        id=event.utterance_id,
        agent_name=event.agent_name,
        iteration=event.iteration,
        began_at=logged.at,
    )
    return replace(view, items=(*view.items, utterance))


def _with_words(view: RunView, utterance_id: str, text: str) -> RunView:
    return _change_utterance(view, utterance_id, lambda u: replace(u, words=u.words + text))


def _after_handover(view: RunView, logged: LoggedEvent, event: HandedOver) -> RunView:
    """A role's own hand-over belongs to its turn; a guard's is a line of its own as well."""
    if event.by == "guard" or _utterance(view, event.utterance_id) is None:
        return _with_line(view, logged, event)
    return _change_utterance(view, event.utterance_id, lambda u: replace(u, handed_over=event))


def _after_tool_request(view: RunView, logged: LoggedEvent, event: ToolRequested) -> RunView:
    step = Step(
        call_id=event.call_id,
        agent_name=event.agent_name,
        tool=event.tool,
        risk=event.risk,
        arguments=event.arguments,
        status=STATUS_BY_VERDICT[event.verdict],
        reason=event.reason,
        preview=event.preview,
        code=event.code,
        allowed_by=event.allowed_by,
        asked_at=logged.at,
    )

    def with_step(utterance: Utterance) -> Utterance:
        known_ids = {known.call_id for known in utterance.steps}
        if event.call_id in known_ids:
            return utterance
        return replace(utterance, steps=(*utterance.steps, step))

    return _change_utterance(view, event.utterance_id, with_step)


def _after_decision(view: RunView, event: ToolDecided) -> RunView:
    status: StepStatus = "approved" if event.decision == "approved" else "rejected"

    def decided(step: Step) -> Step:
        ruled = replace(
            step,
            status=status,
            decision=event.decision,
            decided_by=event.decided_by,
            decided_how=event.how,
            decision_reason=event.reason,
            allows_from_now=event.allows_from_now,
        )
        if event.arguments is None:
            return ruled
        return replace(
            ruled,
            arguments=event.arguments,
            preview=event.preview,
            proposed_arguments=step.proposed_arguments or step.arguments,
        )

    still_waiting = tuple(call for call in view.waiting_for if call != event.call_id)
    return _change_step(replace(view, waiting_for=still_waiting), event.call_id, decided)


def _after_new_question(view: RunView, logged: LoggedEvent, event: ToolAskedAgain) -> RunView:
    """The call waits again; a run that rests for other calls rests for this one as well."""

    def asked_again(step: Step) -> Step:
        return replace(
            step,
            status="asked",
            decision=None,
            decided_by="",
            decision_reason="",
            allowed_by="",
            preview=event.preview or step.preview,
            asked_again=event.why,
            asked_at=logged.at,
        )

    waiting_for = view.waiting_for
    if waiting_for and event.call_id not in waiting_for:
        waiting_for = (*waiting_for, event.call_id)
    return _change_step(replace(view, waiting_for=waiting_for), event.call_id, asked_again)


def _after_tool_end(view: RunView, event: ToolFinished) -> RunView:
    def finished(step: Step) -> Step:
        return replace(
            step,
            status=event.status,
            summary=event.summary,
            evidence=event.evidence,
            mode=event.mode,
            search_ids=event.search_ids,
            degraded=event.degraded,
            error_code=event.error_code,
            seconds=event.seconds,
        )

    return _change_step(view, event.call_id, finished)


def _after_utterance(view: RunView, event: UtteranceEnded) -> RunView:
    spoken = _change_utterance(
        view, event.utterance_id, lambda u: replace(u, words=event.content, ended=event)
    )
    return replace(spoken, points=_points_after(spoken.points, event))


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


def _utterance(view: RunView, utterance_id: str) -> Utterance | None:
    for item in view.items:
        if isinstance(item, Utterance) and item.id == utterance_id:
            return item
    return None


def _change_utterance(view: RunView, utterance_id: str, change: UtteranceChange) -> RunView:
    items = list(view.items)
    for position, item in enumerate(items):
        if isinstance(item, Utterance) and item.id == utterance_id:
            items[position] = change(item)
    return replace(view, items=tuple(items))


def _change_step(view: RunView, call_id: str, change: StepChange) -> RunView:
    items = list(view.items)
    for position, item in enumerate(items):
        if isinstance(item, Utterance):
            steps = tuple(change(step) if step.call_id == call_id else step for step in item.steps)
            items[position] = replace(item, steps=steps)
    return replace(view, items=tuple(items))
