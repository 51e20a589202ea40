"""Begins a new run that takes up what the last one left."""

from typing import TYPE_CHECKING

import streamlit as st

from meetmind.errors import MeetMindError
from meetmind.events import EndReason, Mode
from meetmind.ui.language import error_text
from meetmind.ui.next_budget import next_budget, next_turns
from meetmind.ui.session import CONTINUE_BRIEF, current_place, current_services, leave_notice

if TYPE_CHECKING:
    from meetmind.ui.runs import ShownRun

LEFT_SOMETHING: frozenset[EndReason] = frozenset(
    {
        "iterations_used_up",
        "tokens_used_up",
        "minutes_used_up",
        "money_used_up",
        "going_in_circles",
        "closed_with_open_points",
        "stopped_by_person",
        "discarded",
        "model_failed",
        "internal_fault",
    }
)
"""The ends after which there is something to go on with."""


def can_continue(run: "ShownRun") -> bool:
    """Whether the run ended and left something."""
    ended = run.view.ended
    return ended is not None and ended.reason in LEFT_SOMETHING


def continue_brief_key(run_id: str) -> str:
    """The key of the field with the brief of the run that continues this one."""
    return f"{CONTINUE_BRIEF}_{run_id}"


def on_continue(run_id: str) -> None:
    """Begin the run; when that is refused, the brief stays in its field."""
    place = current_place()
    if place is None:
        return
    services, owner_id, session_id = place
    brief = str(st.session_state.get(continue_brief_key(run_id)) or "")
    try:
        services.execution.start_run(
            owner_id,
            session_id,
            brief,
            mode_of_continuation(owner_id, session_id, run_id),
            continues_run_id=run_id,
            budget=next_budget(),
            max_iterations=next_turns(),
        )
    except MeetMindError as error:
        leave_notice(error_text(error))


def mode_of_continuation(owner_id: str, session_id: str, run_id: str) -> Mode:
    """Who went on before goes on now: the assistant where it was the assistant, else the team."""
    for run in current_services().discussions.list_runs(owner_id, session_id):
        if run.id == run_id and run.mode == "assistant":
            return "assistant"
    return "team"
