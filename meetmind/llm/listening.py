"""Who hears what happens during a call of a chat model."""

import time
from dataclasses import dataclass
from typing import Protocol

from meetmind.llm.limits import HoldNotice
from meetmind.llm.retry import RetryNotice
from meetmind.llm.streaming import Usage


@dataclass(frozen=True, kw_only=True)
class FallbackNotice:
    """A model failed for good, and the fallback model answers from now on."""

    fault: str
    from_model: str
    to_model: str


class CallListener(Protocol):
    """Hears of words and retries as they come; an exception that it raises ends the call."""

    async def on_words(self, text: str) -> None:
        """Some more words of the answer arrived."""

    async def on_restart(self) -> None:
        """The words so far do not count; the answer begins again."""

    async def on_retry(self, notice: RetryNotice) -> None:
        """A try failed and another one follows."""

    async def on_hold(self, notice: HoldNotice) -> None:
        """The call waits since the server asked another one to wait; told once a call."""

    async def on_fallback(self, notice: FallbackNotice) -> None:
        """The fallback model takes over; words of the failed model are withdrawn by now."""

    async def on_usage(self, usage: Usage) -> None:
        """The server counted the tokens of one answer, usable or not."""


class SilentListener:
    """For calls that nobody watches."""

    async def on_words(self, text: str) -> None:
        """Nobody reads along."""

    async def on_restart(self) -> None:
        """Nobody read along."""

    async def on_retry(self, notice: RetryNotice) -> None:
        """Nobody waits."""

    async def on_hold(self, notice: HoldNotice) -> None:
        """Nobody waits."""

    async def on_fallback(self, notice: FallbackNotice) -> None:
        """Nobody asks which model it was."""

    async def on_usage(self, usage: Usage) -> None:
        """Nobody counts."""


class HoldTelling:
    """Tells the listener of one call once that it waits for the end of a hold.

    A hold that the call itself brought about is known to the listener as a retry.
    """

    def __init__(self, listener: CallListener) -> None:
        self._listener = listener
        self.is_told = False

    async def __call__(self, notice: HoldNotice) -> None:
        """The call waits for the end of a hold."""
        if not self.is_told:
            self.is_told = True
            await self._listener.on_hold(notice)


LOOK_SECONDS = 0.05


class Reading:
    """Keeps what the reader has seen in step with the answer as it is known now."""

    def __init__(self, listener: CallListener) -> None:
        self.listener = listener
        self.usage = Usage()
        """Of every answer so far, of those that were no use too."""
        self._shown = ""
        self._looked_at = -LOOK_SECONDS

    def is_due(self) -> bool:
        """Whether it is time to look at the words so far.

        Reading an unfinished answer takes longer the longer it is, and thousands of small pieces
        come: nobody sees more than a few looks a second.
        """
        now = time.monotonic()
        if now - self._looked_at < LOOK_SECONDS:
            return False
        self._looked_at = now
        return True

    async def count(self, usage: Usage) -> None:
        """Add the tokens of one answer; a server that does not count them is not told of."""
        if usage != Usage():
            self.usage += usage
            await self.listener.on_usage(usage)

    async def show(self, text: str) -> None:
        """Bring the reader to this text: more words where it goes on, else a restart."""
        if not text.startswith(self._shown):
            await self.restart()
        more = text[len(self._shown) :]
        if more:
            await self.listener.on_words(more)
            self._shown = text

    async def restart(self) -> None:
        """Take back what was shown, if anything was."""
        if self._shown:
            self._shown = ""
            await self.listener.on_restart()
