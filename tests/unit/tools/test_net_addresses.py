"""Which IP addresses are public, and which spellings of an address are one address."""

import ipaddress
import random

import pytest

from meetmind.errors import AddressRefused
from meetmind.tools.web.public_addresses import why_not_public
from meetmind.tools.web.web_address import checked_address
from tests.support.odd_addresses import INNER_IPV4, INNER_IPV6, inner_addresses


@pytest.mark.parametrize("address", [*INNER_IPV4, *INNER_IPV6, "no address", "", "1.2.3.04"])
def test_an_inner_address_is_not_public(address: str) -> None:
    assert why_not_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "64:ff9b::8.8.8.8", "64:ff9b:1::8.8.8.8", "2002:808:808::1", "2001:0:808:808::1",
        "::ffff:8.8.8.8", "::8.8.8.8", "2001:470:1::5efe:8.8.8.8", "2001:470:1::200:5efe:8.8.8.8",
    ],
)  # fmt: skip
def test_an_address_that_holds_another_one_is_not_public(address: str) -> None:
    assert why_not_public(address)


@pytest.mark.parametrize(
    "address",
    ["1.1.1.1", "93.184.216.34", "172.15.0.1", "172.32.0.1", "2606:4700::1111", "2a00:1450::5"],
)
def test_a_public_address_is_public(address: str) -> None:
    assert why_not_public(address) == ""


def test_nothing_that_python_calls_inner_is_public() -> None:
    chance = random.Random(4)
    for _ in range(4_000):
        four = ipaddress.IPv4Address(chance.getrandbits(32))
        six = ipaddress.IPv6Address(chance.getrandbits(128) >> chance.choice((0, 0, 64, 96)))
        for address in (four, six):
            if not address.is_global or address.is_multicast or address.is_reserved:
                assert why_not_public(str(address)), address


def test_every_odd_spelling_is_refused_or_names_an_inner_address() -> None:
    odd = list(inner_addresses())
    assert len(set(odd)) >= 300
    for url in odd:
        try:
            host = checked_address(url).host
        except AddressRefused:
            continue
        # `http://127.0.0.1#@shop.example/` and the like are plain once they are read.
        assert why_not_public(host), url


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("https://Shop.Example", "https://shop.example/"),
        ("https://shop.example.:443/a#b", "https://shop.example/a"),
        ("http://shop.example:443/?", "http://shop.example:443/?"),
        ("http://1.1.1.1/a b".replace(" ", "%20"), "http://1.1.1.1/a%20b"),
        ("http://[2606:4700:0:0::1111]/", "http://[2606:4700::1111]/"),
        ("https://例子.测试/页?问=答", "https://xn--fsqu00a.xn--0zwm56d/%E9%A1%B5?%E9%97%AE=%E7%AD%94"),
        ("http://bücher.example/%7Ea%2fb%zz", "http://xn--bcher-kva.example/~a%2Fb%25zz"),
        ("http://a.example/x|y\"z", "http://a.example/x%7Cy%22z"),
    ],
)  # fmt: skip
def test_an_address_has_one_normal_form(url: str, normal: str) -> None:
    assert checked_address(url).url == normal
    assert checked_address(normal).url == normal


@pytest.mark.parametrize(
    "url",
    [
        "", "shop.example", "ftp://shop.example/", "http://", "http:///a", "http://shop..example/",
        "http://-shop.example/", "http://shop.example:99999/", "http://shop.example:8080/",
        "http://shop.example:/", "http://a b.example/", "http://a.example/\x00", "httpſ://a.example/",
        "http://a.example/\u202e", "http://a@b.example/", f"http://a.example/{'x' * 2000}",
        f"http://{'a.' * 130}example/", "http://%61.example/", "http://[::1/", "http://xn--a.0x1/",
        "http://１.1.1.1/", "http://1。1.1.1/", "http://ｓhop.example/", "http://shop。example/",
    ],
)  # fmt: skip
def test_what_is_no_plain_address_is_refused(url: str) -> None:
    with pytest.raises(AddressRefused):
        checked_address(url)
