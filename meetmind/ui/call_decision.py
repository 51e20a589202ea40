"""What the buttons of an approval card do: decide, open the arguments, rate them, take them."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from meetmind.errors import ArgumentsRefused, MeetMindError
from meetmind.events import Decision
from meetmind.i18n.translate import has_text
from meetmind.ui.call_words import permission_text, scope_of
from meetmind.ui.edited_call import EditedCall, field_text, has_field, typed_arguments
from meetmind.ui.language import error_text, text
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
        _decide(call, decision)
    except MeetMindError as error:
        leave_notice(error_text(error))


def on_allow(call: WaitingCall) -> None:
    """Approve the call, and let those like it pass for the whole discussion."""
    try:
        _decide(call, "approved", allow_from_now=True)
    except MeetMindError as error:
        leave_notice(error_text(error))


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
    services = current_services()
    person = current_person(services)
    arguments = _typed(call)
    if person is None or arguments is None:
        return
    try:
        rated = services.execution.rate_arguments(person.id, call.run_id, call.call_id, arguments)
    except MeetMindError as error:
        set_edited_call(call.key, EditedCall(fault=_fault_text(error)))
        return
    edited = EditedCall(arguments=arguments, risk=rated.risk, preview=rated.preview)
    set_edited_call(call.key, edited)


def on_approve_typed(call: WaitingCall) -> None:
    """Approve the call with the typed arguments."""
    arguments = _typed(call)
    if arguments is None:
        return
    try:
        _decide(call, "approved", arguments=arguments)
    except MeetMindError as error:
        set_edited_call(call.key, EditedCall(fault=_fault_text(error)))


def argument_key(call: WaitingCall, name: str) -> str:
    """The key of the field of an argument."""
    return f"{APPROVAL_ARGUMENT}_{call.key}_{name}"


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
) -> None:
    """Decide; who comes second, or saw a card that no longer holds, is told."""
    services = current_services()
    person = current_person(services)
    if person is None:
        return
    reason = str(st.session_state.get(f"{APPROVAL_REASON}_{call.key}") or "")
    outcome = services.execution.decide(
        person.id,
        call.run_id,
        call.call_id,
        decision,
        reason if decision == "rejected" else "",
        arguments=arguments,
        allow_from_now=allow_from_now,
    )
    set_edited_call(call.key, None)
    if outcome.is_stale:
        leave_notice(text("approval.stale"))
    elif not outcome.won:
        is_as_wanted = outcome.decision == decision and outcome.decided_by == person.name
        kind = "success" if is_as_wanted else "error"
        leave_notice(_lost_text(outcome.decision, outcome.decided_by), kind)
    elif allow_from_now:
        allowed = permission_text(call.tool, scope_of(call.tool, call.arguments))
        leave_notice(text("approval.allowed_now", what=allowed), "success")
    elif call.is_outside:
        leave_notice(text(f"approval.done_{decision}"), "success")


def _lost_text(decision: str, decided_by: str) -> str:
    if not decided_by:
        return text("approval.lost_expired")
    decided = text(f"approval.decision_{decision}")
    return text("approval.lost", decision=decided, name=safe_label(decided_by))


def _fault_text(error: MeetMindError) -> str:
    """Why changed arguments cannot run, in the reader's language where that is known."""
    reason = error.details.get("reason")
    if isinstance(error, ArgumentsRefused) and has_text(f"refusal.{reason}"):
        return text(f"refusal.{reason}")
    return error_text(error)
