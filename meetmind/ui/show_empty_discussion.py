"""Draws the page before the first word: what this is, examples, who is in the room, the model."""

from typing import TYPE_CHECKING

import streamlit as st

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.ui.composer import on_example
from meetmind.ui.language import current_language, text
from meetmind.ui.roles import coloured_title, sign_of
from meetmind.ui.show_ingestion import AT_WORK, show_ingestion
from meetmind.ui.show_model import show_model

if TYPE_CHECKING:
    from meetmind.server.library import RoleKnowledge
    from meetmind.server.services import Services

EXAMPLES = ("one", "two", "three", "four")


def show_empty_discussion(services: "Services") -> None:
    """The first page that a signed-in person sees."""
    with st.container(key="empty_page"):
        with st.container(gap="xsmall"):
            st.markdown(f"## {text('empty.headline')}")
            st.markdown(f":gray[{text('empty.sentence')}]")
        show_ingestion()
        _show_examples()
        _show_roles(services)
        with st.container(border=True, key="model_card", gap="xsmall"):
            st.caption(text("model.in_use"))
            show_model(services.models.status())


def _show_examples() -> None:
    st.caption(text("empty.examples"))
    with st.container(key="examples"):
        for first, second in (EXAMPLES[:2], EXAMPLES[2:]):
            for column, name in zip(st.columns(2), (first, second), strict=True):
                brief = text(f"example.{name}")
                column.button(
                    brief,
                    key=f"example_{name}_{current_language()}",
                    width="stretch",
                    wrap=True,
                    on_click=on_example,
                    args=(brief,),
                )


def _show_roles(services: "Services") -> None:
    st.caption(text("empty.roles"))
    knowledge_by_role = {known.agent_name: known for known in services.library.overview()}
    is_reading = services.library.progress().state in AT_WORK
    with st.grid(5, min_column_width=140, gap="small"):
        for name in AGENT_NAMES:
            _show_role(name, knowledge_by_role.get(name), is_reading)


def _show_role(name: str, known: "RoleKnowledge | None", is_reading: bool) -> None:
    with st.container(border=True, key=f"role_{name}", gap="xsmall", height="stretch"):
        st.image(sign_of(name), width=28, alt="")
        st.markdown(coloured_title(name))
        st.caption(text(f"answers_for.{name}"))
        st.space("stretch")
        st.caption(f"**{_knowledge_text(known, is_reading)}**")


def _knowledge_text(known: "RoleKnowledge | None", is_reading: bool) -> str:
    if known is not None and known.passages > 0:
        return text("empty.knows", documents=known.documents, passages=known.passages)
    return text("empty.reading" if is_reading else "empty.knows_nothing")
