"""Files that wait in this tab for the next brief, since the last one was not taken."""

from collections.abc import Sequence

import streamlit as st

from meetmind.server.attachments import Attachment
from meetmind.ui.language import text
from meetmind.ui.safe_text import safe_label

KEPT = "composer_files"


def kept_files() -> list[Attachment]:
    """The files that go with the next brief."""
    kept: list[Attachment] = st.session_state.get(KEPT, [])
    return kept


def keep_files(files: Sequence[Attachment]) -> None:
    """Let these files, and no others, go with the next brief."""
    st.session_state[KEPT] = list(files)


def show_kept_files() -> None:
    """The names of the files that wait, and a button that lets them go."""
    kept = kept_files()
    if not kept:
        return
    names = text("unit.list_separator").join(safe_label(file.name) for file in kept)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(f":material/attach_file: {text('files.kept', names=names)}", width="content")
        st.button(
            text("files.kept_drop"),
            key="composer_files_drop",
            type="tertiary",
            icon=":material/close:",
            on_click=on_drop_files,
        )


def on_drop_files() -> None:
    """Send the next brief without the files that wait."""
    keep_files([])
