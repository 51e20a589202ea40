"""Draws what is asked on the Rerank page: the question, the roles, more words, one side or two."""

import re
from dataclasses import dataclass

import streamlit as st

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.ui.language import text
from meetmind.ui.roles import role_title
from meetmind.ui.session import RERANK_COMPARE, RERANK_EXPANSION, RERANK_QUERY, RERANK_ROLES

LONGEST_QUERY = 2_000
LONGEST_EXPANSION = 200
BETWEEN_TERMS = re.compile(r"[,，、;；\n]")


@dataclass(frozen=True, kw_only=True)
class AskedQuestion:
    """What somebody wants to know, and of whom."""

    query: str
    roles: tuple[str, ...]
    expansion_terms: tuple[str, ...]
    is_compared: bool


def show_question() -> AskedQuestion:
    """The fields; an empty query or no role where nothing is chosen."""
    st.session_state.setdefault(RERANK_ROLES, [AGENT_NAMES[0]])
    with st.container(key="rerank_question", gap="small"):
        query = st.text_input(
            text("rerank.question"),
            key=RERANK_QUERY,
            type="search",
            icon=":material/search:",
            placeholder=text("rerank.question_placeholder"),
            max_chars=LONGEST_QUERY,
            persist_state="session",
        )
        roles = st.pills(
            text("rerank.roles"),
            AGENT_NAMES,
            selection_mode="multi",
            key=RERANK_ROLES,
            format_func=role_title,
            persist_state="session",
        )
        expansion = st.text_input(
            text("rerank.expansion"),
            key=RERANK_EXPANSION,
            placeholder=text("rerank.expansion_placeholder"),
            help=text("rerank.expansion_help"),
            max_chars=LONGEST_EXPANSION,
            persist_state="session",
        )
        is_compared = st.toggle(
            text("rerank.compare"),
            key=RERANK_COMPARE,
            help=text("rerank.compare_help"),
            persist_state="session",
        )
    chosen = set(roles or ())
    return AskedQuestion(
        query=" ".join((query or "").split()),
        roles=tuple(role for role in AGENT_NAMES if role in chosen),
        expansion_terms=read_terms(expansion or ""),
        is_compared=is_compared,
    )


def read_terms(typed: str) -> tuple[str, ...]:
    """The terms between commas, Chinese or not, each once."""
    terms = [term.strip() for term in BETWEEN_TERMS.split(typed)]
    return tuple(dict.fromkeys(term for term in terms if term))
