"""Writes what happens during a model call into the run's log, and its tokens into the run's use."""

from meetmind.agents.run_context import EventLog, Steering
from meetmind.events import ModelFellBack, ModelHeld, ModelRetried
from meetmind.llm.client import FallbackNotice, HoldNotice, RetryNotice, Usage


class LogListener:
    """A `CallListener` for one utterance, or for a step that shows no words (`""`)."""

    def __init__(self, log: EventLog, utterance_id: str, steering: Steering) -> None:
        self._log = log
        self._utterance_id = utterance_id
        self._steering = steering

    async def on_words(self, text: str) -> None:
        """Some more words arrived."""
        if self._utterance_id:
            await self._log.words(self._utterance_id, text)

    async def on_restart(self) -> None:
        """The words so far came from a try that failed."""
        if self._utterance_id:
            await self._log.withdraw_words(self._utterance_id)

    async def on_retry(self, notice: RetryNotice) -> None:
        """A transient fault; the call is tried again."""
        event = ModelRetried(
            fault=notice.fault, attempt=notice.attempt, wait_seconds=notice.wait_seconds
        )
        await self._log.append(event)

    async def on_hold(self, notice: HoldNotice) -> None:
        """The server asked another call to wait, and this one waits with it."""
        event = ModelHeld(fault=notice.fault, wait_seconds=notice.wait_seconds)
        await self._log.append(event)

    async def on_fallback(self, notice: FallbackNotice) -> None:
        """The fallback model takes over."""
        event = ModelFellBack(
            fault=notice.fault, from_model=notice.from_model, to_model=notice.to_model
        )
        await self._log.append(event)

    async def on_usage(self, usage: Usage) -> None:
        """The server counted the tokens of an answer."""
        await self._steering.count_usage(usage)
