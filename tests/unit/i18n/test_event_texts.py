"""Every way to end, every guard and every kind of wait has its sentence in both languages."""

import re
import typing
from pathlib import Path

import pytest

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.events import EndReason, PointState, RunResumed, StanceKind, TalkCompacted
from meetmind.i18n.translate import catalogue

PACKAGE = Path(__file__).resolve().parents[3] / "meetmind"
GUARD_KEY = re.compile(r'guard(?:: str)? ?= ?"([a-z_]+)"|_refusal\("([a-z_]+)"\)')


@pytest.mark.parametrize("reason", typing.get_args(EndReason))
def test_every_end_has_a_sentence(reason: str) -> None:
    for language in ("en", "zh"):
        assert f"end.{reason}" in catalogue(language)


def test_every_guard_has_a_reason() -> None:
    named = set()
    for room in ("graph", "agents"):
        for source in (PACKAGE / room).rglob("*.py"):
            for match in GUARD_KEY.finditer(source.read_text(encoding="utf-8")):
                named.add(match[1] or match[2])
    assert len(named) > 5
    missing = [name for name in sorted(named) if f"guard.{name}" not in catalogue("en")]
    assert missing == []


def test_every_state_that_the_page_names_has_a_word() -> None:
    states = ("empty", "running", "waiting", "paused", "cut_off", "done", "stopped", "failed")
    keys = [f"state.{state}" for state in states]
    keys += [f"point.{state}" for state in typing.get_args(PointState)]
    keys += [f"stance.{stance}" for stance in typing.get_args(StanceKind)]
    keys += [f"role_short.{name}" for name in AGENT_NAMES]
    keys += [f"boundary.by_{by}" for by in typing.get_args(TalkCompacted.__annotations__["by"])]
    reasons = typing.get_args(RunResumed.__annotations__["reason"])
    keys += [f"quiet.resumed_{reason}" for reason in reasons if reason != "decision"]
    for language in ("en", "zh"):
        assert [key for key in keys if key not in catalogue(language)] == []
