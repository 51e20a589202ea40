"""Draws one turn: who speaks, what was looked up, the words, the stance, the hand-over."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import streamlit as st

from meetmind.events import HandedOver, PassageEvidence, Stance
from meetmind.ui.call_words import SEARCH, icon_of
from meetmind.ui.citations import cited_ids, without_open_citation
from meetmind.ui.language import clock_text, text
from meetmind.ui.roles import coloured_title, look_of, role_title, sign_of
from meetmind.ui.run_view import Compaction, Step, Utterance
from meetmind.ui.safe_text import safe_label, shortened
from meetmind.ui.show_approval import show_approval, show_decided
from meetmind.ui.show_passages import passage_text
from meetmind.ui.show_question import show_answered, show_question_card
from meetmind.ui.show_steps import show_step
from meetmind.ui.show_text import show_text
from meetmind.ui.waiting_question import question_in_talk

STANCE_LOOK = {
    "agree": ("green", ":material/check:"),
    "object": ("red", ":material/close:"),
    "abstain": ("gray", ":material/remove:"),
    "question": ("orange", ":material/question_mark:"),
}
LABEL_WIDTH = 38
FEW_SEARCHES = 2
CUT_OFF = "cut_off"


@dataclass(frozen=True, kw_only=True)
class TalkContext:
    """What a turn needs to know of its discussion."""

    run_id: str
    citation_numbers: Mapping[str, int]
    passage_by_id: Mapping[str, PassageEvidence]
    number_by_point: Mapping[str, int]
    waiting_for: Sequence[str] = ()
    boundaries: Mapping[str, Compaction] = field(default_factory=dict)
    """The compaction that ends behind a message, by the id of the message."""
    is_live: bool = True
    """Whether the run goes on or waits, so that what is not finished can still end."""


def show_utterance(utterance: Utterance, context: TalkContext) -> None:
    """One turn, whether it goes on or is over."""
    name = f"turn_{utterance.agent_name}_{utterance.id.replace('.', '-')}"
    sign = sign_of(utterance.agent_name)
    with (
        st.container(key=name),
        st.chat_message(role_title(utterance.agent_name), avatar=sign),
        st.container(gap="xsmall"),
    ):
        _show_head(utterance)
        _show_steps(utterance, context)
        _show_questions(utterance, context)
        if utterance.tools_unavailable:
            st.caption(text("talk.tools_off"))
        _show_words(utterance, context)
        _show_sources(utterance, context)
        _show_stances(utterance, context)
        if utterance.handed_over is not None:
            _show_handover(utterance.handed_over)


def _show_head(utterance: Utterance) -> None:
    number = text("talk.turn", number=utterance.iteration + 1)
    moment = clock_text(utterance.began_at)
    head = f"{coloured_title(utterance.agent_name)} :small[:gray[{number} · {moment}]]"
    if not utterance.first_opinion:
        st.markdown(head)
        return
    badge = f":gray-badge[:material/visibility_off: {text('talk.first_opinion')}]"
    st.markdown(f"{head} {badge}", help=text("talk.first_opinion_help"))


def _show_steps(utterance: Utterance, context: TalkContext) -> None:
    """Every call; many searches are one line that opens to them. Questions have cards."""
    question_ids = {question.call_id for question in utterance.questions}
    others = [step for step in utterance.steps if step.call_id not in question_ids]
    searches = [step for step in others if step.tool == SEARCH and step.status == "ok"]
    if len(searches) > FEW_SEARCHES:
        _show_searches(utterance.id, searches, context)
        others = [step for step in others if step not in searches]
    is_live = context.is_live and utterance.ended is None
    for step in others:
        _show_step(step, context, is_live)


def _show_searches(utterance_id: str, searches: Sequence[Step], context: TalkContext) -> None:
    found_ids = {passage.passage_id for step in searches for passage in step.evidence}
    searched = st.expander(
        text("step.searches", count=len(searches), found=len(found_ids)),
        type="compact",
        icon=icon_of(SEARCH),
        key=f"searches_{utterance_id}",
        on_change="rerun",
    )
    if searched.open:
        with searched:
            for step in searches:
                show_step(step, context.citation_numbers, nested=True, is_live=False)


def _show_step(step: Step, context: TalkContext, is_live: bool) -> None:
    if step.status == "asked" and step.call_id in context.waiting_for:
        show_approval(context.run_id, step.call_id)
    elif step.decision is not None:
        show_decided(step)
    else:
        show_step(step, context.citation_numbers, is_live=is_live)


def _show_questions(utterance: Utterance, context: TalkContext) -> None:
    for question in utterance.questions:
        if question.answer is None and question.call_id in context.waiting_for:
            show_question_card(question_in_talk(context.run_id, question))
        else:
            show_answered(question)


def _show_words(utterance: Utterance, context: TalkContext) -> None:
    words = utterance.words
    if utterance.ended is None:
        words = without_open_citation(words)
    if words.strip():
        key = f"words_{utterance.id}"
        show_text(words, key, citation_numbers=context.citation_numbers)
    if utterance.ended is not None:
        removed = len(utterance.ended.removed_citations)
        if removed == 1:
            st.caption(text("talk.removed_one"))
        elif removed > 1:
            st.caption(text("talk.removed", count=removed))
    if _was_cut_off(utterance, context):
        st.caption(text("discussion.unfinished"))


def _was_cut_off(utterance: Utterance, context: TalkContext) -> bool:
    """Whether the turn ended before its speaker was done."""
    if utterance.ended is None:
        return not context.is_live
    return utterance.ended.rung == CUT_OFF


def _show_sources(utterance: Utterance, context: TalkContext) -> None:
    """A button for each cited passage that opens it."""
    if utterance.ended is None:
        return
    cited = [pid for pid in cited_ids(utterance.words) if pid in context.citation_numbers]
    if not cited:
        return
    with st.container(
        horizontal=True, gap="xsmall", key=f"sources_{utterance.id.replace('.', '-')}"
    ):
        for passage_id in cited:
            passage = context.passage_by_id[passage_id]
            number = context.citation_numbers[passage_id]
            key = f"source_{utterance.id}_{passage_id}"
            show_source(passage, number, key)


def show_source(passage: PassageEvidence, number: int, key: str) -> None:
    """A numbered button that opens the passage with its scores."""
    title = safe_label(shortened(passage.title, LABEL_WIDTH))
    with st.popover(f"**{number}** {title}", type="tertiary", key=key, wrap=False):
        st.markdown(passage_text(passage, number))


def _show_stances(utterance: Utterance, context: TalkContext) -> None:
    if utterance.ended is None:
        return
    if utterance.ended.asks_first_opinions:
        asks = text("talk.asks_first_opinions")
        st.markdown(f":small[:gray[:material/visibility_off: {asks}]]")
    if not utterance.ended.stances:
        return
    lines = [stance_line(stance, context.number_by_point) for stance in utterance.ended.stances]
    st.markdown("  \n".join(lines))


def stance_line(stance: Stance, number_by_point: Mapping[str, int]) -> str:
    """A stance as a chip, the point, and why."""
    colour, icon = STANCE_LOOK[stance.stance]
    parts = [f":{colour}-badge[{icon} {text(f'stance.{stance.stance}')}]"]
    number = number_by_point.get(stance.point_id)
    if number is not None:
        parts.append(f"**{text('point.number', number=number)}**")
    if stance.why:
        parts.append(safe_label(stance.why))
    if stance.changed_because:
        changed = text("stance.changed", reason=safe_label(stance.changed_because))
        parts.append(f":gray[{changed}]")
    if stance.resolves_if:
        condition = text("stance.resolves", condition=safe_label(stance.resolves_if))
        parts.append(f":gray[{condition}]")
    return " ".join(parts)


def _show_handover(handover: HandedOver) -> None:
    role = role_title(handover.to_agent)
    if handover.by in ("person", "round"):
        line = text(f"talk.hands_over_{handover.by}", role=role)
    elif handover.reason:
        line = text("talk.hands_over_why", role=role, reason=safe_label(handover.reason))
    else:
        line = text("talk.hands_over", role=role)
    colour = look_of(handover.to_agent).colour
    st.caption(f":{colour}[:material/arrow_forward:] {line}")
