"""Draws which model is in use and how to connect another."""

from typing import TYPE_CHECKING

import streamlit as st

from meetmind.ui.language import text
from meetmind.ui.safe_text import safe_label

if TYPE_CHECKING:
    from meetmind.server.models import ModelStatus

ENV_LINES = """API_KEY=sk-...
BASE_URL=https://api.example.com/v1
MODEL_NAME=name-of-the-model"""


def model_name(name: str, offline: bool) -> str:
    """The model's name as people read it, safe inside Markdown."""
    return text("model.offline_name") if offline else safe_label(name)


def show_offline_banner(status: "ModelStatus") -> None:
    """Says that the offline model only quotes, and how to connect a real one."""
    if not status.offline:
        return
    with st.container(
        key="offline_banner",
        horizontal=True,
        vertical_alignment="center",
        gap="xsmall",
        horizontal_alignment="distribute",
    ):
        st.markdown(
            f":small[:material/format_quote: {text('model.offline_short')}]", width="content"
        )
        with st.popover(text("model.connect"), type="tertiary", icon=":material/cable:"):
            show_connection_help()


def show_connection_help() -> None:
    """The three lines that connect a model."""
    st.markdown(text("model.connect_text"))
    st.code(ENV_LINES, language="ini")


def show_model(status: "ModelStatus") -> None:
    """The model in use, whole."""
    if status.offline:
        st.markdown(f":material/format_quote: {text('model.offline_banner')}")
    else:
        name = safe_label(status.name)
        address = safe_label(status.base_url)
        connected = text("model.connected", name=f"**{name}**", base_url=address)
        st.markdown(f":green[:material/check_circle:] {connected}")
    if status.tools_refused:
        st.caption(text("model.tools_refused"))
    title = text("model.connect" if status.offline else "model.connect_other")
    with st.expander(title, type="compact", icon=":material/cable:"):
        show_connection_help()
