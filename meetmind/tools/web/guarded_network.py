"""Connections to public addresses only: what was checked is what is connected to."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

import httpcore

from meetmind.errors import AddressRefused, ToolError

RESOLVE_SECONDS = 6.0
CONNECT_SECONDS = 6.0
MOST_ADDRESSES_TRIED = 4

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""The IP addresses of a host name, for a port; raises `OSError` for an unknown name."""
Connect = Callable[[str, int], Awaitable[httpcore.AsyncNetworkStream]]
"""A connection to an IP address and a port; raises `OSError` or an error of httpcore."""
RefusalOf = Callable[[str], str]
"""Why an IP address may not be connected to; empty when it may."""


async def resolve_host(host: str, port: int) -> Sequence[str]:
    """All addresses that the system knows for the name, in the order to try them."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [str(socket_address[0]) for *_, socket_address in found]
    return tuple(dict.fromkeys(addresses))


async def connect_to(address: str, port: int) -> httpcore.AsyncNetworkStream:
    """A TCP connection to an IP address; nothing is resolved on the way."""
    return await httpcore.AnyIOBackend().connect_tcp(address, port)


@dataclass(frozen=True, kw_only=True)
class GuardedNetwork(httpcore.AsyncNetworkBackend):
    """Where the HTTP client gets its connections from.

    Every connection resolves its host once, has all addresses checked, and goes to one of those
    very addresses: a name that resolves otherwise a moment later changes nothing. The name of the
    TLS certificate is still that of the host, which the HTTP client keeps.
    """

    resolve: Resolve
    connect: Connect
    refusal_of: RefusalOf

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature of httpcore
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Raises `AddressRefused` before any connection, `ToolError` when nobody answers."""
        addresses = await self._addresses_of(host, port)
        refuse_unless_public(host, addresses, self.refusal_of)
        for address in addresses[:MOST_ADDRESSES_TRIED]:
            stream = await self._stream_to(address, port)
            if stream is not None:
                return stream
        raise ToolError(
            f"{host} does not answer on port {port}. Use another page, or go on without it.",
            reason="unreachable",
        )

    async def _addresses_of(self, host: str, port: int) -> Sequence[str]:
        if is_ip_address(host):
            return (host,)
        try:
            async with asyncio.timeout(RESOLVE_SECONDS):
                addresses = await self.resolve(host, port)
        except (OSError, UnicodeError):
            addresses = ()
        if not addresses:
            raise ToolError(
                f"There is no address for the name {host}. Check how it is written.",
                reason="unknown_host",
            )
        return addresses

    async def _stream_to(self, address: str, port: int) -> httpcore.AsyncNetworkStream | None:
        """The connection; None when nobody answers there in time."""
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                return await self.connect(address, port)
        except (OSError, httpcore.NetworkError, httpcore.TimeoutException):
            return None


def refuse_unless_public(host: str, addresses: Sequence[str], refusal_of: RefusalOf) -> None:
    """Raises `AddressRefused` when one of the addresses of a host is not public."""
    for address in addresses:
        refusal = refusal_of(address)
        if refusal:
            raise AddressRefused(
                f"{host} is not fetched: its address {address} is not public ({refusal}). "
                "Use a public page, or go on without it.",
                reason="not_public",
            )


def is_ip_address(host: str) -> bool:
    """Whether the host of an address is no name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
