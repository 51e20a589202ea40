"""Draws passages: who holds them, where they stand, how they were found, and their words."""

from collections.abc import Mapping, Sequence

import streamlit as st

from meetmind.events import PassageEvidence
from meetmind.i18n.call_results import place_text as translated_place
from meetmind.ui.language import current_language, known_text, text
from meetmind.ui.roles import coloured_title
from meetmind.ui.safe_text import safe_label, safe_markdown


def show_passages(
    passages: Sequence[PassageEvidence], citation_numbers: Mapping[str, int] | None = None
) -> None:
    """Several passages below each other, in one element."""
    numbers = citation_numbers or {}
    parts = [passage_text(passage, numbers.get(passage.passage_id)) for passage in passages]
    st.markdown("\n\n".join(parts))


def passage_text(passage: PassageEvidence, number: int | None = None) -> str:
    """One passage as Markdown: a head line, its place and scores, and its words."""
    mark = "" if number is None else f":gray-badge[{number}] "
    head = f"{mark}**{safe_label(passage.title)}**"
    words = safe_markdown(passage.content, keep_lines=True)
    place = f":small[{place_text(passage)}]"
    scores = f":small[:gray[{scores_text(passage)}]]"
    return f"{head}\n\n{place}\n\n{scores}\n\n{words}"


def place_text(passage: PassageEvidence) -> str:
    """Whose passage it is and where it stands, as Markdown."""
    parts = [_holder(passage), safe_label(passage.source)]
    if passage.locator:
        place = translated_place(passage.locator, current_language())
        parts.append(safe_label(place))
    return " · ".join(parts)


def _holder(passage: PassageEvidence) -> str:
    if passage.kind == "passage":
        return coloured_title(passage.agent_name)
    return f"**{text(f'step.kind_{passage.kind}')}**"


def scores_text(passage: PassageEvidence) -> str:
    """Every score and rank that the passage had on the way."""
    parts = []
    if passage.matched_terms:
        terms = safe_label(text("unit.list_separator").join(passage.matched_terms))
        parts.append(text("step.matched", terms=terms))
    # A file or a page was not searched for: it has no scores.
    percent = round(passage.coverage * 100) if passage.kind == "passage" else 0
    # A passage of another language shares no words with the query and may still fit.
    if percent > 0:
        parts.append(text("step.score_coverage", percent=percent))
    for place in passage.path_scores:
        path = safe_label(known_text("ranker", place.path))
        score = f"{place.score:.2f}"
        parts.append(text("step.score_path", path=path, rank=place.rank, score=score))
    if passage.fused_score > 0:
        parts.append(text("step.score_fused", score=f"{passage.fused_score:.4f}"))
    if passage.rerank_score > 0:
        parts.append(text("step.score_rerank", score=f"{passage.rerank_score:.3f}"))
    return " · ".join(parts)


def mode_text(mode: str) -> str:
    """How a search ran, such as `words+vectors, fused`, in the reader's words."""
    names = [part.strip() for part in mode.replace("+", ",").split(",")]
    shown = [safe_label(known_text("ranker", name)) for name in names if name]
    return " + ".join(shown)


def degraded_text(keys: Sequence[str]) -> str:
    """What could not take part in a search, in the reader's words."""
    return text("unit.list_separator").join(safe_label(known_text("degraded", key)) for key in keys)
