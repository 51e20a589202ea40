"""A server that asks to be left alone holds every call of its model."""

import asyncio
import time

import pytest

from meetmind.errors import ModelBusy
from meetmind.llm.limits import FifoLimiter, HoldNotice
from meetmind.llm.server_habits import Endpoint
from tests.support.model_bench import Bench
from tests.support.openai_server import OpenAIServer, completion, refusal

HERE = Endpoint(name="m", base_url="https://models.example/v1")
HELD_SECONDS = 0.2


class Waiting:
    """Calls that take a place one after the other, and what they were told."""

    def __init__(self, limiter: FifoLimiter) -> None:
        self.limiter = limiter
        self.order: list[int] = []
        self.notices: list[HoldNotice] = []

    async def call(self, number: int) -> None:
        async def remember(notice: HoldNotice) -> None:
            self.notices.append(notice)

        async with self.limiter.place(remember):
            self.order.append(number)
            await asyncio.sleep(0)


def test_a_hold_lets_nobody_in_and_keeps_the_order() -> None:
    async def story() -> Waiting:
        waiting = Waiting(FifoLimiter(HERE, 1))
        waiting.limiter.hold(HELD_SECONDS, "rate_limited")
        began = time.monotonic()
        await asyncio.gather(*[waiting.call(number) for number in range(4)])
        assert time.monotonic() - began >= HELD_SECONDS
        return waiting

    waiting = asyncio.run(story())
    assert waiting.order == [0, 1, 2, 3]
    assert [notice.fault for notice in waiting.notices] == ["rate_limited"] * 4
    assert all(0 < notice.wait_seconds <= HELD_SECONDS for notice in waiting.notices)


def test_a_shorter_hold_does_not_cut_a_longer_one() -> None:
    async def story() -> float:
        limiter = FifoLimiter(HERE, 1)
        limiter.hold(HELD_SECONDS, "rate_limited")
        limiter.hold(0.01, "overloaded")
        began = time.monotonic()
        await Waiting(limiter).call(0)
        return time.monotonic() - began

    assert asyncio.run(story()) >= HELD_SECONDS


def test_the_time_of_a_hold_counts_as_no_waiting() -> None:
    async def story() -> None:
        limiter = FifoLimiter(HERE, 1, longest_wait_seconds=0.05)
        limiter.hold(HELD_SECONDS, "rate_limited")
        async with limiter.place():
            with pytest.raises(ModelBusy):
                await Waiting(limiter).call(1)

    asyncio.run(story())


def test_whoever_waits_for_a_place_hears_of_a_hold_that_begins() -> None:
    async def story() -> Waiting:
        waiting = Waiting(FifoLimiter(HERE, 1))
        async with waiting.limiter.place():
            call = asyncio.create_task(waiting.call(0))
            await asyncio.sleep(0)
            waiting.limiter.hold(1.5, "rate_limited")
        await call
        return waiting

    assert len(asyncio.run(story()).notices) == 1


def test_a_cancelled_wait_ends_at_once() -> None:
    async def story() -> float:
        limiter = FifoLimiter(HERE, 1)
        limiter.hold(60, "rate_limited")
        call = asyncio.create_task(Waiting(limiter).call(0))
        await asyncio.sleep(0.01)
        began = time.monotonic()
        call.cancel()
        await asyncio.wait([call])
        assert limiter.taken == 0
        return time.monotonic() - began

    assert asyncio.run(story()) < 0.1


def test_calls_of_other_listeners_wait_for_what_one_was_told() -> None:
    slow_down = refusal(429, "slow down", headers={"Retry-After": str(HELD_SECONDS)})
    with OpenAIServer(slow_down, otherwise=completion("ok")) as server:
        first, second = Bench(server.base_url, places=1), Bench(server.base_url, places=1)

        async def ask_both() -> None:
            await asyncio.gather(first.ask_text(), second.ask_text())

        asyncio.run(ask_both())
    refused_at = server.requests[0].at
    assert all(request.at - refused_at >= HELD_SECONDS for request in server.requests[1:])
    assert first.listener.faults == ["rate_limited"]
    assert first.listener.holds == []
    assert [notice.fault for notice in second.listener.holds] == ["rate_limited"]


def test_nobody_waits_for_a_server_that_asks_for_an_hour() -> None:
    slow_down = refusal(429, "slow down", headers={"Retry-After": "3600"})
    with OpenAIServer(slow_down, completion("ok")) as server:
        bench = Bench(server.base_url)
        with pytest.raises(Exception, match="no more requests"):
            bench.text()
        assert Bench(server.base_url).text().text == "ok"
