"""Draws the roster above the composer: who speaks, who has spoken, and whom the words are for."""

from collections.abc import Mapping

import streamlit as st

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.ui.fault import polling
from meetmind.ui.language import known_text, text
from meetmind.ui.roles import look_of, role_title
from meetmind.ui.run_view import RunView
from meetmind.ui.runs import LIVE_STATES
from meetmind.ui.session import TARGET, current_run_views

ROSTER_SECONDS = 1.0


def show_roster(run_id: str | None, state: str) -> None:
    """A button for everybody and one a role; while the team talks it follows who has the floor."""
    if state == "running":
        st.fragment(_follow_roster, run_every=ROSTER_SECONDS)(run_id)
    else:
        _show_roster(run_id, is_live=state in LIVE_STATES)


def current_target() -> str:
    """The role that the next words are for; empty for everybody."""
    return str(st.session_state.get(TARGET) or "")


def set_target(agent_name: str) -> None:
    """Let the next words be for this role; empty for everybody."""
    st.session_state[TARGET] = agent_name


@polling
def _follow_roster(run_id: str | None) -> None:
    if _show_roster(run_id, is_live=True):
        # Other parts of the composer say for whom the words are.
        st.rerun()


def _show_roster(run_id: str | None, *, is_live: bool) -> bool:
    """Whether another target was chosen. Reads what the talk keeps up to date: no query."""
    view = current_run_views().get(run_id or "", RunView(run_id=""))
    target = current_target()
    turns = turns_by_role(view)
    with st.container(
        key="roster", horizontal=True, vertical_alignment="center", gap="xsmall", wrap=False
    ):
        clicks = [
            _show_choice("", text("composer.everybody"), text("composer.said_help_all"), target)
        ]
        for agent_name in AGENT_NAMES:
            spoken = turns.get(agent_name, 0)
            speaks = is_live and speaks_now(agent_name, view)
            label = _label(agent_name, spoken, speaks=speaks)
            meaning = _help(agent_name, spoken, speaks=speaks)
            clicks.append(_show_choice(agent_name, label, meaning, target))
    return any(clicks)


def _show_choice(agent_name: str, label: str, help_text: str, target: str) -> bool:
    return st.button(
        label,
        key=f"to_{agent_name or 'everybody'}",
        type="primary" if agent_name == target else "secondary",
        help=help_text,
        on_click=set_target,
        args=(agent_name,),
        wrap=False,
    )


def _label(agent_name: str, turns: int, *, speaks: bool) -> str:
    name = known_text("role_short", agent_name)
    spoken = f" ·{turns}" if turns else ""
    icon = ":material/graphic_eq:" if speaks else look_of(agent_name).icon
    return f"{icon} {name}{spoken}"


def _help(agent_name: str, turns: int, *, speaks: bool) -> str:
    if speaks:
        spoken = text("composer.speaks_now")
    elif turns == 0:
        spoken = text("composer.spoken_none")
    elif turns == 1:
        spoken = text("composer.spoken_one")
    else:
        spoken = text("composer.spoken", count=turns)
    return text("composer.roster_help", role=role_title(agent_name), spoken=spoken)


def speaks_now(agent_name: str, view: RunView) -> bool:
    """Whether the role has the floor of a run that goes on."""
    holder = view.floor_holder
    return view.ended is None and holder is not None and holder.agent_name == agent_name


def turns_by_role(view: RunView) -> Mapping[str, int]:
    """How many turns of each role are over."""
    turns: dict[str, int] = {}
    for utterance in view.utterances:
        if utterance.ended is not None:
            turns[utterance.agent_name] = turns.get(utterance.agent_name, 0) + 1
    return turns
