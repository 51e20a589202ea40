"""What the buttons of an approval card do: decide, open the arguments, rate them, take them."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from meetmind.errors import ArgumentsRefused, MeetMindError
from meetmind.events import Decision
from meetmind.i18n.call_results import refused_text
from meetmind.server.approvals import DecisionOutcome
from meetmind.ui.call_words import permission_text, scope_of
from meetmind.ui.edited_call import EditedCall, field_text, has_field, typed_arguments
from meetmind.ui.language import current_language, error_text, text
from meetmind.ui.safe_text import safe_label
from meetmind.ui.session import (
    APPROVAL_ARGUMENT,
    APPROVAL_REASON,
    current_person,
    current_services,
    leave_notice,
    set_edited_call,
)
from meetmind.ui.waiting_call import WaitingCall


def on_decision(call: WaitingCall, decision: Decision) -> None:
    """Decide on the call as it stands on the card."""
    try:
        outcome = _decide(call, decision)
    except MeetMindError as error:
        leave_notice(_fault_text(error))
        return
    _tell(call, decision, outcome)


def on_allow(call: WaitingCall) -> None:
    """Approve the call, and let those like it pass for the whole discussion."""
    try:
        outcome = _decide(call, "approved", allow_from_now=True)
    except MeetMindError as error:
        leave_notice(_fault_text(error))
        return
    if outcome is not None and outcome.won:
        allowed = permission_text(call.tool, scope_of(call.tool, call.arguments))
        leave_notice(text("approval.allowed_now", what=allowed), "success")
    else:
        _tell(call, "approved", outcome)


def on_edit(call: WaitingCall) -> None:
    """Open the form with the arguments as the role gave them."""
    for name, value in call.arguments.items():
        if has_field(name):
            st.session_state[argument_key(call, name)] = field_text(value)
    set_edited_call(call.key, EditedCall())


def on_edit_ended(call: WaitingCall) -> None:
    """Close the form; nothing that was typed counts."""
    set_edited_call(call.key, None)


def on_rate(call: WaitingCall) -> None:
    """Show what the typed arguments would do."""
    arguments = _typed(call)
    if arguments is not None:
        _rate(call, arguments)


def on_approve_typed(call: WaitingCall, shown_effect: str | None) -> None:
    """Approve the call with the typed arguments, as far as the effect that was shown is theirs."""
    arguments = _typed(call)
    if arguments is None:
        return
    try:
        outcome = _decide(call, "approved", arguments=arguments, shown_effect=shown_effect)
    except MeetMindError as error:
        set_edited_call(call.key, EditedCall(fault=_fault_text(error)))
        return
    if outcome is not None and outcome.is_stale:
        _rate(call, arguments, fault=text("approval.stale_effect"))
        return
    _tell(call, "approved", outcome)


def argument_key(call: WaitingCall, name: str) -> str:
    """The key of the field of an argument."""
    return f"{APPROVAL_ARGUMENT}_{call.key}_{name}"


def _rate(call: WaitingCall, arguments: Mapping[str, Any], fault: str = "") -> None:
    services = current_services()
    person = current_person(services)
    if person is None:
        return
    try:
        rated = services.execution.rate_arguments(person.id, call.run_id, call.call_id, arguments)
    except MeetMindError as error:
        set_edited_call(call.key, EditedCall(fault=_fault_text(error)))
        return
    edited = EditedCall(
        fault=fault,
        arguments=arguments,
        risk=rated.risk,
        preview=rated.preview,
        effect=rated.effect,
    )
    set_edited_call(call.key, edited)


def _typed(call: WaitingCall) -> dict[str, Any] | None:
    """The arguments with what was typed; None, with a sentence, where that is no JSON."""
    typed_by_name: dict[str, Any] = {}
    for name in call.arguments:
        if has_field(name):
            typed_by_name[name] = st.session_state.get(argument_key(call, name))
    arguments, wrong_name = typed_arguments(call.arguments, typed_by_name)
    if wrong_name:
        fault = text("approval.not_json", name=safe_label(wrong_name))
        set_edited_call(call.key, EditedCall(fault=fault))
        return None
    return arguments


def _decide(
    call: WaitingCall,
    decision: Decision,
    *,
    arguments: Mapping[str, Any] | None = None,
    allow_from_now: bool = False,
    shown_effect: str | None = None,
) -> DecisionOutcome | None:
    """Decide on the call as its card was drawn; None when nobody is signed in any more."""
    services = current_services()
    person = current_person(services)
    if person is None:
        return None
    reason = str(st.session_state.get(f"{APPROVAL_REASON}_{call.key}") or "")
    return services.execution.decide(
        person.id,
        call.run_id,
        call.call_id,
        decision,
        reason if decision == "rejected" else "",
        arguments=arguments,
        allow_from_now=allow_from_now,
        shown=call.fingerprint if decision == "approved" else None,
        shown_effect=shown_effect,
    )


def _tell(call: WaitingCall, decision: Decision, outcome: DecisionOutcome | None) -> None:
    """Who comes second, or saw a card that no longer holds, is told."""
    if outcome is None:
        return
    set_edited_call(call.key, None)
    if outcome.is_stale:
        leave_notice(text("approval.stale"))
    elif not outcome.won:
        kind = "success" if _is_own(decision, outcome) else "error"
        leave_notice(_lost_text(outcome.decision, outcome.decided_by), kind)
    elif call.is_outside:
        leave_notice(text(f"approval.done_{decision}"), "success")


def _is_own(decision: Decision, outcome: DecisionOutcome) -> bool:
    """Whether the person had decided the same before, in another tab or with a second click."""
    person = current_person(current_services())
    is_same_person = person is not None and outcome.decided_by == person.name
    return is_same_person and outcome.decision == decision


def _lost_text(decision: str, decided_by: str) -> str:
    if not decided_by:
        return text("approval.lost_expired")
    decided = text(f"approval.decision_{decision}")
    return text("approval.lost", decision=decided, name=safe_label(decided_by))


def _fault_text(error: MeetMindError) -> str:
    """What went wrong, in the reader's language; safe inside Markdown."""
    if isinstance(error, ArgumentsRefused):
        return safe_label(refused_text(error.details, current_language()))
    return error_text(error)
