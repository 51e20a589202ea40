"""Draws the history of risky calls: filters, a line a call that opens to all of it, a download."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from meetmind.server.approvals import PAGE_OF_HISTORY, PastFilter
from meetmind.ui.language import text
from meetmind.ui.past_calls_csv import csv_bytes
from meetmind.ui.safe_text import shortened
from meetmind.ui.session import (
    APPROVALS_DISCUSSION,
    APPROVALS_OUTCOME,
    APPROVALS_PAGE,
    APPROVALS_TOOL,
    widget_value,
)
from meetmind.ui.show_past_call import show_past_call

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.approvals import PastCallRow
    from meetmind.server.services import Services

OUTCOMES = ("approved", "rejected", "refused", "lapsed")
TITLE_WIDTH = 40


def show_past_calls(services: "Services", person: "Person") -> None:
    """Every decided or refused call, newest first, a page at a time."""
    wanted = _show_filters(services, person)
    page = int(widget_value(APPROVALS_PAGE) or 1)
    rows, count = services.approvals.past_calls(person.id, wanted, page - 1)
    if count == 0:
        is_filtered = wanted != PastFilter()
        st.caption(text("approvals.history_no_match" if is_filtered else "approvals.history_none"))
        return
    _show_count(services, person, wanted, count)
    with st.container(key="past_calls", gap="xsmall"):
        for row in rows:
            show_past_call(row)
    pages = -(-count // PAGE_OF_HISTORY)
    if pages > 1:
        st.pagination(pages, key=APPROVALS_PAGE, persist_state="session")


def _show_filters(services: "Services", person: "Person") -> PastFilter:
    title_by_id: dict[str, str] = {}
    for session in services.discussions.list_sessions(person.id):
        title_by_id[session.id] = shortened(session.title, TITLE_WIDTH)
    columns = st.columns(3, gap="small")
    with columns[0]:
        tool = st.selectbox(
            text("approvals.tool"),
            services.approvals.past_tools(person.id),
            index=None,
            key=APPROVALS_TOOL,
            placeholder=text("approvals.any_outcome"),
            on_change=on_filter,
            persist_state="session",
        )
    with columns[1]:
        session_id = st.selectbox(
            text("approvals.discussion"),
            list(title_by_id),
            index=None,
            key=APPROVALS_DISCUSSION,
            placeholder=text("approvals.any_discussion"),
            format_func=lambda id_: title_by_id.get(id_, id_),
            on_change=on_filter,
            persist_state="session",
        )
    with columns[2]:
        outcome = st.selectbox(
            text("approvals.outcome"),
            OUTCOMES,
            index=None,
            key=APPROVALS_OUTCOME,
            placeholder=text("approvals.any_outcome"),
            format_func=lambda name: text(f"approvals.outcome_{name}"),
            on_change=on_filter,
            persist_state="session",
        )
    return PastFilter(tool=tool, session_id=session_id, outcome=outcome)


def on_filter() -> None:
    """Begin at the first page of what is wanted now."""
    st.session_state[APPROVALS_PAGE] = 1


def _show_count(services: "Services", person: "Person", wanted: PastFilter, count: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        key = "approvals.count_one" if count == 1 else "approvals.count"
        st.caption(text(key, count=f"{count:,}"))
        st.space("stretch")
        st.download_button(
            text("approvals.download"),
            _csv_of(services, person.id, wanted),
            file_name="approvals.csv",
            mime="text/csv",
            key="approvals_csv",
            icon=":material/download:",
            on_click="ignore",
        )


def _csv_of(services: "Services", owner_id: str, wanted: PastFilter) -> Callable[[], bytes]:
    """Writes the table when somebody asks for it: all that is wanted, not this page alone."""

    def write() -> bytes:
        found: list[PastCallRow] = []
        page = 0
        while True:
            rows, count = services.approvals.past_calls(owner_id, wanted, page)
            found.extend(rows)
            page += 1
            if not rows or len(found) >= count:
                return csv_bytes(found)

    return write
