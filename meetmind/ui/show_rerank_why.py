"""Draws "Why not this one?": any passage of a role, and where a question has it."""

from typing import TYPE_CHECKING

import streamlit as st

from meetmind.errors import MeetMindError
from meetmind.search_trace import SearchTrace
from meetmind.ui.language import error_text, text
from meetmind.ui.marked_text import Marking, marked_markdown
from meetmind.ui.safe_text import safe_label, shortened
from meetmind.ui.search_view import (
    PathReach,
    candidate_of,
    fate_of,
    has_reserved_place,
    has_reserved_places,
    reaches,
    was_reranked,
    words_to_mark,
)
from meetmind.ui.show_rerank_names import stage_name
from meetmind.ui.show_rerank_passages import WORD_COLOUR, show_marks

if TYPE_CHECKING:
    from meetmind.server.accounts import Person
    from meetmind.server.knowledge_editing import OpenPassage
    from meetmind.server.searches import Place
    from meetmind.server.services import Services

WORDS = "rerank_why_words"
PASSAGE = "rerank_why_passage"
MOST_OFFERED = 50
EXCERPT_WIDTH = 48


def show_why_not(services: "Services", person: "Person", trace: SearchTrace) -> None:
    """A passage to choose, and one plain sentence on where every stage had it."""
    why = st.expander(
        text("rerank.why"),
        icon=":material/help:",
        key=f"rerank_why_{trace.agent_name}",
        on_change="rerun",
    )
    if not why.open:
        return
    with why:
        try:
            _show_choice(services, person, trace)
        except MeetMindError as error:
            st.error(error_text(error), icon=":material/error:")


def _show_choice(services: "Services", person: "Person", trace: SearchTrace) -> None:
    words = st.text_input(
        text("rerank.why_words"),
        key=f"{WORDS}_{trace.agent_name}",
        placeholder=text("rerank.why_words_placeholder"),
        max_chars=200,
        persist_state="session",
    )
    page = services.knowledge.find_passages(trace.agent_name, words=words or "", limit=MOST_OFFERED)
    if page.total == 0:
        st.caption(text("rerank.why_no_passage"))
        return
    label_by_id: dict[str, str] = {}
    for passage in page.passages:
        label_by_id[passage.id] = _label(passage.title, passage.source, passage.content)
    passage_id = st.selectbox(
        text("rerank.why_passage"),
        list(label_by_id),
        index=None,
        key=f"{PASSAGE}_{trace.agent_name}",
        placeholder=text("rerank.why_passage_placeholder"),
        format_func=lambda id_: label_by_id.get(id_, id_),
    )
    if page.total > len(page.passages):
        st.caption(text("rerank.why_more", shown=len(page.passages), total=page.total))
    if passage_id is not None:
        opened = services.knowledge.open_passage(trace.agent_name, passage_id)
        _show_place(services, person, trace, opened)


def _label(title: str, source: str, content: str) -> str:
    excerpt = shortened(" ".join(content.split()), EXCERPT_WIDTH)
    return f"{title} · {source} · {excerpt}"


def _show_place(
    services: "Services", person: "Person", trace: SearchTrace, opened: "OpenPassage"
) -> None:
    passage = opened.passage
    place = services.searches.locate(
        trace.agent_name, trace.query, trace.settings, passage.id, trace.expansion_terms
    )
    with st.container(border=True, key=f"rerank_place_{passage.id}", gap="xsmall"):
        st.markdown(why_text(trace, place, passage.language, is_disabled=passage.is_disabled))
        words = words_to_mark(trace.terms, "word")
        marked = marked_markdown(
            passage.content,
            [Marking(colour=WORD_COLOUR, words=words, are_stems=True)],
        )
        st.markdown(f"**{safe_label(passage.title)}**\n\n{marked}")
        marks = services.searches.judgements_of(person.id, trace.agent_name, trace.query)
        show_marks(person, trace, passage.id, marks.get(passage.id), "why")


def why_text(
    trace: SearchTrace, place: "Place", passage_language: str, *, is_disabled: bool = False
) -> str:
    """Where every path, the fusion and the rerank had a passage, in plain sentences."""
    if is_disabled:
        return text("rerank.why_disabled")
    parts: list[str] = []
    for reach in reaches(trace, place.paths, place.path_scores, passage_language):
        parts.append(_reach_text(reach, trace.settings.recall_depth))
    fate = _fate_text(trace, place.passage_id)
    if not parts:
        return fate
    on_paths = text("rerank.why_separator").join(parts)
    on_paths = on_paths[:1].upper() + on_paths[1:]
    return text("rerank.why_sentence", paths=on_paths, fate=fate)


def _reach_text(reach: PathReach, depth: int) -> str:
    name = safe_label(stage_name(reach.path))
    key = f"rerank.reach_{reach.reach}"
    if reach.is_within_language and reach.rank > 0:
        key = f"{key}_language"
    return text(key, path=name, rank=reach.rank, depth=depth)


def _fate_text(trace: SearchTrace, passage_id: str) -> str:
    candidate = candidate_of(trace, passage_id)
    if candidate is None:
        return text("rerank.fate_not_found")
    fate = fate_of(trace, passage_id)
    key = f"rerank.fate_{fate}"
    if fate == "below_answer" and not was_reranked(trace):
        key = "rerank.fate_below_answer_fused"
    elif fate == "below_answer" and has_reserved_place(trace, candidate):
        key = "rerank.fate_below_answer_reserved"
    elif fate == "below_fusion" and has_reserved_places(trace):
        key = "rerank.fate_below_fusion_reserved"
    return text(
        key,
        fused=candidate.fused_rank,
        reranked=candidate.reranked_rank,
        top=trace.settings.retrieve_top_n,
        answer=trace.settings.rerank_top_n,
    )
