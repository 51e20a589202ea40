"""`approval_conformance`: sixteen ways in which approvals break, in the graph and on the page."""

import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT_ROOT), str(PROJECT_ROOT / "scripts")]

from app_trial import open_browser  # noqa: E402 - the paths above come first
from playwright.sync_api import Error  # noqa: E402
from reach_lines import ReachLines  # noqa: E402
from reach_room import fresh_database  # noqa: E402

from tests.support import approval_cases, approval_kill_cases  # noqa: E402
from tests.support.approval_trial import ApprovalTrial  # noqa: E402

GRAPH_TESTS = "tests/discussions/test_approval_conformance.py"
TOTAL = 16
FAULT_CHARACTERS = 300
OUTCOME = re.compile(r"^(PASSED|FAILED|ERROR) \S+::test_(\d\d)_(\w+)", re.MULTILINE)

PageCase = Callable[[ApprovalTrial], None]


@dataclass(frozen=True, kw_only=True)
class Played:
    """One case: how the graph's test calls it, and what went wrong; empty if nothing did."""

    name: str = "is not there"
    fault: str = "was not played"


def measure(lines: ReachLines) -> None:
    """Run both halves; a case counts when it holds in both."""
    in_graph = graph_half()
    passed = 0
    began = time.monotonic()
    for number, page in page_half(lines):
        graph = in_graph.get(number, Played())
        passed += not graph.fault and not page.fault
        halves = f"graph {word_for(graph)}, page {word_for(page)}"
        lines.note(f"approval_conformance {number:2d} {halves}: {graph.name}")
    lines.note(f"approval_conformance: the page took {time.monotonic() - began:.0f} s")
    lines.all_of("approval_conformance", passed, TOTAL)


def word_for(played: Played) -> str:
    return f"failed ({played.fault})" if played.fault else "ok"


def graph_half() -> dict[int, Played]:
    """The cases of the graph, by number."""
    command = [sys.executable, "-m", "pytest", "-q", "-rA", GRAPH_TESTS]
    finished = subprocess.run(
        command, cwd=PROJECT_ROOT, capture_output=True, text=True, check=False
    )
    played_by_number: dict[int, Played] = {}
    for outcome, number, name in OUTCOME.findall(finished.stdout):
        earlier = played_by_number.get(int(number), Played(fault=""))
        fault = earlier.fault if outcome == "PASSED" else outcome
        played_by_number[int(number)] = Played(name=name.replace("_", " "), fault=fault)
    return played_by_number


def page_half(lines: ReachLines) -> Iterator[tuple[int, Played]]:
    """The cases on the page with their numbers, as they are played."""
    with (
        fresh_database() as database_url,
        tempfile.TemporaryDirectory() as home,
        open_browser() as browser,
    ):
        trial = ApprovalTrial(database_url=database_url, home=Path(home), browser=browser)
        try:
            for number in range(1, TOTAL + 1):
                yield number, tried(trial, number)
            lines.note(f"approval_conformance: the server logged {trial.faults()} faults")
        finally:
            trial.close()


def tried(trial: ApprovalTrial, number: int) -> Played:
    """Play one case on the page."""
    try:
        trial.start()
        page_case(number)(trial)
    except (AssertionError, OSError, Error) as error:
        said = " ".join(str(error).split())
        return Played(fault=f"{type(error).__name__}: {said[:FAULT_CHARACTERS]}")
    finally:
        trial.close_windows()
    return Played(fault="")


def page_case(number: int) -> PageCase:
    name = f"case_{number:02d}"
    module = approval_cases if hasattr(approval_cases, name) else approval_kill_cases
    case: PageCase = getattr(module, name)
    return case


if __name__ == "__main__":
    measure(ReachLines("tools_approvals"))
