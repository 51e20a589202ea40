"""A loopback web server in the test's own event loop, plain or with TLS.

    async with PageServer({"shop.example/": html("<p>Hello</p>")}) as server:
        ... server.port, server.accepted, server.requests ...

A page is looked up by host and path with its query, then by path with its query.
"""

import asyncio
import contextlib
import ssl
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Self


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What the server sends: `pieces` one after the other, with a pause before each."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    pieces: Iterable[bytes] = ()
    pause_seconds: float = 0.0
    has_length: bool = True


@dataclass(frozen=True, kw_only=True)
class RecordedRequest:
    """A request as it came; header names are lower-case."""

    line: str
    headers: Mapping[str, str]


TLS_HANDSHAKE = b"\x16"
"""A client that speaks TLS to a plain server would wait for ever."""
NOT_FOUND = Reply(status=404, pieces=(b"nothing here",))


def html(text: str, content_type: str = "text/html; charset=utf-8") -> Reply:
    return Reply(headers={"Content-Type": content_type}, pieces=(text.encode(),))


def redirect(location: str, status: int = 302) -> Reply:
    return Reply(status=status, headers={"Location": location})


class PageServer:
    """Counts every connection that is accepted, whether or not a request follows."""

    def __init__(self, pages: Mapping[str, Reply], tls: ssl.SSLContext | None = None) -> None:
        self._pages = pages
        self._tls = tls
        self._serving: dict[asyncio.StreamWriter, asyncio.Task[None] | None] = {}
        self.accepted = 0
        self.requests: list[RecordedRequest] = []

    @property
    def port(self) -> int:
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._tls)
        return self

    async def __aexit__(self, *exception: object) -> None:
        self._server.close()
        tasks = [task for task in self._serving.values() if task is not None]
        for writer in self._serving:
            writer.transport.abort()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted += 1
        self._serving[writer] = asyncio.current_task()
        try:
            await self._answer(reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
            with contextlib.suppress(OSError, asyncio.CancelledError):
                await writer.wait_closed()
            del self._serving[writer]

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first = await reader.readexactly(1)
        if first == TLS_HANDSHAKE:
            return
        head = (first + await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        line, *header_lines = head.strip().split("\r\n")
        pairs = [header_line.split(": ", 1) for header_line in header_lines]
        headers = {name.lower(): value for name, value in pairs}
        self.requests.append(RecordedRequest(line=line, headers=headers))
        path = line.split(" ")[1]
        reply = self._pages.get(headers.get("host", "") + path) or self._pages.get(path, NOT_FOUND)
        writer.write(_head_of(reply))
        for piece in reply.pieces:
            if reply.pause_seconds:
                await asyncio.sleep(reply.pause_seconds)
            writer.write(piece)
            await writer.drain()


def _head_of(reply: Reply) -> bytes:
    headers = {"Connection": "close", **reply.headers}
    if reply.has_length and isinstance(reply.pieces, tuple):
        headers["Content-Length"] = str(sum(map(len, reply.pieces)))
    lines = [f"HTTP/1.1 {reply.status} Whatever", *(f"{n}: {v}" for n, v in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode()
