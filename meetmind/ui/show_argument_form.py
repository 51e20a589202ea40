"""Draws the form in which a person changes the arguments of a waiting call."""

from typing import Any

import streamlit as st

from meetmind.i18n.translate import has_text
from meetmind.ui.call_decision import argument_key, on_approve_typed, on_edit_ended, on_rate
from meetmind.ui.edited_call import EditedCall, field_text, has_field, in_reading_order, is_long
from meetmind.ui.language import text
from meetmind.ui.safe_text import safe_label
from meetmind.ui.session import current_edited_call
from meetmind.ui.show_call import show_effect, show_warnings
from meetmind.ui.waiting_call import WaitingCall

LONG_FIELD = 220
"""Pixels; the field can be drawn larger."""


def show_argument_form(call: WaitingCall) -> None:
    """A field an argument, the effect when it was asked for, and the three ways on."""
    edited = current_edited_call(call.key) or EditedCall()
    # Enter would press the first button, and what was typed would run without a click.
    with st.form(f"arguments_{call.key}", enter_to_submit=False):
        st.markdown(f"**{text('approval.edit_title')}**")
        for name, value in in_reading_order(call.arguments).items():
            if has_field(name):
                _show_field(call, name, value)
        if edited.fault:
            st.error(edited.fault, icon=":material/error:")
        _show_rated(call, edited)
        with st.container(horizontal=True, gap="small"):
            st.form_submit_button(
                text("approval.approve_typed"),
                key=f"approve_typed_{call.key}",
                type="primary",
                icon=":material/check:",
                on_click=on_approve_typed,
                args=(call, edited.effect or None),
            )
            st.form_submit_button(
                text("approval.rate"),
                key=f"rate_{call.key}",
                icon=":material/difference:",
                on_click=on_rate,
                args=(call,),
            )
            st.form_submit_button(
                text("approval.edit_end"),
                key=f"edit_end_{call.key}",
                type="tertiary",
                on_click=on_edit_ended,
                args=(call,),
            )
    st.caption(text("approval.edit_hint"))


def _show_field(call: WaitingCall, name: str, value: Any) -> None:
    known = f"approval.argument_{name}"
    label = text(known) if has_text(known) else safe_label(name)
    key = argument_key(call, name)
    st.session_state.setdefault(key, field_text(value))
    if isinstance(value, bool):
        st.checkbox(label, key=key)
        return
    if not isinstance(value, str):
        label = text("approval.json_field", name=label)
    if is_long(value):
        st.text_area(label, key=key, height=LONG_FIELD)
    else:
        st.text_input(label, key=key)


def _show_rated(call: WaitingCall, edited: EditedCall) -> None:
    if edited.arguments is None:
        return
    with st.container(border=True, gap="small"):
        st.markdown(f"**{text('approval.effect_typed')}** {text(f'approval.{edited.risk}')}")
        show_effect(
            call.tool, edited.arguments, edited.preview, text("approval.changes"), is_open=True
        )
        show_warnings(edited.arguments, edited.preview)
