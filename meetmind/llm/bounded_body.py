"""Reads what a server sends up to a limit, so that no answer can fill the memory."""

from collections.abc import AsyncIterator

import httpx2

from meetmind.llm.fault_causes import fault_of_connection
from meetmind.llm.faults import model_error
from meetmind.llm.server_habits import Endpoint

MOST_BYTES = 8_000_000
"""Of a whole reply: far more than the longest answer with its tool calls."""
MOST_STREAMED_BYTES = 64_000_000
"""Of a stream, in which some 250 bytes carry a token."""


async def read_body(response: httpx2.Response, endpoint: Endpoint) -> bytes:
    """The whole body; raises a `ModelError` when it is too large or does not arrive whole."""
    limit_body(response, endpoint, MOST_BYTES)
    try:
        return await response.aread()
    except httpx2.TimeoutException:
        raise model_error("timeout", endpoint) from None
    except httpx2.RequestError as error:
        raise model_error(fault_of_connection(error), endpoint) from None


def limit_body(response: httpx2.Response, endpoint: Endpoint, most_bytes: int) -> None:
    """Whoever reads the body from now on gets a `ModelError` instead of more than so many bytes."""
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _LimitedStream(response.stream, endpoint, most_bytes)


class _LimitedStream(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, endpoint: Endpoint, most_bytes: int) -> None:
        self._stream = stream
        self._endpoint = endpoint
        self._most_bytes = most_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        received = 0
        async for piece in self._stream:
            received += len(piece)
            if received > self._most_bytes:
                raise model_error("too_much", self._endpoint)
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()
