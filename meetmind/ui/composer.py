"""The composer at the bottom: who answers, and the text field."""

from typing import cast

import streamlit as st

from meetmind.errors import MeetMindError
from meetmind.events import Mode
from meetmind.ui.language import error_text, text
from meetmind.ui.session import (
    MODE,
    current_discussion_id,
    current_person,
    current_services,
    leave_notice,
    open_discussion,
)

MODES: tuple[Mode, ...] = ("auto", "team", "assistant")
BRIEF = "composer_brief"
BRIEF_CHARACTERS = 20_000


def show_composer(state: str) -> None:
    """The text field, closed while the team talks or waits for a decision."""
    with st.bottom, st.container(key="composer", gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            mode = st.segmented_control(
                text("composer.mode"),
                MODES,
                key=MODE,
                default="auto",
                required=True,
                format_func=lambda mode: text(f"composer.{mode}"),
                label_visibility="collapsed",
                persist_state="session",
            )
            st.caption(text(f"composer.{mode or 'auto'}_help"), width="content")
        st.chat_input(
            text(f"composer.placeholder_{_placeholder(state)}"),
            key=BRIEF,
            max_chars=BRIEF_CHARACTERS,
            disabled=state in ("running", "waiting", "cut_off"),
            on_submit=on_brief,
        )


def _placeholder(state: str) -> str:
    if state in ("running", "waiting", "cut_off"):
        return state
    return "new" if state == "empty" else "follow"


def on_brief() -> None:
    """Put what was typed before whoever was chosen."""
    mode = cast(Mode, st.session_state.get(MODE) or "auto")
    begin(str(st.session_state[BRIEF] or ""), mode)


def on_example(brief: str) -> None:
    """Put an example before the team."""
    begin(brief, "team")


def begin(brief: str, mode: Mode) -> None:
    """Start a run in the open discussion, or in a new one named after the brief."""
    services = current_services()
    person = current_person(services)
    if person is None:
        return
    session_id = current_discussion_id()
    try:
        if session_id is None:
            session_id = services.discussions.create_session(person.id, brief)
            open_discussion(session_id)
        services.execution.start_run(person.id, session_id, brief, mode)
    except MeetMindError as error:
        leave_notice(error_text(error))
