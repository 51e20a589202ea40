"""Draws how a call ended: a line for people, and what the role was told of a failure."""

import streamlit as st

from meetmind.i18n.call_results import TOLD_BY_DECISION, failure_text, result_text
from meetmind.ui.language import current_language, text
from meetmind.ui.safe_text import safe_label, safe_markdown

GOOD = ("ok", "finished")


def show_call_result(tool: str, status: str, error_code: str, told: str) -> None:
    """The result of a call that went well, or why another did not; `told` is the tool's own line.

    Nothing is drawn for a call that has not ended.
    """
    if status in GOOD:
        if told:
            st.caption(text("step.result"))
            line = result_text(tool, told, current_language())
            st.markdown(safe_markdown(line, keep_lines=True))
        return
    if not told and not error_code:
        return
    if error_code not in TOLD_BY_DECISION:
        st.markdown(f":material/error: {failed_label(error_code)}")
    if told:
        st.caption(text("approval.role_was_told"))
        st.markdown(safe_markdown(told, keep_lines=True))


def failed_label(error_code: str) -> str:
    """Why a call did not go well, safe inside Markdown."""
    return safe_label(failure_text(error_code, current_language()))


def result_label(tool: str, told: str) -> str:
    """What a call that went well brought, on one line, safe inside Markdown."""
    return safe_label(result_text(tool, told, current_language()))
