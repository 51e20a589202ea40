"""Draws what a role did with its tools: one line a call that opens to the details."""

from collections.abc import Mapping

import streamlit as st

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.ui.call_words import (
    SEARCH,
    call_title,
    icon_of,
    query_label,
    refusal_text,
    scope_text,
)
from meetmind.ui.language import text
from meetmind.ui.pages import RERANK_PAGE
from meetmind.ui.roles import role_title
from meetmind.ui.run_view import Step
from meetmind.ui.safe_text import safe_label, safe_markdown
from meetmind.ui.session import SEARCH_PARAMETER
from meetmind.ui.show_call import show_arguments, show_diff
from meetmind.ui.show_call_result import failed_label, result_label, show_call_result
from meetmind.ui.show_passages import degraded_text, mode_text, show_passages

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
    icon = ":material/error:" if step.status in FAULTY else icon_of(step.tool)
    with st.expander(_label(step, is_live), type="step" if nested else "compact", icon=icon):
        if step.tool == SEARCH:
            _show_search(step, numbers)
        else:
            show_call_details(step)
            if step.evidence:
                show_passages(step.evidence, numbers)


def show_call_details(step: Step) -> None:
    """Why the role wanted the call, its exact arguments and its result."""
    if step.status == "refused":
        _show_refusal(step)
    elif step.reason:
        st.markdown(safe_markdown(step.reason, keep_lines=True))
    st.caption(text("step.arguments"))
    show_arguments(step.arguments)
    if step.preview:
        st.caption(text("approval.changed" if step.status == "ok" else "approval.changes"))
        show_diff(step.preview)
    if step.status not in ("refused", "rejected"):
        show_call_result(step.tool, step.status, step.error_code, step.summary)


def _show_refusal(step: Step) -> None:
    """The policy's sentence for people, and what the role was told."""
    st.markdown(refusal_text(step.code))
    if step.reason:
        st.caption(text("approval.role_was_told"))
        st.markdown(safe_markdown(step.reason, keep_lines=True))


def _doing(step: Step) -> str:
    if step.tool == SEARCH:
        query, scope = query_label(step.arguments), scope_text(step.arguments)
        return text("step.searching", query=query, scope=scope)
    return call_title(step.tool, step.arguments)


def _label(step: Step, is_live: bool) -> str:
    parts = [_outcome(step, is_live)]
    if step.allowed_by:
        parts.insert(0, text("approval.granted_by", name=safe_label(step.allowed_by)))
    told = " · ".join(parts)
    return f"{call_title(step.tool, step.arguments)} :gray[· {told}]"


def _outcome(step: Step, is_live: bool) -> str:
    if not is_live and step.status in NOT_OVER:
        return text(f"step.{NOT_OVER[step.status]}")
    if step.status == "refused" and step.code:
        return f"{text('step.refused')} · {refusal_text(step.code)}"
    if step.status == "error" and step.error_code:
        return f"{text('step.failed')} · {failed_label(step.error_code)}"
    if step.status != "ok":
        key = {"error": "failed"}.get(step.status, step.status)
        return text(f"step.{key}")
    if step.tool != SEARCH:
        return result_label(step.tool, step.summary) if step.summary else "✓"
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
    elif step.status != "ok":
        show_call_result(step.tool, step.status, step.error_code, step.summary)
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
