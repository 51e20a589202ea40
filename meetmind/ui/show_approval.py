"""Draws the card of a call that waits for a person, and the line that remains of it."""

from typing import Literal

import streamlit as st

from meetmind.errors import MeetMindError
from meetmind.events import Decision
from meetmind.ui.language import error_text, text
from meetmind.ui.roles import role_title
from meetmind.ui.run_view import Step
from meetmind.ui.safe_text import safe_label, safe_markdown
from meetmind.ui.session import current_person, current_services, leave_notice
from meetmind.ui.show_steps import ICON_BY_TOOL, OTHER_ICON, arguments_text, call_title

RISK_COLOUR = {"high": "red", "medium": "orange", "low": "gray"}


def show_approval(run_id: str, step: Step) -> None:
    """The whole call, with Approve and Reject; nothing of it is hidden or cut."""
    key = f"{run_id}_{step.call_id}"
    with st.container(border=True, key=f"approval_{_css_name(key)}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f":material/front_hand: **{_headline(step)}**")
            colour = RISK_COLOUR[step.risk]
            st.markdown(f":{colour}-badge[{text(f'approval.{step.risk}')}]")
        _show_why(step)
        _show_effect(step, text("approval.changes"))
        st.text_input(
            text("approval.reason"),
            key=f"reason_{key}",
            placeholder=text("approval.reason_placeholder"),
        )
        with st.container(horizontal=True):
            _show_button(run_id, step, "approved")
            _show_button(run_id, step, "rejected")


def show_decided(step: Step) -> None:
    """What was decided on a call, as a line that opens to the call."""
    name = safe_label(step.decided_by)
    if step.decision == "approved":
        verdict = text("approval.approved_by", name=name)
    elif step.decision_reason:
        reason = safe_label(step.decision_reason)
        verdict = text("approval.rejected_because", name=name, reason=reason)
    else:
        verdict = text("approval.rejected_by", name=name)
    icon = ICON_BY_TOOL.get(step.tool, OTHER_ICON)
    with st.expander(f"{call_title(step)} :gray[· {verdict}]", type="compact", icon=icon):
        _show_why(step)
        _show_effect(step, _effect_caption(step))
        if step.summary:
            st.caption(text("step.result"))
            st.markdown(safe_markdown(step.summary, keep_lines=True))


def _headline(step: Step) -> str:
    role = role_title(step.agent_name)
    if step.tool == "Write":
        return text("approval.wants_write", role=role)
    return text("approval.wants_other", role=role, tool=safe_label(step.tool))


def _show_why(step: Step) -> None:
    why = safe_markdown(step.reason) if step.reason else f":gray[{text('approval.no_why')}]"
    label = text("unit.label", name=text("approval.why"))
    st.markdown(f"**{label}** {why}")


def _effect_caption(step: Step) -> str:
    if step.status == "ok":
        return text("approval.changed")
    if step.status in ("rejected", "refused", "error"):
        return text("approval.not_changed")
    return text("approval.changes")


def _show_effect(step: Step, caption: str) -> None:
    path = step.arguments.get("path")
    if path is not None:
        label = text("unit.label", name=text("approval.file"))
        st.markdown(f"**{label}** {safe_label(str(path))}")
    if step.preview:
        st.caption(caption)
        st.code(step.preview, language="diff", wrap_lines=True, height=_height(step.preview))
    with st.expander(text("step.arguments"), type="compact", icon=":material/data_object:"):
        st.code(arguments_text(step), language="json", wrap_lines=True)


def _height(preview: str) -> int | Literal["content"]:
    """Short texts stand in full; long ones scroll."""
    return 320 if preview.count("\n") > 14 else "content"


def _show_button(run_id: str, step: Step, decision: Decision) -> None:
    approves = decision == "approved"
    st.button(
        text("approval.approve" if approves else "approval.reject"),
        key=f"{decision}_{run_id}_{step.call_id}",
        type="primary" if approves else "secondary",
        icon=":material/check:" if approves else ":material/close:",
        on_click=on_decision,
        args=(run_id, step.call_id, decision),
    )


def on_decision(run_id: str, call_id: str, decision: Decision) -> None:
    """Decide; who comes second is told what holds."""
    services = current_services()
    person = current_person(services)
    if person is None:
        return
    reason = st.session_state.get(f"reason_{run_id}_{call_id}") or ""
    try:
        outcome = services.execution.decide(person.id, run_id, call_id, decision, reason)
    except MeetMindError as error:
        leave_notice(error_text(error))
        return
    if not outcome.won:
        decided = text(f"approval.decision_{outcome.decision}")
        name = safe_label(outcome.decided_by)
        leave_notice(text("approval.lost", decision=decided, name=name))


def _css_name(key: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in key)
