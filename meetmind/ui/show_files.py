"""Draws the files that a discussion has written, each to be downloaded."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from meetmind.errors import MeetMindError
from meetmind.ui.language import date_time_text, error_text, text
from meetmind.ui.safe_text import safe_label
from meetmind.ui.session import current_discussion_id, current_person, current_services

if TYPE_CHECKING:
    from meetmind.server.services import Services
    from meetmind.server.workspace_files import WorkspaceFile

KILOBYTE = 1024


def show_files() -> None:
    """The files of the open discussion; nothing when there are none."""
    services = current_services()
    person = current_person(services)
    session_id = current_discussion_id()
    if person is None or session_id is None:
        return
    try:
        files = services.execution.list_files(person.id, session_id)
    except MeetMindError as error:
        st.caption(error_text(error))
        return
    if not files:
        return
    st.markdown(f"**{text('side.files')}**")
    with st.container(key="side_files", gap="xsmall"):
        for file in files:
            _show_file(services, person.id, session_id, file)


def _show_file(
    services: "Services", person_id: str, session_id: str, file: "WorkspaceFile"
) -> None:
    facts = f"{size_text(file.size)} · {date_time_text(file.changed_at)}"
    with st.container(horizontal=True, vertical_alignment="center", wrap=False, gap="small"):
        name = f":material/draft: {safe_label(file.path)}"
        st.markdown(f"{name}  \n:small[:gray[{facts}]]", width="stretch")
        st.download_button(
            "",
            reader_of(services, person_id, session_id, file.path),
            file_name=file.path.rsplit("/", 1)[-1],
            mime="application/octet-stream",
            key=f"download_{session_id}_{file.path}",
            help=text("side.download", name=safe_label(file.path)),
            icon=":material/download:",
            on_click="ignore",
        )


def reader_of(
    services: "Services", person_id: str, session_id: str, path: str
) -> Callable[[], bytes]:
    """Reads the file when somebody asks for it, not each time that the page is drawn."""

    def read() -> bytes:
        return services.execution.read_file(person_id, session_id, path)

    return read


def size_text(size: int) -> str:
    """A number of bytes as people read it."""
    if size < KILOBYTE:
        return text("unit.bytes", count=size)
    return text("unit.kilobytes", count=f"{size / KILOBYTE:,.1f}")
