"""Draws what a person can do with the newest run: pause, go on, stop, continue."""

from collections.abc import Sequence

import streamlit as st

from meetmind.ui.continuing import can_continue, continue_brief_key, on_continue
from meetmind.ui.language import text
from meetmind.ui.run_commands import on_go_on, on_pause, on_pause_withdrawn, on_stop
from meetmind.ui.run_view import RunView
from meetmind.ui.runs import LIVE_STATES, ShownRun
from meetmind.ui.safe_text import safe_label
from meetmind.ui.show_models_view import show_models_menu

BRIEF_CHARACTERS = 20_000
POINTS_SHOWN = 6


def show_run_controls(runs: Sequence[ShownRun]) -> None:
    """The buttons that fit the state of the newest run, and the menu of the talk."""
    last = runs[-1]
    if last.state in LIVE_STATES:
        _show_pause(last)
        _show_stop(last.view.run_id)
    elif can_continue(last):
        _show_continue(last.view)
    show_models_menu()


def _show_pause(run: ShownRun) -> None:
    run_id = run.view.run_id
    if run.state == "paused":
        st.button(
            text("discussion.go_on"),
            key=f"go_on_{run_id}",
            type="primary",
            icon=":material/play_arrow:",
            on_click=on_go_on,
            args=(run_id,),
        )
    elif is_pause_asked(run):
        st.button(
            text("discussion.pause_withdraw"),
            key=f"pause_withdraw_{run_id}",
            icon=":material/undo:",
            on_click=on_pause_withdrawn,
            args=(run_id,),
        )
    else:
        st.button(
            text("discussion.pause"),
            key=f"pause_{run_id}",
            icon=":material/pause:",
            help=text("discussion.pause_help"),
            on_click=on_pause,
            args=(run_id,),
        )


def is_pause_asked(run: ShownRun) -> bool:
    """Whether the team pauses after this turn; the log's word is the newest."""
    return run.state in ("running", "waiting") and run.view.pause_asked


def _show_stop(run_id: str) -> None:
    st.button(
        text("discussion.stop"),
        key=f"stop_{run_id}",
        icon=":material/stop_circle:",
        on_click=on_stop,
        args=(run_id,),
    )


def _show_continue(view: RunView) -> None:
    """A form with the brief of the next run, filled in and open to change."""
    label = text("discussion.continue")
    key = f"continue_{view.run_id}"
    with (
        st.popover(label, type="primary", icon=":material/play_arrow:", key=key),
        st.container(gap="small", width=420),
    ):
        st.markdown(text("discussion.continue_text"))
        _show_open_points(view)
        brief_key = continue_brief_key(view.run_id)
        plain = "" if view.open_points else "_plain"
        st.session_state.setdefault(brief_key, text(f"discussion.continue_brief{plain}"))
        st.text_area(
            text("discussion.continue_label"),
            key=brief_key,
            max_chars=BRIEF_CHARACTERS,
            height=110,
            persist_state="session",
        )
        st.button(
            text("discussion.continue_start"),
            key=f"continue_start_{view.run_id}",
            type="primary",
            on_click=on_continue,
            args=(view.run_id,),
        )


def _show_open_points(view: RunView) -> None:
    points = view.open_points
    if not points:
        return
    one = "_one" if len(points) == 1 else ""
    st.markdown(text(f"discussion.continue_points{one}", count=len(points)))
    shown = [f"- {safe_label(point.question)}" for point in points[:POINTS_SHOWN]]
    if len(points) > POINTS_SHOWN:
        shown.append("- …")
    st.markdown("\n".join(shown))
