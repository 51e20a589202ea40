"""Which passage is open on the Knowledge page; it stands in the address and can be linked."""

from dataclasses import dataclass

import streamlit as st

from meetmind.clean_text import clean_bad_chars
from meetmind.config.roster_names import AGENT_NAMES
from meetmind.ui.session import (
    KNOWLEDGE_AWAITED,
    KNOWLEDGE_EDITED,
    KNOWLEDGE_NOTICES,
    KNOWLEDGE_OPEN,
    KNOWLEDGE_ROLE,
    KNOWLEDGE_WRITTEN,
    PASSAGE_PARAMETER,
    ROLE_PARAMETER,
)


@dataclass(frozen=True, kw_only=True)
class PassagePointer:
    """A passage in a role's knowledge."""

    role: str
    passage_id: str


def current_open_passage() -> PassagePointer | None:
    """The passage that is open in this tab."""
    opened: PassagePointer | None = st.session_state.get(KNOWLEDGE_OPEN)
    return opened


def follow_passage_address() -> None:
    """Open what the address asks for, and let the address say what is open.

    A click in the navigation drops the parameters and so closes the passage. A role alone in the
    address is chosen.
    """
    role = st.query_params.get(ROLE_PARAMETER)
    asked_for = _passage_in_address()
    is_new = asked_for != st.session_state.get(KNOWLEDGE_WRITTEN)
    if is_new:
        st.session_state[KNOWLEDGE_OPEN] = asked_for
    if is_new and asked_for is not None:
        st.session_state[KNOWLEDGE_ROLE] = asked_for.role
    elif asked_for is None and role in AGENT_NAMES:
        st.session_state[KNOWLEDGE_ROLE] = role
    opened = current_open_passage()
    if opened is None:
        st.query_params.pop(ROLE_PARAMETER, None)
        st.query_params.pop(PASSAGE_PARAMETER, None)
    elif opened != asked_for or opened.role != role:
        st.query_params[ROLE_PARAMETER] = opened.role
        st.query_params[PASSAGE_PARAMETER] = opened.passage_id
    st.session_state[KNOWLEDGE_WRITTEN] = opened


def _passage_in_address() -> PassagePointer | None:
    """The passage that is asked for; its id, which begins with a role's name, says whose it is."""
    passage_id = st.query_params.get(PASSAGE_PARAMETER)
    if not passage_id:
        return None
    passage_id = clean_bad_chars(passage_id)
    for name in AGENT_NAMES:
        if passage_id.startswith(f"{name}_"):
            return PassagePointer(role=name, passage_id=passage_id)
    role = st.query_params.get(ROLE_PARAMETER)
    if role not in AGENT_NAMES:
        return None
    return PassagePointer(role=role, passage_id=passage_id)


def on_open_passage(role: str, passage_id: str) -> None:
    """Open a passage in place of the list."""
    st.session_state[KNOWLEDGE_OPEN] = PassagePointer(role=role, passage_id=passage_id)
    st.session_state[KNOWLEDGE_EDITED] = None
    st.session_state[KNOWLEDGE_NOTICES] = {}


def on_close_passage() -> None:
    """Go back to the list."""
    st.session_state[KNOWLEDGE_OPEN] = None
    st.session_state[KNOWLEDGE_EDITED] = None
    st.session_state[KNOWLEDGE_NOTICES] = {}


def on_leave_passage() -> None:
    """Go back to the list for another tab or role; an open edit stays, for it would be lost."""
    opened = current_open_passage()
    if opened is None or st.session_state.get(KNOWLEDGE_EDITED) != opened:
        on_close_passage()
        return
    st.session_state[KNOWLEDGE_ROLE] = opened.role


def await_passage(role: str, passage_id: str) -> None:
    """Open a passage that the next reading brings."""
    on_open_passage(role, passage_id)
    st.session_state[KNOWLEDGE_AWAITED] = PassagePointer(role=role, passage_id=passage_id)
