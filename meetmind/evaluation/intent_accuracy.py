"""How often the intent classifier is right on messages that it did not learn from."""

from collections.abc import Callable, Mapping
from pathlib import Path

from meetmind.config.settings import PROJECT_ROOT, Settings
from meetmind.knowledge.intent_classifier import Intent, IntentClassifier
from meetmind.knowledge.intent_examples import EXAMPLE_LANGUAGES, IntentExample, read_examples
from meetmind.knowledge.words import Language

HELD_OUT_FOLDER = PROJECT_ROOT / "tests" / "data"

Classify = Callable[[str], Intent]


def intent_accuracy(classify: Classify | None = None) -> dict[str, float]:
    """The share of held-out messages with the right label, 0 to 1, by language.

    Without `classify` the classifier that a fresh installation has is measured.
    """
    if classify is None:
        classify = installed_classifier().classify
    accuracy_by_language: dict[str, float] = {}
    for language in EXAMPLE_LANGUAGES:
        accuracy_by_language[language] = share_right(held_out_messages(language), classify)
    return accuracy_by_language


def accuracy_by_label(language: Language, classify: Classify) -> Mapping[str, float]:
    """The share of held-out messages of each label that get it."""
    messages_by_label: dict[str, list[IntentExample]] = {}
    for message in held_out_messages(language):
        messages_by_label.setdefault(message.label, []).append(message)
    return {label: share_right(messages, classify) for label, messages in messages_by_label.items()}


def held_out_messages(
    language: Language, folder: Path = HELD_OUT_FOLDER
) -> tuple[IntentExample, ...]:
    """The messages of a language that are no examples."""
    return read_examples(folder / f"intent_{language}.jsonl")


def share_right(
    messages: tuple[IntentExample, ...] | list[IntentExample], classify: Classify
) -> float:
    """The share of the messages whose label the classifier gives."""
    right = 0
    for message in messages:
        if classify(message.text).label == message.label:
            right += 1
    return right / len(messages)


def installed_classifier() -> IntentClassifier:
    """The classifier with the default settings: its best rung is what lies on this disk."""
    settings = Settings()
    return IntentClassifier(
        model_name=settings.intent_model_name, model_folder=settings.embedding_cache_dir
    )
