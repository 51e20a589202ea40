"""Draws the card of a discussion that was cut off: what was going on, and the two ways on."""

from datetime import UTC, datetime, timedelta

import streamlit as st

from meetmind.ui.activity import activity_text
from meetmind.ui.language import clock_text, date_time_text, text
from meetmind.ui.run_commands import on_discard, on_resume
from meetmind.ui.run_view import RunView

A_DAY = timedelta(days=1)


def show_cut_off(view: RunView) -> None:
    """What was cut off and when, that nothing is lost, Resume and Discard."""
    run_id = view.run_id
    with st.container(border=True, key="cut_off", gap="xsmall"):
        st.markdown(f":red[:material/link_off:] **{text('discussion.cut_off_title')}**")
        st.markdown(f"{_cut_off_text(view)}{text('discussion.cut_off_text')}")
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


def _cut_off_text(view: RunView) -> str:
    """Which step was interrupted, and when the last was heard of it."""
    if view.last_at is None:
        return ""
    is_recent = datetime.now(UTC) - view.last_at < A_DAY
    key = "discussion.cut_off_doing" if is_recent else "discussion.cut_off_doing_date"
    moment = clock_text(view.last_at) if is_recent else date_time_text(view.last_at)
    told = text(key, time=moment, what=interrupted_step(view))
    return f"**{told}** "


def interrupted_step(view: RunView) -> str:
    """What the run was doing when it was last heard of, in a few words."""
    return activity_text("cut_off", view)
