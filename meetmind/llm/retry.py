"""Tries a call of a chat model again after transient faults: the one layer that retries."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from meetmind.errors import ModelError
from meetmind.llm.faults import FAULT_KINDS

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class RetryPolicy:
    """How often and how patiently; the sleep and the randomness are parameters for tests."""

    max_tries: int = 10
    first_wait_seconds: float = 1.0
    longest_wait_seconds: float = 60.0
    longest_retry_after_seconds: float = 600.0
    """A server that asks for more than this is not waited for."""
    jitter: float = 0.25
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    random: Callable[[], float] = random.random

    def wait_seconds(self, attempt: int, asked_seconds: float) -> float:
        """The pause after try number `attempt`: what the server asked for, else ever longer."""
        if asked_seconds > 0:
            return asked_seconds
        backoff = self.first_wait_seconds * 2.0 ** (attempt - 1)
        spread = 1 + self.jitter * (2 * self.random() - 1)
        return min(backoff, self.longest_wait_seconds) * spread


@dataclass(frozen=True, kw_only=True)
class RetryNotice:
    """A try failed and another one follows after the wait."""

    fault: str
    attempt: int
    """The number of the try that failed, from 1."""
    wait_seconds: float


async def with_retries(
    attempt: Callable[[], Awaitable[T]],
    policy: RetryPolicy,
    on_retry: Callable[[RetryNotice], Awaitable[None]],
) -> T:
    """The result of the first try that succeeds.

    Where the server said how long to wait, the next try follows at once: it waits in the queue of
    the model, which is held for all (`asked_seconds`). Raises the `ModelError` of the last try: at
    once for faults that another try cannot heal.
    """
    tried = 0
    while True:
        tried += 1
        try:
            return await attempt()
        except ModelError as error:
            held_seconds = asked_seconds(error)
            if tried >= _most_tries(error, policy):
                raise
            if held_seconds > policy.longest_retry_after_seconds:
                raise
            fault = error.fault
        wait_seconds = policy.wait_seconds(tried, held_seconds)
        await on_retry(RetryNotice(fault=fault, attempt=tried, wait_seconds=wait_seconds))
        if not held_seconds:
            await policy.sleep(wait_seconds)


def asked_seconds(error: ModelError) -> float:
    """How long the server asks to be left alone; 0 when it does not say, or is not tried again."""
    if _most_tries(error, RetryPolicy()) == 1:
        return 0.0
    return float(error.details.get("retry_after_seconds", 0.0))


def _most_tries(error: ModelError, policy: RetryPolicy) -> int:
    kind = FAULT_KINDS.get(error.fault)
    if kind is None:
        return 1
    return min(kind.tries, policy.max_tries)
