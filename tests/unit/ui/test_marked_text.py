import re

from hypothesis import example, given, settings
from hypothesis import strategies as st

from meetmind.ui.marked_text import BEGINS, ENDS, Marking, marked_markdown
from meetmind.ui.safe_text import WORD_JOINER, safe_markdown

# Code shows its signs as they are.
CODE_SPAN = re.compile(r"(?<![\\`])(`+)(?!`)[^\n]*?(?<!`)\1(?!`)")
HOSTILE = st.text(alphabet=" \n\t`~*_[]()!<>&#:$\\|{}-+=/.@awm1：，材料", max_size=60)


def marked(text: str, *words: str, are_stems: bool = False) -> str:
    return marked_markdown(text, [Marking(colour="green", words=words, are_stems=are_stems)])


def test_a_word_is_marked_in_any_case_and_only_as_a_whole() -> None:
    assert marked("Refunds, not refunds2.", "refunds").startswith(
        ":green-background[Refunds], not refunds2."
    )


def test_a_stem_marks_its_forms() -> None:
    assert ":green-background[refunds]" in marked("two refunds", "refund", are_stems=True)
    assert "background" not in marked("two refunds", "refund")


def test_overlapping_chinese_pairs_are_one_mark() -> None:
    assert ":green-background[退款窗口]为十四天" in marked(
        "退款窗口为十四天", "退款", "款窗", "窗口"
    )


def test_the_first_of_two_markings_has_a_word() -> None:
    markings = [Marking(colour="green", words=["a1"]), Marking(colour="blue", words=["a1", "b2"])]
    shown = marked_markdown("a1 b2", markings)
    assert ":green-background[a1] :blue-background[b2]" in shown


def test_code_shows_no_mark() -> None:
    assert "`refund()`" in marked("call `refund()` now", "refund")
    assert "background" not in marked("```\nrefund\n```", "refund")
    assert "background" not in marked("see https://shop.example/refund", "refund")


def test_a_colon_before_a_mark_stays_a_colon() -> None:
    assert marked("note:refund", "refund").startswith(r"note\::green-background[refund]")


def test_a_bracket_behind_a_mark_stays_text() -> None:
    for bracket in ("(x)", "{x=y}", "[x]"):
        shown = marked(f"refund{bracket}", "refund")
        assert f"[refund]{WORD_JOINER}" in shown or "[refund]\\[" in shown


def test_a_table_with_aligned_columns_stays_a_table() -> None:
    shown = marked("Rules:\n| a | b |\n|:---|:-:|\n| refund | 2 |", "refund")
    assert shown == "Rules:  \n\n| a | b |\n|---|-|\n| :green-background[refund] | 2 |"


def test_signs_of_our_own_in_a_document_mean_nothing() -> None:
    assert marked(f"{BEGINS[0]}a{ENDS} b", "b").startswith("a :green-background[b]")


@settings(max_examples=300, deadline=None)
@given(HOSTILE)
def test_without_words_the_text_is_what_the_safe_text_makes_of_it(text: str) -> None:
    assert marked(text) == safe_markdown(text, keep_lines=True)


@settings(max_examples=300, deadline=None)
@given(HOSTILE)
@example("`](1`")
def test_marking_adds_marks_and_nothing_that_fetches_or_links(text: str) -> None:
    shown = marked(text, "a", "材料", "1")
    assert not any(sign in shown for sign in (*BEGINS, ENDS))
    outside_code = CODE_SPAN.sub("``", shown)
    assert "](" not in outside_code.replace("\\](", "").replace("](`", "")
