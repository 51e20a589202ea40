"""The few rules that the theme cannot say, and the product's mark."""

import json
from pathlib import Path

import streamlit as st

FOLDER = Path(__file__).parent
STYLE_FILE = FOLDER / "style.css"
PHONE_SIDEBAR = FOLDER / "phone_sidebar.js"
KEPT_DRAFTS = FOLDER / "kept_drafts.js"
LOGO = FOLDER / "logo.svg"
MARK = FOLDER / "mark.svg"


def show_style() -> None:
    """Load the rules; they hold for keyed containers of our own only."""
    st.html(STYLE_FILE)


def load_scripts(owner_id: str) -> None:
    """What the browser does by itself: a phone's sidebar makes way, half-typed words are kept.

    In one element, since every element moves the page down.
    """
    owner = f"window.meetmindDraftOwner = {json.dumps(owner_id)};"
    scripts = [script.read_text(encoding="utf-8") for script in (PHONE_SIDEBAR, KEPT_DRAFTS)]
    code = "\n".join((owner, *scripts))
    st.html(f"<script>{code}</script>", unsafe_allow_javascript=True)


def show_mark() -> None:
    """The product's mark."""
    st.image(MARK.read_text(encoding="utf-8"), width=48, alt="MeetMind")


def show_logo() -> None:
    """The product's name at the top of the sidebar."""
    mark = MARK.read_text(encoding="utf-8")
    st.logo(LOGO.read_text(encoding="utf-8"), size="large", icon_image=mark)
