"""The rewrite repeats the brief, joins short follow-ups, and adds search words."""

import json

from langchain_core.messages import HumanMessage, SystemMessage

from meetmind.llm.offline.model import answer
from meetmind.prompts.loader import section


def rewritten(brief: str, *earlier: str, language: str = "en") -> dict[str, object]:
    talk = "".join(section("utterance", text, by="person", turn="1") for text in earlier)
    human = f"<task>rewrite</task>{section('brief', brief)}<talk>{talk}</talk>"
    system = f"<language>{language}</language>"
    message = answer([SystemMessage(content=system), HumanMessage(content=human)])
    parsed: dict[str, object] = json.loads(message.text)
    return parsed


def test_a_brief_that_stands_alone_is_repeated() -> None:
    brief = "Let customers pay with a gift card."
    assert rewritten(brief)["rewritten_query"] == brief
    assert rewritten(brief, "We want faster search.")["rewritten_query"] == brief


def test_a_short_follow_up_is_joined_with_the_last_brief() -> None:
    found = rewritten(
        "and on mobile?", "Let customers pay with a gift card. How are refunds tested?"
    )
    assert found["rewritten_query"] == "Let customers pay with a gift card: and on mobile?"


def test_a_chinese_follow_up_is_joined_too() -> None:
    found = rewritten("那手机上呢？", "让顾客用礼品卡付款。", language="zh")
    assert found["rewritten_query"] == "让顾客用礼品卡付款：那手机上呢？"


def test_a_second_follow_up_is_joined_with_the_brief_before_both() -> None:
    found = rewritten("and why?", "Let customers pay with a gift card.", "and on mobile?")
    assert found["rewritten_query"] == "Let customers pay with a gift card: and why?"


def test_a_follow_up_without_a_talk_stands_as_it_is() -> None:
    assert rewritten("and on mobile?")["rewritten_query"] == "and on mobile?"


def test_search_words_come_in_the_other_language_first() -> None:
    terms = rewritten("How are refunds of coupons tested?")["expansion_terms"]
    assert isinstance(terms, list)
    assert "退款" in terms[:3]
    assert "优惠券" in terms[:3]
    assert len(terms) <= 8
    chinese = rewritten("优惠券怎么退款？", language="zh")["expansion_terms"]
    assert isinstance(chinese, list)
    assert {"refund", "coupon"} <= set(chinese[:3])


def test_a_brief_without_known_terms_gets_no_search_words() -> None:
    assert rewritten("How do tomatoes grow in winter?")["expansion_terms"] == []
