"""Draws the line behind which the models see a summary in place of the words."""

import streamlit as st

from meetmind.errors import MeetMindError
from meetmind.ui.language import date_time_text, error_text, text
from meetmind.ui.run_view import Compaction
from meetmind.ui.session import current_place
from meetmind.ui.show_text import show_text


def show_boundary(compaction: Compaction) -> None:
    """The line with its numbers; it opens to the summary."""
    event = compaction.event
    key = event.summary_id
    with st.container(key=f"boundary_{key}", gap="xsmall"):
        title = text("boundary.title")
        st.markdown(f":material/compress: **{title}**  \n:small[:gray[{_facts(compaction)}]]")
        summary = st.expander(
            text("boundary.open"),
            type="compact",
            icon=":material/summarize:",
            key=f"summary_{key}",
            on_change="rerun",
        )
        if summary.open:
            with summary:
                _show_summary(key)
                st.caption(text("boundary.page_keeps_all"))


def _facts(compaction: Compaction) -> str:
    event = compaction.event
    facts = text(
        "boundary.facts_one" if event.messages == 1 else "boundary.facts",
        count=event.messages,
        before=f"{event.tokens_before:,}",
        after=f"{event.tokens_after:,}",
    )
    by = text(f"boundary.by_{event.by}")
    return f"{facts} · {by} · {date_time_text(compaction.at)}"


def _show_summary(key: str) -> None:
    place = current_place()
    if place is None:
        return
    services, owner_id, session_id = place
    try:
        boundary = services.compaction.boundary(owner_id, session_id)
    except MeetMindError as error:
        st.caption(error_text(error))
        return
    if boundary is not None:
        show_text(boundary.summary, f"summary_{key}", keep_lines=True)
