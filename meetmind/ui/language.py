"""The language of the page: the person's choice, the last one of this browser, or its own."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from meetmind.errors import MeetMindError, ModelError
from meetmind.i18n.translate import LANGUAGES, Language, as_language, has_text, translate
from meetmind.ui.safe_text import safe_label
from meetmind.ui.session import LANGUAGE, LANGUAGE_COOKIE, current_services

if TYPE_CHECKING:
    from meetmind.server.accounts import Person

SWITCH = "language_switch"


def current_language() -> Language:
    """The language to draw in."""
    chosen = st.session_state.get(LANGUAGE)
    if chosen is not None:
        return as_language(chosen)
    kept = st.context.cookies.get(LANGUAGE_COOKIE)
    return as_language(kept if isinstance(kept, str) else st.context.locale)


def follow_person(person: "Person") -> None:
    """Take the language that a person once chose, unless this tab has another choice."""
    if person.language is not None and LANGUAGE not in st.session_state:
        st.session_state[LANGUAGE] = person.language


def text(key: str, **values: str | int | float) -> str:
    """The text of a key in the current language."""
    return translate(key, current_language(), **values)


def known_text(section: str, name: str) -> str:
    """The text of `section.name`, or the name itself where the catalogue has none."""
    key = f"{section}.{name}"
    return text(key) if has_text(key) else name


def error_text(error: MeetMindError) -> str:
    """What happened, what is safe and what to do, in the current language; safe inside Markdown."""
    if isinstance(error, ModelError) and has_text(f"fault.{error.fault}"):
        return text(f"fault.{error.fault}")
    details = safe_values(error.details)
    return text(f"error.{error.code}", **details)


def safe_values(details: Mapping[str, str | int | float]) -> dict[str, str | int | float]:
    """What fills a sentence, its texts without any Markdown: names and paths are anybody's."""
    value_by_name: dict[str, str | int | float] = {}
    for name, value in details.items():
        value_by_name[name] = safe_label(value) if isinstance(value, str) else value
    return value_by_name


def show_language_switch(person: "Person | None", where: str) -> None:
    """The two languages side by side; `where` tells apart the places that show the switch."""
    key = f"{SWITCH}_{where}"
    st.session_state[key] = current_language()
    st.segmented_control(
        text("language.label"),
        LANGUAGES,
        key=key,
        format_func=lambda language: text(f"language.{language}"),
        label_visibility="collapsed",
        on_change=on_language,
        args=(key, None if person is None else person.id),
    )


def on_language(key: str, person_id: str | None) -> None:
    """Keep the choice for this tab and, for a person, for good."""
    language = st.session_state[key]
    if language is None:
        return
    st.session_state[LANGUAGE] = language
    if person_id is not None:
        current_services().accounts.set_language(person_id, language)


def local_time(moment: datetime) -> datetime:
    """A moment in the reader's time zone."""
    try:
        zone = ZoneInfo(st.context.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        zone = ZoneInfo("UTC")
    return moment.astimezone(zone)


def clock_text(moment: datetime) -> str:
    """Hours and minutes, in the reader's time zone."""
    return local_time(moment).strftime("%H:%M")


def date_time_text(moment: datetime) -> str:
    """Date and time, in the reader's time zone."""
    return local_time(moment).strftime("%Y-%m-%d %H:%M")


def duration_text(duration: timedelta) -> str:
    """A length of time in minutes and seconds."""
    seconds = max(0, int(duration.total_seconds()))
    if seconds < 60:
        return text("unit.seconds", count=seconds)
    return text("unit.minutes", minutes=seconds // 60, seconds=seconds % 60)
