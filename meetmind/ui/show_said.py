"""Draws what a person said into the running discussion, and whether it is answered."""

import streamlit as st

from meetmind.ui.language import clock_text, text
from meetmind.ui.roles import PERSON, look_of, role_title, sign_of
from meetmind.ui.run_view import Said
from meetmind.ui.show_text import show_text


def show_said(said: Said, *, is_live: bool) -> None:
    """The person's words as their own bubble; `is_live` says whether they can still be answered."""
    key = said.message_id.replace(".", "-")
    with (
        st.container(key=f"said_{key}"),
        st.chat_message("user", avatar=sign_of(PERSON)),
        st.container(gap="xsmall"),
    ):
        st.markdown(_head(said, is_live))
        show_text(said.text, f"said_{key}", keep_lines=True)


def _head(said: Said, is_live: bool) -> str:
    parts = [f"**{text('discussion.you')}**"]
    if said.to_agent:
        colour = look_of(said.to_agent).colour
        told = text("talk.to_role", role=role_title(said.to_agent))
        parts.append(f":{colour}[**{told}**]")
    else:
        parts.append(f":gray[{text('talk.to_team')}]")
    parts.append(f":small[:gray[{clock_text(said.at)}]]")
    if not said.is_answered:
        parts.append(_mark(said) if is_live else f":gray-badge[{text('talk.never_answered')}]")
    return " ".join(parts)


def _mark(said: Said) -> str:
    if said.taken_up_by:
        answering = text("talk.being_answered", role=role_title(said.taken_up_by))
        return f":blue-badge[:material/hearing: {answering}]"
    return f":orange-badge[:material/hourglass_empty: {text('talk.not_answered')}]"
