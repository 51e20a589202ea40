"""Bounds how many calls of one model run at once in this process; first come, first served.

A server that asks to be left alone for a while (`Retry-After`) holds every call of its model here.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from meetmind.llm.faults import model_error
from meetmind.llm.server_habits import Endpoint

LONGEST_WAIT_SECONDS = 120.0


@dataclass(frozen=True, kw_only=True)
class HoldNotice:
    """A call waits because the server asked another one to wait."""

    fault: str
    """What the server told the other call."""
    wait_seconds: float


HoldListener = Callable[[HoldNotice], Awaitable[None]]


class FifoLimiter:
    """A fair semaphore of one event loop: a free place always goes to whoever waits longest.

    While the model is held nobody is let in, and the time of the hold counts as no waiting.
    """

    def __init__(
        self, endpoint: Endpoint, places: int, longest_wait_seconds: float = LONGEST_WAIT_SECONDS
    ) -> None:
        self.places = places
        self.taken = 0
        self._endpoint = endpoint
        self._longest_wait_seconds = longest_wait_seconds
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._held_until = 0.0
        self._held_by = ""
        self._coming_hold: asyncio.Future[None] | None = None
        self._waking: asyncio.TimerHandle | None = None

    @asynccontextmanager
    async def place(self, on_hold: HoldListener | None = None) -> AsyncIterator[None]:
        """One place for the time of the block; raises `ModelBusy` when none comes free in time.

        `on_hold` is told once when the call has to wait for the end of a hold.
        """
        await self._take(on_hold)
        try:
            yield
        finally:
            self._give_back()

    def resize(self, places: int) -> None:
        """Change the number of places; calls that run already keep theirs."""
        self.places = places
        self._let_in()

    @property
    def held_seconds(self) -> float:
        """How long nobody is let in from now on; 0 when the model is not held."""
        return max(0.0, self._held_until - time.monotonic())

    def hold(self, seconds: float, fault: str) -> None:
        """Let nobody in for so long; a longer hold that is under way stays."""
        until = time.monotonic() + seconds
        if until > self._held_until:
            self._held_until = until
            self._held_by = fault
            if self._coming_hold is not None and not self._coming_hold.done():
                self._coming_hold.set_result(None)
            self._wake_after_the_hold()

    async def _take(self, on_hold: HoldListener | None) -> None:
        is_free = self.taken < self.places and not self._waiting
        if is_free and not self.held_seconds:
            self.taken += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        if self.held_seconds:
            self._wake_after_the_hold()
        try:
            await self._granted(turn, on_hold)
        except BaseException:
            self._leave(turn)
            raise

    async def _granted(self, turn: asyncio.Future[None], on_hold: HoldListener | None) -> None:
        """Wait for the turn; a hold that begins meanwhile is told once and prolongs the wait."""
        began = time.monotonic()
        while True:
            if on_hold is not None and self.held_seconds:
                await on_hold(HoldNotice(fault=self._held_by, wait_seconds=self.held_seconds))
                on_hold = None
            patient_until = max(began, self._held_until) + self._longest_wait_seconds
            left_seconds = patient_until - time.monotonic()
            if left_seconds <= 0:
                raise model_error("busy", self._endpoint)
            awaited = {turn} if on_hold is None else {turn, self._hold_to_come()}
            await asyncio.wait(awaited, timeout=left_seconds, return_when=asyncio.FIRST_COMPLETED)
            if turn.done():
                return

    def _hold_to_come(self) -> asyncio.Future[None]:
        """Done when the next hold begins; one for all who wait on this loop."""
        loop = asyncio.get_running_loop()
        coming = self._coming_hold
        if coming is None or coming.done() or coming.get_loop() is not loop:
            coming = self._coming_hold = loop.create_future()
        return coming

    def _leave(self, turn: "asyncio.Future[None]") -> None:
        """Whoever gives up passes on a place that was granted in the same moment."""
        if turn in self._waiting:
            self._waiting.remove(turn)
        elif turn.done() and not turn.cancelled():
            self._give_back()

    def _give_back(self) -> None:
        self.taken -= 1
        self._let_in()

    def _let_in(self) -> None:
        if self.held_seconds:
            return
        while self._waiting and self.taken < self.places:
            turn = self._waiting.popleft()
            if not turn.done():
                self.taken += 1
                turn.set_result(None)

    def _wake_after_the_hold(self) -> None:
        """One timer for all who wait, on the loop of whoever looked last."""
        if self._waking is not None:
            self._waking.cancel()
        loop = asyncio.get_running_loop()
        self._waking = loop.call_later(self.held_seconds, self._end_of_hold)

    def _end_of_hold(self) -> None:
        """A timer may be a trifle early."""
        if self.held_seconds:
            self._wake_after_the_hold()
        else:
            self._let_in()


_LIMITERS: dict[Endpoint, FifoLimiter] = {}


def limiter_for(endpoint: Endpoint, places: int) -> FifoLimiter:
    """The one limiter of this model in the process, with this many places from now on."""
    limiter = _LIMITERS.setdefault(endpoint, FifoLimiter(endpoint, places))
    if limiter.places != places:
        limiter.resize(places)
    return limiter
