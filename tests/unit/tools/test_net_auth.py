"""Pages are fetched from public addresses only, and only so much of them for so long."""

import asyncio
import gzip
import time
import tracemalloc
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from meetmind.errors import AddressRefused, ToolError
from meetmind.tools.net_auth import FetchedPage, LeadsElsewhere
from meetmind.tools.web.page_body import PageBody
from tests.support.certificates import tls_pair
from tests.support.net_world import (
    OTHER_PUBLIC_IPV4,
    PUBLIC_IPV4,
    PUBLIC_IPV6,
    Answers,
    NetWorld,
)
from tests.support.web_pages import Reply, html, redirect

SHOP = "http://shop.example/"
HELLO = html("<p>Hello</p>")
SHOP_ANSWERS: Answers = {"shop.example": [[PUBLIC_IPV4]]}
Fetched = FetchedPage | LeadsElsewhere | ToolError


def fetch(
    url: str,
    pages: Mapping[str, Reply],
    answers: Answers = SHOP_ANSWERS,
    *,
    tls: tuple[Any, Any] = (None, None),
    **changes: Any,
) -> tuple[Fetched, NetWorld]:
    """The page or the refusal, and the world in which it happened."""
    server_tls, client_tls = tls

    async def run() -> tuple[Fetched, NetWorld]:
        async with NetWorld(pages, answers, server_tls) as world:
            authority = world.authority(tls=client_tls, **changes)
            try:
                return await authority.fetch(url), world
            except ToolError as error:
                return error, world

    return asyncio.run(run())


def page_of(fetched: Fetched) -> FetchedPage:
    assert isinstance(fetched, FetchedPage), fetched
    return fetched


def reason_of(fetched: Fetched) -> str:
    assert isinstance(fetched, ToolError), fetched
    return fetched.reason


def test_a_public_page_is_fetched_from_the_address_that_was_checked() -> None:
    fetched, world = fetch("HTTP://Shop.Example:80/a%7eb?x=1#part", {"/a~b?x=1": HELLO})
    page = page_of(fetched)
    assert page.body == b"<p>Hello</p>"
    assert (page.content_type, page.charset, page.status) == ("text/html", "utf-8", 200)
    assert page.final_url == "http://shop.example/a~b?x=1"
    assert world.connections == [(PUBLIC_IPV4, 80)]
    assert world.resolved == ["shop.example"]


def test_nothing_of_the_surroundings_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9/")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9/")
    cookie = Reply(
        status=302, headers={"Location": "/second", "Set-Cookie": "id=1", "X-Auth": "abc"}
    )
    _, world = fetch(SHOP, {"/": cookie, "/second": HELLO})
    first, second = world.public.requests
    assert first.line == "GET / HTTP/1.1"
    assert second.line == "GET /second HTTP/1.1"
    names = {"host", "user-agent", "accept", "accept-encoding", "connection"}
    assert set(first.headers) == set(second.headers) == names


@pytest.mark.parametrize("address", ["127.0.0.1", "10.1.2.3", "64:ff9b::7f00:1", "fe80::1%eth0"])
def test_one_bad_address_among_good_ones_refuses_the_page(address: str) -> None:
    answers = {"shop.example": [[PUBLIC_IPV4, PUBLIC_IPV6, address]]}
    fetched, world = fetch(SHOP, {"/": HELLO}, answers)
    assert isinstance(fetched, AddressRefused)
    assert reason_of(fetched) == "not_public"
    assert world.connections == []


def test_a_name_that_resolves_otherwise_a_moment_later_changes_nothing() -> None:
    answers = {"shop.example": [[PUBLIC_IPV4], ["127.0.0.1"]]}
    fetched, world = fetch(SHOP, {"/": HELLO}, answers)
    assert page_of(fetched).body == b"<p>Hello</p>"
    assert world.connections == [(PUBLIC_IPV4, 80)]
    assert len(world.resolved) == 1


def test_a_redirect_resolves_and_checks_again() -> None:
    answers = {"shop.example": [[PUBLIC_IPV4], ["127.0.0.1"]]}
    fetched, world = fetch(SHOP, {"/": redirect("/again"), "/again": HELLO}, answers)
    assert reason_of(fetched) == "not_public"
    assert world.connections == [(PUBLIC_IPV4, 80)]
    assert world.inner.accepted == 0


@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.1/", "//169.254.169.254/latest/meta-data", "http://2130706433/",
        "http://[::ffff:10.0.0.1]/", "http://shop.example:8080/",
        "http://user@shop.example/", "file:///etc/passwd", "http://localhost/", "\\\\127.0.0.1\\",
    ],
)  # fmt: skip
def test_a_redirect_to_what_may_not_be_fetched_is_not_followed(location: str) -> None:
    pages = {"/": redirect("/two"), "/two": redirect(location)}
    fetched, world = fetch(SHOP, pages)
    assert isinstance(fetched, ToolError)
    assert world.escapes == []
    assert world.inner.accepted == 0
    assert len(world.connections) == 2


@pytest.mark.parametrize(
    "target", ["http://other.example/a?b=c", "http://inner.example/", "http://my.shop.example/"]
)
def test_a_redirect_to_another_host_is_told_and_not_followed(target: str) -> None:
    answers = {
        "shop.example": [[PUBLIC_IPV4]],
        "other.example": [[OTHER_PUBLIC_IPV4]],
        "my.shop.example": [[OTHER_PUBLIC_IPV4]],
        "inner.example": [["192.168.0.1"]],
    }
    pages = {"/": redirect("/two"), "/two": redirect(target), "/a?b=c": HELLO}
    fetched, world = fetch(SHOP, pages, answers)
    assert isinstance(fetched, LeadsElsewhere)
    assert fetched.redirects == (SHOP, f"{SHOP}two")
    assert fetched.target_url == target
    assert world.connections == [(PUBLIC_IPV4, 80)] * 2
    assert set(world.resolved) == {"shop.example"}


def test_www_before_the_name_is_the_same_host() -> None:
    answers = {name: [[PUBLIC_IPV4]] for name in ("shop.example", "www.shop.example")}
    pages = {
        "shop.example/": redirect("http://www.shop.example/a"),
        "www.shop.example/a": redirect("http://shop.example/b"),
        "shop.example/b": HELLO,
    }
    fetched, _ = fetch(SHOP, pages, answers)
    assert page_of(fetched).final_url == "http://shop.example/b"


def test_redirects_are_followed_five_times_and_told() -> None:
    pages = {f"/{i}": redirect(f"/{i + 1}", 307) for i in range(6)}
    fetched, _ = fetch(f"{SHOP}1", {**pages, "/6": HELLO})
    page = page_of(fetched)
    assert page.final_url == f"{SHOP}6"
    assert page.redirects == tuple(f"{SHOP}{i}" for i in range(1, 6))
    fetched, world = fetch(f"{SHOP}0", {**pages, "/6": HELLO})
    assert reason_of(fetched) == "many_redirects"
    assert len(world.connections) == 6


def test_https_is_checked_by_the_name_of_the_host(tmp_path: Path) -> None:
    tls = tls_pair(tmp_path, "shop.example")
    answers = {**SHOP_ANSWERS, "other.example": [[OTHER_PUBLIC_IPV4]]}
    pages = {"shop.example/": HELLO, "other.example/": HELLO}
    fetched, world = fetch("https://shop.example/", pages, answers, tls=tls)
    assert page_of(fetched).body == b"<p>Hello</p>"
    assert world.connections == [(PUBLIC_IPV4, 443)]
    fetched, world = fetch("https://other.example/", pages, answers, tls=tls)
    assert reason_of(fetched) == "certificate"
    assert world.public_tls.requests == []


def test_http_may_lead_to_https_and_never_back(tmp_path: Path) -> None:
    tls = tls_pair(tmp_path, "shop.example")
    pages = {"/": redirect("https://shop.example/safe"), "/safe": HELLO}
    fetched, _ = fetch(SHOP, pages, tls=tls)
    assert page_of(fetched).final_url == "https://shop.example/safe"
    pages = {"/safe": redirect("http://shop.example/"), "/": HELLO}
    fetched, _ = fetch("https://shop.example/safe", pages, tls=tls)
    assert reason_of(fetched) == "downgraded"


def test_another_address_is_tried_where_one_does_not_answer() -> None:
    answers = {"shop.example": [[PUBLIC_IPV6, PUBLIC_IPV4]]}

    async def run() -> list[tuple[str, int]]:
        async with NetWorld({"/": HELLO}, answers) as world:

            async def connect(address: str, port: int) -> Any:
                if address == PUBLIC_IPV6:
                    raise OSError("no route")
                return await world.connect(address, port)

            page = await world.authority(connect=connect).fetch(SHOP)
            assert page.status == 200
            return world.connections

    assert asyncio.run(run()) == [(PUBLIC_IPV4, 80)]


def zeros(count: int) -> Iterator[bytes]:
    for _ in range(count):
        yield b"0" * 65_536


def test_a_huge_page_is_read_up_to_a_bound() -> None:
    endless = Reply(headers={"Content-Type": "text/plain"}, pieces=zeros(10_000), has_length=False)
    fetched, _ = fetch(SHOP, {"/": endless})
    page = page_of(fetched)
    assert page.truncated
    assert len(page.body) == 2_000_000


def test_a_gzip_bomb_is_not_expanded() -> None:
    bomb = gzip.compress(bytes(60_000_000), 9)
    assert len(bomb) < 100_000
    packed = Reply(
        headers={"Content-Type": "text/plain", "Content-Encoding": "gzip"}, pieces=(bomb,)
    )
    fetched, _ = fetch(SHOP, {"/": packed})
    page = page_of(fetched)
    assert page.truncated
    assert len(page.body) == 2_000_000
    body = PageBody("gzip", 2_000_000)
    tracemalloc.start()
    assert not body.take(bomb)
    _, most_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most_bytes < 10_000_000


def test_a_packed_page_is_unpacked_and_a_damaged_one_is_refused() -> None:
    whole = gzip.compress("规则".encode() * 1_000)
    headers = {"Content-Type": "text/plain", "Content-Encoding": "gzip"}
    fetched, _ = fetch(SHOP, {"/": Reply(headers=headers, pieces=(whole[:50], whole[50:]))})
    assert page_of(fetched).body.decode() == "规则" * 1_000
    assert not page_of(fetched).truncated
    fetched, _ = fetch(SHOP, {"/": Reply(headers=headers, pieces=(b"no gzip at all",))})
    assert reason_of(fetched) == "damaged_page"
    other = {"Content-Type": "text/plain", "Content-Encoding": "br"}
    fetched, _ = fetch(SHOP, {"/": Reply(headers=other, pieces=(b"x",))})
    assert reason_of(fetched) == "unread_coding"


def test_a_page_that_drips_is_given_up_after_its_time() -> None:
    drip = Reply(headers={"Content-Type": "text/plain"}, pieces=(b".",) * 100, pause_seconds=0.1)
    started = time.perf_counter()
    fetched, _ = fetch(SHOP, {"/": drip}, most_seconds=0.5)
    assert reason_of(fetched) == "too_slow"
    assert time.perf_counter() - started < 2.0


def test_a_resolver_that_never_answers_is_given_up_too() -> None:
    async def resolve(host: str, port: int) -> Any:
        await asyncio.Event().wait()

    fetched, _ = fetch(SHOP, {}, resolve=resolve, most_seconds=0.2)
    assert reason_of(fetched) == "too_slow"


@pytest.mark.parametrize(
    ("content_type", "is_read"),
    [
        ("text/html", True), ("application/xhtml+xml; charset=gbk", True), ("TEXT/PLAIN", True),
        ("text/markdown", True), ("application/json", True), ("application/atom+xml", True),
        ("text/csv", True), ("image/png", False), ("application/pdf", False),
        ("image/svg+xml", False), ("application/octet-stream", False), ("text/event-stream", False),
    ],
)  # fmt: skip
def test_only_texts_are_read(content_type: str, is_read: bool) -> None:
    fetched, _ = fetch(SHOP, {"/": html("x", content_type)})
    if is_read:
        assert page_of(fetched).body == b"x"
    else:
        assert reason_of(fetched) == "content_type"


def test_what_goes_wrong_is_told_with_its_reason() -> None:
    fetched, _ = fetch(SHOP, {})
    assert reason_of(fetched) == "status_404"
    fetched, _ = fetch(SHOP, {}, {"shop.example": [[]]})
    assert reason_of(fetched) == "unknown_host"
    cut_off = Reply(headers={"Content-Type": "text/plain", "Content-Length": "50"}, pieces=zeros(0))
    fetched, _ = fetch(SHOP, {"/": cut_off})
    assert reason_of(fetched) == "broken_connection"
    fetched, _ = fetch(SHOP, {"/": Reply(status=302)})
    assert reason_of(fetched) == "bad_redirect"
