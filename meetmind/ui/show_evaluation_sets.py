"""Draws the numbers of evaluation runs: a chart, a table that can be kept, a card a set."""

from collections.abc import Sequence

import streamlit as st

from meetmind.i18n.translate import has_text
from meetmind.ui.evaluation_figure import evaluation_figure
from meetmind.ui.evaluation_view import (
    MEASURES,
    Measured,
    SetView,
    StageView,
    change_colour,
    change_text,
    stage_names,
)
from meetmind.ui.language import known_text, text
from meetmind.ui.safe_text import safe_label
from meetmind.ui.show_rerank_names import stage_name

MEASURE = "evaluation_measure"
FIGURE_CONFIG = {"displayModeBar": False, "scrollZoom": False}


def show_chart(views: Sequence[SetView]) -> None:
    """One measure of every stage and set, and all numbers as a table."""
    measure = st.segmented_control(
        text("evaluation.measure"),
        MEASURES,
        default=MEASURES[0],
        key=MEASURE,
        format_func=lambda name: text(f"evaluation.col_{name}"),
        required=True,
    )
    shown = measure or MEASURES[0]
    measure_text = text(f"evaluation.col_{shown}")
    figure = evaluation_figure(
        views,
        shown,
        {view.name: set_text(view.name) for view in views},
        {stage: stage_text(stage) for stage in stage_names(views)},
        text("evaluation.former_mark"),
    )
    st.plotly_chart(
        figure,
        key=f"evaluation_chart_{shown}",
        config=FIGURE_CONFIG,
        alt=text("evaluation.chart_alt", measure=measure_text, sets=len(views)),
    )
    with st.expander(text("evaluation.table"), icon=":material/table_rows:"):
        st.caption(text("evaluation.table_help"))
        st.dataframe(
            _table(views),
            hide_index=True,
            width="stretch",
            key="evaluation_table",
            placeholder="",
            alt=text("evaluation.table_alt"),
        )


def _table(views: Sequence[SetView]) -> dict[str, list[str | float | None]]:
    """A row for each set and stage, numbers as numbers so that they can be sorted."""
    column_by_name: dict[str, list[str | float | None]] = {}
    has_former = any(view.is_comparable for view in views)

    def put(column: str, value: str | float | None) -> None:
        column_by_name.setdefault(column, []).append(value)

    for view in views:
        for stage in view.stages:
            put(text("evaluation.col_set"), set_text(view.name))
            put(text("evaluation.col_questions"), view.questions)
            put(text("evaluation.col_stage"), stage_text(stage.stage))
            for measure in MEASURES:
                measured = stage.measured(measure)
                name = text(f"evaluation.col_{measure}")
                put(name, round(measured.now, 4))
                if has_former:
                    before = None if measured.before is None else round(measured.before, 4)
                    put(text("evaluation.col_before", measure=name), before)
                    put(text("evaluation.col_change", measure=name), change_text(measured.change))
            put(text("evaluation.col_median"), round(view.median_ms.now, 1))
            put(text("evaluation.col_p95"), round(view.p95_ms.now, 1))
    return column_by_name


def show_sets(views: Sequence[SetView]) -> None:
    """A card a set: every stage with its change, and the time a question took."""
    with st.grid(2, min_column_width=380, gap="small"):
        for view in views:
            with st.container(border=True, key=f"evaluation_set_{view.name}", gap="xsmall"):
                _show_set(view)


def _show_set(view: SetView) -> None:
    name = safe_label(set_text(view.name))
    st.markdown(f"**{name}** :gray[· {text('evaluation.questions', count=view.questions)}]")
    heads = [text("evaluation.col_stage")]
    heads.extend(text(f"evaluation.col_{measure}") for measure in MEASURES)
    rows = [_row(heads), _row(["---", *["---:"] * len(MEASURES)])]
    for stage in view.stages:
        rows.append(_row(_cells(stage, is_last=stage is view.last_stage)))
    st.markdown("\n".join(rows))
    st.caption("  \n".join(_notes(view)))


def _cells(stage: StageView, *, is_last: bool) -> list[str]:
    name = safe_label(stage_text(stage.stage))
    cells = [f"**{name}**" if is_last else name]
    for measure in MEASURES:
        measured = stage.measured(measure)
        number = f"{measured.now:.3f}"
        cells.append(_with_change(f"**{number}**" if is_last else number, measured))
    return cells


def _with_change(number: str, measured: Measured) -> str:
    change = measured.change
    if change is None:
        return number
    return f"{number} :{change_colour(change)}[:small[{change_text(change)}]]"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _notes(view: SetView) -> list[str]:
    ranker = safe_label(known_text("ranker", view.ranker))
    median = _milliseconds(view.median_ms)
    p95 = _milliseconds(view.p95_ms)
    notes = [
        text("evaluation.reranked_by", ranker=ranker),
        text("evaluation.times", median=median, p95=p95),
    ]
    if view.former_questions is not None and not view.is_comparable:
        notes.append(text("evaluation.other_questions", count=view.former_questions))
    return notes


def _milliseconds(measured: Measured) -> str:
    now = text("evaluation.milliseconds", count=f"{measured.now:.0f}")
    if measured.before is None:
        return now
    before = text("evaluation.milliseconds", count=f"{measured.before:.0f}")
    return text("evaluation.with_before", now=now, before=before)


def set_text(name: str) -> str:
    """What a set is called; a public set by its own name."""
    key = f"evaluation.name_{name}"
    return text(key) if has_text(key) else name


def stage_text(stage: str) -> str:
    """What a stage is called; the path of another embedding model by the model's name."""
    if has_text(f"ranker.{stage}"):
        return text(f"ranker.{stage}")
    return stage_name(stage)
