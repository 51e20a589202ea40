"""The classifier on messages that somebody else wrote and that it did not learn from."""

from pathlib import Path

import pytest

from meetmind.evaluation.intent_accuracy import (
    accuracy_by_label,
    held_out_messages,
    intent_accuracy,
    share_right,
)
from meetmind.knowledge.intent_classifier import Intent, IntentClassifier
from meetmind.knowledge.intent_examples import EXAMPLE_LANGUAGES
from meetmind.knowledge.intent_labels import INTENT_LABELS
from meetmind.knowledge.words import Language

LEAST_RIGHT = 0.94
LEAST_RIGHT_A_LABEL = 0.8
LEAST_WELL_ROUTED = 0.95
ROUTE_MARGIN = 0.08
TEAM_LABELS = ("development_requirement", "task_instruction")


@pytest.fixture(scope="module")
def ngrams(tmp_path_factory: pytest.TempPathFactory) -> IntentClassifier:
    return IntentClassifier(model_name="none", model_folder=tmp_path_factory.mktemp("models"))


def test_the_lowest_rung_is_right_often_enough_in_both_languages(ngrams: IntentClassifier) -> None:
    accuracy_by_language = intent_accuracy(ngrams.classify)
    assert set(accuracy_by_language) == {"en", "zh"}
    assert min(accuracy_by_language.values()) >= LEAST_RIGHT, accuracy_by_language


@pytest.mark.parametrize("language", EXAMPLE_LANGUAGES)
def test_no_label_is_left_behind(ngrams: IntentClassifier, language: Language) -> None:
    share_by_label = accuracy_by_label(language, ngrams.classify)
    assert set(share_by_label) == set(INTENT_LABELS)
    assert min(share_by_label.values()) >= LEAST_RIGHT_A_LABEL, share_by_label


@pytest.mark.parametrize("language", EXAMPLE_LANGUAGES)
def test_messages_reach_the_team_or_the_assistant_as_they_should(
    ngrams: IntentClassifier, language: Language
) -> None:
    messages = held_out_messages(language)
    well_routed = 0
    for message in messages:
        intent = ngrams.classify(message.text)
        is_for_team = intent.margin >= ROUTE_MARGIN and intent.label in TEAM_LABELS
        if is_for_team == (message.label in TEAM_LABELS):
            well_routed += 1
    assert len(messages) == 100
    assert well_routed / len(messages) >= LEAST_WELL_ROUTED


def test_accuracy_is_the_share_of_right_labels(tmp_path: Path) -> None:
    lines = ['{"label": "chitchat", "text": "a"}', '{"label": "task_instruction", "text": "b"}']
    (tmp_path / "intent_en.jsonl").write_text("\n".join(lines), encoding="utf-8")
    messages = held_out_messages("en", tmp_path)
    always = Intent(label="chitchat", score=1.0, margin=1.0, rung="rule")
    assert share_right(messages, lambda text: always) == 0.5
