"""Draws the head of a discussion: title, state, numbers, Stop, Resume and Discard."""

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

import streamlit as st

from meetmind.errors import MeetMindError
from meetmind.ui.language import duration_text, error_text, text
from meetmind.ui.runs import LIVE_STATES, ShownRun
from meetmind.ui.safe_text import safe_label
from meetmind.ui.session import current_person, current_services, leave_notice
from meetmind.ui.show_model import model_name

if TYPE_CHECKING:
    from meetmind.server.discussions import SessionSummary

STATE_COLOUR = {
    "empty": "gray",
    "running": "blue",
    "waiting": "orange",
    "cut_off": "red",
    "done": "green",
    "stopped": "gray",
    "failed": "red",
}
TITLE_FIELD = "discussion_title"


def show_discussion_head(discussion: "SessionSummary", runs: Sequence[ShownRun]) -> None:
    """One line that names the discussion, and one with its numbers."""
    state = runs[-1].state if runs else discussion.state
    with st.container(
        key="discussion_head",
        horizontal=True,
        vertical_alignment="center",
        gap="xsmall",
        wrap=False,
    ):
        st.markdown(f"**{safe_label(discussion.title)}**", wrap=False, width="stretch")
        _show_title_editor(discussion)
        st.markdown(f":{STATE_COLOUR[state]}-badge[{text(f'state.{state}')}]", width="content")
        if state in LIVE_STATES:
            _show_stop(runs[-1].summary.id)
    if runs:
        st.caption(" · ".join(_facts(runs)))
    if state == "cut_off":
        _show_cut_off(runs[-1].summary.id)


def _show_title_editor(discussion: "SessionSummary") -> None:
    key = f"{TITLE_FIELD}_{discussion.id}"
    with st.popover(
        "", icon=":material/edit:", type="tertiary", help=text("discussion.edit_title")
    ):
        st.text_input(
            text("sidebar.rename_label"),
            value=discussion.title,
            key=key,
            max_chars=120,
            on_change=on_title,
            args=(discussion.id, key),
        )


def on_title(session_id: str, key: str) -> None:
    """Keep a new title."""
    services = current_services()
    person = current_person(services)
    title = str(st.session_state[key] or "").strip()
    if person is None or not title:
        return
    try:
        services.discussions.rename_session(person.id, session_id, title)
    except MeetMindError as error:
        leave_notice(error_text(error))


def _facts(runs: Sequence[ShownRun]) -> list[str]:
    """The model, turns, tokens and time; only numbers that somebody counted.

    While a run is open they are its own, afterwards those of the whole discussion.
    """
    last = runs[-1]
    facts = []
    if last.started is not None:
        facts.append(model_name(last.started.model_name, last.started.offline))
    counted = [last] if last.state in LIVE_STATES else runs
    turns = sum(run.view.turns for run in counted)
    if last.state in LIVE_STATES and last.started is not None:
        limit = last.started.max_iterations
        turn = min(turns + 1, limit)
        facts.append(text("discussion.turn_of", turn=turn, limit=limit))
    elif turns == 1:
        facts.append(text("discussion.turns_one"))
    else:
        facts.append(text("discussion.turns", turns=turns))
    tokens = sum(run.view.tokens for run in counted)
    if tokens > 0:
        facts.append(text("discussion.tokens", count=f"{tokens:,}"))
    duration = _duration(counted)
    if duration > timedelta():
        facts.append(duration_text(duration))
    return facts


def _duration(runs: Sequence[ShownRun]) -> timedelta:
    """How long the runs that are over took together."""
    duration = timedelta()
    for run in runs:
        if run.view.started_at is not None and run.view.ended_at is not None:
            duration += run.view.ended_at - run.view.started_at
    return duration


def _show_stop(run_id: str) -> None:
    st.button(
        text("discussion.stop"),
        key=f"stop_{run_id}",
        icon=":material/stop_circle:",
        on_click=on_stop,
        args=(run_id,),
    )


def _show_cut_off(run_id: str) -> None:
    with st.container(border=True, key="cut_off"):
        st.markdown(f":red[:material/link_off:] **{text('discussion.cut_off_title')}**")
        st.markdown(text("discussion.cut_off_text"))
        with st.container(horizontal=True):
            st.button(
                text("discussion.resume"),
                key=f"resume_{run_id}",
                type="primary",
                icon=":material/play_arrow:",
                on_click=on_resume,
                args=(run_id,),
            )
            st.button(
                text("discussion.discard"),
                key=f"discard_{run_id}",
                on_click=on_discard,
                args=(run_id,),
            )


def on_stop(run_id: str) -> None:
    """End the run at once; what was said stays."""
    services = current_services()
    person = current_person(services)
    if person is None:
        return
    try:
        services.execution.stop_run(person.id, run_id)
    except MeetMindError as error:
        leave_notice(error_text(error))


def on_resume(run_id: str) -> None:
    """Go on with a run that was cut off."""
    services = current_services()
    person = current_person(services)
    if person is None:
        return
    try:
        services.execution.resume_execution(person.id, run_id)
    except MeetMindError as error:
        leave_notice(error_text(error))


def on_discard(run_id: str) -> None:
    """Give a cut-off run up; what was said stays."""
    services = current_services()
    person = current_person(services)
    if person is None:
        return
    try:
        services.execution.discard_resumable(person.id, run_id)
    except MeetMindError as error:
        leave_notice(error_text(error))
