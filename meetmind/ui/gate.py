"""The way in: nothing is drawn before somebody is signed in with a password of their own."""

import json
from typing import TYPE_CHECKING

import streamlit as st

from meetmind.clean_text import clean_bad_chars
from meetmind.ui.language import follow_person, show_language_switch, text
from meetmind.ui.pages import DISCUSSION_PAGE, DISCUSSION_PATH, name_tab, register_pages
from meetmind.ui.process import process_services
from meetmind.ui.safe_text import safe_markdown
from meetmind.ui.session import (
    CAME_THROUGH_APP,
    DISCUSSION_PARAMETER,
    REDIRECT,
    WANTS_DISCUSSION,
    WRITTEN_PARAMETER,
    current_discussion_id,
    current_person,
    current_services,
    open_discussion,
)
from meetmind.ui.sign_in import show_first_password, show_sign_in
from meetmind.ui.style import show_style

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.services import Services

STARTING_POLL_SECONDS = 0.4


def pass_gate() -> "tuple[Services, Person]":
    """The services and the person; stops the script while there is no one to show the app to."""
    show_style()
    _follow_redirect()
    _wait_for_services()
    services = current_services()
    person = current_person(services)
    if person is None:
        register_pages("hidden")
        name_tab(text("sign_in.title"))
        show_sign_in(services)
        st.stop()
    follow_person(person)
    if person.must_change_password:
        register_pages("hidden")
        name_tab(text("password.first_title"))
        show_first_password(services, person)
        st.stop()
    return services, person


def enter_page() -> "tuple[Services, Person]":
    """First line of every page: it runs only behind app.py, and checks the person once more.

    On a fresh server a deep link runs a file of pages/ by itself. Then the pages are registered and
    the script starts again, this time through app.py.
    """
    if not st.session_state.pop(CAME_THROUGH_APP, False):
        register_pages("hidden")
        st.rerun()
    services = current_services()
    person = current_person(services)
    if person is None or person.must_change_password:
        st.rerun()
    return services, person


def run_page(page: "st.Page") -> None:
    """Run the chosen page, or the Discussion page after a click in the list of discussions."""
    wants_discussion = st.session_state.pop(WANTS_DISCUSSION, False)
    if wants_discussion and page.url_path != DISCUSSION_PATH:
        st.switch_page(DISCUSSION_PAGE)
    st.session_state[CAME_THROUGH_APP] = True
    page.run()


def keep_discussion_parameter() -> None:
    """Carry the open discussion in the address; a click in the navigation drops it."""
    asked_for = st.query_params.get(DISCUSSION_PARAMETER)
    if asked_for is not None:
        asked_for = clean_bad_chars(asked_for)
    written = st.session_state.get(WRITTEN_PARAMETER)
    if asked_for is not None and asked_for != written:
        open_discussion(asked_for)
    open_now = current_discussion_id()
    if open_now is None:
        st.query_params.pop(DISCUSSION_PARAMETER, None)
    elif asked_for != open_now:
        st.query_params[DISCUSSION_PARAMETER] = open_now
    st.session_state[WRITTEN_PARAMETER] = open_now


def _follow_redirect() -> None:
    """Send the browser to the route that sets or clears the cookie."""
    address = st.session_state.pop(REDIRECT, None)
    if address is None:
        return
    register_pages("hidden")
    leaving = address.startswith("/auth/leave")
    st.caption(text("sign_in.leaving" if leaving else "sign_in.working"))
    target = json.dumps(address).replace("<", "\\u003c")
    st.html(f"<script>window.location.replace({target})</script>", unsafe_allow_javascript=True)
    st.stop()


def _wait_for_services() -> None:
    if process_services.current is not None:
        return
    register_pages("hidden")
    with st.container(key="door", horizontal_alignment="center"):
        if process_services.state == "failed":
            failure = safe_markdown(process_services.failure)
            st.error(failure, title=text("app.start_failed"))
        else:
            _show_starting()
            show_language_switch(None, "starting")
    st.stop()


@st.fragment(run_every=STARTING_POLL_SECONDS)
def _show_starting() -> None:
    """The first thing that anybody sees; it makes way as soon as the services are open."""
    if process_services.state in ("open", "failed"):
        st.rerun()
    st.markdown(f"### :shimmer[{text('app.loading')}]")
    st.caption(text("app.starting_database"))
