"""Draws the card of a call that waits for a person: in the talk and on the Approvals page alike."""

import streamlit as st

from meetmind.ui.call_decision import on_allow, on_decision, on_edit
from meetmind.ui.call_words import permission_text, scope_of, wish_text
from meetmind.ui.language import date_time_text, text
from meetmind.ui.pages import DISCUSSION_PAGE
from meetmind.ui.roles import sign_of
from meetmind.ui.safe_text import safe_label, shortened
from meetmind.ui.session import APPROVAL_REASON, DISCUSSION_PARAMETER, current_edited_call
from meetmind.ui.show_argument_form import show_argument_form
from meetmind.ui.show_call import show_effect, show_warnings, show_why
from meetmind.ui.waiting_call import WaitingCall

RISK_COLOUR = {"high": "red", "medium": "orange", "low": "gray"}
SIGN_WIDTH = 28
TITLE_WIDTH = 36


def show_call_card(call: WaitingCall) -> None:
    """The whole call with everything that can be decided; nothing of it is hidden or cut."""
    with st.container(border=True, key=f"approval_{call.key}", gap="small"):
        _show_head(call)
        if call.asked_again:
            st.warning(text(f"approval.again_{call.asked_again}"), icon=":material/update:")
        show_why(call.reason)
        show_effect(call.tool, call.arguments, call.preview, text("approval.changes"), is_open=True)
        show_warnings(call.arguments, call.preview)
        if call.expires_at is not None:
            moment = date_time_text(call.expires_at)
            st.caption(f":material/timer: {text('approval.expires', time=moment)}")
        if current_edited_call(call.key) is None:
            _show_choices(call)
        else:
            show_argument_form(call)


def _show_head(call: WaitingCall) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if call.is_outside:
            st.image(sign_of(call.agent_name), width=SIGN_WIDTH, alt="")
        else:
            st.markdown(":material/front_hand:", width="content")
        st.markdown(wish_text(call.agent_name, call.tool), width="content")
        colour = RISK_COLOUR.get(call.risk, "red")
        st.markdown(f":{colour}-badge[{text(f'approval.{call.risk}')}]", width="content")
    if call.is_outside:
        _show_discussion(call)


def _show_discussion(call: WaitingCall) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.page_link(
            DISCUSSION_PAGE,
            label=safe_label(shortened(call.session_title, TITLE_WIDTH)),
            icon=":material/forum:",
            query_params={DISCUSSION_PARAMETER: call.session_id},
            help=text("approvals.open_discussion"),
        )
        asked = text("approvals.asked_at", time=date_time_text(call.asked_at))
        st.caption(asked, width="content")


def _show_choices(call: WaitingCall) -> None:
    st.text_input(
        text("approval.reason"),
        key=f"{APPROVAL_REASON}_{call.key}",
        placeholder=text("approval.reason_placeholder"),
        persist_state="session",
    )
    with st.container(horizontal=True, gap="small", key=f"choices_{call.key}"):
        st.button(
            text("approval.approve"),
            key=f"approved_{call.key}",
            type="primary",
            icon=":material/check:",
            on_click=on_decision,
            args=(call, "approved"),
        )
        if call.risk == "medium":
            _show_allow(call)
        st.button(
            text("approval.edit"),
            key=f"edit_{call.key}",
            icon=":material/edit:",
            on_click=on_edit,
            args=(call,),
        )
        st.button(
            text("approval.reject"),
            key=f"rejected_{call.key}",
            icon=":material/close:",
            on_click=on_decision,
            args=(call, "rejected"),
        )
    if call.risk == "medium":
        allowed = permission_text(call.tool, scope_of(call.tool, call.arguments))
        st.caption(text("approval.allow_hint", what=allowed))


def _show_allow(call: WaitingCall) -> None:
    st.button(
        text("approval.allow"),
        key=f"allowed_{call.key}",
        icon=":material/done_all:",
        on_click=on_allow,
        args=(call,),
    )
