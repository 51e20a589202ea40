"""Which passage is open on the Knowledge page; it stands in the address and can be linked."""

from dataclasses import dataclass

import streamlit as st

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
    if role in AGENT_NAMES and (is_new or asked_for is None):
        st.session_state[KNOWLEDGE_ROLE] = role
    opened = current_open_passage()
    if opened is None:
        st.query_params.pop(ROLE_PARAMETER, None)
        st.query_params.pop(PASSAGE_PARAMETER, None)
    elif opened != asked_for:
        st.query_params[ROLE_PARAMETER] = opened.role
        st.query_params[PASSAGE_PARAMETER] = opened.passage_id
    st.session_state[KNOWLEDGE_WRITTEN] = opened


def _passage_in_address() -> PassagePointer | None:
    role = st.query_params.get(ROLE_PARAMETER)
    passage_id = st.query_params.get(PASSAGE_PARAMETER)
    if role not in AGENT_NAMES or not passage_id:
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


def await_passage(role: str, passage_id: str) -> None:
    """Open a passage that the next reading brings."""
    on_open_passage(role, passage_id)
    st.session_state[KNOWLEDGE_AWAITED] = PassagePointer(role=role, passage_id=passage_id)
