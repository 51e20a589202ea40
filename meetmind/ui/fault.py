"""What people see when a page or a part of it breaks: one sentence, never a traceback."""

import logging
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import streamlit as st

from meetmind.errors import MeetMindError
from meetmind.ui.language import error_text, text

P = ParamSpec("P")

log = logging.getLogger(__name__)


def polling(draw: Callable[P, None]) -> Callable[P, None]:
    """Keeps a part of the page that polls from breaking: a fault is logged and told in a line."""

    @wraps(draw)
    def draw_or_tell(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            draw(*args, **kwargs)
        except MeetMindError as error:
            st.caption(error_text(error))
        except Exception:
            log.exception("A poll failed")
            st.caption(text("error.database_unreachable"))

    return draw_or_tell


def show_fault(error: Exception) -> bool:
    """Log the fault and tell what happened and what is safe; True hides Streamlit's own message."""
    log.error("A page broke", exc_info=error)
    st.error(text("app.fault"), icon=":material/error:")
    return True
