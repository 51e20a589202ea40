"""Draws one call of the history: the line, and everything about it once it is opened."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import streamlit as st

from meetmind.errors import MeetMindError, UndoRefused
from meetmind.ui.call_words import call_title, icon_of, refusal_text
from meetmind.ui.language import date_time_text, error_text, text
from meetmind.ui.pages import DISCUSSION_PAGE
from meetmind.ui.past_calls_csv import decision_of
from meetmind.ui.roles import coloured_title
from meetmind.ui.safe_text import safe_label, safe_markdown, shortened
from meetmind.ui.session import (
    DISCUSSION_PARAMETER,
    current_person,
    current_services,
    leave_notice,
)
from meetmind.ui.show_approval import effect_caption
from meetmind.ui.show_call import show_arguments, show_effect, show_why
from meetmind.ui.show_call_card import RISK_COLOUR, TITLE_WIDTH
from meetmind.ui.show_call_result import show_call_result

if TYPE_CHECKING:
    from meetmind.server.approvals import PastCallRow

FILE_TOOLS = ("Write", "Edit")
SIGN_BY_DECISION = {
    "approved": ":green[:material/check_circle:]",
    "rejected": ":red[:material/cancel:]",
    "refused": ":orange[:material/block:]",
    "lapsed": ":gray[:material/timer_off:]",
}
WENT_WRONG = ":orange[:material/error:]"
HASH_SHOWN = 12


def show_past_call(row: "PastCallRow") -> None:
    """When, who, what and how it was decided; all the rest when it is opened."""
    key = f"{row.run_id}_{row.call_id}"
    line = st.expander(
        _line(row), icon=icon_of(row.tool), key=f"past_{key}", on_change="rerun", type="compact"
    )
    if line.open:
        with line, st.container(border=True, gap="small"):
            _show_details(row, key)


def _line(row: "PastCallRow") -> str:
    moment = date_time_text(row.decided_at or row.requested_at)
    sign = SIGN_BY_DECISION[decision_of(row)]
    if row.status in ("failed", "unsure"):
        sign = WENT_WRONG
    title = call_title(row.tool, row.arguments)
    parts = [past_verdict(row)]
    if row.status in ("failed", "unsure", "started", "approved"):
        parts.append(text(f"approvals.state_{row.status}"))
    if row.undone_at is not None:
        parts.append(text("approvals.undone"))
    told = " · ".join(parts)
    return f"{sign} :gray[{moment}] {coloured_title(row.agent_name)} {title} :gray[· {told}]"


def past_verdict(row: "PastCallRow") -> str:
    """Who decided what, safe inside Markdown."""
    name = safe_label(row.decided_by_name or "")
    if row.status == "refused":
        return text("approvals.refused")
    if row.status == "lapsed":
        return text("approvals.lapsed")
    if row.decided_how == "expiry":
        return text("approval.expired")
    if row.status == "rejected":
        return text("approval.rejected_by", name=name)
    if row.decided_how == "grant":
        return text("approval.granted_by", name=name)
    if row.proposed_arguments is not None:
        return text("approval.changed_by", name=name)
    return text("approval.approved_by", name=name)


def _show_details(row: "PastCallRow", key: str) -> None:
    _show_head(row)
    if row.status == "refused":
        st.markdown(f":material/block: {refusal_text(row.code)}")
        st.caption(text("approval.role_was_told"))
        st.markdown(safe_markdown(row.reason, keep_lines=True))
    else:
        show_why(row.reason)
    if row.decision_reason:
        label = text("unit.label", name=text("approvals.because"))
        st.markdown(f"**{label}** {safe_label(row.decision_reason)}")
    if row.proposed_arguments is not None:
        with st.expander(text("approval.proposed"), type="compact", icon=":material/history:"):
            show_arguments(row.proposed_arguments)
    show_effect(row.tool, row.arguments, row.preview, effect_caption(row.status), is_open=True)
    _show_result(row)
    _show_undo(row, key)


def _show_head(row: "PastCallRow") -> None:
    colour = RISK_COLOUR.get(row.risk, "red")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f":{colour}-badge[{text(f'approval.{row.risk}')}]", width="content")
        st.page_link(
            DISCUSSION_PAGE,
            label=safe_label(shortened(row.session_title, TITLE_WIDTH)),
            icon=":material/forum:",
            query_params={DISCUSSION_PARAMETER: row.session_id},
            help=text("approvals.open_discussion"),
        )
    asked = text("approvals.asked_at", time=date_time_text(row.requested_at))
    facts = [asked]
    if row.decided_at is not None:
        moment = date_time_text(row.decided_at)
        facts.append(text("approvals.decided_at", verdict=past_verdict(row), time=moment))
    if row.ended_at is not None:
        facts.append(text("approvals.ended_at", time=date_time_text(row.ended_at)))
    st.caption(" · ".join(facts))


def _show_result(row: "PastCallRow") -> None:
    if row.result is None:
        return
    if row.status != "refused":
        error_code = str(row.result.get("error_code") or "")
        show_call_result(row.tool, row.status, error_code, told_of(row.result))
    if row.result_sha256:
        short = row.result_sha256[:HASH_SHOWN]
        with st.popover(
            text("approvals.hash", short=short), type="tertiary", icon=":material/fingerprint:"
        ):
            st.caption(text("approvals.hash_help"))
            st.code(row.result_sha256, language=None, wrap_lines=True)


def told_of(result: Mapping[str, object]) -> str:
    """What the tool said of a call in one line: its error, else what it brought."""
    if result.get("error"):
        return str(result["error"])
    diagnostics = result.get("diagnostics")
    summary = diagnostics.get("summary") if isinstance(diagnostics, dict) else None
    return str(summary or "")


def _show_undo(row: "PastCallRow", key: str) -> None:
    if row.undone_at is not None:
        moment = date_time_text(row.undone_at)
        name = safe_label(row.undone_by_name or "")
        told = text("approvals.undone_by", name=name, time=moment)
        st.markdown(f":material/undo: {told}")
        return
    if row.tool not in FILE_TOOLS or not row.has_version or row.status != "finished":
        return
    with st.popover(text("approvals.undo"), icon=":material/undo:", key=f"undo_ask_{key}"):
        path = safe_label(str(row.arguments.get("path", "")))
        st.markdown(text("approvals.undo_text", path=path))
        st.button(
            text("approvals.undo_confirm"),
            key=f"undo_{key}",
            type="primary",
            on_click=on_undo,
            args=(row.run_id, row.call_id),
        )


def on_undo(run_id: str, call_id: str) -> None:
    """Give the file back what it held before the call."""
    services = current_services()
    person = current_person(services)
    if person is None:
        return
    try:
        services.workspaces.undo(person.id, run_id, call_id)
    except UndoRefused as error:
        leave_notice(text(f"approvals.undo_{error.details.get('reason', 'changed')}"))
    except MeetMindError as error:
        leave_notice(error_text(error))
    else:
        leave_notice(text("approvals.undo_done"), "success")
