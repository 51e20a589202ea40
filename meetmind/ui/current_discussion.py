"""Finds the discussion that the address names."""

from typing import TYPE_CHECKING

import streamlit as st

from meetmind.errors import NotFound
from meetmind.ui.language import text
from meetmind.ui.session import current_discussion_id, open_discussion

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.discussions import SessionSummary
    from meetmind.server.services import Services


def current_discussion(services: "Services", person: "Person") -> "SessionSummary | None":
    """The open discussion; None for a new one, and with a sentence for one that is not there."""
    session_id = current_discussion_id()
    if session_id is None:
        return None
    try:
        return services.discussions.get_session(person.id, session_id)
    except NotFound:
        open_discussion(None)
        st.warning(text("discussion.not_found"), icon=":material/search_off:")
        return None
