"""Draws which embedding models are at work, and how far a new one has come."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from meetmind.ui.document_report import failure_line
from meetmind.ui.language import text
from meetmind.ui.safe_text import safe_label
from meetmind.ui.session import current_services
from meetmind.ui.show_ingestion import AT_WORK

if TYPE_CHECKING:
    from meetmind.server.library import Library, ModelStatus

POLL_SECONDS = 2.0
FILLING = "filling"
ICON_BY_STATE = {
    "in_force": ":green[:material/check_circle:]",
    FILLING: ":blue[:material/hourglass_top:]",
    "leaving": ":orange[:material/logout:]",
}


def show_search_models(library: "Library") -> None:
    """A line a model; while a change is going on they follow it."""
    st.markdown(f"**{text('retrieval_settings.models')}**")
    statuses = library.models()
    if _are_changing(library, statuses):
        _show_changing_models()
        return
    _show_lines(library, statuses)
    failures = library.progress().failures
    if failures:
        listed = "\n".join(f"- {failure_line(failure)}" for failure in failures)
        st.warning(f"{text('retrieval_settings.failures')}\n\n{listed}", icon=":material/warning:")


@st.fragment(run_every=POLL_SECONDS)
def _show_changing_models() -> None:
    library = current_services().library
    statuses = library.models()
    if not _are_changing(library, statuses):
        st.rerun()
    _show_lines(library, statuses)
    _show_filling(library, statuses)


def _are_changing(library: "Library", statuses: "Sequence[ModelStatus]") -> bool:
    """Whether the lines will say something else soon."""
    is_loading = any(status.loading == "loading" for status in statuses)
    return is_loading or library.progress().state in AT_WORK


def _show_lines(library: "Library", statuses: "Sequence[ModelStatus]") -> None:
    is_at_work = library.progress().state in AT_WORK
    lines = [_line(status) for status in statuses]
    for name in _not_there_yet(library, statuses):
        state = "waiting" if is_at_work else "missing"
        lines.append(_waiting_line(name, state))
    if not statuses and not is_at_work:
        lines.append(f":gray[{text('retrieval_settings.models_none')}]")
    st.markdown("  \n".join(lines))


def _line(status: "ModelStatus") -> str:
    icon = ICON_BY_STATE.get(status.state, "")
    parts = [f"{icon} **{safe_label(status.name)}**", _state_text(status)]
    is_partly_known = status.state != FILLING and status.seen_passages < status.all_passages
    if is_partly_known:
        parts.append(_passages("seen_part", status))
    if status.runtime:
        parts.append(safe_label(status.runtime))
    loading = _loading_text(status)
    if loading:
        parts.append(loading)
    return " · ".join(parts)


def _state_text(status: "ModelStatus") -> str:
    if status.state == FILLING:
        return _passages("state_filling", status)
    return text(f"retrieval_settings.state_{status.state}")


def _passages(key: str, status: "ModelStatus") -> str:
    return text(f"retrieval_settings.{key}", seen=status.seen_passages, all=status.all_passages)


def _loading_text(status: "ModelStatus") -> str:
    if status.loading == "failed":
        problem = safe_label(status.problem)
        return f":red[{text('retrieval_settings.failed', problem=problem)}]"
    if status.loading in ("loading", "idle"):
        return text(f"retrieval_settings.{status.loading}")
    return ""


def _not_there_yet(library: "Library", statuses: "Sequence[ModelStatus]") -> list[str]:
    """The names of chosen models that the tables have no columns for."""
    known = {status.key for status in statuses}
    return [name for key, name in library.model_names().items() if key not in known]


def _waiting_line(name: str, state: str) -> str:
    icon = ":gray[:material/schedule:]" if state == "waiting" else ":red[:material/error:]"
    return f"{icon} **{safe_label(name)}** · {text(f'retrieval_settings.state_{state}')}"


def _show_filling(library: "Library", statuses: "Sequence[ModelStatus]") -> None:
    """A bar for each model that is being filled, with what the search does meanwhile."""
    filling = [status for status in statuses if status.state == FILLING]
    for status in filling:
        share = 0.0
        if status.all_passages > 0:
            share = min(1.0, status.seen_passages / status.all_passages)
        said = text(
            "retrieval_settings.filling",
            model=safe_label(status.name),
            seen=status.seen_passages,
            all=status.all_passages,
        )
        st.progress(share, text=said)
    if not filling and _not_there_yet(library, statuses):
        st.caption(text("retrieval_settings.preparing"))
