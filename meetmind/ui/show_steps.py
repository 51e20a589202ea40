"""Draws what a role did with its tools: one line a call that opens to the details."""

import json
from collections.abc import Mapping

import streamlit as st

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.ui.language import text
from meetmind.ui.pages import RERANK_PAGE
from meetmind.ui.roles import role_title
from meetmind.ui.run_view import Step
from meetmind.ui.safe_text import safe_label, safe_markdown, shortened_within
from meetmind.ui.session import SEARCH_PARAMETER
from meetmind.ui.show_passages import degraded_text, mode_text, show_passages

SEARCH = "rag_search"
ICON_BY_TOOL = {
    SEARCH: ":material/search:",
    "Read": ":material/description:",
    "Write": ":material/edit_document:",
}
QUERY_WIDTH = 72
OTHER_ICON = ":material/build:"
NOT_OVER = {"running": "unfinished", "approved": "unfinished", "asked": "no_longer_asked"}
"""What is said of a call that had not ended when its run or its turn was over."""
FAULTY = ("error", "refused", "rejected", "unsure")


def show_step(
    step: Step, numbers: Mapping[str, int], *, is_live: bool, nested: bool = False
) -> None:
    """One call; a running one shimmers, a finished one can be opened.

    `nested` draws it as one of a list of steps; a call that is not live cannot finish any more.
    """
    if step.status == "running" and is_live:
        label = f":shimmer[{_doing(step)}]"
        st.status(label, type="compact", state="running")
        return
    icon = ":material/error:" if step.status in FAULTY else ICON_BY_TOOL.get(step.tool, OTHER_ICON)
    with st.expander(_label(step, is_live), type="step" if nested else "compact", icon=icon):
        if step.tool == SEARCH:
            _show_search(step, numbers)
        else:
            show_call_details(step)


def show_call_details(step: Step) -> None:
    """Why the role wanted the call, its exact arguments and its result."""
    if step.reason:
        st.markdown(safe_markdown(step.reason, keep_lines=True))
    st.caption(text("step.arguments"))
    st.code(arguments_text(step), language="json", wrap_lines=True)
    if step.preview:
        st.caption(text("approval.changed" if step.status == "ok" else "approval.changes"))
        st.code(step.preview, language="diff", wrap_lines=True)
    if step.summary:
        st.caption(text("step.result"))
        st.markdown(safe_markdown(step.summary, keep_lines=True))


def arguments_text(step: Step) -> str:
    """The arguments as JSON that can be read, nothing left out."""
    return json.dumps(dict(step.arguments), ensure_ascii=False, indent=2, default=str)


def call_title(step: Step) -> str:
    """What the call does, in a few words, safe inside Markdown."""
    if step.tool == SEARCH:
        return text("step.search", query=_query_label(step), scope=_scope(step))
    path = safe_label(str(step.arguments.get("path", "")))
    if step.tool == "Read":
        return text("step.read", path=path)
    if step.tool == "Write":
        return text("step.write", path=path)
    return text("step.other", tool=safe_label(step.tool))


def _doing(step: Step) -> str:
    if step.tool == SEARCH:
        return text("step.searching", query=_query_label(step), scope=_scope(step))
    return call_title(step)


def _scope(step: Step) -> str:
    """Where the role looked, in a few words."""
    return text("step.scope_all" if step.arguments.get("scope") == "all" else "step.scope_own")


def _query_label(step: Step) -> str:
    """The query, its middle left out when it is long; it stands in full inside the line."""
    query = " ".join(str(step.arguments.get("query", "")).split())
    return safe_label(shortened_within(query, QUERY_WIDTH))


def _label(step: Step, is_live: bool) -> str:
    return f"{call_title(step)} :gray[· {_outcome(step, is_live)}]"


def _outcome(step: Step, is_live: bool) -> str:
    if not is_live and step.status in NOT_OVER:
        return text(f"step.{NOT_OVER[step.status]}")
    if step.status != "ok":
        key = {"error": "failed"}.get(step.status, step.status)
        return text(f"step.{key}")
    if step.tool != SEARCH:
        return safe_label(step.summary) if step.summary else "✓"
    count = len(step.evidence)
    if count == 0:
        return text("step.found_none")
    if count == 1:
        return text("step.found_one")
    return text("step.found", count=count)


def _show_search(step: Step, numbers: Mapping[str, int]) -> None:
    st.markdown(f"**{safe_label(str(step.arguments.get('query', '')))}**")
    facts = []
    if step.mode:
        facts.append(text("step.mode", mode=mode_text(step.mode)))
    if step.degraded:
        facts.append(text("step.degraded", parts=degraded_text(step.degraded)))
    if step.seconds > 0:
        facts.append(text("step.seconds", seconds=f"{step.seconds:.2f}"))
    if facts:
        st.caption(" · ".join(facts))
    if step.evidence:
        show_passages(step.evidence, numbers)
    elif step.summary:
        st.markdown(safe_markdown(step.summary, keep_lines=True))
    if step.search_ids:
        _show_numbers(step)


def _show_numbers(step: Step) -> None:
    """A link to the Rerank page for each table that was searched."""
    is_of_all = len(step.search_ids) == len(AGENT_NAMES)
    with st.container(horizontal=True, gap="small"):
        for position, search_id in enumerate(step.search_ids):
            label = text("step.numbers")
            if is_of_all:
                label = text("step.numbers_of", role=role_title(AGENT_NAMES[position]))
            st.page_link(
                RERANK_PAGE,
                label=label,
                icon=":material/swap_vert:",
                query_params={SEARCH_PARAMETER: search_id},
            )
