"""Draws one search: what ran, the lines from stage to stage, the answer, every candidate."""

from collections import Counter
from typing import TYPE_CHECKING

import streamlit as st

from meetmind.search_trace import SearchTrace
from meetmind.ui.language import known_text, text
from meetmind.ui.rank_lines import LineColours, rank_figure
from meetmind.ui.roles import look_of, role_title
from meetmind.ui.safe_text import safe_label
from meetmind.ui.search_view import (
    Cell,
    can_improve,
    columns_of,
    has_reserved_places,
    milliseconds_of,
    rank_lines,
    stages_of,
    table_rows,
)
from meetmind.ui.show_rerank_names import (
    cut_text,
    rung_text,
    settings_text,
    skipped_text,
    stage_name,
)
from meetmind.ui.show_rerank_passages import show_answered
from meetmind.ui.show_rerank_words import show_words

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.services import Services

WHITE = "#ffffff"
FIGURE_CONFIG = {"displayModeBar": False, "scrollZoom": False}


def show_result(
    services: "Services", person: "Person", trace: SearchTrace, side: str, *, is_past: bool = False
) -> None:
    """One search of one role; `side` tells apart what is drawn twice on a page."""
    _show_what_ran(trace, side, is_past=is_past)
    if not trace.candidates:
        st.info(text("rerank.no_candidates"), icon=":material/search_off:")
        show_words(trace, side)
        return
    _show_lines(trace, side)
    show_words(trace, side)
    show_answered(services, person, trace, side, is_past=is_past)
    _show_table(trace, side)


def _show_what_ran(trace: SearchTrace, side: str, *, is_past: bool) -> None:
    names = [stage_name(path) for path in trace.paths]
    paths = safe_label(text("unit.list_separator").join(names))
    total = f"{milliseconds_of(trace):.0f}"
    st.markdown(text("rerank.ran", paths=paths, rung=rung_text(trace), milliseconds=total))
    times: list[str] = []
    for stage in trace.stages:
        name = text(f"rerank.time_{stage.stage}")
        times.append(f"{name} {_milliseconds(stage.milliseconds)}")
    said = settings_text(trace.settings, trace.language, trace.paths)
    lines = [" · ".join(times), said]
    for skipped in trace.skipped:
        lines.append(skipped_text(skipped))
    st.caption("  \n".join(lines))
    if can_improve(trace) and not is_past:
        st.warning(text("rerank.not_all"), icon=":material/hourglass_top:")
        st.button(
            text("rerank.search_again"), key=f"rerank_again_{side}", icon=":material/refresh:"
        )


def _milliseconds(value: float) -> str:
    shown = f"{value:.0f}" if value >= 10 else f"{value:.1f}"
    return text("rerank.milliseconds", count=shown)


def _show_lines(trace: SearchTrace, side: str) -> None:
    """The figure, and in words what was cut by which rule."""
    names = {stage: stage_name(stage) for stage in stages_of(trace)}
    lines = rank_lines(trace)
    figure = rank_figure(lines, names, _colours(trace.agent_name), text("rerank.missing"))
    role = role_title(trace.agent_name)
    st.plotly_chart(
        figure,
        key=f"rerank_lines_{side}",
        config=FIGURE_CONFIG,
        alt=text("rerank.lines_alt", role=role, count=len(lines)),
    )
    count_by_cut = Counter(candidate.cut_by for candidate in trace.candidates)
    summary = text(
        "rerank.cut_summary",
        all=len(trace.candidates),
        answered=count_by_cut[""],
        below_answer=count_by_cut["answer"],
        answer=trace.settings.rerank_top_n,
        below_fusion=count_by_cut["fusion"],
        top=trace.settings.retrieve_top_n,
    )
    notes = [summary, text("rerank.lines_help")]
    if has_reserved_places(trace):
        notes.insert(1, text("rerank.reserved", top=trace.settings.retrieve_top_n))
    st.caption("  \n".join(notes))


def _colours(agent_name: str) -> LineColours:
    """The role's colour in the theme that the reader sees, and what can be read on it."""
    look = look_of(agent_name)
    if st.context.theme.type != "dark":
        return LineColours(line=look.tone, number=WHITE)
    colour = st.get_option(f"theme.dark.{look.colour}Color")
    ground = st.get_option("theme.dark.backgroundColor")
    return LineColours(line=str(colour), number=str(ground))


def _show_table(trace: SearchTrace, side: str) -> None:
    """Every candidate with every number; it can be sorted, searched and downloaded."""
    rows = table_rows(trace)
    table: dict[str, list[Cell]] = {}
    for column in columns_of(rows):
        cells = [row.get(column) for row in rows]
        if column == "cut":
            cells = [cut_text(str(cell), trace.settings) for cell in cells]
        elif column == "language":
            cells = [known_text("knowledge", f"language_{cell}") for cell in cells]
        table[_column_name(column)] = cells
    with st.expander(text("rerank.table", count=len(rows)), icon=":material/table_rows:"):
        st.dataframe(
            table,
            hide_index=True,
            width="stretch",
            key=f"rerank_table_{side}",
            placeholder="–",
            alt=text("rerank.table_alt", role=role_title(trace.agent_name)),
        )


def _column_name(column: str) -> str:
    kind, _, name = column.partition(":")
    if kind == "rank" and name:
        return text("rerank.col_stage_rank", stage=stage_name(name))
    if kind == "score":
        return text("rerank.col_stage_score", stage=stage_name(name))
    if kind == "part":
        return text("rerank.col_part", part=known_text("rerank", f"part_{name}"))
    return text(f"rerank.col_{column}")
