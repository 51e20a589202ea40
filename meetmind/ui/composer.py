"""The composer at the bottom: a brief for the next run, or words into the one that goes on."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import streamlit as st

from meetmind.errors import MeetMindError, RunIsOver
from meetmind.events import Mode
from meetmind.server.attachments import (
    Attachment,
    AttachmentRefusal,
    check_attachments,
)
from meetmind.ui.addressed import addressed
from meetmind.ui.continuing import mode_of_continuation
from meetmind.ui.kept_attachments import keep_files, kept_files, show_kept_files
from meetmind.ui.language import error_text, known_text, text
from meetmind.ui.next_budget import next_budget, next_turns
from meetmind.ui.runs import LIVE_STATES, ShownRun
from meetmind.ui.safe_text import safe_label
from meetmind.ui.session import (
    MODE,
    current_discussion_id,
    current_person,
    current_place,
    current_services,
    leave_notice,
    open_discussion,
)
from meetmind.ui.show_budget import show_budget
from meetmind.ui.show_roster import current_target, set_target, show_roster

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
    to_agent: str = ""
    """The role that was asked; empty for everybody."""
    continues_run_id: str | None = None
    """The run whose open points are taken up."""


def show_composer(runs: Sequence[ShownRun]) -> None:
    """The text field: open while the team talks, closed only where it was cut off."""
    last = runs[-1] if runs else None
    state = "empty" if last is None else last.state
    is_live = state in LIVE_STATES
    run_id = None if last is None else last.view.run_id
    with st.bottom, st.container(key="composer", gap="xsmall"):
        with st.container(key="composer_choices", gap="xsmall"):
            if not is_live and state != "cut_off":
                _show_mode(last)
            with st.container(
                key="composer_people",
                horizontal=True,
                vertical_alignment="center",
                gap="small",
                wrap=False,
            ):
                show_roster(run_id, state)
                if is_live:
                    show_budget(last)
        with st.container(key="composer_files", gap="xsmall"):
            show_kept_files()
        # No kinds and sizes here: the field would leave files out of what it sends, in English and
        # without a sentence.
        st.chat_input(
            _placeholder(state),
            key=BRIEF,
            max_chars=BRIEF_CHARACTERS,
            accept_file="multiple",
            disabled=state == "cut_off",
            on_submit=on_brief,
            args=(run_id if is_live else None,),
        )


def _show_mode(last: ShownRun | None) -> None:
    """Who takes the next brief, and what it may use."""
    with st.container(
        key="composer_mode_row", horizontal=True, vertical_alignment="center", gap="small"
    ):
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
        show_budget(last)
        st.caption(_mode_help(mode or "auto"), width="content")


def _mode_help(mode: str) -> str:
    target = current_target()
    if target:
        return text("composer.asked_help", role=known_text("role", target))
    return text(f"composer.{mode}_help")


def _placeholder(state: str) -> str:
    target = current_target()
    if target and state != "cut_off":
        key = "composer.placeholder_to" if state in LIVE_STATES else "composer.placeholder_ask"
        return text(key, role=known_text("role", target))
    if state in (*LIVE_STATES, "cut_off"):
        return text(f"composer.placeholder_{state}")
    return text("composer.placeholder_new" if state == "empty" else "composer.placeholder_follow")


def on_brief(drawn_run_id: str | None) -> None:
    """Say what was typed into the open run, or put it before whoever was chosen.

    `drawn_run_id` is the run that was open when the field was drawn; it may have ended since, and
    another window may have begun one.
    """
    mode = cast(Mode, st.session_state.get(MODE) or "auto")
    sent: ChatInputValue = st.session_state[BRIEF]
    attached = [Attachment(name=file.name, content=file.getvalue()) for file in sent.files]
    meant = addressed(sent.text)
    brief = Brief(
        words=meant.words,
        mode=mode,
        files=[*kept_files(), *attached],
        to_agent=meant.to_agent or current_target(),
    )
    open_run_id = _open_run_id()
    if open_run_id is not None:
        _say(open_run_id, brief)
    elif drawn_run_id is not None:
        _begin_after(drawn_run_id, brief)
    else:
        begin(brief)


def _open_run_id() -> str | None:
    """The run of the open discussion that goes on or rests at this moment."""
    place = current_place()
    if place is None:
        return None
    services, owner_id, session_id = place
    for run in reversed(services.discussions.list_runs(owner_id, session_id)):
        return run.id if run.state in LIVE_STATES else None
    return None


def _say(run_id: str, brief: Brief) -> None:
    """Say the words into the run; when it has just ended they begin one that continues it."""
    services = current_services()
    person = current_person(services)
    if person is None:
        return
    if brief.files:
        _give_back(brief, text("composer.files_later"))
        return
    if not brief.words.strip():
        _give_back(brief, text("composer.words_missing"))
        return
    try:
        services.execution.say_into_run(person.id, run_id, brief.words, to_agent=brief.to_agent)
    except RunIsOver:
        _begin_after(run_id, brief)
    except MeetMindError as error:
        _give_back(brief, error_text(error))
    else:
        set_target("")


def _begin_after(run_id: str, brief: Brief) -> None:
    """Begin a run with words that were meant for one that has just ended."""
    place = current_place()
    if place is None:
        return
    _, owner_id, session_id = place
    mode = mode_of_continuation(owner_id, session_id, run_id)
    if begin(replace(brief, mode=mode, continues_run_id=run_id)):
        leave_notice(text("composer.said_too_late"), "info")


def on_example(words: str) -> None:
    """Put an example before the team."""
    begin(Brief(words=words, mode="team"))


def begin(brief: Brief) -> bool:
    """Start a run in the open discussion, or in a new one named after the brief; False if refused.

    When it is refused, words and good files go back into the composer.
    """
    services = current_services()
    person = current_person(services)
    if person is None:
        return False
    refusals = check_attachments(brief.files)
    if refusals:
        _give_back(brief, refusals_text(refusals), refusals)
        return False
    if not brief.words.strip():
        missing = "composer.words_missing" if brief.to_agent else "files.brief_missing"
        _give_back(brief, text(missing))
        return False
    try:
        refusals = _start(services, person.id, brief)
    except MeetMindError as error:
        _give_back(brief, error_text(error))
        return False
    if refusals:
        _give_back(brief, refusals_text(refusals), refusals)
        return False
    keep_files([])
    set_target("")
    return True


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
        services.execution.start_run(
            person_id,
            session_id,
            brief.words,
            brief.mode,
            files=names,
            asked_agent=brief.to_agent,
            continues_run_id=brief.continues_run_id,
            budget=next_budget(),
            max_iterations=next_turns(),
        )
    except MeetMindError:
        services.workspaces.take_attached_away(person_id, session_id, names)
        raise
    return ()


def _give_back(brief: Brief, sentence: str, refusals: Sequence[AttachmentRefusal] = ()) -> None:
    """Put the words back into the field and the good files beside it, and say why."""
    refused_names = {refusal.name for refusal in refusals}
    good_files = [file for file in brief.files if file.name not in refused_names]
    st.session_state[BRIEF] = brief.words
    set_target(brief.to_agent)
    keep_files(good_files)
    leave_notice(sentence)


def refusals_text(refusals: Sequence[AttachmentRefusal]) -> str:
    """Which files are not taken and why, in one paragraph each."""
    lines = [text("files.refused")]
    for refusal in refusals:
        reason = text(f"files.refused_{refusal.reason}", limit=refusal.limit)
        lines.append(f"**{safe_label(refusal.name)}**  \n{reason}")
    return "\n\n".join(lines)
