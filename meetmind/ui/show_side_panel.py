"""Draws the right column: what waits, the points to settle, the files, the evidence."""

from collections.abc import Mapping, Sequence

import streamlit as st

from meetmind.events import Stance, StanceKind
from meetmind.ui.call_words import call_title
from meetmind.ui.language import text
from meetmind.ui.roles import role_title
from meetmind.ui.run_view import PointView, Question, Step
from meetmind.ui.runs import ShownRun
from meetmind.ui.safe_text import safe_label, shortened
from meetmind.ui.show_files import show_files
from meetmind.ui.show_grants import show_grants_beside
from meetmind.ui.show_talk import Evidence
from meetmind.ui.show_utterance import STANCE_LOOK, show_source

POINT_LOOK = {
    "open": ":gray[:material/radio_button_unchecked:]",
    "settled": ":green[:material/check_circle:]",
    "recorded_open": ":orange[:material/error:]",
}
BRIEF_WIDTH = 40
QUESTION_WIDTH = 120
STANCE_ORDER: tuple[StanceKind, ...] = ("agree", "object", "question", "abstain")


def show_side_panel(runs: Sequence[ShownRun], evidence: Evidence) -> None:
    """What the talk has come to so far."""
    _show_waiting(runs)
    show_grants_beside()
    _show_points(runs)
    show_files()
    _show_evidence(evidence)


def _show_waiting(runs: Sequence[ShownRun]) -> None:
    steps = [step for run in runs for step in _waiting_steps(run)]
    questions = [question for run in runs for question in _waiting_questions(run)]
    if not steps and not questions:
        return
    with st.container(border=True, key="side_waiting", gap="xsmall"):
        st.markdown(f":orange[:material/front_hand: **{text('side.waiting')}**]")
        for step in steps:
            role = role_title(step.agent_name)
            what = call_title(step.tool, step.arguments)
            st.markdown(text("side.waiting_here", role=role, what=what))
        for question in questions:
            role = role_title(question.agent_name)
            asked = safe_label(shortened(question.question, QUESTION_WIDTH))
            st.markdown(text("question.in_sidebar", role=role, question=asked))
        st.caption(text("side.waiting_hint"))


def _waiting_steps(run: ShownRun) -> list[Step]:
    if run.state != "waiting":
        return []
    waiting: list[Step] = []
    for utterance in run.view.utterances:
        question_ids = {question.call_id for question in utterance.questions}
        for step in utterance.steps:
            if step.call_id in run.view.waiting_for and step.call_id not in question_ids:
                waiting.append(step)
    return waiting


def _waiting_questions(run: ShownRun) -> list[Question]:
    if run.state != "waiting":
        return []
    waiting: list[Question] = []
    for utterance in run.view.utterances:
        for question in utterance.questions:
            if question.answer is None and question.call_id in run.view.waiting_for:
                waiting.append(question)
    return waiting


def _show_points(runs: Sequence[ShownRun]) -> None:
    """The points of the last run that has some; those of runs before it can be opened."""
    with_points = [run for run in runs if run.view.points]
    if not with_points and runs and runs[-1].view.route == "assistant":
        return
    st.markdown(f"**{text('side.points')}**")
    if not with_points:
        st.caption(text("side.no_points"))
        return
    *earlier, last = with_points
    with st.container(key="side_points", gap="small"):
        _show_list(last.view.points)
    for run in reversed(earlier):
        with st.expander(_earlier_title(run), type="compact", icon=":material/history:"):
            _show_list(run.view.points)


def _earlier_title(run: ShownRun) -> str:
    brief = "" if run.started is None else run.started.brief
    return text("side.earlier_points", brief=safe_label(shortened(brief, BRIEF_WIDTH)))


def _show_list(points: Sequence[PointView]) -> None:
    for number, point in enumerate(points, start=1):
        _show_point(number, point)


def _show_point(number: int, known: PointView) -> None:
    question = safe_label(known.point.question)
    state = f":small[:gray[{text(f'point.{known.point.state}')}]]"
    lines = [f"{POINT_LOOK[known.point.state]} **{number}** {question} {state}"]
    if known.point.reason:
        because = text("point.because", reason=safe_label(known.point.reason))
        lines.append(f":small[:gray[{because}]]")
    for stance, roles in _roles_by_stance(known.stance_by_role).items():
        colour, icon = STANCE_LOOK[stance]
        names = text("unit.list_separator").join(role_title(role) for role in roles)
        lines.append(f":small[:{colour}[{icon} {text(f'stance.{stance}')}] {names}]")
    st.markdown("  \n".join(lines))


def _roles_by_stance(stance_by_role: Mapping[str, Stance]) -> dict[StanceKind, list[str]]:
    roles_by_stance: dict[StanceKind, list[str]] = {}
    for kind in STANCE_ORDER:
        roles = [role for role, stance in stance_by_role.items() if stance.stance == kind]
        if roles:
            roles_by_stance[kind] = roles
    return roles_by_stance


def _show_evidence(evidence: Evidence) -> None:
    st.markdown(f"**{text('side.evidence')}**")
    if not evidence.number_by_id:
        st.caption(text("side.no_evidence"))
        return
    with st.container(key="side_evidence", gap=None):
        for passage_id, number in evidence.number_by_id.items():
            passage = evidence.passage_by_id[passage_id]
            show_source(passage, number, key=f"evidence_{passage_id}")
