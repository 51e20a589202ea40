"""Who hears what happens during a call of a chat model."""

from typing import Protocol

from meetmind.llm.retry import RetryNotice


class CallListener(Protocol):
    """Hears of words and retries as they come; an exception that it raises ends the call."""

    async def on_words(self, text: str) -> None:
        """Some more words of the answer arrived."""

    async def on_restart(self) -> None:
        """The words so far do not count; the answer begins again."""

    async def on_retry(self, notice: RetryNotice) -> None:
        """A try failed and another one follows."""


class SilentListener:
    """For calls that nobody watches."""

    async def on_words(self, text: str) -> None:
        """Nobody reads along."""

    async def on_restart(self) -> None:
        """Nobody read along."""

    async def on_retry(self, notice: RetryNotice) -> None:
        """Nobody waits."""


class Reading:
    """Keeps what the reader has seen in step with the answer as it is known now."""

    def __init__(self, listener: CallListener) -> None:
        self.listener = listener
        self._shown = ""

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
