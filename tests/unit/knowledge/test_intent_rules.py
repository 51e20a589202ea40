"""Greetings and requirement words decide before any classifier."""

import pytest

from meetmind.knowledge.intent_examples import EXAMPLE_LANGUAGES, examples_in
from meetmind.knowledge.intent_rules import (
    CHITCHAT_GREETINGS,
    TEAM_KEYWORDS,
    folded,
    label_by_rule,
    trimmed,
)


@pytest.mark.parametrize("greeting", sorted(CHITCHAT_GREETINGS))
def test_a_message_that_is_a_greeting_is_chitchat(greeting: str) -> None:
    assert label_by_rule(greeting) == "chitchat"


@pytest.mark.parametrize(
    "message",
    [
        "  Hello!!! ",
        "HI",
        "hello 👋",
        "«Good morning»",
        "~你好~",
        "你好呀😊",
        "Ｈｅｌｌｏ",
        "good   evening.",
    ],
)
def test_punctuation_space_emoji_and_case_around_a_greeting_do_not_count(message: str) -> None:
    assert label_by_rule(message) == "chitchat"


@pytest.mark.parametrize(
    "message",
    [
        "hello, which carriers do we use?",
        "你好，退款要几天？",
        "history",
        "highlight it",
        "hello world app",
    ],
)
def test_a_greeting_with_something_after_it_is_left_to_the_classifier(message: str) -> None:
    assert label_by_rule(message) is None


@pytest.mark.parametrize("keyword", TEAM_KEYWORDS)
def test_a_message_that_contains_a_team_keyword_is_a_requirement(keyword: str) -> None:
    assert label_by_rule(f"Well, {keyword.upper()} a lift. 谢谢") == "development_requirement"


@pytest.mark.parametrize(
    "message",
    [
        "需求：退款要能拆分",
        "我们想开发一款记账软件",
        "背景。作为用户，我想收藏店铺",
        "新增功能：收藏",
    ],
)
def test_a_chinese_keyword_is_found_anywhere_and_with_full_width_signs(message: str) -> None:
    assert label_by_rule(message) == "development_requirement"


@pytest.mark.parametrize(
    "message",
    ["please implementing", "prerequirement: none", "superusers should be able to", "user story"],
)
def test_an_english_keyword_ends_at_word_boundaries(message: str) -> None:
    assert label_by_rule(message) is None


@pytest.mark.parametrize(
    "question",
    [
        "What are the requirements for a new password?",
        "Which features does the premium plan have?",
        "Do we need a consent banner for statistics cookies?",
        "Does the app support tablets?",
        "开通商户号需要准备什么材料？",
        "这个需求当初是谁提的",
        "新增功能有哪些？",
        "系统支持多仓吗",
    ],
)
def test_words_that_are_common_in_questions_are_no_keywords(question: str) -> None:
    assert label_by_rule(question) is None


@pytest.mark.parametrize("message", ["", "   ", "？？？", "👍", "\n"])
def test_a_message_without_a_letter_is_left_to_the_classifier(message: str) -> None:
    assert label_by_rule(message) is None


def test_no_keyword_takes_an_example_of_another_kind_away() -> None:
    for language in EXAMPLE_LANGUAGES:
        for example in examples_in(language):
            if example.label != "development_requirement":
                assert label_by_rule(example.text) in (None, example.label), example.text


def test_greetings_and_keywords_are_written_as_they_are_compared() -> None:
    for greeting in CHITCHAT_GREETINGS:
        assert greeting == trimmed(folded(greeting))
    for keyword in TEAM_KEYWORDS:
        assert keyword == folded(keyword)
