"""Changes of the knowledge by the person of this tab, and the sentence on what came of it."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import streamlit as st

from meetmind.errors import EditRefused, MeetMindError
from meetmind.i18n.translate import has_text
from meetmind.ui.language import error_text, safe_values, text
from meetmind.ui.session import KNOWLEDGE_NOTICES, current_person, current_services

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.knowledge_editing import KnowledgeEditing

Result = TypeVar("Result")
NOTICE_SECONDS = 10.0


@dataclass(frozen=True, kw_only=True)
class Notice:
    """A sentence on a change."""

    kind: str
    """`success` or `error`."""
    sentence: str
    left_at: float
    """Seconds of the monotonic clock."""


def change_knowledge(
    place: str, change: "Callable[[KnowledgeEditing, Person], Result]"
) -> Result | None:
    """What the change returned; None, with a sentence at `place`, when it was refused."""
    services = current_services()
    person = current_person(services)
    if person is None:
        return None
    try:
        return change(services.knowledge, person)
    except MeetMindError as error:
        leave_change_notice(place, refusal_text(error), "error")
        return None


def refusal_text(error: MeetMindError) -> str:
    """Why a change was refused, in the current language."""
    if isinstance(error, EditRefused) and has_text(f"knowledge.refused_{error.refusal}"):
        details = safe_values(error.details)
        return text(f"knowledge.refused_{error.refusal}", **details)
    return error_text(error)


def leave_change_notice(place: str, sentence: str, kind: str = "success") -> None:
    """Keep a sentence for the next drawings of a part of the page."""
    notices: dict[str, Notice] = st.session_state.setdefault(KNOWLEDGE_NOTICES, {})
    notices[place] = Notice(kind=kind, sentence=sentence, left_at=time.monotonic())


def show_change_notice(place: str) -> None:
    """The sentence that was left for this part of the page, for as long as it takes to read it.

    The page is drawn again by itself while documents are read: shown once only, it would be gone.
    """
    notices: dict[str, Notice] = st.session_state.get(KNOWLEDGE_NOTICES, {})
    notice = notices.get(place)
    if notice is None or time.monotonic() - notice.left_at > NOTICE_SECONDS:
        return
    if notice.kind == "error":
        st.error(notice.sentence, icon=":material/error:")
    else:
        st.success(notice.sentence, icon=":material/check_circle:")
