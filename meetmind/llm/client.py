"""One chat model with patience: the limit on concurrent calls, retries, streaming, structure."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage

from meetmind.errors import ModelAnswerBroken, ModelError, ToolsRefused
from meetmind.llm.cleaning import visible_text
from meetmind.llm.fault_causes import translated_os_error
from meetmind.llm.faults import FINISHED_TOO_EARLY
from meetmind.llm.limits import FifoLimiter
from meetmind.llm.listening import CallListener, Reading, SilentListener
from meetmind.llm.retry import RetryNotice, RetryPolicy, with_retries
from meetmind.llm.server_habits import Endpoint, habits_of
from meetmind.llm.streaming import Patience, StreamedReply, Usage, check_complete, read_stream
from meetmind.llm.structured import (
    LAST_RUNG,
    AskedModel,
    bound_to_rung,
    completed_field,
    essential_field,
    field_so_far,
    kept_text,
    read_object,
    rungs_from,
    with_schema,
)

__all__ = [
    "CallListener",
    "ModelClient",
    "RetryNotice",
    "SilentListener",
    "StructuredAnswer",
    "TextAnswer",
    "Usage",
]

logger = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class TextAnswer:
    """A plain answer, cleaned."""

    text: str
    usage: Usage


@dataclass(frozen=True, kw_only=True)
class StructuredAnswer:
    """An answer by schema; without a usable object `value` is None, `raw_text` the words to keep.

    The listener was given exactly the streamed field of `value`, or `raw_text`.
    """

    value: dict[str, Any] | None
    raw_text: str
    rung: str
    usage: Usage


class ModelClient:
    """A chat model as the rest of the program uses it."""

    def __init__(
        self,
        model: BaseChatModel,
        *,
        name: str,
        base_url: str,
        offline: bool,
        limiter: FifoLimiter,
        retry_policy: RetryPolicy,
        patience: Patience = Patience(),  # noqa: B008 - a frozen value
    ) -> None:
        self.model = model
        self.name = name
        self.base_url = base_url
        self.offline = offline
        self._endpoint = Endpoint(name=name, base_url=base_url)
        self._habits = habits_of(self._endpoint)
        self._limiter = limiter
        self._retry_policy = retry_policy
        self._patience = patience

    @property
    def tools_refused(self) -> bool:
        """Whether this server has refused tools in this process."""
        return self._habits.tools_refused

    async def call(self, attempt: Callable[[], Awaitable[T]], listener: CallListener) -> T:
        """The result of an awaitable that calls this model, with limit and retries around it.

        Raises a `ModelError`; `ToolsRefused` is remembered.
        """

        async def bounded() -> T:
            async with self._limiter.place():
                try:
                    async with asyncio.timeout(self._patience.try_seconds):
                        return await attempt()
                except OSError as error:
                    raise translated_os_error(error, self._endpoint) from None

        try:
            return await with_retries(bounded, self._retry_policy, listener.on_retry)
        except ToolsRefused:
            self._habits.tools_refused = True
            raise

    async def stream_text(
        self, messages: Sequence[BaseMessage], *, listener: CallListener
    ) -> TextAnswer:
        """A plain answer whose words reach the listener as they arrive; raises a `ModelError`."""
        reading = Reading(listener)

        async def show(reply: StreamedReply) -> None:
            await reading.show(visible_text(reply.text, complete=False))

        reply = await self._stream(self.model, messages, reading, show, enough="")
        text = visible_text(reply.text, complete=True)
        await reading.show(text)
        return TextAnswer(text=text, usage=reply.usage)

    async def stream_structured(
        self,
        messages: Sequence[BaseMessage],
        schema: dict[str, Any],
        *,
        listener: CallListener,
        streamed_field: str = "content",
    ) -> StructuredAnswer:
        """An answer by schema, obtained on the highest rung that the server takes.

        The text of `streamed_field` (none when empty) reaches the listener as it arrives. An answer
        that holds no usable object is asked for once more, one rung lower. Raises a `ModelError`.
        """
        essential = essential_field(schema, streamed_field)
        reading = Reading(listener)
        unusable_before = False
        for rung in rungs_from(self._habits.rung):
            try:
                reply = await self._ask_on_rung(rung, messages, schema, reading, streamed_field)
            except ModelError as error:
                if rung == LAST_RUNG or not _lower_rung_may_help(error, unusable_before):
                    raise
                logger.info("%s: rung %s did not serve: %s", self.name, rung, error.fault)
                unusable_before = unusable_before or isinstance(error, ModelAnswerBroken)
                continue
            value = _value_of(reply, essential, streamed_field)
            if value is not None:
                self._habits.rung = rung
                await _settle(reading, streamed_field, str(value[essential]))
                return StructuredAnswer(value=value, raw_text="", rung=rung, usage=reply.usage)
            if unusable_before or rung == LAST_RUNG:
                text = kept_text(reply.visible(complete=True), streamed_field)
                await _settle(reading, streamed_field, text)
                return StructuredAnswer(value=None, raw_text=text, rung=rung, usage=reply.usage)
            logger.info("%s: rung %s gave no usable object", self.name, rung)
            unusable_before = True
        raise AssertionError("the last rung always returns or raises")

    async def _ask_on_rung(
        self,
        rung: str,
        messages: Sequence[BaseMessage],
        schema: dict[str, Any],
        reading: Reading,
        streamed_field: str,
    ) -> StreamedReply:
        async def show(reply: StreamedReply) -> None:
            if streamed_field:
                words = field_so_far(reply.visible(complete=False), streamed_field)
                await reading.show(words)

        bound = bound_to_rung(self.model, rung, schema)
        asked = with_schema(messages, schema)
        return await self._stream(bound, asked, reading, show, enough=streamed_field)

    async def _stream(
        self,
        model: BaseChatModel | AskedModel,
        messages: Sequence[BaseMessage],
        reading: Reading,
        show: Callable[[StreamedReply], Awaitable[None]],
        *,
        enough: str,
    ) -> StreamedReply:
        """A complete stream; the words of a try that failed are taken back at once."""

        async def attempt() -> StreamedReply:
            await reading.restart()
            try:
                async with self._limiter.place():
                    reply = await read_stream(model, messages, self._endpoint, self._patience, show)
                check_complete(reply, self._endpoint, reason_needed=not self.offline, enough=enough)
            except ModelError:
                await reading.restart()
                raise
            return reply

        return await with_retries(attempt, self._retry_policy, reading.listener.on_retry)


def _value_of(reply: StreamedReply, essential: str, streamed_field: str) -> dict[str, Any] | None:
    """The object in a reply; of one that grew too long, the words alone."""
    text = reply.visible(complete=True)
    value = read_object(text, essential)
    if value is None and streamed_field and reply.finish_reason in FINISHED_TOO_EARLY:
        return {streamed_field: completed_field(text, streamed_field)}
    return value


async def _settle(reading: Reading, streamed_field: str, text: str) -> None:
    """Bring the reader to the final words, whatever was shown on the way."""
    if streamed_field:
        await reading.show(text)


def _lower_rung_may_help(error: ModelError, unusable_before: bool) -> bool:
    """A refused form always steps down; an answer that stays empty does so once."""
    if error.fault in ("bad_request", "tools_refused"):
        return True
    return error.fault == "empty" and not unusable_before
