"""One chat model with patience: the limit on concurrent calls, retries, streaming, structure."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from copy import copy
from typing import Any, TypeVar

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage

from meetmind.errors import ModelAnswerBroken, ModelError, ToolsRefused
from meetmind.llm.answers import StructuredAnswer, TextAnswer, value_of
from meetmind.llm.cleaning import visible_text
from meetmind.llm.fault_causes import translated_os_error
from meetmind.llm.faults import fallback_may_help, model_error, told_of_fallback
from meetmind.llm.limits import FifoLimiter, HoldNotice
from meetmind.llm.listening import (
    CallListener,
    FallbackNotice,
    HoldTelling,
    Reading,
    SilentListener,
)
from meetmind.llm.retry import RetryNotice, RetryPolicy, asked_seconds, with_retries
from meetmind.llm.server_habits import Endpoint, habits_of
from meetmind.llm.streaming import Patience, StreamedReply, Usage, check_complete, read_stream
from meetmind.llm.structured import (
    LAST_RUNG,
    AskedModel,
    bound_to_rung,
    essential_field,
    field_so_far,
    kept_text,
    rungs_from,
    with_schema,
)

__all__ = [
    "CallListener",
    "FallbackNotice",
    "HoldNotice",
    "ModelClient",
    "RetryNotice",
    "SilentListener",
    "StructuredAnswer",
    "TextAnswer",
    "Usage",
]

logger = logging.getLogger(__name__)
T = TypeVar("T")


class ModelClient:
    """A chat model as the rest of the program uses it, with another one behind it if there is one.

    Where the model fails for good the fallback answers, and goes on to answer; `for_pass` gives a
    client that begins with the first model again.
    """

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
        fallback: "ModelClient | None" = None,
    ) -> None:
        self.model = model
        self.name = name
        self.base_url = base_url
        self.offline = offline
        self.fallback = fallback
        self._has_fallen_back = False
        self._endpoint = Endpoint(name=name, base_url=base_url)
        self._habits = habits_of(self._endpoint)
        self._limiter = limiter
        self._retry_policy = retry_policy
        self._patience = patience

    def for_pass(self) -> "ModelClient":
        """The same client for one pass of a run, in which the first model has not failed yet."""
        fresh = copy(self)
        fresh._has_fallen_back = False
        return fresh

    @property
    def tools_refused(self) -> bool:
        """Whether the server that answers now has refused tools in this process."""
        return self._answering._habits.tools_refused

    @property
    def _answering(self) -> "ModelClient":
        if self._has_fallen_back and self.fallback is not None:
            return self.fallback
        return self

    async def call(
        self, attempt: Callable[[BaseChatModel], Awaitable[T]], listener: CallListener
    ) -> T:
        """The result of an awaitable that calls the given model, with limit and retries around it.

        Raises a `ModelError`; `ToolsRefused` is remembered. Counting the tokens is up to `attempt`.
        """
        return await self._with_fallback(
            lambda client: client._call_this(attempt, listener), listener
        )

    async def _with_fallback(
        self, ask: Callable[["ModelClient"], Awaitable[T]], listener: CallListener
    ) -> T:
        """What the model that answers now says; when it fails for good, what the fallback says."""
        answering = self._answering
        try:
            return await ask(answering)
        except ModelError as error:
            if answering is not self:
                raise told_of_fallback(error) from None
            fallback = self.fallback
            if fallback is None or not fallback_may_help(error):
                raise
            fault = error.fault
        logger.warning("%s failed for good (%s); %s takes over", self.name, fault, fallback.name)
        if not self._has_fallen_back:
            self._has_fallen_back = True
            await listener.on_fallback(
                FallbackNotice(fault=fault, from_model=answering.name, to_model=fallback.name)
            )
        try:
            return await ask(fallback)
        except ModelError as error:
            raise told_of_fallback(error) from None

    async def _call_this(
        self, attempt: Callable[[BaseChatModel], Awaitable[T]], listener: CallListener
    ) -> T:
        told = HoldTelling(listener)

        async def bounded() -> T:
            async with self._place(told):
                try:
                    async with asyncio.timeout(self._patience.try_seconds):
                        return await attempt(self.model)
                except OSError as error:
                    raise translated_os_error(error, self._endpoint) from None

        try:
            return await with_retries(bounded, self._retry_policy, listener.on_retry)
        except ToolsRefused:
            self._habits.tools_refused = True
            raise

    @asynccontextmanager
    async def _place(self, told: HoldTelling) -> AsyncIterator[None]:
        """A place for one try; a server that says when to come again holds the model for all."""
        async with self._limiter.place(told):
            try:
                yield
            except ModelError as error:
                seconds = asked_seconds(error)
                if 0 < seconds <= self._retry_policy.longest_retry_after_seconds:
                    self._limiter.hold(seconds, error.fault)
                    told.is_told = True
                raise

    async def stream_text(
        self, messages: Sequence[BaseMessage], *, listener: CallListener
    ) -> TextAnswer:
        """A plain answer whose words reach the listener as they arrive; raises a `ModelError`."""
        reading = Reading(listener)
        return await self._with_fallback(
            lambda client: client._stream_text(messages, reading), listener
        )

    async def _stream_text(self, messages: Sequence[BaseMessage], reading: Reading) -> TextAnswer:
        async def show(reply: StreamedReply) -> None:
            if reading.is_due():
                await reading.show(visible_text(reply.text, complete=False))

        reply = await self._stream(self.model, messages, reading, show, enough="")
        text = visible_text(reply.text, complete=True)
        await reading.show(text)
        return TextAnswer(text=text, usage=reading.usage)

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
        reading = Reading(listener)
        return await self._with_fallback(
            lambda client: client._climb_down(messages, schema, reading, streamed_field), listener
        )

    async def _climb_down(
        self,
        messages: Sequence[BaseMessage],
        schema: dict[str, Any],
        reading: Reading,
        streamed_field: str,
    ) -> StructuredAnswer:
        """The ladder of one model."""
        essential = essential_field(schema, streamed_field)
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
            value = value_of(reply, essential, streamed_field)
            if value is not None:
                self._habits.rung = rung
                await _settle(reading, streamed_field, str(value[essential]))
                return StructuredAnswer(value=value, raw_text="", rung=rung, usage=reading.usage)
            if unusable_before or rung == LAST_RUNG:
                kept = kept_text(reply.visible(complete=True), streamed_field)
                text = visible_text(kept, complete=True)
                if not text:
                    raise model_error("empty", self._endpoint)
                await _settle(reading, streamed_field, text)
                return StructuredAnswer(value=None, raw_text=text, rung=rung, usage=reading.usage)
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
            if streamed_field and reading.is_due():
                words = field_so_far(reply.visible(complete=False), streamed_field)
                await reading.show(visible_text(words, complete=False))

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
        told = HoldTelling(reading.listener)

        async def attempt() -> StreamedReply:
            await reading.restart()
            try:
                async with self._place(told):
                    reply = await read_stream(model, messages, self._endpoint, self._patience, show)
                await reading.count(reply.usage)
                check_complete(reply, self._endpoint, reason_needed=not self.offline, enough=enough)
            except ModelError:
                await reading.restart()
                raise
            return reply

        return await with_retries(attempt, self._retry_policy, reading.listener.on_retry)


async def _settle(reading: Reading, streamed_field: str, text: str) -> None:
    """Bring the reader to the final words, whatever was shown on the way."""
    if streamed_field:
        await reading.show(text)


def _lower_rung_may_help(error: ModelError, unusable_before: bool) -> bool:
    """A refused form always steps down; an answer that stays empty does so once."""
    if error.fault in ("bad_request", "tools_refused"):
        return True
    return error.fault == "empty" and not unusable_before
