"""Draws in the talk the card of a call that waits for a person, and the line that remains of it."""

import streamlit as st

from meetmind.ui.call_words import call_title, icon_of
from meetmind.ui.language import text
from meetmind.ui.run_view import Step
from meetmind.ui.safe_text import safe_label
from meetmind.ui.session import current_discussion_id, current_person, current_services
from meetmind.ui.show_call import show_arguments, show_effect, show_why
from meetmind.ui.show_call_card import show_call_card
from meetmind.ui.show_call_result import failed_label, show_call_result
from meetmind.ui.waiting_call import waiting_in_talk

ENDED_BADLY = {"error": "failed", "unsure": "unsure"}


def show_approval(run_id: str, call_id: str) -> None:
    """The card, the same as on the Approvals page; nothing once the call waits no more.

    It is drawn from the ledger alone, so that the fingerprint belongs to what the card shows.
    """
    services = current_services()
    person = current_person(services)
    if person is None:
        return
    for pending in services.approvals.pending_calls(person.id, current_discussion_id()):
        if (pending.run_id, pending.call_id) == (run_id, call_id):
            show_call_card(waiting_in_talk(pending))


def show_decided(step: Step) -> None:
    """What was decided on a call, as a line that opens to the call."""
    verdict = verdict_text(step)
    if step.status in ENDED_BADLY:
        verdict = f"{verdict} · {text(f'step.{ENDED_BADLY[step.status]}')}"
        if step.error_code:
            verdict = f"{verdict} · {failed_label(step.error_code)}"
    title = call_title(step.tool, step.arguments)
    if step.undone_by:
        undone = text("approval.undone_by", name=safe_label(step.undone_by))
        verdict = f"{verdict} · {undone}"
    with st.expander(f"{title} :gray[· {verdict}]", type="compact", icon=icon_of(step.tool)):
        show_why(step.reason)
        show_effect(step.tool, step.arguments, step.preview, effect_caption(step.status))
        if step.proposed_arguments is not None:
            st.caption(text("approval.proposed"))
            show_arguments(step.proposed_arguments)
        if step.status != "rejected":
            show_call_result(step.tool, step.status, step.error_code, step.summary)


def verdict_text(step: Step) -> str:
    """Who decided what, safe inside Markdown."""
    name = safe_label(step.decided_by)
    if step.decision == "approved":
        if step.decided_how == "grant":
            return text("approval.granted_by", name=name)
        if step.allows_from_now:
            return text("approval.approved_for_all", name=name)
        if step.proposed_arguments is not None:
            return text("approval.changed_by", name=name)
        return text("approval.approved_by", name=name)
    if step.decided_how == "expiry":
        return text("approval.expired")
    if step.decision_reason:
        reason = safe_label(step.decision_reason)
        return text("approval.rejected_because", name=name, reason=reason)
    return text("approval.rejected_by", name=name)


def effect_caption(status: str) -> str:
    """What is said above a diff: it would change, has changed, or has not changed the file."""
    if status in ("ok", "finished"):
        return text("approval.changed")
    if status in ("rejected", "refused", "error", "failed"):
        return text("approval.not_changed")
    return text("approval.changes")
