"""Reads one streamed answer to its end, and tells a complete one from one that broke off."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage

from meetmind.llm.cleaning import visible_text
from meetmind.llm.fault_causes import translated_os_error
from meetmind.llm.faults import BROKEN_FINISHES, FINISHED_TOO_EARLY, model_error
from meetmind.llm.server_habits import Endpoint
from meetmind.llm.structured import AskedModel, completed_field

MOST_CHARACTERS = 200_000
"""Of one answer, thoughts included; beyond this (some 50,000 tokens) a model repeats itself."""


@dataclass(frozen=True, kw_only=True)
class Usage:
    """Tokens as the server counted them; 0 where it does not say."""

    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
        )

    @classmethod
    def of_message(cls, message: BaseMessage) -> "Usage":
        """What the server counted for a whole message; nothing is made up where it did not."""
        counted = message.usage_metadata if isinstance(message, AIMessage) else None
        if counted is None:
            return cls()
        return cls(input_tokens=counted["input_tokens"], output_tokens=counted["output_tokens"])


@dataclass(frozen=True, kw_only=True)
class Patience:
    """How long a stream may be silent, and how long one try may take in all, in seconds."""

    silence_seconds: float = 120.0
    try_seconds: float = 900.0


@dataclass(kw_only=True)
class StreamedReply:
    """What has arrived of one stream so far."""

    text: str = ""
    call_arguments: str = ""
    finish_reason: str = ""
    usage: Usage = Usage()

    def visible(self, *, complete: bool) -> str:
        """The arguments of a forced call where there are any, else the text; cleaned."""
        return visible_text(self.call_arguments or self.text, complete=complete)

    def add(self, chunk: AIMessageChunk) -> None:
        """Take in one more piece."""
        self.text += chunk.text
        for call in chunk.tool_call_chunks:
            if call["index"] in (0, None):
                self.call_arguments += call["args"] or ""
        reason = chunk.response_metadata.get("finish_reason")
        if reason:
            self.finish_reason = str(reason)
        if chunk.usage_metadata is not None:
            self.usage = Usage.of_message(chunk)

    @property
    def characters(self) -> int:
        """How much has arrived."""
        return len(self.text) + len(self.call_arguments)


async def read_stream(
    model: BaseChatModel | AskedModel,
    messages: Sequence[BaseMessage],
    endpoint: Endpoint,
    patience: Patience,
    on_piece: Callable[[StreamedReply], Awaitable[None]],
) -> StreamedReply:
    """Everything that one call streams; faults of the call are raised as a `ModelError`.

    What `on_piece` raises passes as it is.
    """
    reply = StreamedReply()
    deadline = asyncio.get_running_loop().time() + patience.try_seconds
    stream = cast("Any", model).astream(list(messages))
    async with aclosing(stream) as chunks:
        while True:
            try:
                chunk = await _next_chunk(chunks, patience.silence_seconds, deadline)
            except OSError as error:
                raise translated_os_error(error, endpoint) from None
            if chunk is None:
                return reply
            reply.add(chunk)
            if reply.characters > MOST_CHARACTERS:
                raise model_error("too_much", endpoint)
            await on_piece(reply)


async def _next_chunk(
    chunks: Any, silence_seconds: float, deadline: float
) -> AIMessageChunk | None:
    """The next piece; a stream that falls silent is a time-out, however alive its connection."""
    left_seconds = deadline - asyncio.get_running_loop().time()
    async with asyncio.timeout(min(silence_seconds, left_seconds)):
        return cast("AIMessageChunk | None", await anext(chunks, None))


def check_complete(
    reply: StreamedReply, endpoint: Endpoint, *, reason_needed: bool, enough: str = ""
) -> None:
    """Raise a `ModelError` for a reply that is cut or empty.

    A stream that the server ended early looks like success, but has no finish reason. An object
    that grew too long is no fault when the field `enough` had been closed before.
    """
    reason = reply.finish_reason
    if reason in FINISHED_TOO_EARLY:
        if enough and completed_field(reply.visible(complete=True), enough):
            return
        raise model_error(FINISHED_TOO_EARLY[reason], endpoint)
    if reason in BROKEN_FINISHES or (reason_needed and not reason):
        raise model_error("cut", endpoint)
    if not reply.visible(complete=True):
        raise model_error("empty", endpoint)
