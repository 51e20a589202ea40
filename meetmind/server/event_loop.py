"""The private event loop on which every run lives, in one thread of the process."""

import asyncio
import concurrent.futures
import logging
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

logger = logging.getLogger(__name__)

T = TypeVar("T")

BLOCKING_CALLS_AT_ONCE = 16
STOP_SECONDS = 10.0


class EventLoopThread:
    """An event loop that other threads hand work to; started once, stopped once."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._blocking = concurrent.futures.ThreadPoolExecutor(
            max_workers=BLOCKING_CALLS_AT_ONCE, thread_name_prefix="meetmind-blocking"
        )
        self._loop.set_default_executor(self._blocking)
        self._thread = threading.Thread(target=self._serve, name="meetmind-loop", daemon=True)
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Begin a coroutine on the loop; the future may be waited for from any other thread."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    @property
    def is_running(self) -> bool:
        """Whether work can still be handed over."""
        return not self._loop.is_closed()

    def stop(self) -> None:
        """Cancel what is left, then end the thread; what does not end in time is left behind."""
        try:
            self.submit(_cancel_everything()).result(timeout=STOP_SECONDS)
        except TimeoutError:
            logger.warning("Some work did not end within %d seconds.", STOP_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=STOP_SECONDS)
        self._blocking.shutdown(wait=False, cancel_futures=True)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()


async def _cancel_everything() -> None:
    me = asyncio.current_task()
    others = [task for task in asyncio.all_tasks() if task is not me]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
