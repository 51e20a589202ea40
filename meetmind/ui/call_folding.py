"""Folds what happens to a tool call into the view of its run; pure functions only."""

from dataclasses import replace

from meetmind.events import LoggedEvent, ToolAskedAgain, ToolDecided, ToolFinished, ToolRequested
from meetmind.ui.run_view import RunView, Step, StepStatus, Utterance
from meetmind.ui.view_changes import change_step, change_utterance

STATUS_BY_VERDICT: dict[str, StepStatus] = {
    "allowed": "running",
    "asked": "asked",
    "refused": "refused",
}


def after_request(view: RunView, logged: LoggedEvent, event: ToolRequested) -> RunView:
    """The view with a new call in its turn."""
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

    return change_utterance(view, event.utterance_id, with_step)


def after_decision(view: RunView, event: ToolDecided) -> RunView:
    """The view after somebody, or the clock, decided on a call."""
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
    return change_step(replace(view, waiting_for=still_waiting), event.call_id, decided)


def after_asked_again(view: RunView, logged: LoggedEvent, event: ToolAskedAgain) -> RunView:
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
    return change_step(replace(view, waiting_for=waiting_for), event.call_id, asked_again)


def after_result(view: RunView, event: ToolFinished) -> RunView:
    """The view after a call has ended."""

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

    return change_step(view, event.call_id, finished)
