"""Draws the title of a page and the question that it answers."""

import streamlit as st

from meetmind.i18n.translate import has_text
from meetmind.ui.language import text


def show_page_head(page: str) -> None:
    """Title and one sentence out of the page's section of the catalogue."""
    st.markdown(f"## {text(f'{page}.title')}", anchors=False)
    if has_text(f"{page}.sentence"):
        st.markdown(f":gray[{text(f'{page}.sentence')}]")
