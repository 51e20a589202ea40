"""Draws the menu of the talk: summarise now, and what the models see of it."""

from typing import TYPE_CHECKING

import streamlit as st

from meetmind.errors import MeetMindError
from meetmind.ui.language import error_text, text
from meetmind.ui.roles import PERSON, role_title
from meetmind.ui.session import (
    MODELS_VIEW,
    current_discussion_id,
    current_person,
    current_place,
    current_services,
    leave_notice,
)
from meetmind.ui.show_text import show_text

if TYPE_CHECKING:
    from meetmind.server.compaction import SeenTalk

ACTIONS = ("summarise", "models_see")
MENU = "talk_menu"


def show_models_menu() -> None:
    """The menu; what it opens stays open over redraws until it is closed."""
    action = st.menu_button(
        "",
        ACTIONS,
        key=MENU,
        icon=":material/more_horiz:",
        type="tertiary",
        help=text("discussion.menu"),
        format_func=lambda action: text(f"discussion.menu_{action}"),
    )
    if action == "summarise":
        _summarise()
    elif action == "models_see":
        st.session_state[MODELS_VIEW] = current_discussion_id()
    if st.session_state.get(MODELS_VIEW) == current_discussion_id():
        _show_models_view()


def on_models_view_closed() -> None:
    """Forget that the view was open."""
    st.session_state.pop(MODELS_VIEW, None)


def _summarise() -> None:
    """Fold what was said into a summary now, and say what came of it."""
    place = current_place()
    if place is None:
        return
    services, owner_id, session_id = place
    try:
        with st.spinner(text("discussion.summarising")):
            outcome = services.compaction.compact_session(owner_id, session_id)
    except MeetMindError as error:
        leave_notice(error_text(error))
    else:
        done = "boundary.done" if outcome.compacted else "boundary.nothing_to_do"
        leave_notice(text(done), "success" if outcome.compacted else "info")
    st.rerun()


def _show_models_view() -> None:
    @st.dialog(
        text("models_see.title"),
        width="large",
        icon=":material/visibility:",
        on_dismiss=on_models_view_closed,
    )
    def show() -> None:
        place = current_place()
        if place is None:
            return
        services, owner_id, session_id = place
        try:
            seen = services.compaction.what_the_model_sees(owner_id, session_id)
        except MeetMindError as error:
            st.caption(error_text(error))
            return
        _show_seen(seen)

    show()


def _show_seen(seen: "SeenTalk") -> None:
    """What a speaker is given, in the order in which it stands in the request."""
    told = text("models_see.sentence", tokens=f"{seen.tokens:,}", limit=f"{seen.limit_tokens:,}")
    st.markdown(told)
    _show_memory()
    _show_part("summary", seen.summary)
    st.caption(f":material/history: {text('models_see.recalled_later')}")
    title = text("models_see.follows")
    tokens = _tokens_text("".join(message.content for message in seen.messages))
    with st.expander(text("models_see.part", title=title, tokens=tokens), expanded=True):
        for message in seen.messages:
            st.markdown(f"**{_author(message.author)}**")
            show_text(message.content, f"seen_{message.id}", keep_lines=True)


def _show_memory() -> None:
    services = current_services()
    person = current_person(services)
    version = None if person is None else services.memory.get_memory(person.id)
    _show_part("memory", "" if version is None else version.content)


def _show_part(name: str, words: str) -> None:
    """One part of the request; where there is nothing in it, that is said."""
    title = text(f"models_see.{name}")
    if not words.strip():
        st.caption(f"**{title}**  \n{text('models_see.nothing')}")
        return
    with st.expander(text("models_see.part", title=title, tokens=_tokens_text(words))):
        show_text(words, f"seen_{name}", keep_lines=True)


def _tokens_text(words: str) -> str:
    return f"{current_services().compaction.tokens_of(words):,}"


def _author(author: str) -> str:
    return text("discussion.you") if author == PERSON else role_title(author)
