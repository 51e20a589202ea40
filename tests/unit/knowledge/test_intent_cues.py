"""Cues of a message."""

import pytest

from meetmind.knowledge.intent_cues import cues_of
from meetmind.knowledge.words import Language


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Could you please draft the agenda?", "en", "opens:works"),
        ("Please add a filter", "en", "opens:builds"),
        ("And how long is it valid", "en", "opens:asks"),
        ("Is it valid on Sundays", "en", "opens:asks_whether"),
        ("Make a short list of the risks", "en", "object:artefact"),
        ("Make a search page for the shop", "en", "object:product_part"),
        ("Guests should be able to cancel", "en", "actor_modal"),
        ("Is it valid?", "en", "asks"),
        ("帮我写一份纪要", "zh", "opens:work_verb"),
        ("请新增收藏", "zh", "opens:wish"),
        ("退款要几天？", "zh", "asks"),
        ("今天天气真好", "zh", "small_talk"),
    ],
)
def test_a_cue_is_found(text: str, language: Language, expected: str) -> None:
    assert expected in cues_of(text, language)


def test_a_cue_knows_whether_it_stands_at_the_start_or_ends_the_clause() -> None:
    cues = cues_of("what about the monthly sales figures and the checklist, please", "en")
    assert "question_word@start" in cues
    assert "artefact@start" not in cues
    assert "artefact@end" in cues


def test_two_cues_of_one_message_are_a_cue_together() -> None:
    assert "artefact&work_verb" in cues_of("写一份报告", "zh")


@pytest.mark.parametrize("text", ["", "  ", "?!", "。", "🙂", "please", "请"])
def test_a_message_of_next_to_nothing_has_cues_too(text: str) -> None:
    for language in ("en", "zh"):
        assert "short" in cues_of(text, language)
