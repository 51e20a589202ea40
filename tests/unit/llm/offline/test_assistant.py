"""The assistant answers with quotes from all tables and names whose they are."""

import pytest

from tests.support.bike_rental import UNKNOWN_BRIEF, bike_passages
from tests.support.offline_meeting import Meeting


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
    assert "产品经理：「取消预订后，押金退款在 3 天内到账。」[product_manager_" in answer


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
