"""The figure of an evaluation run: a row a set of questions, a mark a stage of the search."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from meetmind.evaluation.set_scores import FUSED, RERANKED
from meetmind.ui.evaluation_view import SetView, StageView, stage_names
from meetmind.ui.passage_figure import COLOURS

ROW_HEIGHT = 84
FRAME_HEIGHT = 120
SPREAD = 0.72
"""The part of a row over which the marks of its stages are spread."""
PATH_SIZE = 9
LAST_SIZE = 13
PATH_SHAPES = ("circle", "diamond", "triangle-up", "cross", "x", "pentagon")
SHAPE_BY_LAST_STAGE = {FUSED: "square", RERANKED: "star"}
LAST_COLOUR = COLOURS[0]
FORMER_OPACITY = 0.9
SCALE = (-0.03, 1.03)
"""A little more than 0 to 1, so that the marks at its ends are whole."""


def evaluation_figure(
    views: Sequence[SetView],
    measure: str,
    set_names: Mapping[str, str],
    stage_texts: Mapping[str, str],
    former_text: str,
) -> go.Figure:
    """Every stage of every set on a scale from 0 to 1, told apart by colour and shape.

    The last stage of the run before is a hollow mark called `former_text`.
    """
    figure = go.Figure()
    stages = stage_names(views)
    for number, stage in enumerate(stages):
        figure.add_trace(
            _marks(views, measure, stage, offset=_offset(number, len(stages)), name=stage_texts)
        )
    former = _former_marks(views, measure, _offset(len(stages) - 1, len(stages)), former_text)
    if former is not None:
        figure.add_trace(former)
    _lay_out(figure, [_in_lines(set_names[view.name]) for view in views])
    return figure


def _offset(number: int, count: int) -> float:
    """How far above the middle of its row a stage stands: the first on top."""
    if count < 2:
        return 0.0
    return SPREAD / 2 - SPREAD * number / (count - 1)


def _marks(
    views: Sequence[SetView],
    measure: str,
    stage: str,
    *,
    offset: float,
    name: Mapping[str, str],
) -> go.Scatter:
    along: list[float] = []
    down: list[float] = []
    for row, view in enumerate(reversed(views)):
        found = _stage_of(view, stage)
        if found is not None:
            along.append(found.measured(measure).now)
            down.append(row + offset)
    is_last = stage == RERANKED
    shown_name = _plain(name[stage])
    return go.Scatter(
        x=along,
        y=down,
        mode="markers",
        name=shown_name,
        marker={
            "color": LAST_COLOUR if is_last else _colour(stage, name),
            "symbol": SHAPE_BY_LAST_STAGE.get(stage, _shape(stage, name)),
            "size": LAST_SIZE if is_last else PATH_SIZE,
        },
        hovertemplate=f"{shown_name}: %{{x:.3f}}<extra></extra>",
    )


def _former_marks(
    views: Sequence[SetView], measure: str, offset: float, former_text: str
) -> go.Scatter | None:
    along: list[float] = []
    down: list[float] = []
    for row, view in enumerate(reversed(views)):
        if view.last_stage is None:
            continue
        before = view.last_stage.measured(measure).before
        if before is not None:
            along.append(before)
            down.append(row + offset)
    if not along:
        return None
    return go.Scatter(
        x=along,
        y=down,
        mode="markers",
        name=former_text,
        marker={
            "color": LAST_COLOUR,
            "symbol": "circle-open",
            "size": LAST_SIZE + 3,
            "opacity": FORMER_OPACITY,
        },
        hovertemplate=f"{former_text}: %{{x:.3f}}<extra></extra>",
    )


def _stage_of(view: SetView, name: str) -> StageView | None:
    for stage in view.stages:
        if stage.stage == name:
            return stage
    return None


def _colour(stage: str, names: Mapping[str, str]) -> str:
    place = list(names).index(stage)
    return COLOURS[1 + place % (len(COLOURS) - 1)]


def _shape(stage: str, names: Mapping[str, str]) -> str:
    return PATH_SHAPES[list(names).index(stage) % len(PATH_SHAPES)]


def _lay_out(figure: go.Figure, row_names: Sequence[str]) -> None:
    figure.update_layout(
        height=FRAME_HEIGHT + ROW_HEIGHT * len(row_names),
        margin={"l": 8, "r": 16, "t": 8, "b": 8},
        hovermode="closest",
        dragmode=False,
        legend={
            "orientation": "h",
            "yanchor": "top",
            "y": -0.08,
            "xanchor": "left",
            "x": 0,
            "title": {"text": ""},
        },
    )
    figure.update_xaxes(range=SCALE, fixedrange=True, dtick=0.2, showgrid=True, zeroline=False)
    figure.update_yaxes(
        tickvals=list(range(len(row_names))),
        ticktext=list(reversed(row_names)),
        range=[-0.6, len(row_names) - 0.4],
        fixedrange=True,
        showgrid=False,
        zeroline=False,
        automargin=True,
    )


def _in_lines(name: str) -> str:
    """A name of two parts on two lines."""
    return _plain(name).replace(", ", ",<br>").replace("，", "，<br>")


def _plain(name: str) -> str:
    """A name without what the figure would read as HTML or as a value to fill in."""
    shown = name
    for sign, written in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("%{", "% {")):
        shown = shown.replace(sign, written)
    return shown
