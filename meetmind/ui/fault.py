"""What people see when a page breaks: one sentence, never a traceback."""

import logging

import streamlit as st

from meetmind.ui.language import text

log = logging.getLogger(__name__)


def show_fault(error: Exception) -> bool:
    """Log the fault and tell what happened and what is safe; True hides Streamlit's own message."""
    log.error("A page broke", exc_info=error)
    st.error(text("app.fault"), icon=":material/error:")
    return True
