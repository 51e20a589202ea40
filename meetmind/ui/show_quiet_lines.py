"""Draws what happens between the turns, in quiet lines: route, guards, retries, the end."""

from collections.abc import Sequence
from typing import assert_never

import streamlit as st

from meetmind.events import (
    BriefRewritten,
    BudgetChanged,
    GuardActed,
    HandedOver,
    IntentRecognised,
    ModelFellBack,
    ModelHeld,
    ModelRetried,
    PauseAsked,
    RouteChosen,
    RunEnded,
    RunPaused,
    RunResumed,
)
from meetmind.i18n.budget_words import limits_text
from meetmind.i18n.translate import has_text
from meetmind.ui.language import clock_text, current_language, known_text, safe_values, text
from meetmind.ui.roles import role_title
from meetmind.ui.run_view import Note, QuietLine, RunView
from meetmind.ui.safe_text import safe_label
from meetmind.ui.session import current_services

PREPARATION = (BriefRewritten, IntentRecognised, RouteChosen)


def show_quiet_lines(lines: Sequence[QuietLine], view: RunView) -> None:
    """Lines that follow each other, in one quiet element; a failure stands out."""
    preparing = [line for line in lines if isinstance(line.event, PREPARATION)]
    told = [line_text(line, view) for line in lines if line not in preparing]
    told = [line for line in told if line]
    last = lines[-1].event
    with st.container(key=f"quiet_{view.run_id}_{lines[0].seq}"):
        if preparing:
            _show_preparation(preparing, view)
        if isinstance(last, RunEnded) and last.status == "failed":
            st.error(told.pop(), icon=":material/error:")
        if told:
            st.markdown("  \n".join(f":small[:gray[{line}]]" for line in told))


def _show_preparation(lines: Sequence[QuietLine], view: RunView) -> None:
    """Who takes the brief, in one sentence that opens to how this was found."""
    events = [line.event for line in lines]
    sentence = _route_sentence(events)
    if not sentence:
        return
    details = [line_text(line, view) for line in lines if not isinstance(line.event, RouteChosen)]
    with st.expander(f":small[:gray[{sentence}]]", type="compact", icon=":material/alt_route:"):
        st.markdown("  \n".join(f":small[:gray[{detail}]]" for detail in details if detail))


def _route_sentence(events: Sequence[Note]) -> str:
    """What kind of message it is and who takes it; empty while that is not decided."""
    intent = ""
    for event in events:
        if isinstance(event, IntentRecognised):
            intent = safe_label(known_text("intent", event.intent))
        if isinstance(event, RouteChosen):
            if intent and event.by == "intent":
                return text(f"quiet.taken_{event.route}", intent=intent)
            return text(f"quiet.route_{event.route}")
    return ""


def line_text(line: QuietLine, view: RunView) -> str:  # noqa: PLR0912 - one case an event
    """One line as Markdown; empty when there is nothing worth telling."""
    event = line.event
    match event:
        case RunResumed():
            return "" if event.reason == "decision" else text(f"quiet.resumed_{event.reason}")
        case BriefRewritten():
            return _rewritten_text(event, view)
        case IntentRecognised():
            return text(
                "quiet.intent",
                intent=safe_label(known_text("intent", event.intent)),
                percent=round(event.score * 100),
                rung=safe_label(known_text("rung", event.rung)),
            )
        case RouteChosen():
            return text(f"quiet.route_{event.route}")
        case ModelRetried():
            return text(
                "quiet.retried",
                fault=fault_text(event.fault, "fault_short"),
                seconds=round(event.wait_seconds),
                attempt=event.attempt,
            )
        case ModelHeld():
            return text(
                "quiet.held",
                fault=fault_text(event.fault, "fault_short"),
                seconds=round(event.wait_seconds),
            )
        case HandedOver():
            return _handover_text(event)
        case GuardActed():
            return _guard_text(event)
        case PauseAsked():
            key = "quiet.pause_withdrawn" if event.withdrawn else "quiet.pause_asked"
            return text(key, name=safe_label(event.asked_by))
        case RunPaused():
            return text("quiet.paused")
        case BudgetChanged():
            return _budget_text(event)
        case ModelFellBack():
            return text(
                "quiet.fell_back",
                from_model=safe_label(event.from_model),
                to_model=safe_label(event.to_model),
                fault=fault_text(event.fault, "fault_short"),
            )
        case RunEnded():
            return f"{clock_text(line.at)} · {end_text(event, view)}"
        case _:
            assert_never(event)


def end_text(event: RunEnded, view: RunView) -> str:
    """Why the run is over, in one sentence."""
    limit = 0 if view.limits is None else view.limits.max_iterations
    return text(f"end.{event.reason}", limit=limit, fault=fault_text(event.fault, "fault"))


def fault_text(fault: str, section: str) -> str:
    """A fault of the model: the whole story (`fault`) or a few words (`fault_short`)."""
    for key in (f"{section}.{fault}", f"fault.{fault}"):
        if has_text(key):
            return text(key)
    return text("fault.model")


def _rewritten_text(event: BriefRewritten, view: RunView) -> str:
    parts = []
    brief = "" if view.started is None else view.started.brief
    if event.rewritten_query.strip() != brief.strip():
        parts.append(text("quiet.understood", query=safe_label(event.rewritten_query)))
    if event.expansion_terms:
        terms = safe_label(", ".join(event.expansion_terms))
        parts.append(text("quiet.also_searched", terms=terms))
    return "  \n".join(parts)


def _handover_text(event: HandedOver) -> str:
    role = role_title(event.to_agent)
    if event.by == "role":
        return text("talk.hands_over", role=role)
    if event.by == "person":
        return text("quiet.person_asked", role=role)
    if event.by == "round":
        return text("quiet.round", role=role)
    reason = known_text("guard", event.guard) if event.guard else event.reason
    return text("quiet.guard", role=role, reason=safe_label(reason))


def _guard_text(event: GuardActed) -> str:
    role = role_title(event.agent_name)
    key = f"guard.{event.guard}"
    if has_text(key):
        reason = text(key, **safe_values(event.details))
    else:
        reason = safe_label(event.guard)
    return text("quiet.guard_acted", role=role, reason=reason.rstrip(".。"))


def _budget_text(event: BudgetChanged) -> str:
    told = limits_text(
        current_language(),
        max_iterations=event.max_iterations,
        max_tokens=event.max_tokens,
        max_minutes=event.max_minutes,
        max_cost=event.max_cost,
        currency=current_services().settings.price_currency,
    )
    return text("quiet.budget", name=safe_label(event.changed_by), limits=told)
