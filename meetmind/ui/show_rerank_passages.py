"""Draws the passages that a search returned, the question's words marked, and the two marks."""

from typing import TYPE_CHECKING

import streamlit as st

from meetmind.errors import MeetMindError, NotFound
from meetmind.search_trace import SearchTrace, TracedCandidate
from meetmind.ui.language import error_text, text
from meetmind.ui.marked_text import Marking, marked_markdown
from meetmind.ui.roles import look_of
from meetmind.ui.safe_text import safe_label
from meetmind.ui.search_view import FUSION, RERANK, answered, was_reranked, words_to_mark
from meetmind.ui.session import current_services, leave_notice
from meetmind.ui.show_rerank_names import stage_name

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.services import Services

WORD_COLOUR = "green"
ALIAS_COLOUR = "blue"
EXPANSION_COLOUR = "violet"


def show_answered(
    services: "Services", person: "Person", trace: SearchTrace, side: str, *, is_past: bool
) -> None:
    """The answer, each passage with its numbers, its words and what the person says of it."""
    st.markdown(f"**{text('rerank.answered')}**")
    relevance_by_id = services.searches.judgements_of(person.id, trace.agent_name, trace.query)
    for candidate in answered(trace):
        with st.container(border=True, key=f"rerank_found_{side}_{candidate.passage_id}"):
            content = _content_of(services, candidate)
            words = candidate.excerpt if content is None else content
            marked = marked_markdown(words, markings_of(trace, candidate))
            st.markdown(f"{_head(candidate)}\n\n{_numbers(trace, candidate)}\n\n{marked}")
            if content is None:
                key = "rerank.gone_since" if is_past else "rerank.gone_now"
                st.caption(text(key))
            is_relevant = relevance_by_id.get(candidate.passage_id)
            show_marks(person, trace, candidate.passage_id, is_relevant, side)


def _content_of(services: "Services", candidate: TracedCandidate) -> str | None:
    """The whole text; None for a passage that is no longer there."""
    try:
        opened = services.knowledge.open_passage(candidate.agent_name, candidate.passage_id)
    except NotFound:
        return None
    return opened.passage.content


def markings_of(trace: SearchTrace, candidate: TracedCandidate) -> list[Marking]:
    """What is marked in a passage: the question's words, aliases, expansion terms."""
    aliases = words_to_mark(trace.terms, "alias")
    expansions = words_to_mark(trace.terms, "expansion")
    return [
        Marking(colour=WORD_COLOUR, words=candidate.matched_terms),
        Marking(colour=ALIAS_COLOUR, words=aliases, are_stems=True),
        Marking(colour=EXPANSION_COLOUR, words=expansions, are_stems=True),
    ]


def _head(candidate: TracedCandidate) -> str:
    colour = look_of(candidate.agent_name).colour
    place = [safe_label(candidate.source)]
    if candidate.locator:
        place.append(safe_label(candidate.locator))
    head = f":{colour}-badge[{candidate.reranked_rank}] **{safe_label(candidate.title)}**"
    return f"{head}\n\n:small[:gray[{' · '.join(place)}]]"


def _numbers(trace: SearchTrace, candidate: TracedCandidate) -> str:
    """Place and score at every stage, and how much of the question is covered."""
    parts: list[str] = []
    for path_score in candidate.path_scores:
        parts.append(_number(path_score.path, path_score.rank, f"{path_score.score:.3g}"))
    parts.append(_number(FUSION, candidate.fused_rank, f"{candidate.fused_score:.4f}"))
    if was_reranked(trace):
        parts.append(_number(RERANK, candidate.reranked_rank, f"{candidate.rerank_score:.3f}"))
    percent = round(candidate.coverage * 100)
    # Words cover nothing of a passage in another language, which says nothing against it.
    if percent > 0:
        parts.append(text("rerank.covers", percent=percent))
    return f":small[:gray[{' · '.join(parts)}]]"


def _number(stage: str, rank: int, score: str) -> str:
    name = safe_label(stage_name(stage))
    return text("rerank.number", stage=name, rank=rank, score=score)


def show_marks(
    person: "Person", trace: SearchTrace, passage_id: str, is_relevant: bool | None, side: str
) -> None:
    """Two buttons; the one that holds is filled, and a click on it takes the mark back."""
    with st.container(horizontal=True, gap="xsmall", key=f"rerank_marks_{side}_{passage_id}"):
        for value, name, icon in (
            (True, "relevant", ":material/thumb_up:"),
            (False, "not_relevant", ":material/thumb_down:"),
        ):
            holds = is_relevant is value
            st.button(
                text(f"rerank.{name}"),
                key=f"rerank_{name}_{side}_{passage_id}",
                icon=icon,
                type="primary" if holds else "secondary",
                help=text("rerank.take_back") if holds else None,
                on_click=on_mark,
                args=(
                    person.id,
                    trace.agent_name,
                    trace.query,
                    passage_id,
                    None if holds else value,
                ),
            )


def on_mark(
    person_id: str, agent_name: str, query: str, passage_id: str, is_relevant: bool | None
) -> None:
    """Keep a mark; None takes it back."""
    searches = current_services().searches
    try:
        if is_relevant is None:
            searches.forget_judgement(person_id, agent_name, query, passage_id)
        else:
            searches.judge(person_id, agent_name, query, passage_id, is_relevant)
    except MeetMindError as error:
        leave_notice(error_text(error))
