"""The assistant answers with quotes from all tables and names whose they are."""

import pytest

from tests.support.bike_rental import UNKNOWN_BRIEF, bike_passages
from tests.support.offline_meeting import Meeting
from tests.support.seed_passages import make_passage


def asked(question: str, language: str = "en") -> str:
    return Meeting(passages=bike_passages(), brief=question, language=language).ask_assistant()


def test_an_answer_quotes_and_names_the_role() -> None:
    answer = asked("How long does the refund of a deposit take?")
    assert (
        "Product manager: “The deposit of a cancelled booking is refunded within 3 days.”" in answer
    )
    assert "[product_manager_" in answer
    assert "Tester:" in answer


def test_a_chinese_answer_is_chinese() -> None:
    answer = asked("取消预订后押金多久退款？", "zh")
    assert "产品经理：“取消预订后，押金退款在 3 天内到账。”[product_manager_" in answer


def test_documents_that_disagree_are_pointed_out() -> None:
    answer = asked("How long does the refund of a deposit take?")
    assert "do not agree here" in answer
    assert "3 days" in answer
    assert "10 days" in answer


@pytest.mark.parametrize("greeting", ["Hello!", "hi there", "你好", "谢谢！", "What can you do?"])
def test_small_talk_is_answered_without_a_search(greeting: str) -> None:
    language = "en" if greeting.isascii() else "zh"
    answer = asked(greeting, language)
    assert answer
    assert "[" not in answer


def test_what_nobody_knows_is_said() -> None:
    assert "I find nothing on that" in asked(UNKNOWN_BRIEF)


def test_a_question_for_a_time_is_answered_with_one_and_not_with_an_anecdote() -> None:
    rule = make_passage("product_manager", "退款进度", "微信支付的退款通常 1 个工作日到账。")
    anecdote = make_passage(
        "product_manager", "用户访谈", "2025年 有 8 位受访者等了几天才看到退款到账的消息。"
    )
    meeting = Meeting(passages=[anecdote, rule], brief="退款一般几天到账？", language="zh")
    answer = meeting.ask_assistant()
    assert "1 个工作日" in answer
    assert "受访者" not in answer


def test_one_common_word_makes_no_quote() -> None:
    stray = make_passage("architect", "Keys", "A repeated key returns the stored response to it.")
    window = make_passage("tester", "Window", "Unopened tea has a return window of 7 days.")
    question = "How long is the return window for unopened tea?"
    answer = Meeting(passages=[stray, window], brief=question).ask_assistant()
    assert "7 days" in answer
    assert "stored response" not in answer
