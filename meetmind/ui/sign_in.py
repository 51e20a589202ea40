"""The forms of the way in: signing in, the first password, a new password, signing out."""

from typing import TYPE_CHECKING
from urllib.parse import urlencode

import streamlit as st

from meetmind.errors import MeetMindError, NotFound, SignInRefused
from meetmind.ui.language import error_text, show_language_switch, text
from meetmind.ui.process import cookie_door
from meetmind.ui.safe_text import safe_label
from meetmind.ui.session import (
    DISCUSSION_PARAMETER,
    LANGUAGE,
    REDIRECT,
    TAB_TOKEN,
    current_services,
    current_token,
    leave_notice,
    take_notice,
)
from meetmind.ui.style import show_mark

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.services import Services

ENTER_PATH = "/auth/enter"
LEAVE_PATH = "/auth/leave"
FIRST_NAME = "admin"
NAME = "sign_in_name"
PASSWORD = "sign_in_password"  # noqa: S105 - the name of a key
OLD = "password_old"
NEW = "password_new"
AGAIN = "password_again"


def show_sign_in(services: "Services") -> None:
    """The sign-in form, alone on the page."""
    with st.container(key="door"):
        show_mark()
        st.markdown("## MeetMind", anchors=False)
        st.markdown(f"**{text('sign_in.title')}**")
        st.caption(text("app.claim"))
        show_notice()
        with st.form("sign_in", border=False):
            st.text_input(text("sign_in.name"), key=NAME, autocomplete="username")
            st.text_input(
                text("sign_in.password"),
                key=PASSWORD,
                type="password",
                autocomplete="current-password",
            )
            st.form_submit_button(
                text("sign_in.submit"), type="primary", width="stretch", on_click=on_sign_in
            )
        if first_password_holds(services):
            st.caption(text("sign_in.first_hint"))
        show_language_switch(None, "door")


def first_password_holds(services: "Services") -> bool:
    """Whether nobody has signed in to the first account yet."""
    try:
        return services.accounts.person_named(FIRST_NAME).must_change_password
    except NotFound:
        return False


def on_sign_in() -> None:
    """Check name and password; then the browser gets its cookie, or the tab its token."""
    accounts = current_services().accounts
    name, password = st.session_state[NAME], st.session_state[PASSWORD]
    if not name.strip() or not password:
        leave_notice(text("sign_in.empty"))
        return
    try:
        person = accounts.sign_in(name, password)
    except MeetMindError as error:
        leave_notice(error_text(error))
        return
    chosen = st.session_state.get(LANGUAGE)
    if chosen is not None and chosen != person.language:
        accounts.set_language(person.id, chosen)
    let_in(person.id)


def let_in(person_id: str) -> None:
    """Turn a ticket into the browser's cookie by a redirect, or into this tab's own token."""
    accounts = current_services().accounts
    ticket = accounts.issue_ticket(person_id)
    if cookie_door.is_open:
        query = urlencode({"ticket": ticket, "to": _place_now()})
        st.session_state[REDIRECT] = f"{ENTER_PATH}?{query}"
    else:
        st.session_state[TAB_TOKEN] = accounts.redeem_ticket(ticket)


def _place_now() -> str:
    """The page and the open discussion, to come back to after the redirect."""
    path = "/" + (st.context.url or "").split("://", 1)[-1].partition("/")[2].split("?")[0]
    discussion_id = st.query_params.get(DISCUSSION_PARAMETER)
    if discussion_id is None:
        return path
    return f"{path}?{urlencode({DISCUSSION_PARAMETER: discussion_id})}"


def show_first_password(services: "Services", person: "Person") -> None:
    """The form that stands before everything else while the first password still holds."""
    with st.container(key="door"):
        show_mark()
        st.markdown(f"### {text('password.first_title')}")
        st.caption(text("password.first_text"))
        show_notice()
        show_password_form(person)
        show_language_switch(person, "door")


def show_password_form(person: "Person") -> None:
    """Old password, new password, and the new one again."""
    with st.form("password", border=False):
        st.text_input(
            text("password.old"), key=OLD, type="password", autocomplete="current-password"
        )
        st.text_input(
            text("password.new"),
            key=NEW,
            type="password",
            autocomplete="new-password",
            help=text("password.rule"),
        )
        st.text_input(
            text("password.again"), key=AGAIN, type="password", autocomplete="new-password"
        )
        st.form_submit_button(
            text("password.submit"),
            type="primary",
            width="stretch",
            on_click=on_password,
            args=(person.id,),
        )


def on_password(person_id: str) -> None:
    """Change the password; every other browser is signed out."""
    if st.session_state[NEW] != st.session_state[AGAIN]:
        leave_notice(text("password.differ"))
        return
    try:
        current_services().accounts.change_password(
            person_id,
            st.session_state[OLD],
            st.session_state[NEW],
            keep_token=current_token(),
        )
    except SignInRefused:
        leave_notice(text("error.old_password_wrong"))
        return
    except MeetMindError as error:
        leave_notice(error_text(error))
        return
    for key in (OLD, NEW, AGAIN):
        st.session_state[key] = ""
    leave_notice(text("password.changed"), "success")


def on_sign_out() -> None:
    """End this sign-in; with a cookie the browser is sent to the route that clears it."""
    token = st.session_state.get(TAB_TOKEN)
    language = st.session_state.get(LANGUAGE)
    st.session_state.clear()
    if language is not None:
        st.session_state[LANGUAGE] = language
    if token is not None:
        current_services().accounts.sign_out(token)
    else:
        st.session_state[REDIRECT] = LEAVE_PATH


def show_account(person: "Person") -> None:
    """Who is signed in, and the way out."""
    st.markdown(f"**{text('settings.account')}**")
    st.caption(text("sign_in.signed_in_as", name=safe_label(person.name)))
    st.button(
        text("sign_in.sign_out"),
        key="settings_sign_out",
        icon=":material/logout:",
        on_click=on_sign_out,
    )


def show_notice() -> None:
    """The sentence that the last action left, if any."""
    notice = take_notice()
    if notice is None:
        return
    kind, sentence = notice
    if kind == "success":
        st.success(sentence, icon=":material/check_circle:")
    elif kind == "info":
        st.info(sentence, icon=":material/info:")
    else:
        st.error(sentence, icon=":material/error:")
