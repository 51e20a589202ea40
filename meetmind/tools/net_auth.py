"""Which web pages may be fetched, and the only way in which one is fetched."""

import asyncio
import ssl
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass
from functools import cache
from urllib.parse import urljoin

import httpcore

from meetmind.errors import AddressRefused, ToolError
from meetmind.tools.web.guarded_network import (
    Connect,
    GuardedNetwork,
    RefusalOf,
    Resolve,
    connect_to,
    is_ip_address,
    refuse_unless_public,
    resolve_host,
)
from meetmind.tools.web.page_body import PageBody
from meetmind.tools.web.page_types import read_type
from meetmind.tools.web.public_addresses import why_not_public
from meetmind.tools.web.web_address import WebAddress, checked_address

MOST_SECONDS = 20.0
MOST_BYTES = 2_000_000
MOST_REDIRECTS = 5
REDIRECT_STATUSES = frozenset((301, 302, 303, 307, 308))
REQUEST_HEADERS = (
    ("User-Agent", "MeetMind/1.0"),
    ("Accept", "text/html, application/xhtml+xml, text/*;q=0.9, */*;q=0.5"),
    ("Accept-Encoding", "gzip"),
    ("Connection", "close"),
)
"""All that is sent: no cookie, no sign-in, nothing that is left from an earlier request."""
CONNECTION_ERRORS = (
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.TimeoutException,
    OSError,
)


@dataclass(frozen=True, kw_only=True)
class FetchedPage:
    """A page as it came, with the way to it."""

    url: str
    """What was asked for, as it was written."""
    final_url: str
    """Where the page stood after all redirects, in its normal form."""
    redirects: tuple[str, ...]
    """The addresses that were asked before the last one, in order."""
    status: int
    content_type: str
    """Lower-case, without parameters."""
    charset: str
    """What the server says of it; may be empty or wrong."""
    body: bytes
    """Decompressed."""
    truncated: bool
    """Whether the page was larger than what is read of one."""


@dataclass(frozen=True, kw_only=True)
class LeadsElsewhere:
    """A redirect to a page of another host, which is not followed: it is an address of its own."""

    url: str
    """What was asked for, as it was written."""
    redirects: tuple[str, ...]
    """The addresses that were asked, in order; the last one leads away."""
    target_url: str
    """Where it leads, in its normal form."""


def address_to_ask_about(url: str) -> WebAddress:
    """The address, if a person may be asked whether it is fetched.

    Raises `AddressRefused` for what no fetch could ever reach; names are resolved when it is made.
    """
    address = checked_address(url)
    if is_ip_address(address.host):
        refuse_unless_public(address.host, (address.host,), why_not_public)
    return address


@dataclass(frozen=True, kw_only=True)
class NetAuthority:
    """Fetches public pages, and refuses everything else before a connection is made.

    Every fetch is a GET over connections of its own, without proxy, cookie or sign-in. Every
    redirect is judged like the first address, and followed within the host only: whoever allowed
    a page did not allow others. The fields are seams for tests.
    """

    resolve: Resolve = resolve_host
    connect: Connect = connect_to
    refusal_of: RefusalOf = why_not_public
    tls: ssl.SSLContext | None = None
    """None: the certificate authorities of this system and of certifi."""
    most_seconds: float = MOST_SECONDS
    """For everything together, from the name to the last byte."""
    most_bytes: int = MOST_BYTES

    async def fetch(self, url: str) -> FetchedPage | LeadsElsewhere:
        """The page at a public http(s) address, or to which other host that address leads.

        Raises `AddressRefused` for an address that is not public, and `ToolError` for a page that
        does not come, or not as a text.
        """
        address = checked_address(url)
        try:
            async with asyncio.timeout(self.most_seconds):
                return await self._fetch_following(url, address)
        except TimeoutError:
            raise ToolError(
                f"{address.host} took longer than {self.most_seconds:g} seconds. "
                "Use another page, or go on without it.",
                reason="too_slow",
            ) from None
        except CONNECTION_ERRORS as error:
            raise _connection_fault(address, error) from None

    async def _fetch_following(self, url: str, address: WebAddress) -> FetchedPage | LeadsElsewhere:
        asked: list[str] = []
        async with self._pool() as pool:
            while len(asked) <= MOST_REDIRECTS:
                answer = await self._answer_at(pool, address)
                if isinstance(answer, _Answer):
                    return _page(url, address, asked, answer)
                asked.append(address.url)
                if not _same_site(address, answer):
                    return LeadsElsewhere(url=url, redirects=tuple(asked), target_url=answer.url)
                address = answer
        raise ToolError(
            f"The page redirects more than {MOST_REDIRECTS} times. Use another page.",
            reason="many_redirects",
        )

    def _pool(self) -> httpcore.AsyncConnectionPool:
        """One connection at a time, none kept: each is resolved and checked on its own."""
        network = GuardedNetwork(
            resolve=self.resolve, connect=self.connect, refusal_of=self.refusal_of
        )
        return httpcore.AsyncConnectionPool(
            ssl_context=self.tls or _usual_tls(),
            max_connections=1,
            max_keepalive_connections=0,
            http2=False,
            retries=0,
            network_backend=network,
        )

    async def _answer_at(
        self, pool: httpcore.AsyncConnectionPool, address: WebAddress
    ) -> "_Answer | WebAddress":
        """The page, or where the server sends us instead."""
        target = httpcore.URL(
            scheme=address.scheme,
            host=address.host,
            port=address.port,
            target=address.target,
        )
        headers = (("Host", address.authority), *REQUEST_HEADERS)
        async with pool.stream("GET", target, headers=headers) as response:
            header_by_name = _first_headers(response)
            if response.status in REDIRECT_STATUSES:
                return _redirect_target(address, header_by_name.get("location", ""))
            return await self._read_answer(response, header_by_name)

    async def _read_answer(
        self, response: httpcore.Response, header_by_name: Mapping[str, str]
    ) -> "_Answer":
        if not 200 <= response.status < 300:
            raise ToolError(
                f"The server answered with status {response.status}. Use another page.",
                reason=f"status_{response.status}",
            )
        content_type, charset = read_type(header_by_name.get("content-type", ""))
        coding = header_by_name.get("content-encoding", "").strip().lower()
        body = PageBody(coding, self.most_bytes)
        async with aclosing(response.aiter_stream()) as chunks:  # type: ignore[type-var]  # it is an async generator
            async for chunk in chunks:
                if not body.take(chunk):
                    break
        return _Answer(
            status=response.status, content_type=content_type, charset=charset, body=body
        )


@dataclass(frozen=True, kw_only=True)
class _Answer:
    status: int
    content_type: str
    charset: str
    body: PageBody


def _page(url: str, address: WebAddress, asked: list[str], answer: _Answer) -> FetchedPage:
    return FetchedPage(
        url=url,
        final_url=address.url,
        redirects=tuple(asked),
        status=answer.status,
        content_type=answer.content_type,
        charset=answer.charset,
        body=answer.body.content(),
        truncated=answer.body.is_cut,
    )


@cache
def _usual_tls() -> ssl.SSLContext:
    return httpcore.default_ssl_context()


def _first_headers(response: httpcore.Response) -> dict[str, str]:
    """The first value of each header, by its lower-case name."""
    header_by_name: dict[str, str] = {}
    for name, value in response.headers:
        lower_name = name.decode("latin-1").lower()
        header_by_name.setdefault(lower_name, value.decode("utf-8", "replace"))
    return header_by_name


def _same_site(address: WebAddress, target: WebAddress) -> bool:
    """Whether both are one host; `www.` before a name makes no other one of it."""
    return address.host.removeprefix("www.") == target.host.removeprefix("www.")


def _redirect_target(address: WebAddress, location: str) -> WebAddress:
    """Where a redirect leads; raises `AddressRefused` where no page may be fetched."""
    if not location or "\\" in location or not location.isprintable():
        raise ToolError(
            "The server redirects to no readable address. Use another page.",
            reason="bad_redirect",
        )
    try:
        joined = urljoin(address.url, location)
    except ValueError:
        joined = location
    target = address_to_ask_about(joined)
    if address.scheme == "https" and target.scheme == "http":
        raise AddressRefused(
            "The page redirects from https to http, which is not followed. Use another page.",
            reason="downgraded",
        )
    return target


def _connection_fault(address: WebAddress, error: Exception) -> ToolError:
    """What a role is told of a connection that failed after it was made."""
    if isinstance(error.__context__, ssl.SSLCertVerificationError):
        return ToolError(
            f"{address.host} could not prove with its certificate who it is, so nothing was read. "
            "Use another page.",
            reason="certificate",
        )
    return ToolError(
        f"The connection to {address.host} broke off. Use another page, or go on without it.",
        reason="broken_connection",
    )
