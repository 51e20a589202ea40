"""Draws a question that a role has for the person: the card with its form, and what remains."""

from typing import Literal

import streamlit as st

from meetmind.errors import MeetMindError
from meetmind.ui.language import date_time_text, error_text, text
from meetmind.ui.pages import DISCUSSION_PAGE
from meetmind.ui.roles import coloured_title, sign_of
from meetmind.ui.run_view import Question
from meetmind.ui.safe_text import safe_label, shortened
from meetmind.ui.session import (
    DISCUSSION_PARAMETER,
    QUESTION_ANSWER,
    QUESTION_CHOICE,
    current_person,
    current_services,
    leave_notice,
)
from meetmind.ui.show_text import show_text
from meetmind.ui.waiting_question import WaitingQuestion

SIGN_WIDTH = 28
TITLE_WIDTH = 36
ANSWER_CHARACTERS = 4_000


def show_question_card(asked: WaitingQuestion) -> None:
    """The question, why it is asked, and the ways to answer."""
    with st.container(border=True, key=f"question_{asked.key}", gap="small"):
        _show_head(asked)
        show_text(asked.question, f"question_{asked.key}", keep_lines=True)
        if asked.why:
            label = text("unit.label", name=text("question.why"))
            st.caption(f"{label} {safe_label(asked.why)}")
        _show_form(asked)


def show_answered(question: Question) -> None:
    """A question that waits no more: the question, and who answered what."""
    with st.container(key=f"answered_{question.call_id.replace('.', '-')}", gap="xsmall"):
        asked = safe_label(question.question)
        st.markdown(f":material/contact_support: {asked}  \n:small[:gray[{_outcome(question)}]]")


def _outcome(question: Question) -> str:
    if question.answer is None:
        return text("question.unanswered")
    name = safe_label(question.answered_by)
    if not question.answer:
        return text("question.left_open_by", name=name)
    return text("question.answered_by", name=name, answer=safe_label(question.answer))


def _show_head(asked: WaitingQuestion) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if asked.is_outside:
            st.image(sign_of(asked.agent_name), width=SIGN_WIDTH, alt="")
        else:
            st.markdown(":orange[:material/contact_support:]", width="content")
        title = text("question.title", role=coloured_title(asked.agent_name))
        st.markdown(title, width="content")
    if not asked.is_outside:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.page_link(
            DISCUSSION_PAGE,
            label=safe_label(shortened(asked.session_title, TITLE_WIDTH)),
            icon=":material/forum:",
            query_params={DISCUSSION_PARAMETER: asked.session_id},
            help=text("approvals.open_discussion"),
        )
        moment = date_time_text(asked.asked_at)
        st.caption(text("approvals.asked_at", time=moment), width="content")


def _show_form(asked: WaitingQuestion) -> None:
    """Choices and free text; what is typed is kept over redraws and page switches."""
    if asked.choices:
        st.radio(
            text("question.choices"),
            range(len(asked.choices)),
            index=None,
            key=f"{QUESTION_CHOICE}_{asked.key}",
            format_func=lambda number: safe_label(asked.choices[number]),
            persist_state="session",
        )
    label = text("question.own" if asked.choices else "question.answer")
    st.text_area(
        label,
        key=f"{QUESTION_ANSWER}_{asked.key}",
        placeholder=text("question.placeholder"),
        max_chars=ANSWER_CHARACTERS,
        height=80,
        persist_state="session",
    )
    with st.container(horizontal=True, gap="small", key=f"answers_{asked.key}"):
        st.button(
            text("question.send"),
            key=f"answer_{asked.key}",
            type="primary",
            icon=":material/reply:",
            on_click=on_answer,
            args=(asked,),
        )
        st.button(
            text("question.leave_open"),
            key=f"leave_open_{asked.key}",
            help=text("question.leave_open_help"),
            on_click=on_leave_open,
            args=(asked,),
        )


def on_answer(asked: WaitingQuestion) -> None:
    """Send what was chosen and typed; nothing at all is no answer."""
    answer = _typed_answer(asked)
    if not answer:
        leave_notice(text("question.empty"), "info")
        return
    _answer(asked, answer, "question.done")


def on_leave_open(asked: WaitingQuestion) -> None:
    """Let the team go on without an answer."""
    _answer(asked, "", "question.done_open")


def _typed_answer(asked: WaitingQuestion) -> str:
    chosen: int | None = st.session_state.get(f"{QUESTION_CHOICE}_{asked.key}")
    typed = str(st.session_state.get(f"{QUESTION_ANSWER}_{asked.key}") or "").strip()
    parts = [typed] if typed else []
    if chosen is not None and chosen < len(asked.choices):
        parts.insert(0, asked.choices[chosen])
    return "\n\n".join(parts)


def _answer(
    asked: WaitingQuestion,
    answer: str,
    done: Literal["question.done", "question.done_open"],
) -> None:
    services = current_services()
    person = current_person(services)
    if person is None:
        return
    try:
        won = services.execution.answer_question(person.id, asked.run_id, asked.call_id, answer)
    except MeetMindError as error:
        leave_notice(error_text(error))
        return
    if not won:
        leave_notice(text("question.lost"), "info")
    elif asked.is_outside:
        leave_notice(text(done), "success")
