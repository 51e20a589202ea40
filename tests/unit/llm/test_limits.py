"""Calls of one model wait their turn."""

import asyncio

import pytest

from meetmind.errors import ModelBusy
from meetmind.llm.limits import FifoLimiter, limiter_for
from meetmind.llm.server_habits import Endpoint

HERE = Endpoint(name="m", base_url="https://models.example/v1")


class Call:
    """A call that holds its place until it is told to end."""

    def __init__(self, limiter: FifoLimiter, number: int, order: list[int]) -> None:
        self.may_end = asyncio.Event()
        self.task = asyncio.create_task(self._run(limiter, number, order))

    async def _run(self, limiter: FifoLimiter, number: int, order: list[int]) -> None:
        async with limiter.place():
            order.append(number)
            await self.may_end.wait()

    async def end(self) -> None:
        self.may_end.set()
        await self.task


async def settle() -> None:
    """Let every task that can go on go on."""
    for _ in range(10):
        await asyncio.sleep(0)


def test_no_more_calls_run_than_there_are_places_and_the_first_to_wait_is_served_first() -> None:
    async def story() -> list[int]:
        limiter = FifoLimiter(HERE, 2)
        order: list[int] = []
        calls = [Call(limiter, number, order) for number in range(5)]
        await settle()
        assert order == [0, 1]
        await calls[1].end()
        await settle()
        assert order == [0, 1, 2]
        for call in (calls[0], calls[2], calls[3], calls[4]):
            await call.end()
        assert limiter.taken == 0
        return order

    assert asyncio.run(story()) == [0, 1, 2, 3, 4]


def test_waiting_too_long_is_told_in_a_sentence() -> None:
    async def story() -> None:
        limiter = FifoLimiter(HERE, 1, longest_wait_seconds=0.02)
        async with limiter.place():
            with pytest.raises(ModelBusy) as caught:
                async with limiter.place():
                    pass
            assert caught.value.fault == "busy"
            assert limiter.taken == 1
        assert limiter.taken == 0

    asyncio.run(story())


def test_a_cancelled_wait_leaves_the_queue() -> None:
    async def story() -> list[int]:
        limiter = FifoLimiter(HERE, 1)
        order: list[int] = []
        calls = [Call(limiter, number, order) for number in range(3)]
        await settle()
        calls[1].task.cancel()
        await settle()
        await calls[0].end()
        await calls[2].end()
        assert limiter.taken == 0
        return order

    assert asyncio.run(story()) == [0, 2]


def test_a_place_granted_in_the_moment_of_cancelling_is_passed_on() -> None:
    async def story() -> list[int]:
        limiter = FifoLimiter(HERE, 1)
        order: list[int] = []
        async with limiter.place():
            calls = [Call(limiter, number, order) for number in range(2)]
            await settle()
        calls[0].task.cancel()
        await settle()
        await calls[1].end()
        assert limiter.taken == 0
        return order

    assert asyncio.run(story()) == [1]


def test_more_places_let_waiting_calls_in_at_once() -> None:
    async def story() -> list[int]:
        endpoint = Endpoint(name="grows", base_url="")
        limiter = limiter_for(endpoint, 1)
        order: list[int] = []
        calls = [Call(limiter, number, order) for number in range(3)]
        await settle()
        assert order == [0]
        assert limiter_for(endpoint, 3) is limiter
        await settle()
        for call in calls:
            await call.end()
        return order

    assert asyncio.run(story()) == [0, 1, 2]
