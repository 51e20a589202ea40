"""Points at which a run can be killed, delayed or made to fail."""

import ast
import errno
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from meetmind import faults
from meetmind.errors import SettingsError

PROJECT_ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def nothing_armed() -> Iterator[None]:
    faults.disarm()
    yield
    faults.disarm()


def points_in_the_source() -> set[str]:
    """The first argument of every `faults.reach(...)` of the package."""
    found = set()
    for path in (PROJECT_ROOT / "meetmind").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "faults.reach":
                point = node.args[0]
                assert isinstance(point, ast.Constant), f"{path.name}: a point is a plain word"
                found.add(str(point.value))
    return found


def test_every_point_of_the_source_is_registered_and_every_registered_one_is_there() -> None:
    assert points_in_the_source() == set(faults.POINTS)


def test_nothing_happens_at_a_point_while_nothing_is_armed() -> None:
    faults.reach("a point that nobody knows")


def test_a_point_that_nobody_named_is_a_mistake_once_something_is_armed() -> None:
    with faults.armed("run.claimed=fail"), pytest.raises(LookupError):
        faults.reach("run.clamed")


def test_a_fault_acts_at_the_time_that_is_named() -> None:
    with faults.armed("gate.claimed=fail@2"):
        faults.reach("gate.claimed")
        with pytest.raises(faults.InjectedFault):
            faults.reach("gate.claimed")
        faults.reach("gate.claimed")


def test_a_fault_without_a_time_acts_every_time() -> None:
    with faults.armed("gate.claimed=fail,run.claimed=fail@*"):
        for point in ("gate.claimed", "run.claimed", "gate.claimed", "run.claimed"):
            with pytest.raises(faults.InjectedFault):
                faults.reach(point)


def test_a_detail_narrows_a_point() -> None:
    with faults.armed("gate.claimed:Write=fail@1"):
        faults.reach("gate.claimed", "Edit")
        with pytest.raises(faults.InjectedFault):
            faults.reach("gate.claimed", "Write")


def test_the_kinds_of_failure_are_those_of_the_real_thing() -> None:
    spec = "run.claimed=fail:connection,run.started=fail:disk,file.writing=fail:file"
    with faults.armed(spec):
        with pytest.raises(psycopg.OperationalError):
            faults.reach("run.claimed")
        with pytest.raises(psycopg.errors.DiskFull):
            faults.reach("run.started")
        with pytest.raises(OSError, match="space") as caught:
            faults.reach("file.writing", "notes.md")
        assert caught.value.errno == errno.ENOSPC


def test_a_delay_holds_whoever_comes_by() -> None:
    with faults.armed("run.claimed=delay:0.05"):
        began = time.monotonic()
        faults.reach("run.claimed")
        assert time.monotonic() - began >= 0.05


def test_a_kill_ends_the_process_and_the_point_is_written_down_before(tmp_path: Path) -> None:
    log = tmp_path / "points"
    code = "from meetmind import faults; import os; faults.arm_from(os.environ); " + "".join(
        f"faults.reach('gate.claimed', 'Write'); print({number}, flush=True); " for number in (1, 2)
    )
    environment = {
        "MEETMIND_FAULTS": "gate.claimed:Write=kill@2",
        "MEETMIND_FAULTS_LOG": str(log),
        "PYTHONPATH": str(PROJECT_ROOT),
    }
    ended = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout) == (-9, "1\n")
    assert log.read_text() == "gate.claimed:Write\ngate.claimed:Write\n"


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("gate.claimd=kill", "is no point"),
        ("gate.claimed", "is no point|the action"),
        ("gate.claimed=", "the action is"),
        ("gate.claimed=explode", "the action is"),
        ("gate.claimed=kill:9", "the action is"),
        ("gate.claimed=fail:often", "the action is"),
        ("gate.claimed=kill@0", "a number from 1 on"),
        ("gate.claimed=kill@first", "a number from 1 on"),
        ("gate.claimed=kill@", "a number or"),
        ("gate.claimed=delay", "delay takes seconds"),
        ("gate.claimed=delay:soon", "delay takes seconds"),
        ("gate.claimed=delay:0", "between 0 and 3600"),
    ],
)
def test_a_spec_that_cannot_be_read_is_refused_with_a_sentence(spec: str, why: str) -> None:
    with pytest.raises(SettingsError, match=why) as caught:
        faults.arm_from({"MEETMIND_FAULTS": spec})
    assert str(caught.value).startswith("MEETMIND_FAULTS holds ")
