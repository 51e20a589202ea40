"""`kill_points` and `kill_soak`: a discussion is killed anywhere and goes on in a fresh process."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT_ROOT), str(PROJECT_ROOT / "scripts")]

from reach_lines import ReachLines  # noqa: E402 - the paths above come first

from tests.conftest import make_fast  # noqa: E402
from tests.support.forking_parent import ForkingParent  # noqa: E402
from tests.support.kill_cases import (  # noqa: E402
    UNGUARDED_SECONDS,
    KillCase,
    Outcome,
    every_point,
    play_all,
    random_kills,
    undisturbed,
)
from tests.support.kill_ground import Ground, Remains, kill_ground  # noqa: E402
from tests.support.own_server import own_server  # noqa: E402

FEWEST = 60
SOAK = 100
SEED = 20261201
WITHOUT_GUARD: Sequence[KillCase] = (
    KillCase(point="gate.claimed:Write", without="settling", limit=UNGUARDED_SECONDS),
    KillCase(point="effect.done:Write", without="settling", limit=UNGUARDED_SECONDS),
    KillCase(point="effect.done:Edit", without="settling", limit=UNGUARDED_SECONDS),
    KillCase(point="gate.claimed:echo", without="settling", limit=UNGUARDED_SECONDS),
    KillCase(point="handover.told:architect", without="handover"),
    KillCase(point="node.leaving:tester_node", without="handover"),
)
"""Some of the cases with a guard off: calls that had started are not settled, or a turn does not
look whether its handover is told already."""


def measure(lines: ReachLines) -> None:
    """Kill at every point, then at random ones, then at some of them with a guard off."""
    with ground_and_peace() as (ground, expected):
        points = every_point(expected)
        outcomes = played(lines, "kill_points", ground, points, expected)
        unguarded = play_all(ground, WITHOUT_GUARD, expected)
        bad = sum(not outcome.is_well for outcome in unguarded)
        lines.note(f"kill_points: {bad} of {len(unguarded)} go wrong with a guard off")
        enough = len(outcomes) >= FEWEST and bad > 0
        passed = sum(outcome.is_well for outcome in outcomes) if enough else 0
        lines.all_of("kill_points", passed, len(outcomes))
        kills = random_kills(expected, SOAK, SEED)
        outcomes = played(lines, "kill_soak", ground, kills, expected)
        passed = sum(not outcome.faults for outcome in outcomes)
        lines.all_of("kill_soak", passed, len(outcomes))


@contextmanager
def ground_and_peace() -> Iterator[tuple[Ground, Remains]]:
    """A server with nothing else on it, and what the discussion leaves when nobody kills it."""
    with own_server() as server:
        make_fast(server.url)
        with kill_ground(server.url) as ground:
            with ForkingParent() as parent:
                expected = undisturbed(ground, parent)
            yield ground, expected


def played(
    lines: ReachLines, name: str, ground: Ground, cases: Sequence[KillCase], expected: Remains
) -> list[Outcome]:
    """Play the cases, and say which went wrong and how long all took."""

    def tell(outcome: Outcome) -> None:
        if not outcome.is_hit:
            lines.note(f"{name} {outcome.case.name}: the point was not reached")
        for fault in outcome.faults:
            lines.note(f"{name} {outcome.case.name}: {fault}")

    began = time.monotonic()
    outcomes = play_all(ground, cases, expected, tell)
    unsure = sum(outcome.was_unsure for outcome in outcomes)
    seconds = time.monotonic() - began
    lines.note(
        f"{name}: {len(outcomes)} kills in {seconds:.0f} s; in {unsure} of them a person was asked "
        "whether a foreign tool's call that was under way has taken effect"
    )
    return outcomes


if __name__ == "__main__":
    measure(ReachLines("runs_kills"))
