"""The few rules that the theme cannot say, and the product's mark."""

from pathlib import Path

import streamlit as st

FOLDER = Path(__file__).parent
STYLE_FILE = FOLDER / "style.css"
PHONE_SIDEBAR = FOLDER / "phone_sidebar.js"
LOGO = FOLDER / "logo.svg"
MARK = FOLDER / "mark.svg"


def show_style() -> None:
    """Load the rules; they hold for keyed containers of our own only."""
    st.html(STYLE_FILE)


def show_phone_sidebar() -> None:
    """On a phone the sidebar makes way for what was chosen in it."""
    script = PHONE_SIDEBAR.read_text(encoding="utf-8")
    st.html(f"<script>{script}</script>", unsafe_allow_javascript=True)


def show_mark() -> None:
    """The product's mark."""
    st.image(MARK.read_text(encoding="utf-8"), width=48, alt="MeetMind")


def show_logo() -> None:
    """The product's name at the top of the sidebar."""
    mark = MARK.read_text(encoding="utf-8")
    st.logo(LOGO.read_text(encoding="utf-8"), size="large", icon_image=mark)
