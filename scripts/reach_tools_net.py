"""`make reach AREA=tools`: connections to addresses that are not public, counted at the socket."""

import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpcore
import httpx

PROJECT_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT_ROOT), str(PROJECT_ROOT / "scripts")]

from reach_lines import ReachLines  # noqa: E402 - the paths above come first

from meetmind.errors import ToolError  # noqa: E402
from meetmind.tools.net_auth import FetchedPage  # noqa: E402
from tests.support.certificates import tls_pair  # noqa: E402
from tests.support.net_world import (  # noqa: E402
    OTHER_PUBLIC_IPV4,
    PUBLIC_IPV4,
    PUBLIC_IPV6,
    Answers,
    NetWorld,
)
from tests.support.odd_addresses import chains_to, inner_addresses  # noqa: E402
from tests.support.web_pages import Reply, html, redirect  # noqa: E402

HONEST_HOST = "shop.example"
ANSWERS: Answers = {
    HONEST_HOST: [[PUBLIC_IPV4, PUBLIC_IPV6]],
    f"www.{HONEST_HOST}": [[PUBLIC_IPV4]],
    "other.example": [[OTHER_PUBLIC_IPV4]],
    "six.example": [[PUBLIC_IPV6]],
    "xn--fsqu00a.xn--0zwm56d": [[OTHER_PUBLIC_IPV4]],
    "inner.example": [["10.1.2.3"]],
    "127.0.0.1.nip.example": [["127.0.0.1"]],
    "mixed.example": [[PUBLIC_IPV4, "192.168.1.1"]],
    "mapped.example": [["::ffff:127.0.0.1"]],
    "nat.example": [["64:ff9b::7f00:1"]],
    "sixtofour.example": [["2002:7f00:1::1"]],
    "linklocal.example": [["fe80::1%eth0"]],
    "multicast.example": [["ff0e::1"]],
    "meta.example": [["169.254.169.254"]],
    **{name: [["127.0.0.1"]] for name in ("localhost", "app.localhost", "localhost.localdomain")},
    **{
        name: [["192.168.1.50"]]
        for name in (
            "printer", "printer.local", "metadata.google.internal", "db.internal", "wiki.corp",
            "nas.lan", "router.home.arpa",
        )
    },
}  # fmt: skip
REBINDING: Answers = {HONEST_HOST: [[PUBLIC_IPV4], ["127.0.0.1"]]}
HONEST_NAMES = (
    HONEST_HOST, f"www.{HONEST_HOST}", "other.example", "six.example", "xn--fsqu00a.xn--0zwm56d",
)  # fmt: skip
INNER_NAMES = tuple(name for name in ANSWERS if name not in HONEST_NAMES)
CHAIN_ENDS = (
    "http://127.0.0.1/", "//169.254.169.254/latest/meta-data/", "http://2130706433/", "http://0/",
    "http://0x7f.1/", "http://[::1]/", "http://[::ffff:10.0.0.1]/", "http://[64:ff9b::a00:1]/",
    "http://[2002:7f00:1::1]/", "http://inner.example/", "http://mixed.example/",
    "http://mapped.example/", "http://nat.example/", "http://localhost/", "http://printer/",
    "http://meta.example/", "http://user@127.0.0.1/", "http://127.0.0.1:8080/",
    "http://１２７.0.0.1/", "http://db.internal/", "http://shop.example@10.0.0.1/",
)  # fmt: skip
STATUSES = (301, 302, 303, 307, 308)
HONEST_URLS = (
    "http://shop.example/", "http://shop.example:80/a?b=c", "HTTP://SHOP.EXAMPLE/", "https://shop.example/",
    "http://six.example/", "http://例子.测试/", "http://93.184.216.34/", "http://1.1.1.1/",
    "http://[2606:2800:220:1:248:1893:25c8:1946]/", "http://shop.example./", "http://shop.example/moved",
    "http://shop.example/safe", "http://shop.example/www",
)  # fmt: skip

Fetch = Callable[[NetWorld, str], Awaitable[bool]]
"""Fetches an address in a world; True when a page came."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """Something to fetch, and what the world answers on the way."""

    url: str
    leads: Mapping[str, str]
    answers: Answers


def cases() -> list[Case]:
    """Every odd spelling, every name that resolves to something inner, the chains, rebinding."""
    urls = dict.fromkeys(inner_addresses())
    names = [f"{scheme}://{name}/" for scheme in ("http", "https") for name in INNER_NAMES]
    spelled = [Case(url=url, leads={}, answers=ANSWERS) for url in (*urls, *names)]
    starts = (f"http://{HONEST_HOST}", f"https://{HONEST_HOST}")
    chained = [
        Case(url=url, leads=leads, answers=ANSWERS) for url, leads in chains_to(CHAIN_ENDS, starts)
    ]
    rebinding = [
        Case(url=f"http://{HONEST_HOST}/first", leads={"/first": "/second"}, answers=REBINDING),
        Case(url=f"http://{HONEST_HOST}/", leads={}, answers=REBINDING),
    ]
    return [*spelled, *chained, *rebinding]


def pages_for(leads: Mapping[str, str]) -> dict[str, Reply]:
    """The public servers' pages: redirects where the case has them, else a page."""
    pages = {path: html("<p>public</p>") for path in ("/", "/a?b=c", "/second", "/new")}
    pages |= {"/moved": redirect("/new"), "/safe": redirect(f"https://{HONEST_HOST}/new", 301)}
    pages |= {"/www": redirect(f"http://www.{HONEST_HOST}/new", 308)}
    for number, (path, location) in enumerate(leads.items()):
        pages[path] = redirect(location, STATUSES[number % len(STATUSES)])
    return pages


async def guarded(world: NetWorld, url: str) -> bool:
    """As the product fetches."""
    return await _came(world.authority(tls=CLIENT_TLS), url)


async def without_address_check(world: NetWorld, url: str) -> bool:
    """With strict spelling, but without a look at the addresses."""
    return await _came(world.authority(tls=CLIENT_TLS, refusal_of=lambda address: ""), url)


async def _came(authority: Any, url: str) -> bool:
    try:
        answer = await authority.fetch(url)
    except ToolError:
        return False
    return isinstance(answer, FetchedPage)


async def without_guard(world: NetWorld, url: str) -> bool:
    """As an ordinary client fetches that looks at the name first and then resolves it again."""
    transport = httpx.AsyncHTTPTransport(verify=CLIENT_TLS, trust_env=False)
    transport._pool = httpcore.AsyncConnectionPool(
        network_backend=OpenNetwork(world), ssl_context=CLIENT_TLS
    )
    client = httpx.AsyncClient(transport=transport, follow_redirects=True, trust_env=False)
    async with client:
        try:
            await client.get(url)
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError):
            return False
    return True


class OpenNetwork(httpcore.AsyncNetworkBackend):
    """Connects to whatever a name means at the second look."""

    def __init__(self, world: NetWorld) -> None:
        self._world = world

    async def connect_tcp(
        self, host: str, port: int, *args: Any, **kwargs: Any
    ) -> httpcore.AsyncNetworkStream:
        """The first address that the system would take."""
        if ":" in host:
            return await self._world.connect(host, port)
        await self._world.resolve(host, port)
        addresses = await self._world.resolve(host, port)
        return await self._world.connect(addresses[-1], port)


async def escaping(fetch: Fetch, chosen: Sequence[Case]) -> list[str]:
    """The URLs of the cases in which a connection to an address that is not public was made."""
    escaped: list[str] = []
    for case in chosen:
        async with NetWorld(pages_for(case.leads), case.answers, SERVER_TLS) as world:
            await fetch(world, case.url)
            # The second case of rebinding is fetched twice: good, then bad.
            await fetch(world, case.url)
            if world.escapes or world.inner.accepted:
                escaped.append(case.url)
    return escaped


async def led_away(fetch: Fetch) -> int:
    """How many of the redirects to another public host are followed there."""
    followed = 0
    for status in STATUSES:
        pages = {**pages_for({}), "/away": redirect("http://other.example/new", status)}
        async with NetWorld(pages, ANSWERS) as world:
            await fetch(world, f"http://{HONEST_HOST}/away")
            followed += (OTHER_PUBLIC_IPV4, 80) in world.connections
    return followed


async def honest_pages() -> tuple[int, int]:
    """How many public pages come with the guard on, and the connections that were made."""
    came = 0
    async with NetWorld(pages_for({}), ANSWERS, SERVER_TLS) as world:
        for url in HONEST_URLS:
            came += await guarded(world, url)
        return came, len(world.connections)


def measure(lines: ReachLines) -> None:
    """Prints `net_escapes` and `net_other_hosts`, with the same cases unguarded too."""
    chosen = cases()
    chains = sum(1 for case in chosen if case.leads)
    lines.note(f"net: {len(chosen)} cases, {chains} of them redirect chains")
    came, connections = asyncio.run(honest_pages())
    lines.note(f"net: {came} of {len(HONEST_URLS)} public pages come, {connections} connections")
    followed = asyncio.run(led_away(guarded))
    followed_unguarded = asyncio.run(led_away(without_guard))
    lines.none_of("net_other_hosts", followed, len(STATUSES), bad_without_guard=followed_unguarded)
    unchecked = asyncio.run(escaping(without_address_check, chosen))
    lines.note(f"net: {len(unchecked)} escape when only the address check is off")
    unguarded = asyncio.run(escaping(without_guard, chosen))
    escaped = asyncio.run(escaping(guarded, chosen))
    for url in escaped:
        lines.note(f"net: escaped with {url!r}")
    if came < len(HONEST_URLS):
        lines.note("net: a public page was refused, so the figure says nothing")
        escaped = [case.url for case in chosen]
    lines.none_of("net_escapes", len(escaped), len(chosen), bad_without_guard=len(unguarded))


with tempfile.TemporaryDirectory() as folder:
    SERVER_TLS, CLIENT_TLS = tls_pair(Path(folder), HONEST_HOST)


if __name__ == "__main__":
    measure(ReachLines("tools_net"))
