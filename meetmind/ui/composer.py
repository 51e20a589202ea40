"""The composer at the bottom: who answers, the text field, the files that go with the brief."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import streamlit as st

from meetmind.errors import MeetMindError
from meetmind.events import Mode
from meetmind.server.attachments import (
    Attachment,
    AttachmentRefusal,
    check_attachments,
)
from meetmind.ui.kept_attachments import keep_files, kept_files, show_kept_files
from meetmind.ui.language import error_text, text
from meetmind.ui.safe_text import safe_label
from meetmind.ui.session import (
    MODE,
    current_discussion_id,
    current_person,
    current_services,
    leave_notice,
    open_discussion,
)

if TYPE_CHECKING:
    from streamlit.typing import ChatInputValue

    from meetmind.server.services import Services

MODES: tuple[Mode, ...] = ("auto", "team", "assistant")
BRIEF = "composer_brief"
BRIEF_CHARACTERS = 20_000


@dataclass(frozen=True, kw_only=True)
class Brief:
    """What somebody sends: words, for whom, and the files that go with them."""

    words: str
    mode: Mode
    files: Sequence[Attachment] = ()


def show_composer(state: str) -> None:
    """The text field, closed while the team talks or waits for a decision."""
    with st.bottom, st.container(key="composer", gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            mode = st.segmented_control(
                text("composer.mode"),
                MODES,
                key=MODE,
                default="auto",
                required=True,
                format_func=lambda mode: text(f"composer.{mode}"),
                label_visibility="collapsed",
                persist_state="session",
            )
            st.caption(text(f"composer.{mode or 'auto'}_help"), width="content")
        show_kept_files()
        # No kinds and sizes here: the field would leave files out of what it sends, in English and
        # without a sentence.
        st.chat_input(
            text(f"composer.placeholder_{_placeholder(state)}"),
            key=BRIEF,
            max_chars=BRIEF_CHARACTERS,
            accept_file="multiple",
            disabled=state in ("running", "waiting", "cut_off"),
            on_submit=on_brief,
        )


def _placeholder(state: str) -> str:
    if state in ("running", "waiting", "cut_off"):
        return state
    return "new" if state == "empty" else "follow"


def on_brief() -> None:
    """Put what was typed and attached before whoever was chosen."""
    mode = cast(Mode, st.session_state.get(MODE) or "auto")
    sent: ChatInputValue = st.session_state[BRIEF]
    attached = [Attachment(name=file.name, content=file.getvalue()) for file in sent.files]
    begin(Brief(words=sent.text, mode=mode, files=[*kept_files(), *attached]))


def on_example(words: str) -> None:
    """Put an example before the team."""
    begin(Brief(words=words, mode="team"))


def begin(brief: Brief) -> None:
    """Start a run in the open discussion, or in a new one named after the brief.

    When that is refused, words and good files go back into the composer.
    """
    services = current_services()
    person = current_person(services)
    if person is None:
        return
    refusals = check_attachments(brief.files)
    if refusals:
        _give_back(brief, refusals_text(refusals), refusals)
        return
    if not brief.words.strip():
        _give_back(brief, text("files.brief_missing"))
        return
    try:
        refusals = _start(services, person.id, brief)
    except MeetMindError as error:
        _give_back(brief, error_text(error))
        return
    if refusals:
        _give_back(brief, refusals_text(refusals), refusals)
    else:
        keep_files([])


def _start(services: "Services", person_id: str, brief: Brief) -> tuple[AttachmentRefusal, ...]:
    """Lay the files down and begin; what was refused, and then nothing has begun."""
    session_id = current_discussion_id()
    if session_id is None:
        session_id = services.discussions.create_session(person_id, brief.words)
        open_discussion(session_id)
    outcome = services.workspaces.attach(person_id, session_id, brief.files)
    if outcome.refusals:
        return outcome.refusals
    names = outcome.names
    try:
        services.execution.start_run(person_id, session_id, brief.words, brief.mode, files=names)
    except MeetMindError:
        services.workspaces.take_attached_away(person_id, session_id, names)
        raise
    return ()


def _give_back(brief: Brief, sentence: str, refusals: Sequence[AttachmentRefusal] = ()) -> None:
    """Put the words back into the field and the good files beside it, and say why."""
    refused_names = {refusal.name for refusal in refusals}
    good_files = [file for file in brief.files if file.name not in refused_names]
    st.session_state[BRIEF] = brief.words
    keep_files(good_files)
    leave_notice(sentence)


def refusals_text(refusals: Sequence[AttachmentRefusal]) -> str:
    """Which files are not taken and why, in one paragraph each."""
    lines = [text("files.refused")]
    for refusal in refusals:
        reason = text(f"files.refused_{refusal.reason}", limit=refusal.limit)
        lines.append(f"**{safe_label(refusal.name)}**  \n{reason}")
    return "\n\n".join(lines)
