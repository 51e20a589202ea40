"""Draws the questions that a person judged, and how well two settings rank what they marked."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from meetmind.config.retrieval_settings import RetrievalSettings
from meetmind.errors import MeetMindError
from meetmind.evaluation.judged_searches import (
    JudgedQuestion,
    JudgedScores,
    read_marks,
    score_judged,
)
from meetmind.ui.language import error_text, known_text, text
from meetmind.ui.session import RERANK_SCORES, RERANK_SCORING

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.services import Services

MEASURES = ("ndcg_at_10", "recall_at_5", "mrr")


def show_judged_questions(services: "Services", person: "Person") -> None:
    """How many questions and marks there are, the scores behind a button, and the list."""
    questions = read_marks(services.searches.judged_questions(person.id))
    with st.container(border=True, key="rerank_judged", gap="small"):
        st.markdown(f"**{text('rerank.judged')}**")
        if not questions:
            st.caption(text("rerank.judged_none"))
            return
        marks = sum(len(question.is_relevant_by_id) for question in questions)
        st.markdown(text("rerank.judged_count", questions=len(questions), marks=marks))
        _show_scores(services, questions)
        with st.expander(text("rerank.judged_list"), icon=":material/checklist:"):
            _show_list(questions)


def _show_scores(services: "Services", questions: Sequence[JudgedQuestion]) -> None:
    answerable = sum(1 for question in questions if question.has_relevant)
    if answerable == 0:
        st.caption(text("rerank.judged_no_relevant"))
        return
    in_force = services.library.retrieval_settings()
    former = services.library.former_settings()
    signature = repr((questions, in_force, former))
    st.button(text("rerank.score"), key="rerank_score", icon=":material/speed:", on_click=on_score)
    if st.session_state.pop(RERANK_SCORING, False):
        try:
            scores = (_score(services, questions, in_force), _score(services, questions, former))
        except MeetMindError as error:
            st.error(error_text(error), icon=":material/error:")
            return
        st.session_state[RERANK_SCORES] = (signature, *scores)
    kept = st.session_state.get(RERANK_SCORES)
    if kept is None:
        st.caption(text("rerank.score_help"))
        return
    if kept[0] != signature:
        st.caption(text("rerank.score_stale"))
        return
    _show_score_table(kept[1], kept[2])
    st.caption(text("rerank.score_how", questions=answerable, all=len(questions)))
    if in_force == former:
        st.caption(text("rerank.score_same"))


def on_score() -> None:
    """Ask for the scores; they are measured where the bar can be drawn."""
    st.session_state[RERANK_SCORING] = True


def _score(
    services: "Services", questions: Sequence[JudgedQuestion], settings: RetrievalSettings
) -> JudgedScores | None:
    bar = st.progress(0.0, text=text("rerank.scoring"))

    def rank(agent_name: str, query: str) -> list[str]:
        traces = services.searches.try_search([agent_name], query, settings)
        return [candidate.passage_id for candidate in traces[0].candidates]

    def count_done(done: int, total: int) -> None:
        bar.progress(done / total, text=text("rerank.scoring_done", done=done, total=total))

    scores = score_judged(questions, rank, count_done)
    bar.empty()
    return scores


def _show_score_table(in_force: JudgedScores | None, former: JudgedScores | None) -> None:
    if in_force is None or former is None:
        return
    with st.grid(3, min_column_width=150, gap="small"):
        for measure in MEASURES:
            now = getattr(in_force, measure)
            before = getattr(former, measure)
            st.metric(
                text(f"rerank.{measure}"),
                f"{now:.3f}",
                delta=f"{now - before:+.3f}",
                delta_color="off" if abs(now - before) < 0.0005 else "normal",
                delta_description=text("rerank.former_score", score=f"{before:.3f}"),
                help=text(f"rerank.{measure}_help"),
                border=True,
            )


def _show_list(questions: Sequence[JudgedQuestion]) -> None:
    roles: list[str] = []
    asked: list[str] = []
    relevant: list[int] = []
    not_relevant: list[int] = []
    for question in questions:
        good = sum(question.is_relevant_by_id.values())
        roles.append(known_text("role", question.agent_name))
        asked.append(question.question)
        relevant.append(good)
        not_relevant.append(len(question.is_relevant_by_id) - good)
    table = {
        text("rerank.col_role"): roles,
        text("rerank.question"): asked,
        text("rerank.relevant"): relevant,
        text("rerank.not_relevant"): not_relevant,
    }
    st.dataframe(table, hide_index=True, width="stretch", alt=text("rerank.judged_alt"))
