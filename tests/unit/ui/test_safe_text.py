import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meetmind.ui.safe_text import (
    WORD_JOINER,
    clean_text,
    safe_label,
    safe_markdown,
    shortened_within,
)

HOSTILE = st.text(alphabet=" \n\t`~*_[]()!<>&#:$\\|{}-+=/.@awm1：，😀材料é\u202e\x00", max_size=60)


def outside_code(markdown: str) -> str:
    """What the page reads as Markdown: our code blocks, code spans and escaped signs taken out."""
    without_blocks = re.sub(r"(?m)^(`{3,})text\n[\s\S]*?^\1$", "", markdown)
    return re.sub(r"\\.|`[^`\n]*`", "\x01", without_blocks)


def test_an_image_stays_text() -> None:
    assert safe_markdown("![a](x.png)") == r"!\[a\](x.png)"


def test_a_link_stays_text_and_its_address_becomes_code() -> None:
    assert safe_markdown("[here](https://evil.example/x)") == r"\[here\](`https://evil.example/x`)"


@pytest.mark.parametrize("address", ["https://a.b/c", "http://x", "www.a.b", "me@a.example"])
def test_a_bare_address_becomes_code(address: str) -> None:
    assert safe_markdown(f"see {address}.") == f"see `{address}`."


def test_dollars_are_no_formula() -> None:
    assert safe_markdown("$5 to $10") == r"\$5 to \$10"


@pytest.mark.parametrize(
    "directive", [":red[x]", ":small[x]", ":blue-badge[x]", "::leaf[x]", ":::box", ":shimmer[x]"]
)
def test_directives_are_shown_as_typed(directive: str) -> None:
    assert not re.search(r"(?<!\\):[a-z:]", safe_markdown(directive))


@pytest.mark.parametrize("code", [":tada:", ":+1:", ":material/home:", ":streamlit:", ":100:"])
def test_emoji_and_icon_codes_are_parted(code: str) -> None:
    assert f":{WORD_JOINER}" in safe_markdown(f"a {code} b")
    assert f":{WORD_JOINER}" in safe_label(f"a {code} b")


def test_html_stays_text() -> None:
    assert safe_markdown("<img src=x> &lt;b&gt;") == r"\<img src=x> \&lt;b\&gt;"


def test_a_fence_loses_its_language_and_cannot_be_closed_from_inside() -> None:
    shown = safe_markdown("```mermaid\na ``` b\n```\nafter **it**")
    assert shown == "````text\na ``` b\n````\n\nafter **it**"


def test_an_open_fence_is_closed() -> None:
    assert safe_markdown("```\nx").endswith("\n```")


def test_headings_become_bold_lines() -> None:
    assert safe_markdown("# Decided\ntext") == "**Decided**\n\ntext"


def test_lists_quotes_tables_and_code_survive() -> None:
    text = "- a\n  - b\n\n> q\n\n| a | b |\n|---|---|\n| 1 | `x` |"
    assert safe_markdown(text) == text


def test_a_bar_in_code_does_not_split_a_cell_into_live_text() -> None:
    assert ":red[" not in safe_markdown("| `a|:red[b]` |")


def test_citations_become_numbers_and_unknown_ones_go() -> None:
    numbers = {"backend_ab12cd34ef56": 2}
    shown = safe_markdown(
        "x [backend_ab12cd34ef56] y [tester_000000000000]", citation_numbers=numbers
    )
    assert shown.split() == ["x", ":gray-badge[2]", "y"]


def test_chinese_bold_before_a_colon_stays_bold() -> None:
    assert safe_markdown("**已定：**顾客") == "**已定：**\u200a顾客"


def test_ranges_are_not_struck_through() -> None:
    assert safe_markdown("3~5天，7~10天") == r"3\~5天，7\~10天"


def test_every_line_of_plain_text_can_be_kept() -> None:
    assert safe_markdown("a\nb", keep_lines=True) == "a  \nb  "


def test_a_label_is_one_line_without_markdown() -> None:
    assert safe_label("# *a*\n [b](c) 1|2") == r"\# \*a\* \[b\](c) 1\|2"


def test_characters_that_cannot_be_sent_are_dropped() -> None:
    assert clean_text("a\ud800b\x00c\u202ed\r\ne") == "abcd\ne"


@pytest.mark.parametrize(
    "piece",
    ["a", "**a ", "`", "`a``", ":a", "[", "> ", "- ", "a@", "# ", "\\", "|", "https://", "@a."],
)
def test_long_hostile_text_takes_no_long_time(piece: str) -> None:
    text = piece * (20_000 // len(piece))
    began = time.perf_counter()
    safe_markdown(text)
    safe_label(text)
    assert time.perf_counter() - began < 2.0


@settings(max_examples=300)
@given(HOSTILE)
def test_nothing_hostile_is_left_outside_of_code(text: str) -> None:
    live = outside_code(safe_markdown(text))
    assert "[" not in live
    assert "<" not in live
    assert "$" not in live
    assert "`" not in live
    assert "://" not in live
    assert re.search(r":[\w+\-/]+:", live, re.ASCII) is None
    assert re.search(r":[a-z]", live) is None


@settings(max_examples=300)
@given(HOSTILE)
def test_a_label_never_holds_live_markdown(text: str) -> None:
    live = re.sub(r"\\.", "\x01", safe_label(text))
    assert re.search(r"[`*_\[\]<>$~|#!]", live) is None
    assert "\n" not in live
    assert re.search(r":[a-z]", live) is None


@settings(max_examples=300)
@given(HOSTILE)
def test_what_is_safe_can_be_sent(text: str) -> None:
    safe_markdown(text).encode("utf-8")
    safe_label(text).encode("utf-8")


def test_a_long_text_keeps_its_beginning_and_its_end() -> None:
    assert shortened_within("short", 30) == "short"
    assert shortened_within("cancel an unpaid order and give the coupons back", 30) == (
        "cancel an unpaid ord…upons back"
    )
