"""Draws the talk of a discussion: its runs one after another, the last one live."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import streamlit as st

from meetmind.events import PassageEvidence
from meetmind.ui.citations import number_citations, passages_of
from meetmind.ui.fault import polling
from meetmind.ui.language import clock_text, duration_text, text
from meetmind.ui.roles import PERSON, role_title, sign_of
from meetmind.ui.run_view import QuietLine, RunView, TalkItem
from meetmind.ui.runs import LIVE_STATES, ShownRun, read_on, settled_and_live
from meetmind.ui.session import current_person, current_run_views, current_services
from meetmind.ui.show_files import show_attached
from meetmind.ui.show_quiet_lines import show_quiet_lines
from meetmind.ui.show_text import show_text
from meetmind.ui.show_utterance import TalkContext, show_utterance

POLL_SECONDS = 0.4
WAITING_POLL_SECONDS = 1.5


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """The passages of a whole discussion and the numbers of those that are cited."""

    passage_by_id: Mapping[str, PassageEvidence]
    number_by_id: Mapping[str, int]


def evidence_of(views: Sequence[RunView]) -> Evidence:
    """What all runs of a discussion found and cited."""
    passage_by_id = passages_of(views)
    return Evidence(
        passage_by_id=passage_by_id, number_by_id=number_citations(views, passage_by_id)
    )


def show_talk(runs: Sequence[ShownRun], evidence: Evidence) -> None:
    """Every run, oldest first; what is over is drawn once, what goes on is polled.

    The two parts have places of their own, so that one can grow without moving the other.
    """
    with st.container(key="settled"):
        for run in runs:
            _show_brief(run)
            settled, live = settled_and_live(run.view)
            items = settled if run.state == "running" else (*settled, *live)
            show_items(items, run.view, _context(run, evidence))
    with st.container(key="live"):
        if runs and runs[-1].state == "running":
            _follow(runs[-1].view.run_id, POLL_SECONDS)
        elif runs and runs[-1].state == "waiting":
            _follow(runs[-1].view.run_id, WAITING_POLL_SECONDS)


def show_items(items: Sequence[TalkItem], view: RunView, context: TalkContext) -> None:
    """Turns, and the quiet lines between them in groups."""
    waiting_lines: list[QuietLine] = []
    for item in items:
        if isinstance(item, QuietLine):
            waiting_lines.append(item)
            continue
        if waiting_lines:
            show_quiet_lines(waiting_lines, view)
            waiting_lines = []
        show_utterance(item, context)
    if waiting_lines:
        show_quiet_lines(waiting_lines, view)


def _show_brief(run: ShownRun) -> None:
    if run.started is None:
        return
    moment = "" if run.view.started_at is None else clock_text(run.view.started_at)
    with (
        st.container(key=f"brief_{run.view.run_id}"),
        st.chat_message("user", avatar=sign_of(PERSON)),
        st.container(gap="xsmall"),
    ):
        st.markdown(f"**{text('discussion.you')}** :small[:gray[{moment}]]")
        show_text(run.started.brief, f"brief_{run.view.run_id}", keep_lines=True)
        show_attached(run.started.files)


def _context(run: ShownRun, evidence: Evidence) -> TalkContext:
    numbers = {known.point.id: n for n, known in enumerate(run.view.points, start=1)}
    return TalkContext(
        run_id=run.view.run_id,
        citation_numbers=evidence.number_by_id,
        passage_by_id=evidence.passage_by_id,
        number_by_point=numbers,
        waiting_for=run.view.waiting_for if run.state == "waiting" else (),
        is_live=run.state in LIVE_STATES,
    )


def _follow(run_id: str, seconds: float) -> None:
    """Poll the log of one run and draw what still changes; the rest of the page rests."""
    st.fragment(_show_live, run_every=seconds)(run_id)


@polling
def _show_live(run_id: str) -> None:
    services = current_services()
    person = current_person(services)
    before = current_run_views().get(run_id, RunView(run_id=run_id))
    if person is None:
        st.rerun()
    view = read_on(services, person, before)
    if _has_moved_on(before, view):
        st.rerun()
    if view.waiting_for:
        return
    _, live = settled_and_live(view)
    evidence = evidence_of([*_other_views(run_id), view])
    context = TalkContext(
        run_id=run_id,
        citation_numbers=evidence.number_by_id,
        passage_by_id=evidence.passage_by_id,
        number_by_point={},
    )
    show_items(live, view, context)
    with st.container(key="activity"):
        st.caption(f":shimmer[{_activity(view)}] · {_elapsed(view)}")


def _has_moved_on(before: RunView, after: RunView) -> bool:
    """Whether something has come that stands outside of what is polled."""
    settled_before, live_before = settled_and_live(before)
    settled_after, live_after = settled_and_live(after)
    has_new_card = bool(after.waiting_for) and live_before != live_after
    return (
        has_new_card
        or settled_before != settled_after
        or before.waiting_for != after.waiting_for
        or before.ended != after.ended
        or before.started != after.started
    )


def _other_views(run_id: str) -> list[RunView]:
    views = current_run_views()
    return [view for known_id, view in views.items() if known_id != run_id]


def _activity(view: RunView) -> str:
    """What goes on at this moment, in a few words."""
    last = view.floor_holder
    if last is None:
        return text("talk.choosing_next" if view.utterances else "talk.preparing")
    role = role_title(last.agent_name)
    if last.words:
        return text("talk.speaking", role=role)
    if last.steps and last.steps[-1].status == "approved":
        return text("talk.acting", role=role)
    if last.steps:
        return text("talk.looking_up", role=role)
    return text("talk.getting_ready", role=role)


def _elapsed(view: RunView) -> str:
    if view.started_at is None:
        return ""
    return duration_text(datetime.now(UTC) - view.started_at)
