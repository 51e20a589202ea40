"""Lines fit the terminal in both scripts and nothing is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from meetmind.cli.wrapping import CLOSING, CONTINUED, exact, printable, wrapped

CHINESE = (
    "我们需要支持 API 的幂等性，否则客户可能会被扣两次款。支付回调（payment callback）会重复到达。"
)
ENGLISH = "Payment callbacks sometimes arrive twice; nobody may be charged twice."
MIXED = f"{CHINESE}\n\n{ENGLISH} https://example.com/a/very/long/address/without/any/space"


@pytest.mark.parametrize("text", [CHINESE, ENGLISH, MIXED])
def test_no_line_is_wider_than_the_terminal(text: str) -> None:
    for width in range(2, 130):
        for line in wrapped(text, width).split("\n"):
            assert cell_len(line) <= width


@pytest.mark.parametrize("width", [2, 7, 20, 40, 79])
@pytest.mark.parametrize("text", [CHINESE, ENGLISH, MIXED])
def test_no_character_is_lost(text: str, width: int) -> None:
    kept = "".join(wrapped(text, width).split())
    assert kept == "".join(text.split())


def test_chinese_fills_the_line() -> None:
    lines = wrapped("字" * 50, 21).split("\n")
    assert [cell_len(line) for line in lines] == [20, 20, 20, 20, 20]


def test_english_words_stay_whole() -> None:
    assert wrapped("one two three", 8) == "one two\nthree"


def test_closing_marks_do_not_begin_a_line() -> None:
    for width in range(10, 60):
        for line in wrapped(CHINESE, width).split("\n"):
            assert line[0] not in CLOSING


def test_an_indent_counts_as_part_of_the_line() -> None:
    lines = wrapped("字" * 10, 10, indent="  ").split("\n")
    assert lines == ["  字字字字", "  字字字字", "  字字"]


def test_nothing_in_a_text_steers_the_terminal() -> None:
    assert printable("a\x1b[31mb\x07\x00\x9bc\td\r\ne\ud800") == "a[31mbc    d\ne"


@given(st.text(), st.integers(min_value=2, max_value=100))
def test_any_text_fits_any_width(text: str, width: int) -> None:
    for line in wrapped(text, width).split("\n"):
        assert cell_len(line) <= width


def test_what_is_to_be_judged_hides_nothing() -> None:
    shown = exact("pay\u200bment\u202e\x1b[31m\ttab  \r\nnext \n⟨U+0020⟩", 80)
    assert shown.split("\n") == [
        "  pay⟨U+200B⟩ment⟨U+202E⟩⟨U+001B⟩[31m⟨U+0009⟩tab ⟨U+0020⟩",
        "  next⟨U+0020⟩",
        "  ⟨U+27E8⟩U+0020⟩",
    ]


def test_the_rest_of_a_long_line_cannot_pass_for_a_line() -> None:
    assert exact("x" * 15, 10, "    ") == "    xxxxxx\n  ↪ xxxxxx\n  ↪ xxx"


@given(st.text(), st.integers(min_value=6, max_value=60))
def test_an_exact_text_can_be_put_together_again(text: str, width: int) -> None:
    lines = exact(text, width).split("\n")
    together = ""
    for line in lines:
        assert cell_len(line) <= width
        is_continued = line.startswith(CONTINUED)
        together += line[2:] if is_continued else "\n" + line[2:]
    assert together[1:] == exact(text, 100_000).replace("\n  ", "\n")[2:]
