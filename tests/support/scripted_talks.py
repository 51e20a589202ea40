"""Discussions written out role by role, and a room that plays them with or without the guards."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from meetmind.events import DiscussionEvent, GuardActed, HandedOver, RunEnded, UtteranceEnded
from meetmind.graph.guards.finding import RunTerms
from meetmind.graph.guards.review import Review
from meetmind.llm.scripted import ScriptedStep, answers, says
from tests.support.room import Found, Room, passage, wait_until

TURNS = 15
TALK_SECONDS = 120.0
PASSAGES_A_ROLE = 6
ROUTINE_GUARDS = frozenset({"last_turn", "budget_nearly_used"})
"""What steps in near the end of every long discussion."""


@dataclass(frozen=True, kw_only=True)
class Talk:
    """What every role says, turn by turn; the last one is said again for ever."""

    name: str
    turns: Mapping[str, Sequence[dict[str, Any]]]
    reason: str
    """How the run has to end."""
    guards: tuple[str, ...] = ()
    """What has to step in; without any, nothing may."""
    brief: str = "Build the returns page"
    without_search: tuple[str, ...] = ()
    """The roles that look nothing up."""
    coverage: float = 0.8


@dataclass(frozen=True, kw_only=True)
class Played:
    """What a talk came to."""

    talk: Talk
    events: list[DiscussionEvent]

    @property
    def reason(self) -> str:
        return next(event.reason for event in self.events if isinstance(event, RunEnded))

    @property
    def guards(self) -> list[str]:
        """Everything that stepped in, in order."""
        acted = []
        for event in self.events:
            if isinstance(event, GuardActed) or (isinstance(event, HandedOver) and event.guard):
                acted.append(event.guard)
        return acted

    @property
    def utterances(self) -> list[UtteranceEnded]:
        return [event for event in self.events if isinstance(event, UtteranceEnded)]

    @property
    def is_right(self) -> bool:
        """The right end, and the right guards: those that are named, or none at all."""
        if self.reason != self.talk.reason:
            return False
        if self.talk.guards:
            return set(self.talk.guards) <= set(self.guards)
        return not set(self.guards) - ROUTINE_GUARDS


class TalkRoom(Room):
    """A room whose tables hold several passages a role."""

    def search(self, agent_name: str | None, query: str, terms: Sequence[str]) -> Found:
        owner = agent_name or "backend"
        found = [passage(owner, number, self.coverage) for number in range(PASSAGES_A_ROLE)]
        return Found(passages=tuple(found))


def turn(
    content: str,
    following: str = "",
    *,
    done: bool = False,
    stances: Sequence[dict[str, str]] = (),
    points: Sequence[dict[str, str]] = (),
    first_opinions: bool = False,
) -> dict[str, Any]:
    """The structured end of one turn."""
    return {
        "content": content,
        "next_agent": following,
        "done": done,
        "stances": list(stances),
        "points": list(points),
        "first_opinions": first_opinions,
    }


def point(state: str = "open", reason: str = "", point_id: str = "P1") -> dict[str, str]:
    return {"id": point_id, "question": "How long?", "state": state, "reason": reason}


def stance(kind: str, why: str = "see there", **details: str) -> dict[str, str]:
    return {"point_id": "P1", "stance": kind, "why": why, **details}


def cites(agent_name: str, number: int = 0) -> str:
    return f"[{agent_name}_{number:012x}]"


def steps_of(talk: Talk) -> list[ScriptedStep]:
    """Enough steps for every role to speak in every turn of the run."""
    steps = []
    for agent_name, turns in talk.turns.items():
        for number in range(TURNS):
            output = turns[min(number, len(turns) - 1)]
            steps.append(answers(output, role=agent_name, task="speak"))
            if agent_name in talk.without_search:
                steps.append(says("Nothing to look up.", role=agent_name, task="look_up"))
    return steps


def play(room: Room, talk: Talk) -> Played:
    """The talk through the real graph."""
    room.coverage = talk.coverage
    executor = room.open(steps_of(talk))
    session_id = room.new_session()
    run_id = executor.start_run(room.owner_id, session_id, talk.brief, "team")
    wait_until(lambda: room.state(run_id) not in ("running", "waiting"), TALK_SECONDS)
    return Played(talk=talk, events=room.events(run_id))


@contextmanager
def guards_off() -> Iterator[None]:
    """The same graph with guards that never find anything: what the trial compares with."""

    def found_nothing(utterances: Sequence[UtteranceEnded], terms: RunTerms) -> Review:
        return Review()

    def left_alone(
        utterances: Sequence[UtteranceEnded],
        latest: UtteranceEnded,
        terms: RunTerms,
        *,
        language: str,
    ) -> UtteranceEnded:
        return latest

    with (
        patch("meetmind.graph.nodes.review", found_nothing),
        patch("meetmind.graph.nodes.with_points_recorded", left_alone),
    ):
        yield
