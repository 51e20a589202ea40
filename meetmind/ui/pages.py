"""The pages of the app in their groups; only what exists is listed."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import streamlit as st

from meetmind.config.settings import PROJECT_ROOT
from meetmind.ui.language import text

PAGES_FOLDER = PROJECT_ROOT / "pages"
MARK = Path(__file__).parent / "mark.svg"
DISCUSSION_PAGE = PAGES_FOLDER / "discussion.py"
RERANK_PAGE = PAGES_FOLDER / "rerank.py"
APPROVALS_PAGE = PAGES_FOLDER / "approvals.py"
DISCUSSION_PATH = ""
APPROVALS_PATH = "approvals"
ICONS = {
    "discussion": ":material/forum:",
    "approvals": ":material/front_hand:",
    "knowledge": ":material/menu_book:",
    "rerank": ":material/swap_vert:",
    "evaluation": ":material/monitoring:",
    "memory": ":material/psychology:",
    "settings": ":material/settings:",
}

Position = Literal["sidebar", "hidden"]


def register_pages(position: Position, waiting: int = 0) -> "st.Page":
    """Tell Streamlit the pages and return the one that is asked for.

    `waiting` is the number of calls that wait for the person; it stands in the navigation.

    Must run on every script run, before anything stops it: otherwise Streamlit serves the files of
    pages/ by themselves, without app.py and so without its sign-in.
    """
    groups: dict[str, Sequence[st.Page]] = {
        text("nav.work"): [_page("discussion", default=True), _approvals_page(waiting)],
        text("nav.knowledge_group"): [_page("knowledge"), _page("rerank")],
        text("nav.insight"): [_page("evaluation")],
        text("nav.you"): [_page("memory"), _page("settings")],
    }
    about = f"**MeetMind** · {text('app.claim')}"
    st.set_page_config("MeetMind", str(MARK), layout="wide", menu_items={"About": about})
    page = st.navigation(groups, position=position)
    name_tab(page.title)
    return page


def name_tab(title: str) -> None:
    """Name the browser's tab after what is shown instead of a page."""
    st.set_page_config(f"{title} · MeetMind", str(MARK))


def _approvals_page(waiting: int) -> "st.Page":
    title = text("nav.approvals_waiting", count=waiting) if waiting else text("nav.approvals")
    return _page("approvals", title=title)


def _page(name: str, *, default: bool = False, title: str = "") -> "st.Page":
    return st.Page(
        PAGES_FOLDER / f"{name}.py",
        title=title or text(f"nav.{name}"),
        icon=ICONS[name],
        url_path=name,
        default=default,
        help=text(f"nav.{name}_help"),
    )
