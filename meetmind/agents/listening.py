"""Writes what happens during a model call into the run's log."""

from meetmind.agents.run_context import EventLog
from meetmind.events import ModelRetried
from meetmind.llm.client import RetryNotice


class LogListener:
    """A `CallListener` for one utterance."""

    def __init__(self, log: EventLog, utterance_id: str) -> None:
        self._log = log
        self._utterance_id = utterance_id

    async def on_words(self, text: str) -> None:
        """Some more words arrived."""
        await self._log.words(self._utterance_id, text)

    async def on_restart(self) -> None:
        """The words so far came from a try that failed."""
        await self._log.withdraw_words(self._utterance_id)

    async def on_retry(self, notice: RetryNotice) -> None:
        """A transient fault; the call is tried again."""
        event = ModelRetried(
            fault=notice.fault, attempt=notice.attempt, wait_seconds=notice.wait_seconds
        )
        await self._log.append(event)
