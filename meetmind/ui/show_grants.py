"""Draws what a person allows beyond one call: on the Approvals page and beside the discussion."""

from typing import TYPE_CHECKING

import streamlit as st

from meetmind.errors import MeetMindError
from meetmind.ui.call_words import icon_of, permission_title
from meetmind.ui.language import date_time_text, error_text, text
from meetmind.ui.pages import DISCUSSION_PAGE
from meetmind.ui.safe_text import safe_label, shortened
from meetmind.ui.session import (
    DISCUSSION_PARAMETER,
    current_person,
    current_place,
    current_services,
    leave_notice,
)

TITLE_WIDTH = 36

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.approvals import GrantRow
    from meetmind.server.services import Services


def show_grants(services: "Services", person: "Person") -> None:
    """Every permission in force, each to be taken back."""
    grants = services.approvals.grants(person.id)
    if not grants:
        st.caption(text("approvals.grants_none"))
        return
    st.caption(text("approvals.grants_help"))
    for grant in grants:
        _show_grant(grant)


def show_grants_beside() -> None:
    """The permissions of the open discussion; nothing when there are none."""
    place = current_place()
    if place is None:
        return
    services, owner_id, session_id = place
    grants = services.approvals.grants(owner_id, session_id)
    if not grants:
        return
    st.markdown(f"**{text('approvals.grants_beside')}**")
    with st.container(key="side_grants", gap="xsmall"):
        for grant in grants:
            with st.container(
                horizontal=True, vertical_alignment="center", wrap=False, gap="small"
            ):
                allowed = permission_title(grant.tool, grant.scope)
                facts = f":small[:gray[{_used_text(grant)}]]"
                st.markdown(f"{icon_of(grant.tool)} {allowed}  \n{facts}", width="stretch")
                st.button(
                    "",
                    key=f"revoke_beside_{grant.id}",
                    icon=":material/block:",
                    type="tertiary",
                    help=text("approvals.revoke_help"),
                    on_click=on_revoke,
                    args=(grant.id,),
                )


def _show_grant(grant: "GrantRow") -> None:
    with (
        st.container(border=True, key=f"grant_{grant.id}"),
        st.container(horizontal=True, vertical_alignment="center", gap="small"),
    ):
        with st.container(gap=None):
            allowed = permission_title(grant.tool, grant.scope)
            st.markdown(f"{icon_of(grant.tool)} **{allowed}**")
            name = safe_label(grant.owner_name)
            moment = date_time_text(grant.granted_at)
            since = text("approvals.granted", name=name, time=moment)
            st.caption(f"{since} · {_used_text(grant)}")
            st.page_link(
                DISCUSSION_PAGE,
                label=safe_label(shortened(grant.session_title, TITLE_WIDTH)),
                icon=":material/forum:",
                query_params={DISCUSSION_PARAMETER: grant.session_id},
                help=text("approvals.open_discussion"),
            )
        st.button(
            text("approvals.revoke"),
            key=f"revoke_{grant.id}",
            icon=":material/block:",
            help=text("approvals.revoke_help"),
            on_click=on_revoke,
            args=(grant.id,),
        )


def on_revoke(grant_id: str) -> None:
    """End a permission; calls that it let pass and that have not begun wait again."""
    services = current_services()
    person = current_person(services)
    if person is None:
        return
    try:
        services.approvals.revoke_grant(person.id, grant_id)
    except MeetMindError as error:
        leave_notice(error_text(error))
        return
    leave_notice(text("approvals.revoked"), "success")


def _used_text(grant: "GrantRow") -> str:
    if grant.used == 1:
        return text("approvals.used_one")
    return text("approvals.used", count=grant.used)
