"""Bounds how many calls of one model run at once in this process; first come, first served."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from meetmind.llm.faults import model_error
from meetmind.llm.server_habits import Endpoint

LONGEST_WAIT_SECONDS = 120.0


class FifoLimiter:
    """A fair semaphore of one event loop: a free place always goes to whoever waits longest."""

    def __init__(
        self, endpoint: Endpoint, places: int, longest_wait_seconds: float = LONGEST_WAIT_SECONDS
    ) -> None:
        self.places = places
        self.taken = 0
        self._endpoint = endpoint
        self._longest_wait_seconds = longest_wait_seconds
        self._waiting: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """One place for the time of the block; raises `ModelBusy` when none comes free in time."""
        await self._take()
        try:
            yield
        finally:
            self._give_back()

    def resize(self, places: int) -> None:
        """Change the number of places; calls that run already keep theirs."""
        self.places = places
        self._let_in()

    async def _take(self) -> None:
        if self.taken < self.places and not self._waiting:
            self.taken += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            async with asyncio.timeout(self._longest_wait_seconds):
                await turn
        except BaseException as error:
            self._leave(turn)
            if isinstance(error, TimeoutError):
                raise model_error("busy", self._endpoint) from None
            raise

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
        while self._waiting and self.taken < self.places:
            turn = self._waiting.popleft()
            if not turn.done():
                self.taken += 1
                turn.set_result(None)


_LIMITERS: dict[Endpoint, FifoLimiter] = {}


def limiter_for(endpoint: Endpoint, places: int) -> FifoLimiter:
    """The one limiter of this model in the process, with this many places from now on."""
    limiter = _LIMITERS.setdefault(endpoint, FifoLimiter(endpoint, places))
    if limiter.places != places:
        limiter.resize(places)
    return limiter
