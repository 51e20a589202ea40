"""The examples from which the intent classifier learns."""

from collections import Counter

import pytest

from meetmind.evaluation.intent_accuracy import held_out_messages
from meetmind.knowledge.intent_examples import EXAMPLE_LANGUAGES, examples_in
from meetmind.knowledge.intent_labels import INTENT_LABELS
from meetmind.knowledge.intent_rules import folded, trimmed
from meetmind.knowledge.words import Language

LEAST_EXAMPLES = 60


def plain(text: str) -> str:
    return trimmed(folded(text))


@pytest.mark.parametrize("language", EXAMPLE_LANGUAGES)
def test_every_label_has_enough_examples(language: Language) -> None:
    count_by_label = Counter(example.label for example in examples_in(language))
    assert set(count_by_label) == set(INTENT_LABELS)
    assert min(count_by_label.values()) >= LEAST_EXAMPLES


@pytest.mark.parametrize("language", EXAMPLE_LANGUAGES)
def test_no_example_stands_there_twice(language: Language) -> None:
    texts = [folded(example.text) for example in examples_in(language)]
    assert [text for text, count in Counter(texts).items() if count > 1] == []


@pytest.mark.parametrize("language", EXAMPLE_LANGUAGES)
def test_no_example_equals_a_held_out_message(language: Language) -> None:
    examples = {plain(example.text) for example in examples_in(language)}
    held_out = {plain(message.text) for message in held_out_messages(language)}
    assert examples & held_out == set()


@pytest.mark.parametrize("language", EXAMPLE_LANGUAGES)
def test_examples_are_short_and_long(language: Language) -> None:
    for label in INTENT_LABELS:
        texts = [example.text for example in examples_in(language) if example.label == label]
        lengths = sorted(len(text) for text in texts)
        assert lengths[-1] > 4 * lengths[len(lengths) // 4]
