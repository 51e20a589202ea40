"""Draws the evaluation runs: which two, whether it got better, and every number of both."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from meetmind.evaluation.evaluation_room import HOME
from meetmind.evaluation.evaluation_runs import EvaluationRun, last_runs
from meetmind.ui.evaluation_view import SMALL_CHANGE, SetView, set_views, verdict_of
from meetmind.ui.language import local_time, text
from meetmind.ui.pages import RERANK_PAGE
from meetmind.ui.safe_text import safe_label
from meetmind.ui.show_evaluation_sets import show_chart, show_sets

if TYPE_CHECKING:
    from meetmind.evaluation.no_answer import NoAnswerScore
    from meetmind.server.services import Services

RUN = "evaluation_run"
FORMER = "evaluation_former"
COMMAND = "make evaluate"


def show_evaluation(services: "Services") -> None:
    """The stored runs, or what would fill the page."""
    runs = last_runs(services.settings.meetmind_home / HOME)
    if not runs:
        _show_empty()
    else:
        run, former = _chosen_runs(runs)
        views = set_views(run, former)
        _show_facts(run, views)
        _show_verdict(views, former)
        show_chart(views)
        show_sets(views)
        _show_no_answer(run.no_answer, None if former is None else former.no_answer)
    _show_meaning()
    _show_own_questions()


def _show_empty() -> None:
    with st.container(border=True, key="evaluation_empty", gap="xsmall"):
        st.markdown(f"**{text('evaluation.empty_title')}**")
        st.markdown(text("evaluation.empty_text"))
        st.code(COMMAND, language="shell")
        st.caption(text("evaluation.empty_sets"))


def _chosen_runs(runs: Sequence[EvaluationRun]) -> tuple[EvaluationRun, EvaluationRun | None]:
    """The newest run and the one before it, or what was chosen instead."""
    labels = [_run_label(run) for run in runs]
    with st.grid(2, min_column_width=240, gap="small"):
        number = st.selectbox(
            text("evaluation.run"),
            range(len(runs)),
            key=f"{RUN}_{_stamp(runs[0])}",
            format_func=labels.__getitem__,
        )
        chosen = number or 0
        others = [place for place in range(len(runs)) if place != chosen]
        before = [place for place in others if place > chosen]
        former = st.selectbox(
            text("evaluation.former"),
            others,
            index=others.index(before[0]) if before else None,
            key=f"{FORMER}_{_stamp(runs[chosen])}",
            format_func=labels.__getitem__,
            placeholder=text("evaluation.no_former" if others else "evaluation.no_other"),
            disabled=not others,
        )
    return runs[chosen], None if former is None else runs[former]


def _stamp(run: EvaluationRun) -> str:
    return f"{run.at:%Y%m%dT%H%M%S}"


def _run_label(run: EvaluationRun) -> str:
    return local_time(run.at).strftime("%Y-%m-%d %H:%M:%S")


def _show_facts(run: EvaluationRun, views: Sequence[SetView]) -> None:
    questions = sum(view.questions for view in views)
    models = text("unit.list_separator").join(run.models)
    st.caption(
        text(
            "evaluation.facts",
            time=_run_label(run),
            questions=questions,
            sets=len(views),
            models=safe_label(models),
        )
    )


def _show_verdict(views: Sequence[SetView], former: EvaluationRun | None) -> None:
    """The answer to the question of the page, in a sentence."""
    if former is None:
        st.info(text("evaluation.verdict_alone"), icon=":material/info:")
        return
    verdict = verdict_of(views)
    if verdict.compared == 0:
        st.info(text("evaluation.verdict_nothing"), icon=":material/info:")
        return
    counted = text(
        "evaluation.verdict",
        time=_run_label(former),
        better=verdict.better,
        worse=verdict.worse,
        same=verdict.same,
        small=SMALL_CHANGE,
    )
    said = f"**{text(f'evaluation.is_{verdict.kind}')}** {counted}"
    if verdict.kind == "better":
        st.success(said, icon=":material/trending_up:")
    elif verdict.kind == "same":
        st.info(said, icon=":material/trending_flat:")
    else:
        st.warning(said, icon=":material/trending_down:")


def _show_no_answer(score: "NoAnswerScore | None", former: "NoAnswerScore | None") -> None:
    """How well a question without an answer is told from others."""
    with st.container(border=True, key="evaluation_no_answer", gap="xsmall"):
        st.markdown(f"**{text('evaluation.no_answer')}**")
        if score is None:
            st.caption(text("evaluation.no_answer_none"))
            return
        st.markdown(
            text(
                "evaluation.no_answer_text",
                answered=score.answered,
                answered_share=_percent(score.answered_right),
                unanswered=score.unanswered,
                unanswered_share=_percent(score.unanswered_right),
                mean=_percent(score.accuracy),
            )
        )
        if former is not None:
            before = text("evaluation.no_answer_before", mean=_percent(former.accuracy))
            st.caption(before)
        st.caption(text("evaluation.no_answer_how"))


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _show_meaning() -> None:
    with st.expander(text("evaluation.meaning"), icon=":material/help:", expanded=True):
        for measure in ("ndcg", "recall", "mrr", "stages", "time"):
            st.markdown(text(f"evaluation.meaning_{measure}"))


def _show_own_questions() -> None:
    if not RERANK_PAGE.is_file():
        return
    st.caption(text("evaluation.own_questions"))
    st.page_link(
        RERANK_PAGE, label=text("evaluation.own_questions_link"), icon=":material/swap_vert:"
    )
