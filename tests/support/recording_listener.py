"""A listener of model calls that remembers what it heard."""

import asyncio

from meetmind.llm.client import RetryNotice


class RecordingListener:
    """Remembers words, restarts and retries in the order in which they came."""

    def __init__(self) -> None:
        self.words = ""
        self.pieces: list[str] = []
        self.has_words = asyncio.Event()
        self.restarts = 0
        self.notices: list[RetryNotice] = []

    async def on_words(self, text: str) -> None:
        self.words += text
        self.pieces.append(text)
        self.has_words.set()

    async def on_restart(self) -> None:
        self.words = ""
        self.restarts += 1

    async def on_retry(self, notice: RetryNotice) -> None:
        self.notices.append(notice)

    @property
    def faults(self) -> list[str]:
        """The faults of the tries that failed."""
        return [notice.fault for notice in self.notices]
