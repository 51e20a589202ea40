"""The figure of a search: a line a passage, from its rank on each path to its last one."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import plotly.graph_objects as go

from meetmind.ui.search_view import RankLine, StagePlace

CUT_COLOUR = "rgba(127, 140, 135, 0.55)"
TICKS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500)
ROOM_BELOW = 1.5
"""How much further down than the last rank the passages stand that a stage did not have."""
SPREAD = 0.13
"""Answered passages without a rank stand side by side, this part of a stage apart."""
HEIGHT = 380
LONGEST_TITLE = 60


@dataclass(frozen=True, kw_only=True)
class LineColours:
    """The colour of an answered passage, and of its place in the answer, written on it."""

    line: str
    number: str


def rank_figure(
    lines: Sequence[RankLine], stage_names: Mapping[str, str], colours: LineColours, missing: str
) -> "go.Figure":
    """The lines of a search, at least one; ranks on a logarithmic scale, the best on top.

    Answered passages are coloured and carry their place in the answer at every stage, those that
    were cut are grey. `missing` names the row of those that a stage did not have.
    """
    ranks = [place.rank or 1 for place in chain.from_iterable(line.places for line in lines)]
    last_rank = max(ranks)
    bottom = max(last_rank * ROOM_BELOW, 4.0)
    answered = sum(1 for line in lines if line.answer_rank > 0)
    figure = go.Figure()
    for line in sorted(
        lines, key=lambda line: -line.answer_rank if line.answer_rank else -math.inf
    ):
        offset = 0.0
        if line.answer_rank > 0:
            offset = (line.answer_rank - (answered + 1) / 2) * SPREAD
        figure.add_trace(_trace(line, stage_names, colours, _Bottom(bottom, offset, missing)))
    _lay_out(figure, list(stage_names.values()))
    ticks = [tick for tick in TICKS if tick <= last_rank]
    figure.update_yaxes(
        type="log",
        tickvals=[*ticks, bottom],
        ticktext=[*[str(tick) for tick in ticks], missing],
        range=[math.log10(bottom * 1.25), math.log10(0.8)],
        fixedrange=True,
        zeroline=False,
        automargin=True,
    )
    return figure


def _lay_out(figure: "go.Figure", names: Sequence[str]) -> None:
    figure.update_layout(
        height=HEIGHT,
        showlegend=False,
        margin={"l": 8, "r": 8, "t": 56, "b": 8},
        hovermode="closest",
        dragmode=False,
    )
    figure.update_xaxes(
        tickvals=list(range(len(names))),
        ticktext=[_in_lines(name) for name in names],
        tickangle=0,
        range=[-0.4, len(names) - 0.6],
        side="top",
        fixedrange=True,
        showgrid=True,
        zeroline=False,
    )


@dataclass(frozen=True)
class _Bottom:
    """Where a passage stands at a stage that did not have it, and what is said of it there."""

    height: float
    offset: float
    said: str


def _trace(
    line: RankLine, stage_names: Mapping[str, str], colours: LineColours, bottom: _Bottom
) -> "go.Scatter":
    is_answered = line.answer_rank > 0
    colour = colours.line if is_answered else CUT_COLOUR
    along: list[float] = []
    down: list[float] = []
    told: list[str] = []
    for number, place in enumerate(line.places):
        along.append(number + bottom.offset if place.rank is None else number)
        down.append(bottom.height if place.rank is None else place.rank)
        stage = _plain(stage_names[place.stage])
        told.append(f"{stage}: {_place_text(place, bottom.said)}")
    return go.Scatter(
        x=along,
        y=down,
        mode="lines+markers+text" if is_answered else "lines+markers",
        text=[str(line.answer_rank)] * len(along) if is_answered else None,
        textfont={"color": colours.number, "size": 11},
        line={"color": colour, "width": 2.5 if is_answered else 1},
        marker={"color": colour, "size": 18 if is_answered else 6, "opacity": 1},
        customdata=told,
        hovertemplate=f"<b>{_plain(line.title)}</b><br>%{{customdata}}<extra></extra>",
    )


def _place_text(place: StagePlace, missing: str) -> str:
    if place.rank is None or place.score is None:
        return missing
    return f"{place.rank} ({place.score:.4g})"


def _in_lines(name: str) -> str:
    """A name with a line a word, so that it stays within its stage on a phone."""
    return _plain(name).replace(" ", "<br>").replace("（", "<br>（")


def _plain(title: str) -> str:
    """A title without what the figure would read as HTML or as a value to fill in."""
    shown = title[:LONGEST_TITLE]
    for sign, written in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("%{", "% {")):
        shown = shown.replace(sign, written)
    return shown
