"""A small internet on this machine: names, public and other addresses, and who was connected to.

Public addresses lead to one loopback server, all others to a second one, which must never be
reached. Every connection is counted below the guard, by the address that it was made to.
"""

import socket
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any, Self

import httpcore

from meetmind.tools.net_auth import NetAuthority
from tests.support.web_pages import PageServer, Reply, html

PUBLIC_IPV4 = "93.184.216.34"
OTHER_PUBLIC_IPV4 = "1.1.1.1"
PUBLIC_IPV6 = "2606:2800:220:1:248:1893:25c8:1946"
PUBLIC_ADDRESSES = frozenset((PUBLIC_IPV4, OTHER_PUBLIC_IPV4, PUBLIC_IPV6))
SECRET_PAGE = html("<p>the inner network</p>")
Answers = Mapping[str, Sequence[Sequence[str]]]
"""What each name resolves to, call after call; the last answer repeats."""


class AnyPage(dict[str, Reply]):
    """Every path of the inner server has its page."""

    def get(self, key: str, default: Any = None) -> Any:
        return SECRET_PAGE


class NetWorld:
    """Hands out an authority that lives in this world."""

    def __init__(self, pages: Mapping[str, Reply], answers: Answers, tls: Any = None) -> None:
        self._answers = answers
        self.public = PageServer(pages)
        self.public_tls = PageServer(pages, tls)
        self.inner = PageServer(AnyPage())
        self.resolved: list[str] = []
        self.connections: list[tuple[str, int]] = []

    async def __aenter__(self) -> Self:
        self._stack = AsyncExitStack()
        for server in (self.public, self.public_tls, self.inner):
            await self._stack.enter_async_context(server)
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self._stack.aclose()

    def authority(self, **changes: Any) -> NetAuthority:
        return NetAuthority(**{"resolve": self.resolve, "connect": self.connect, **changes})

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        """From the table; odd numbers as the system's own functions read them."""
        answers = self._answers.get(host.rstrip(".").lower())
        if answers is None:
            return (socket.inet_ntoa(socket.inet_aton(host)),)
        earlier = self.resolved.count(host)
        self.resolved.append(host)
        return answers[min(earlier, len(answers) - 1)]

    async def connect(self, address: str, port: int) -> httpcore.AsyncNetworkStream:
        self.connections.append((address, port))
        server = self.inner
        if address in PUBLIC_ADDRESSES:
            server = self.public_tls if port == 443 else self.public
        return await httpcore.AnyIOBackend().connect_tcp("127.0.0.1", server.port)

    @property
    def escapes(self) -> list[tuple[str, int]]:
        """The connections to addresses that are not public."""
        return [each for each in self.connections if each[0] not in PUBLIC_ADDRESSES]
