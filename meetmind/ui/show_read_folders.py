"""Draws the folders that the team may read, and how an administrator opens and closes them."""

from typing import TYPE_CHECKING

import streamlit as st

from meetmind.errors import EditRefused, MeetMindError
from meetmind.ui.knowledge_change import leave_change_notice, show_change_notice
from meetmind.ui.language import date_time_text, error_text, safe_values, text
from meetmind.ui.safe_text import safe_label
from meetmind.ui.session import current_person, current_services

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.read_folders import ReadFolder
    from meetmind.server.services import Services

PLACE = "read_folders"
NAME = "read_folder_name"
PATH = "read_folder_path"
LONGEST_NAME = 31
LONGEST_PATH = 1_000


def show_read_folders(services: "Services", person: "Person") -> None:
    """The open folders; for administrators, a button for each and a form for one more."""
    st.markdown(f"**{text('read_folders.title')}**")
    st.caption(text("read_folders.text"))
    show_change_notice(PLACE)
    folders = services.workspaces.read_folders()
    if not folders:
        st.caption(text("read_folders.none"))
    for folder in folders:
        _show_folder(folder, can_change=person.is_admin)
    if person.is_admin:
        _show_form()
    else:
        st.caption(f":material/lock: {text('read_folders.only_admins')}")


def _show_folder(folder: "ReadFolder", *, can_change: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="center", wrap=False, gap="small"):
        lines = [f"**@{folder.name}** {safe_label(folder.path)}", _facts(folder)]
        st.markdown("  \n".join(lines), width="stretch")
        if can_change:
            st.button(
                text("read_folders.remove"),
                key=f"read_folder_remove_{folder.name}",
                type="tertiary",
                icon=":material/close:",
                help=text("read_folders.remove_help", name=folder.name),
                on_click=on_remove_folder,
                args=(folder.name,),
            )


def _facts(folder: "ReadFolder") -> str:
    moment = date_time_text(folder.added_at)
    name = safe_label(folder.added_by) or "–"
    opened = text("read_folders.by", name=name, moment=moment)
    if folder.is_there:
        return f":small[:gray[{opened}]]"
    missing = text("read_folders.missing")
    return f":small[:orange[:material/warning: {missing}] :gray[· {opened}]]"


def _show_form() -> None:
    with st.form("read_folder_form", border=False):
        name_column, path_column, button_column = st.columns(
            [0.25, 0.53, 0.22], gap="small", vertical_alignment="bottom"
        )
        with name_column:
            st.text_input(
                text("read_folders.name"),
                key=NAME,
                max_chars=LONGEST_NAME,
                placeholder=text("read_folders.name_placeholder"),
            )
        with path_column:
            st.text_input(
                text("read_folders.path"),
                key=PATH,
                max_chars=LONGEST_PATH,
                placeholder=text("read_folders.path_placeholder"),
            )
        with button_column:
            st.form_submit_button(
                text("read_folders.add"),
                key="read_folder_add",
                icon=":material/add:",
                on_click=on_add_folder,
            )


def on_add_folder() -> None:
    """Open the folder; the fields keep what was typed when it is refused."""
    services = current_services()
    person = current_person(services)
    if person is None:
        return
    name = str(st.session_state.get(NAME) or "")
    path = str(st.session_state.get(PATH) or "")
    try:
        folder = services.workspaces.add_read_folder(person, name, path)
    except MeetMindError as error:
        leave_change_notice(PLACE, _refusal_text(error), "error")
        return
    st.session_state[NAME] = ""
    st.session_state[PATH] = ""
    leave_change_notice(PLACE, text("read_folders.added", name=f"**@{folder.name}**"))


def on_remove_folder(name: str) -> None:
    """Close the folder."""
    services = current_services()
    person = current_person(services)
    if person is None:
        return
    try:
        services.workspaces.remove_read_folder(person, name)
    except MeetMindError as error:
        leave_change_notice(PLACE, _refusal_text(error), "error")
        return
    leave_change_notice(PLACE, text("read_folders.removed", name=f"**@{name}**"))


def _refusal_text(error: MeetMindError) -> str:
    if isinstance(error, EditRefused):
        return text(f"read_folders.refused_{error.refusal}", **safe_values(error.details))
    return error_text(error)
