"""Draws one file of a discussion: its text, and every change that a role made to it."""

from typing import TYPE_CHECKING, Literal

import streamlit as st

from meetmind.errors import MeetMindError
from meetmind.hidden_characters import count_hidden, visible_text
from meetmind.server.workspace_files import text_of
from meetmind.ui.language import date_time_text, error_text, text
from meetmind.ui.roles import role_title
from meetmind.ui.safe_text import safe_label

if TYPE_CHECKING:
    from meetmind.server.file_history import FileChange, FileHistory
    from meetmind.server.services import Services

LONGEST_SHOWN = 20_000
"""Characters of a text or a diff; what is longer is cut with a word, and can be downloaded."""
TALL_LINES = 14
TALL_HEIGHT = 320


def show_workspace_file(services: "Services", person_id: str, session_id: str, path: str) -> None:
    """The file as it is now and how it came about."""
    st.markdown(f"**{safe_label(path)}**")
    try:
        content = services.workspaces.read_file(person_id, session_id, path)
        history = services.workspaces.changes(person_id, session_id, path)
    except MeetMindError as error:
        st.caption(error_text(error))
        return
    with st.container(key="workspace_file"):
        _show_content(content)
        if history.changes:
            _show_history(history)


def _show_content(content: bytes) -> None:
    words = text_of(content)
    if words is None:
        st.caption(text("files.no_text"))
    elif not words:
        st.caption(text("files.empty"))
    else:
        _show_code(words, "text")


def _show_history(history: "FileHistory") -> None:
    st.markdown(f"**{text('files.changes')}**")
    for change in history.changes:
        with st.expander(change_line(change), type="compact", icon=_icon(change)):
            _show_diff(change.diff)
    if len(history.changes) > 1 and history.diff_from_first:
        title = text("files.from_first")
        with st.expander(title, type="compact", icon=":material/difference:"):
            _show_diff(history.diff_from_first)


def change_line(change: "FileChange") -> str:
    """Who changed the file, when, by whose word, and whether it was taken back."""
    facts = [role_title(change.agent_name), date_time_text(change.changed_at)]
    if change.allowed_by:
        facts.append(text("files.allowed_by", name=safe_label(change.allowed_by)))
    if change.undone_at is not None:
        moment = date_time_text(change.undone_at)
        facts.append(text("files.undone", moment=moment, name=safe_label(change.undone_by)))
    return " · ".join(facts)


def _icon(change: "FileChange") -> str:
    return ":material/edit:" if change.undone_at is None else ":material/undo:"


def _show_diff(diff: str) -> None:
    if diff:
        _show_code(diff, "diff")
    else:
        st.caption(text("files.no_diff"))


def _show_code(words: str, language: Literal["text", "diff"]) -> None:
    """The words with hidden characters written out; a long text is cut and says so."""
    shown = words[:LONGEST_SHOWN]
    is_tall = shown.count("\n") > TALL_LINES
    st.code(
        visible_text(shown),
        language=None if language == "text" else language,
        wrap_lines=True,
        height=TALL_HEIGHT if is_tall else "content",
    )
    hidden = count_hidden(shown)
    if hidden:
        st.caption(f":orange[:material/visibility:] {text('files.hidden', count=hidden)}")
    if len(words) > LONGEST_SHOWN:
        st.caption(text("files.cut", shown=f"{LONGEST_SHOWN:,}", count=f"{len(words):,}"))
