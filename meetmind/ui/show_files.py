"""Draws the files of the open discussion: each opens to its text and its changes."""

from typing import TYPE_CHECKING

import streamlit as st

from meetmind.errors import MeetMindError
from meetmind.server.workspace_files import MOST_ZIP_BYTES
from meetmind.ui.file_download import file_reader, zip_reader
from meetmind.ui.language import date_time_text, error_text, text
from meetmind.ui.safe_text import safe_label, shortened_within
from meetmind.ui.session import current_place
from meetmind.ui.show_workspace_file import show_workspace_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from meetmind.server.services import Services
    from meetmind.server.workspaces import DiscussionFile

NAME_WIDTH = 34
KILOBYTE = 1024
MEGABYTE = 1024 * KILOBYTE


def show_files() -> None:
    """The files of the open discussion; nothing when there are none."""
    place = current_place()
    if place is None:
        return
    services, owner_id, session_id = place
    try:
        files = services.workspaces.list_files(owner_id, session_id)
    except MeetMindError as error:
        st.caption(error_text(error))
        return
    if not files:
        return
    _show_head(services, owner_id, session_id, files)
    with st.container(key="side_files", gap="xsmall"):
        for file in files:
            _show_file(services, owner_id, session_id, file)


def _show_head(
    services: "Services", person_id: str, session_id: str, files: "Sequence[DiscussionFile]"
) -> None:
    if len(files) == 1:
        st.markdown(f"**{text('files.title')}**")
        return
    if sum(file.size for file in files) > MOST_ZIP_BYTES:
        st.markdown(f"**{text('files.title')}**")
        st.caption(text("files.too_large_together"))
        return
    with st.container(horizontal=True, vertical_alignment="center", wrap=False, gap="small"):
        st.markdown(f"**{text('files.title')}**", width="stretch")
        st.download_button(
            text("files.all"),
            zip_reader(services, person_id, session_id),
            file_name="meetmind-files.zip",
            mime="application/zip",
            key=f"download_all_{session_id}",
            type="tertiary",
            icon=":material/folder_zip:",
            on_click="ignore",
        )


def _show_file(
    services: "Services", person_id: str, session_id: str, file: "DiscussionFile"
) -> None:
    with st.container(horizontal=True, vertical_alignment="center", wrap=False, gap="small"):
        with st.container(gap=None):
            opened = st.popover(
                safe_label(shortened_within(file.path, NAME_WIDTH)),
                type="tertiary",
                key=f"file_{session_id}_{file.path}",
                icon=":material/attach_file:" if file.was_attached else ":material/draft:",
                wrap=False,
                on_change="rerun",
            )
            st.caption(facts_line(file))
        st.download_button(
            "",
            file_reader(services, person_id, session_id, file.path),
            file_name=file.path.rsplit("/", 1)[-1],
            mime="application/octet-stream",
            key=f"download_{session_id}_{file.path}",
            help=text("files.download", name=safe_label(file.path)),
            icon=":material/download:",
            on_click="ignore",
        )
    if opened.open:
        with opened:
            show_workspace_file(services, person_id, session_id, file.path)


def facts_line(file: "DiscussionFile") -> str:
    """Size, time and where the file came from."""
    facts = [size_text(file.size), date_time_text(file.changed_at), _origin(file)]
    if file.undone:
        facts.append(text("files.taken_back"))
    return " · ".join(facts)


def _origin(file: "DiscussionFile") -> str:
    if not file.was_attached:
        return text("files.written")
    return text("files.attached_and_changed" if file.changes else "files.attached")


def show_attached(names: "Sequence[str]") -> None:
    """The names of the files that came with a brief; nothing when there are none."""
    if names:
        shown_names = text("unit.list_separator").join(safe_label(name) for name in names)
        st.caption(f":material/attach_file: {text('files.went_with', names=shown_names)}")


def size_text(size: int) -> str:
    """A number of bytes as people read it."""
    if size < KILOBYTE:
        return text("unit.bytes", count=size)
    if size < MEGABYTE:
        return text("unit.kilobytes", count=f"{size / KILOBYTE:,.1f}")
    return text("files.megabytes", count=f"{size / MEGABYTE:,.1f}")
