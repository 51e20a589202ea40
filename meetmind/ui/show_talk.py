"""Draws the talk of a discussion: its runs one after another, the last one live."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import ceil

import streamlit as st

from meetmind.events import ModelHeld, ModelRetried, PassageEvidence, RunResumed
from meetmind.ui.activity import activity_text
from meetmind.ui.citations import number_citations, passages_of
from meetmind.ui.fault import polling
from meetmind.ui.language import clock_text, duration_text, text
from meetmind.ui.roles import PERSON, look_of, role_title, sign_of
from meetmind.ui.run_view import Compaction, QuietLine, RunView, Said, TalkItem
from meetmind.ui.runs import LIVE_STATES, ShownRun, read_on, settled_and_live
from meetmind.ui.session import current_person, current_run_views, current_services
from meetmind.ui.show_boundary import show_boundary
from meetmind.ui.show_files import show_attached
from meetmind.ui.show_quiet_lines import show_quiet_lines
from meetmind.ui.show_said import show_said
from meetmind.ui.show_text import show_text
from meetmind.ui.show_utterance import TalkContext, show_utterance

POLL_SECONDS = 0.4
WAITING_POLL_SECONDS = 1.5
LONG_SILENCE = timedelta(seconds=20)
"""After this long without anything new the page says so."""
RESTING_STATES = ("waiting", "paused")


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
    boundaries = boundaries_of([run.view for run in runs])
    with st.container(key="settled"):
        for run in runs:
            context = _context(run, evidence, boundaries)
            _show_brief(run, context)
            settled, live = settled_and_live(run.view)
            items = settled if run.state == "running" else (*settled, *live)
            show_items(items, run.view, context)
    with st.container(key="live"):
        if runs and runs[-1].state == "running":
            _follow(runs[-1].view.run_id, POLL_SECONDS)
        elif runs and runs[-1].state in RESTING_STATES:
            _follow(runs[-1].view.run_id, WAITING_POLL_SECONDS)


def boundaries_of(views: Sequence[RunView]) -> dict[str, Compaction]:
    """The newest compaction by the message behind which it ends; earlier ones are part of it."""
    for view in reversed(views):
        if view.compactions:
            newest = view.compactions[-1]
            return {newest.event.through_message_id: newest}
    return {}


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
        if isinstance(item, Said):
            show_said(item, is_live=context.is_live)
            _show_boundary_behind(item.message_id, context)
        else:
            show_utterance(item, context)
            _show_boundary_behind(item.id, context)
    if waiting_lines:
        show_quiet_lines(waiting_lines, view)


def _show_boundary_behind(message_id: str, context: TalkContext) -> None:
    compaction = context.boundaries.get(message_id)
    if compaction is not None:
        show_boundary(compaction)


def _show_brief(run: ShownRun, context: TalkContext) -> None:
    if run.started is None:
        return
    moment = "" if run.view.started_at is None else clock_text(run.view.started_at)
    with (
        st.container(key=f"brief_{run.view.run_id}"),
        st.chat_message("user", avatar=sign_of(PERSON)),
        st.container(gap="xsmall"),
    ):
        told = _asked_text(run.started.asked_agent)
        st.markdown(f"**{text('discussion.you')}** {told}:small[:gray[{moment}]]")
        show_text(run.started.brief, f"brief_{run.view.run_id}", keep_lines=True)
        show_attached(run.started.files)
    _show_boundary_behind(f"{run.view.run_id}.brief", context)


def _asked_text(agent_name: str) -> str:
    """Whom a brief is for, when that is one role."""
    if not agent_name:
        return ""
    told = text("talk.to_role", role=role_title(agent_name))
    return f":{look_of(agent_name).colour}[**{told}**] "


def _context(
    run: ShownRun, evidence: Evidence, boundaries: Mapping[str, Compaction]
) -> TalkContext:
    numbers = {known.point.id: n for n, known in enumerate(run.view.points, start=1)}
    return TalkContext(
        run_id=run.view.run_id,
        citation_numbers=evidence.number_by_id,
        passage_by_id=evidence.passage_by_id,
        number_by_point=numbers,
        waiting_for=run.view.waiting_for if run.state == "waiting" else (),
        boundaries=boundaries,
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
    if view.rests:
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
        seconds = _seconds_to_next_try(view)
        if seconds > 0:
            st.caption(f":shimmer[{text('talk.waiting_for_model', seconds=seconds)}]")
        else:
            st.caption(f":shimmer[{_activity(view)}]{_elapsed(view)}{_silence(view)}")


def _has_moved_on(before: RunView, after: RunView) -> bool:
    """Whether something has come that stands outside of what is polled."""
    settled_before, live_before = settled_and_live(before)
    settled_after, live_after = settled_and_live(after)
    has_news_while_it_rests = after.rests and live_before != live_after
    return (
        has_news_while_it_rests
        or settled_before != settled_after
        or before.waiting_for != after.waiting_for
        or before.is_paused != after.is_paused
        or before.pause_asked != after.pause_asked
        or before.limits != after.limits
        or before.compactions != after.compactions
        or before.ended != after.ended
        or before.started != after.started
    )


def _other_views(run_id: str) -> list[RunView]:
    views = current_run_views()
    return [view for known_id, view in views.items() if known_id != run_id]


def _activity(view: RunView) -> str:
    """What goes on at this moment, in a few words."""
    return activity_text("talk", view)


def _silence(view: RunView) -> str:
    """A word about a model that has said nothing for long; empty while a tool is at work."""
    steps = () if view.floor_holder is None else view.floor_holder.steps
    is_tool_at_work = any(step.status in ("running", "approved") for step in steps)
    if view.last_at is None or is_tool_at_work:
        return ""
    silent = datetime.now(UTC) - view.last_at
    if silent < LONG_SILENCE:
        return ""
    return f" · {text('talk.silent', time=duration_text(silent))}"


def _seconds_to_next_try(view: RunView) -> int:
    """How long the model's server wants to be left alone from now on; 0 when nothing waits."""
    last = view.items[-1] if view.items else None
    if not isinstance(last, QuietLine) or not isinstance(last.event, ModelRetried | ModelHeld):
        return 0
    next_try = last.at + timedelta(seconds=last.event.wait_seconds)
    return max(0, ceil((next_try - datetime.now(UTC)).total_seconds()))


def _elapsed(view: RunView) -> str:
    """How long the turn that goes on takes, since the run was last taken up; empty between turns.

    Waiting for a person is no part of it.
    """
    holder = view.floor_holder
    began = view.started_at if holder is None else holder.began_at
    if began is None or (holder is None and view.utterances):
        return ""
    for item in view.items:
        if isinstance(item, QuietLine) and isinstance(item.event, RunResumed):
            began = max(began, item.at)
    return f" · {duration_text(datetime.now(UTC) - began)}"
