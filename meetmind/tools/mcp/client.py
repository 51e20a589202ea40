"""Talks to MCP servers: what they offer, and calls, each in a session of its own.

A session a call costs a moment and buys three things: nothing of one discussion stays in a server
for the next one, a server that died is simply asked again, and no connection is left open.
"""

import asyncio
import logging
import os
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol, cast

import anyio
import httpx
import mcp.types as protocol
from httpx_sse import SSEError
from langchain_mcp_adapters.sessions import Connection, create_session
from langchain_mcp_adapters.tools import load_mcp_tools
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import McpError

from meetmind.errors import ToolError
from meetmind.tools.mcp.config import McpServer
from meetmind.tools.mcp.faults import server_fault
from meetmind.tools.mcp.offers import LeftOut, OfferedTool, usable_offers

logger = logging.getLogger(__name__)

CONNECT_SECONDS = 10.0
CALL_SECONDS = 60.0
FOREIGN_FAULTS = (
    OSError,
    ExceptionGroup,
    httpx.HTTPError,
    httpx.InvalidURL,
    httpx.StreamError,
    McpError,
    SSEError,
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
    anyio.EndOfStream,
    AttributeError,
    KeyError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""What the protocol's libraries raise when a server behaves in a way that they did not expect."""


@dataclass(frozen=True, kw_only=True)
class McpConnection:
    """How one server was last reached, and what it offered then."""

    server: McpServer
    tools: tuple[OfferedTool, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    reason: str = ""
    """Empty when it answered, else a key of the text catalogue: `mcp.reason_<reason>`."""
    what: str = ""
    """More about the fault, in English, without secrets."""
    seconds: float = 0.0


class ConnectionListener(Protocol):
    """Told of each server as soon as it has answered or failed."""

    def __call__(self, connection: McpConnection) -> None:
        """Take the news; must return at once."""


async def init_mcp_tools(
    servers: Iterable[McpServer],
    listener: ConnectionListener,
    *,
    seconds: float = CONNECT_SECONDS,
) -> list[McpConnection]:
    """Ask all servers at the same time what they offer; a dead one costs the others nothing.

    Each has `seconds` of its own. Never raises for a server: its fault is in its connection.
    """
    quiet_protocol_logs()
    asked = [_connected(server, listener, seconds) for server in servers]
    return list(await asyncio.gather(*asked))


def quiet_protocol_logs() -> None:
    """Silence the loggers that write whole addresses, with the keys in them, and foreign texts."""
    for name in ("httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.WARNING)
    for name in ("httpx_sse", "mcp.client", "mcp.shared"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


async def call_server(
    server: McpServer, tool: str, arguments: Mapping[str, Any], seconds: float = CALL_SECONDS
) -> protocol.CallToolResult:
    """One call of one tool; raises `ToolError` with a sentence for the role."""
    params = protocol.CallToolRequestParams(name=tool, arguments=dict(arguments))
    request = protocol.ClientRequest(protocol.CallToolRequest(params=params))
    deadline = asyncio.timeout(seconds)
    try:
        async with deadline, _open_session(server, seconds) as session:
            # Not `session.call_tool`: it checks the result against the server's own schema, whose
            # patterns nobody has bounded, and takes a wrong result for an exception.
            result = await session.send_request(
                request, protocol.CallToolResult, timedelta(seconds=seconds)
            )
            return result
    except FOREIGN_FAULTS as error:
        reason, what = server_fault(error, server.secrets, has_expired=deadline.expired())
        logger.warning("The server %s failed in a call: %s", server.name, reason)
        raise _call_error(server, reason, what) from None
    raise _call_error(server, "gone", "")


async def _connected(
    server: McpServer, listener: ConnectionListener, seconds: float
) -> McpConnection:
    began = time.monotonic()
    reason, what = "", ""
    offers: tuple[tuple[OfferedTool, ...], tuple[LeftOut, ...]] = ((), ())
    try:
        offers = await _offers(server, seconds)
    except ToolError as error:
        reason, what = error.reason, str(error)
        logger.warning("The server %s offers no tools: %s", server.name, reason)
    connection = McpConnection(
        server=server,
        tools=offers[0],
        left_out=offers[1],
        reason=reason,
        what=what,
        seconds=time.monotonic() - began,
    )
    listener(connection)
    return connection


async def _offers(
    server: McpServer, seconds: float
) -> tuple[tuple[OfferedTool, ...], tuple[LeftOut, ...]]:
    """The usable tools of a server and the others; raises `ToolError` with a reason."""
    deadline = asyncio.timeout(seconds)
    try:
        async with deadline, _open_session(server, seconds) as session:
            listed = await load_mcp_tools(session)
            return usable_offers(server, listed)
    except FOREIGN_FAULTS as error:
        reason, what = server_fault(error, server.secrets, has_expired=deadline.expired())
        raise ToolError(what, reason=reason) from None
    raise ToolError("", reason="gone")


@asynccontextmanager
async def _open_session(server: McpServer, seconds: float) -> AsyncIterator[ClientSession]:
    """A session that has shaken hands."""
    if server.transport == "stdio":
        opened = _open_child(server)
    else:
        opened = create_session(_connection_of(server, seconds))
    async with opened as session:
        await session.initialize()
        yield session


@asynccontextmanager
async def _open_child(server: McpServer) -> AsyncIterator[ClientSession]:
    """A server as a child process; what it writes to its error output may hold secrets."""
    parameters = StdioServerParameters(
        command=server.command,
        args=list(server.args),
        env=dict(server.env),
        encoding_error_handler="replace",
    )
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: ASYNC230 - it never blocks
        async with (
            stdio_client(parameters, errlog=nowhere) as (read, write),
            ClientSession(read, write) as session,
        ):
            yield session


def _connection_of(server: McpServer, seconds: float) -> Connection:
    connection: dict[str, Any] = {
        "transport": server.transport,
        "url": server.url,
        "headers": dict(server.headers),
        "timeout": seconds,
        "sse_read_timeout": seconds,
    }
    return cast("Connection", connection)


def _call_error(server: McpServer, reason: str, what: str) -> ToolError:
    sentence = f"The server {server.name} could not do this ({reason.replace('_', ' ')})."
    if what:
        sentence += f" It says: {what}"
    return ToolError(f"{sentence} Go on without it.", reason=reason)
