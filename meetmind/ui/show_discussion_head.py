"""Draws the head of a discussion: title, state, numbers, and what can be done with it."""

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

import streamlit as st

from meetmind.errors import MeetMindError
from meetmind.i18n.budget_words import money_text
from meetmind.ui.language import duration_text, error_text, text
from meetmind.ui.runs import LIVE_STATES, ShownRun
from meetmind.ui.safe_text import safe_label
from meetmind.ui.session import current_person, current_services, leave_notice
from meetmind.ui.show_budget import current_limits, has_prices
from meetmind.ui.show_cut_off import show_cut_off
from meetmind.ui.show_model import model_name
from meetmind.ui.show_run_controls import is_pause_asked, show_run_controls

if TYPE_CHECKING:
    from meetmind.server.discussions import SessionSummary

STATE_COLOUR = {
    "empty": "gray",
    "running": "blue",
    "waiting": "orange",
    "paused": "violet",
    "cut_off": "red",
    "done": "green",
    "stopped": "gray",
    "failed": "red",
}
TITLE_FIELD = "discussion_title"


def show_discussion_head(discussion: "SessionSummary", runs: Sequence[ShownRun]) -> None:
    """A row that names the discussion and what can be done, and one with its numbers."""
    state = runs[-1].state if runs else discussion.state
    with st.container(
        key="discussion_head", horizontal=True, vertical_alignment="center", gap="small"
    ):
        with st.container(
            key="discussion_name",
            horizontal=True,
            vertical_alignment="center",
            gap="xsmall",
            wrap=False,
        ):
            st.markdown(f"**{safe_label(discussion.title)}**", wrap=False, width="stretch")
            _show_title_editor(discussion)
            st.markdown(_state_badge(state, runs), width="content")
        if runs:
            with st.container(
                key="discussion_actions",
                horizontal=True,
                vertical_alignment="center",
                gap="xsmall",
                width="content",
            ):
                show_run_controls(runs)
    if runs:
        st.caption(" · ".join(facts_of(runs)))
    if state == "cut_off":
        show_cut_off(runs[-1].view)


def _state_badge(state: str, runs: Sequence[ShownRun]) -> str:
    if state == "running" and is_pause_asked(runs[-1]):
        return f":violet-badge[:material/pause: {text('discussion.pauses_soon')}]"
    return f":{STATE_COLOUR[state]}-badge[{text(f'state.{state}')}]"


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


def facts_of(runs: Sequence[ShownRun]) -> list[str]:
    """The model, turns, tokens, cost and time of work; only numbers that somebody counted.

    While a run is open they are its own, afterwards those of the whole discussion.
    """
    last = runs[-1]
    facts = []
    if last.started is not None:
        name = last.view.fallback_model or last.started.model_name
        facts.append(model_name(name, last.started.offline))
    is_live = last.state in LIVE_STATES
    counted = [last] if is_live else runs
    turns = sum(run.view.turns for run in counted)
    if is_live and last.started is not None:
        limit = current_limits(last).max_iterations
        turn = min(turns + 1, limit)
        facts.append(text("discussion.turn_of", turn=turn, limit=limit))
    elif turns == 1:
        facts.append(text("discussion.turns_one"))
    else:
        facts.append(text("discussion.turns", turns=turns))
    facts.extend(_used(counted))
    return facts


def _used(counted: Sequence[ShownRun]) -> list[str]:
    """Tokens, cost and time of work, as far as they are more than nothing."""
    used = []
    tokens = sum(run.summary.input_tokens + run.summary.output_tokens for run in counted)
    if tokens > 0:
        used.append(text("discussion.tokens", count=f"{tokens:,}"))
    settings = current_services().settings
    if has_prices(settings) and tokens > 0:
        cost = money_text(sum(run.summary.cost for run in counted))
        used.append(text("discussion.cost", amount=cost, currency=settings.price_currency))
    worked = timedelta(seconds=sum(run.summary.work_seconds for run in counted))
    if worked >= timedelta(seconds=1):
        used.append(text("discussion.worked", time=duration_text(worked)))
    return used
