"""Which web addresses somebody gave, and that a model cannot add to one."""

import time

import pytest

from meetmind.tools.web.known_addresses import gives_address, normal_address


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("See https://shop.example/refunds.", "https://shop.example/refunds"),
        ("请看https://shop.example/规则，谢谢", "https://shop.example/规则"),
        ("（见 https://shop.example/a）。", "https://shop.example/a"),
        ("打开https://shop.example/a看看", "https://shop.example/a"),
        ("[rules](https://shop.example/a) here", "https://shop.example/a"),
        ("<https://shop.example/a>, <b>", "https://shop.example/a"),
        ("**https://shop.example/a**", "https://shop.example/a"),
        ('{"url":"https://shop.example/a","n":1}', "https://shop.example/a"),
        ("'https://shop.example/a', and", "https://shop.example/a"),
        ("(https://wiki.example/Bike_(city)).", "https://wiki.example/Bike_(city)"),
        ("HTTPS://SHOP.example:443/a#top!", "https://shop.example/a"),
        ("| www.shop.example/a | b |", "http://www.shop.example/a"),
        ("www.shop.example。", "https://www.shop.example/"),
        ("https://a.example/x,https://b.example/y;", "https://b.example/y"),
        (
            "https://a.example/go?to=https://b.example/",
            "https://a.example/go?to=https://b.example/",
        ),
        ("&lt;https://a.example/?x=1&amp;y=2&gt;", "https://a.example/?x=1&amp;y=2&gt"),
        ('href="https://a.example/?x=1&amp;y=2"', "https://a.example/?x=1&y=2"),
        ("https://例子.测试/a", "https://xn--fsqu00a.xn--0zwm56d/a"),
        ("https://shop.example/a\\nNext line", "https://shop.example/a"),
    ],
)
def test_an_address_in_a_text_is_known(text: str, address: str) -> None:
    assert gives_address(text, address)


@pytest.mark.parametrize(
    "asked",
    [
        "https://shop.example/a?secret=1", "https://shop.example/a/secret", "https://shop.example/",
        "https://shop.example/a/", "http://shop.example/a", "https://secret.shop.example/a",
        "https://shop.example:8443/a", "https://secret@shop.example/a", "https://shop.example/A",
        "https://shop.example/a%20secret", "not an address", "",
    ],
)  # fmt: skip
def test_an_address_that_differs_from_the_given_one_is_not_known(asked: str) -> None:
    text = "Please read https://shop.example/a and say what it means."
    assert gives_address(text, "https://shop.example/a")
    assert not gives_address(text, asked)


def test_another_spelling_of_the_same_address_is_known() -> None:
    text = "https://Shop.Example/%7Eann/a%2fb"
    for spelling in (
        "HTTPS://shop.example:443/~ann/a%2Fb",
        "https://shop.example./~ann/a%2Fb#part",
    ):
        assert gives_address(text, spelling)
    assert not gives_address(text, "https://shop.example/~ann/a/b")


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("See https://BÜCHER.example/a.", "https://xn--bcher-kva.example/a"),
        ("See https://xn--bcher-kva.example/a.", "https://bücher.example/a"),
        ("See https://shop.example/%61bc", "https://shop.example/abc"),
        ("See https://SHOP.example/规则/a", "https://shop.example/%E8%A7%84%E5%88%99/a"),
        ("See http://[2606:2800:0220:0001::0]/a", "http://[2606:2800:220:1::]/a"),
    ],
)
def test_what_has_many_spellings_is_known_in_each(text: str, url: str) -> None:
    assert gives_address(text, url)


def test_a_sign_at_the_end_may_belong_to_the_address() -> None:
    text = "See https://wiki.example/Washington,_D.C."
    assert gives_address(text, "https://wiki.example/Washington,_D.C.")
    assert gives_address(text, "https://wiki.example/Washington,_D.C")


def test_what_is_no_address_has_no_normal_form() -> None:
    assert normal_address("mailto:ann@shop.example") == ""
    text = "http:// https:/x www. awww.shop.example a@www.shop.example mailto:ann@shop.example"
    assert not gives_address(text, "https://www.shop.example/")
    assert not gives_address(text, "mailto:ann@shop.example")


def test_a_long_text_is_searched_in_no_time() -> None:
    text = "http://" * 20_000 + " https://a.example/" + ")" * 50_000 + " http://a.example/b" * 5_000
    started = time.perf_counter()
    assert not gives_address(text, "http://a.example/c")
    assert gives_address(text, "http://a.example/b")
    assert time.perf_counter() - started < 2.0
