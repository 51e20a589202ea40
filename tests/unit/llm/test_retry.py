"""Transient faults are tried again, with growing waits, and permanent ones are not."""

import asyncio
from collections.abc import Callable

import pytest

from meetmind.errors import ModelError
from meetmind.llm.faults import FAULT_KINDS, model_error
from meetmind.llm.retry import RetryPolicy, with_retries
from meetmind.llm.server_habits import Endpoint
from tests.support.recording_listener import RecordingListener

HERE = Endpoint(name="m", base_url="https://models.example/v1")


class FailingCall:
    """Fails with these errors, one a try, and then succeeds."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.tries = 0

    async def __call__(self) -> str:
        self.tries += 1
        if self.errors:
            raise self.errors.pop(0)
        return "ok"


def run(call: FailingCall, *, random: Callable[[], float] = lambda: 0.5) -> list[float]:
    """The waits between the tries; raises what the call raises in the end."""
    listener = RecordingListener()

    async def no_wait(seconds: float) -> None:
        return None

    policy = RetryPolicy(sleep=no_wait, random=random)
    assert asyncio.run(with_retries(call, policy, listener.on_retry)) == "ok"
    return [notice.wait_seconds for notice in listener.notices]


def test_waits_double_up_to_a_minute() -> None:
    call = FailingCall(*[model_error("server_error", HERE) for _ in range(9)])
    assert run(call) == [1, 2, 4, 8, 16, 32, 60, 60, 60]


def test_waits_are_spread_by_a_quarter() -> None:
    shortest = run(FailingCall(model_error("timeout", HERE)), random=lambda: 0.0)
    longest = run(FailingCall(model_error("timeout", HERE)), random=lambda: 1.0)
    assert (shortest, longest) == ([0.75], [1.25])


def test_a_tenth_failure_is_the_last() -> None:
    call = FailingCall(*[model_error("timeout", HERE) for _ in range(10)])
    with pytest.raises(ModelError):
        run(call)
    assert call.tries == 10


def test_what_the_server_asks_for_is_never_undercut() -> None:
    asked = model_error("rate_limited", HERE, retry_after_seconds=90)
    assert run(FailingCall(asked), random=lambda: 0.0) == [90]


def test_a_server_that_asks_for_an_hour_is_not_waited_for() -> None:
    call = FailingCall(model_error("rate_limited", HERE, retry_after_seconds=3600))
    with pytest.raises(ModelError):
        run(call)
    assert call.tries == 1


@pytest.mark.parametrize("fault", sorted(FAULT_KINDS))
def test_every_kind_of_fault_has_its_number_of_tries(fault: str) -> None:
    call = FailingCall(*[model_error(fault, HERE) for _ in range(20)])
    with pytest.raises(ModelError):
        run(call)
    assert call.tries == min(FAULT_KINDS[fault].tries, 10)


def test_other_errors_pass_at_once() -> None:
    call = FailingCall(KeyError("a bug"))
    with pytest.raises(KeyError):
        run(call)
    assert call.tries == 1
