"""Draws the passage that is open: its words, where they stand, what stands around them."""

from typing import TYPE_CHECKING

import streamlit as st

from meetmind.errors import MeetMindError, NotFound
from meetmind.ui.fault import polling
from meetmind.ui.language import date_time_text, error_text, text
from meetmind.ui.open_passage import PassagePointer, on_close_passage, on_open_passage
from meetmind.ui.roles import coloured_title
from meetmind.ui.safe_text import safe_label, safe_markdown, shortened
from meetmind.ui.session import KNOWLEDGE_AWAITED, KNOWLEDGE_EDITED, current_services
from meetmind.ui.show_ingestion import AT_WORK
from meetmind.ui.show_knowledge import language_name
from meetmind.ui.show_passage_edit import show_edit_form, show_passage_actions
from meetmind.ui.show_passage_list import passage_head
from meetmind.ui.show_text import show_text

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.knowledge_editing import OpenPassage
    from meetmind.server.knowledge_rows import PassageRow
    from meetmind.server.services import Services

POLL_SECONDS = 0.5
EXCERPT_WIDTH = 220


def show_passage(services: "Services", person: "Person", opened: PassagePointer) -> None:
    """The open passage, or why there is none."""
    st.button(
        text("knowledge.back"),
        key=f"back_{opened.passage_id}",
        icon=":material/arrow_back:",
        type="tertiary",
        on_click=on_close_passage,
    )
    try:
        found = services.knowledge.open_passage(opened.role, opened.passage_id)
    except NotFound:
        _show_missing(services, opened)
        return
    except MeetMindError as error:
        st.error(error_text(error))
        return
    st.session_state[KNOWLEDGE_AWAITED] = None
    if person.is_admin and st.session_state.get(KNOWLEDGE_EDITED) == opened:
        show_edit_form(opened, found.passage)
        return
    with st.container(border=True, key=f"passage_{opened.passage_id}", gap="xsmall"):
        _show_words(opened, found)
        if person.is_admin:
            show_passage_actions(opened, found)
    _show_around(opened, found)


def _show_words(opened: PassagePointer, found: "OpenPassage") -> None:
    passage = found.passage
    facts = [
        coloured_title(opened.role),
        safe_label(language_name(passage.language)),
        text("knowledge.characters_count", count=f"{len(passage.content):,}"),
        f"`{passage.id}`",
    ]
    st.markdown(f"{passage_head(passage)}\n\n:small[{' · '.join(facts)}]")
    if found.edit is not None:
        name = safe_label(found.edit.edited_by or text("knowledge.somebody"))
        time = date_time_text(found.edit.edited_at)
        st.caption(text("knowledge.edited_by", name=name, time=time))
    show_text(passage.content, f"passage_{passage.id}", keep_lines=True)
    if found.other_places:
        places = [_place(place) for place in found.other_places]
        st.caption(text("knowledge.other_places", places=text("unit.list_separator").join(places)))


def _place(passage: "PassageRow") -> str:
    return safe_label(" · ".join(part for part in (passage.source, passage.locator) if part))


def _show_around(opened: PassagePointer, found: "OpenPassage") -> None:
    position = found.passage.position
    before = [row for row in found.around if row.position < position]
    after = [row for row in found.around if row.position > position]
    with st.grid(2, min_column_width=280, gap="small"):
        for name, rows in (("before", before), ("after", after)):
            for row in rows:
                _show_neighbour(opened.role, name, row)


def _show_neighbour(role: str, name: str, passage: "PassageRow") -> None:
    with st.container(border=True, key=f"{name}_{passage.id}", gap="xxsmall"):
        st.caption(text(f"knowledge.{name}"))
        excerpt = shortened(passage.content, EXCERPT_WIDTH)
        words = safe_markdown(excerpt, keep_lines=True)
        st.markdown(f"**{safe_label(passage.title)}**\n\n{words}")
        st.button(
            text("knowledge.open"),
            key=f"open_{name}_{passage.id}",
            type="tertiary",
            icon=":material/menu_book:",
            on_click=on_open_passage,
            args=(role, passage.id),
        )


def _show_missing(services: "Services", opened: PassagePointer) -> None:
    is_awaited = st.session_state.get(KNOWLEDGE_AWAITED) == opened
    if is_awaited and services.library.progress().state in AT_WORK:
        _wait_for(opened)
        return
    # The form of an edit went with the passage: there is nothing left to keep.
    st.session_state[KNOWLEDGE_EDITED] = None
    st.info(text("knowledge.passage_gone"), icon=":material/search_off:")


@st.fragment(run_every=POLL_SECONDS)
@polling
def _wait_for(opened: PassagePointer) -> None:
    """Draw the page again as soon as the document is read."""
    services = current_services()
    st.markdown(f":shimmer[{text('knowledge.passage_awaited')}]")
    if services.library.progress().state not in AT_WORK:
        st.rerun()
    try:
        services.knowledge.open_passage(opened.role, opened.passage_id)
    except NotFound:
        return
    st.rerun()
