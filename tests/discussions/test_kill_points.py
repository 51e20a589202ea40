"""A discussion that is killed at a telling point goes on in a fresh process as if nothing were."""

from collections.abc import Iterator

import pytest

from tests.support.forking_parent import ForkingParent
from tests.support.kill_cases import UNGUARDED_SECONDS, KillCase, play, undisturbed
from tests.support.kill_ground import Ground, Remains, kill_ground

TELLING = (
    KillCase(point="checkpoint.putting:graph"),
    KillCase(point="decision.stored", hit=2),
    KillCase(point="gate.claimed:Write"),
    KillCase(point="file.replaced:notes.md"),
    KillCase(point="effect.done:count", again="run.settled=kill"),
    KillCase(point="utterance.stored:architect"),
    KillCase(point="handover.told:tester"),
    KillCase(point="run.closed"),
)


@pytest.fixture(scope="module")
def ground(server_url: str) -> Iterator[Ground]:
    with kill_ground(server_url) as ground:
        yield ground


@pytest.fixture(scope="module")
def parent() -> Iterator[ForkingParent]:
    with ForkingParent() as parent:
        yield parent


@pytest.fixture(scope="module")
def expected(ground: Ground, parent: ForkingParent) -> Remains:
    return undisturbed(ground, parent)


@pytest.mark.parametrize("case", TELLING, ids=lambda case: case.name)
def test_a_killed_discussion_ends_as_one_that_was_left_in_peace(
    case: KillCase, ground: Ground, parent: ForkingParent, expected: Remains
) -> None:
    outcome = play(ground, parent, case, expected)
    assert outcome.is_hit
    assert outcome.faults == []


def test_the_trial_notices_when_started_calls_are_not_settled(
    ground: Ground, parent: ForkingParent, expected: Remains
) -> None:
    case = KillCase(point="effect.done:Write", without="settling", limit=UNGUARDED_SECONDS)
    faults = play(ground, parent, case, expected).faults
    assert any("calls left open" in fault for fault in faults)
