"""Draws the editor of the personal memory and its earlier versions."""

from datetime import datetime
from typing import TYPE_CHECKING

import streamlit as st

from meetmind.errors import MeetMindError
from meetmind.ui.language import date_time_text, error_text, text
from meetmind.ui.session import current_person, current_services, leave_notice
from meetmind.ui.show_text import show_text

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.services import Services

EDITOR = "memory_editor"
LIMIT = 8000


def show_memory_editor(services: "Services", person: "Person") -> None:
    """The text and Save."""
    if EDITOR not in st.session_state:
        current = services.memory.get_memory(person.id)
        st.session_state[EDITOR] = "" if current is None else current.content
    st.text_area(
        text("memory.label"),
        key=EDITOR,
        height=300,
        max_chars=LIMIT,
        placeholder=text("memory.placeholder"),
        persist_state="session",
    )
    st.button(text("memory.save"), key="memory_save", type="primary", on_click=on_save)


def on_save() -> None:
    """Keep the text as a new version."""
    services = current_services()
    person = current_person(services)
    if person is None:
        return
    content = str(st.session_state[EDITOR] or "")
    before = services.memory.get_memory(person.id)
    try:
        saved = services.memory.save_memory(person.id, content)
    except MeetMindError as error:
        leave_notice(error_text(error))
        return
    is_new = before is None or before.id != saved.id
    leave_notice(text("memory.saved" if is_new else "memory.unchanged"), "success")


def show_memory_versions(services: "Services", person: "Person") -> None:
    """Every earlier version, to read and to put back."""
    st.markdown(f"**{text('memory.versions')}**")
    earlier = services.memory.list_versions(person.id)[1:]
    if not earlier:
        st.caption(text("memory.no_versions"))
        return
    with st.container(gap="xsmall", key="memory_versions"):
        for version in earlier:
            _show_version(version.id, version.content, version.created_at)


def _show_version(version_id: str, content: str, created_at: datetime) -> None:
    time = date_time_text(created_at)
    with st.expander(
        text("memory.version_at", time=time, count=len(content)),
        type="compact",
        icon=":material/history:",
    ):
        if content.strip():
            show_text(content, f"memory_{version_id}", keep_lines=True)
        else:
            st.caption(text("memory.empty_version"))
        st.button(
            text("memory.restore"),
            key=f"restore_{version_id}",
            type="tertiary",
            icon=":material/undo:",
            on_click=on_restore,
            args=(content,),
        )


def on_restore(content: str) -> None:
    """Put an earlier text into the editor; it counts once it is saved."""
    st.session_state[EDITOR] = content
