"""A listener of model calls that remembers what it heard."""

import asyncio

from meetmind.llm.client import FallbackNotice, HoldNotice, RetryNotice, Usage


class RecordingListener:
    """Remembers words, restarts and retries in the order in which they came."""

    def __init__(self) -> None:
        self.words = ""
        self.pieces: list[str] = []
        self.has_words = asyncio.Event()
        self.restarts = 0
        self.notices: list[RetryNotice] = []
        self.holds: list[HoldNotice] = []
        self.fallbacks: list[FallbackNotice] = []
        self.words_at_fallback: list[str] = []
        self.usage = Usage()

    async def on_words(self, text: str) -> None:
        self.words += text
        self.pieces.append(text)
        self.has_words.set()

    async def on_restart(self) -> None:
        self.words = ""
        self.restarts += 1

    async def on_retry(self, notice: RetryNotice) -> None:
        self.notices.append(notice)

    async def on_hold(self, notice: HoldNotice) -> None:
        self.holds.append(notice)

    async def on_fallback(self, notice: FallbackNotice) -> None:
        self.fallbacks.append(notice)
        self.words_at_fallback.append(self.words)

    async def on_usage(self, usage: Usage) -> None:
        self.usage += usage

    @property
    def faults(self) -> list[str]:
        """The faults of the tries that failed."""
        return [notice.fault for notice in self.notices]
