"""The figure of a map of passages: one trace a group, a group told by colour and shape."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from meetmind.ui.safe_text import clean_text, shortened, shortened_within

if TYPE_CHECKING:
    from meetmind.server.passage_maps import MapPoint

HEIGHT = 560
LEGEND_HEIGHT = 0.24
"""Share of the figure; a longer legend scrolls."""
HOVER_WIDTH = 60
NAME_WIDTH = 34
# Readable on light and on dark; after the last colour the next shape begins.
COLOURS = (
    "#2f8f86",
    "#c8762a",
    "#6d7fd6",
    "#c2557a",
    "#7a9a2f",
    "#9a63c9",
    "#b59a1f",
    "#4a9fd0",
)
SHAPES = ("circle", "diamond", "square", "triangle-up", "cross", "star")


@dataclass(frozen=True, kw_only=True)
class Look:
    """How the points of a group look."""

    colour: str
    shape: str


def looks_of(names: Sequence[str]) -> dict[str, Look]:
    """A look a group, all of them different up to 48 groups."""
    look_by_name: dict[str, Look] = {}
    for number, name in enumerate(names):
        shape = SHAPES[number // len(COLOURS) % len(SHAPES)]
        look_by_name[name] = Look(colour=COLOURS[number % len(COLOURS)], shape=shape)
    return look_by_name


def passage_figure(
    points: "Sequence[MapPoint]",
    group_by_id: Mapping[str, str],
    document_by_id: Mapping[str, str],
) -> go.Figure:
    """The plane with every point; a point carries its passage's id as `customdata`."""
    points_by_group: dict[str, list[MapPoint]] = {}
    for point in points:
        points_by_group.setdefault(group_by_id[point.passage_id], []).append(point)
    names = sorted(points_by_group, key=lambda name: (-len(points_by_group[name]), name))
    look_by_name = looks_of(names)
    figure = go.Figure()
    for name in names:
        trace = _trace(name, points_by_group[name], look_by_name[name], document_by_id)
        figure.add_trace(trace)
    _lay_out(figure)
    return figure


def _trace(
    name: str,
    points: "Sequence[MapPoint]",
    look: Look,
    document_by_id: Mapping[str, str],
) -> go.Scatter:
    hover_texts: list[str] = []
    for point in points:
        title = _hover_line(point.title)
        hover_texts.append(f"<b>{title}</b><br>{_hover_line(document_by_id[point.passage_id])}")
    return go.Scatter(
        x=[point.x for point in points],
        y=[point.y for point in points],
        customdata=[[point.passage_id] for point in points],
        mode="markers",
        name=f"{_hover_line(shortened_within(name, NAME_WIDTH))} ({len(points)})",
        marker={"color": look.colour, "symbol": look.shape, "size": 10, "opacity": 0.85},
        selected={"marker": {"opacity": 1.0, "size": 15}},
        unselected={"marker": {"opacity": 0.55}},
        hovertext=hover_texts,
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _hover_line(words: str) -> str:
    """One line without markup: Plotly reads a few HTML tags in its texts."""
    line = shortened(" ".join(clean_text(words).split()), HOVER_WIDTH)
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _lay_out(figure: go.Figure) -> None:
    hidden_axis = {"visible": False, "showgrid": False, "zeroline": False}
    figure.update_layout(
        height=HEIGHT,
        margin={"l": 4, "r": 4, "t": 4, "b": 4},
        xaxis=hidden_axis,
        yaxis=hidden_axis,
        dragmode="pan",
        hovermode="closest",
        legend={
            "orientation": "h",
            "yanchor": "top",
            "y": -0.02,
            "xanchor": "left",
            "x": 0,
            "font": {"size": 11},
            "maxheight": LEGEND_HEIGHT,
            "title": {"text": ""},
        },
    )
