"""The ladder of the intent classifier."""

import logging
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from meetmind.errors import EmbeddingUnavailable
from meetmind.knowledge import intent_ngrams
from meetmind.knowledge.intent_classifier import IntentClassifier
from meetmind.knowledge.words import detect_language

NO_MODEL = "nobody/no-model"
KEY_WORDS = (
    *("what", "how", "?", "什么", "吗", "？"),
    *("add", "should", "support", "要能", "增加"),
    *("write", "list", "写", "整理"),
    *("thanks", "haha", "谢谢", "哈哈"),
)


@pytest.fixture(scope="module")
def ngrams(tmp_path_factory: pytest.TempPathFactory) -> IntentClassifier:
    return IntentClassifier(model_name=NO_MODEL, model_folder=tmp_path_factory.mktemp("models"))


def key_word_vectors(texts: Sequence[str]) -> list[list[float]]:
    """A poor man's encoder: which of the key words stand in a text."""
    vectors = []
    for text in texts:
        lowered = text.lower()
        vectors.append([1.0, *(float(word in lowered) for word in KEY_WORDS)])
    return vectors


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Honestly, this week has been so long, I only want to sleep", "chitchat"),
        ("How long do we keep the delivery photos?", "knowledge_question"),
        ("Guests should be able to reorder with one tap", "development_requirement"),
        ("Write a checklist for the go-live of the new till", "task_instruction"),
        ("今天好累啊，只想早点睡觉", "chitchat"),
        ("配送照片我们保留多久？", "knowledge_question"),
        ("顾客要能一键再来一单", "development_requirement"),
        ("写一份新收银机上线的检查清单", "task_instruction"),
    ],
)
def test_a_plain_message_gets_its_label(ngrams: IntentClassifier, text: str, label: str) -> None:
    intent = ngrams.classify(text)
    assert intent.label == label
    assert intent.rung == "n-grams"
    assert intent.margin >= 0.08


def test_score_and_margin_are_shares(ngrams: IntentClassifier) -> None:
    intent = ngrams.classify("Which carrier delivers on Sundays?")
    assert 0 < intent.margin <= intent.score < 1


def test_a_rule_is_certain_and_loads_nothing(tmp_path: Path) -> None:
    classifier = IntentClassifier(model_name=NO_MODEL, model_folder=tmp_path, encoder=no_encoder)
    for text, label in (("Hello!", "chitchat"), ("需求：收藏夹", "development_requirement")):
        intent = classifier.classify(text)
        assert (intent.label, intent.score, intent.margin) == (label, 1.0, 1.0)
        assert intent.rung == "rule"


def test_an_intent_cannot_be_changed(ngrams: IntentClassifier) -> None:
    intent = ngrams.classify("Hello")
    with pytest.raises(FrozenInstanceError):
        intent.label = "chitchat"  # type: ignore[misc]


@pytest.mark.parametrize("text", ["", " ", "?", "🙂🙂", "\ud800", "\x00", "؟ مرحبا", "a" * 20_000])
def test_any_text_gets_an_answer(ngrams: IntentClassifier, text: str) -> None:
    intent = ngrams.classify(text)
    assert 0 <= intent.margin <= intent.score <= 1


def test_only_the_beginning_of_an_endless_text_is_looked_at(ngrams: IntentClassifier) -> None:
    beginning = "Write a checklist for the go-live. " * 120
    assert ngrams.classify(beginning + "requirement: " * 99) == ngrams.classify(beginning)


def test_an_encoder_is_a_rung_above_the_n_grams(tmp_path: Path) -> None:
    classifier = IntentClassifier(
        model_name=NO_MODEL, model_folder=tmp_path, encoder=key_word_vectors
    )
    intent = classifier.classify("How is the fee computed, and what for?")
    assert (intent.rung, intent.label) == ("embedding", "knowledge_question")
    assert classifier.classify("写一份清单，整理一下风险").label == "task_instruction"


def no_encoder(texts: Sequence[str]) -> list[list[float]]:
    raise EmbeddingUnavailable("The embedding model is not on this disk.")


def test_an_encoder_without_a_model_is_logged_once_and_left(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    classifier = IntentClassifier(model_name=NO_MODEL, model_folder=tmp_path, encoder=no_encoder)
    with caplog.at_level(logging.WARNING):
        rungs = [classifier.classify("Which fee applies?").rung for _ in range(3)]
    assert rungs == ["n-grams"] * 3
    assert caplog.messages == [
        "Intents are recognised without embedding: The embedding model is not on this disk."
    ]


def test_an_encoder_that_fails_later_is_left_too(tmp_path: Path) -> None:
    def encoder(texts: Sequence[str]) -> list[list[float]]:
        if len(texts) == 1:
            return no_encoder(texts)
        return key_word_vectors(texts)

    classifier = IntentClassifier(model_name=NO_MODEL, model_folder=tmp_path, encoder=encoder)
    assert classifier.classify("Which fee applies?").rung == "n-grams"


def test_many_threads_train_once_and_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trained = []
    train = intent_ngrams.trained_model
    monkeypatch.setattr(
        intent_ngrams, "trained_model", lambda language: trained.append(language) or train(language)
    )
    classifier = IntentClassifier(model_name=NO_MODEL, model_folder=tmp_path)
    together = threading.Barrier(8)

    def ask(number: int) -> object:
        together.wait(timeout=30)
        return classifier.classify(("Which fee applies?", "哪种费用适用？")[number % 2])

    with ThreadPoolExecutor(max_workers=8) as executor:
        intents = set(executor.map(ask, range(8)))
    assert sorted(trained) == ["en", "zh"]
    assert len(intents) == 2


def test_warming_up_trains_both_languages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trained = []
    train = intent_ngrams.trained_model
    monkeypatch.setattr(
        intent_ngrams, "trained_model", lambda language: trained.append(language) or train(language)
    )
    classifier = IntentClassifier(model_name=NO_MODEL, model_folder=tmp_path)
    classifier.warm_up()
    classifier.classify("Which fee applies?")
    assert sorted(trained) == ["en", "zh"]


def test_a_message_with_a_foreign_word_is_read_in_its_language() -> None:
    assert detect_language("给 checkout 页加一个 Apple Pay 按钮") == "zh"
    assert detect_language("add WeChat Pay (微信) to the checkout") == "en"


def test_importing_the_classifier_loads_no_machine_learning_library() -> None:
    code = (
        "import sys, meetmind.knowledge.intent_classifier;"
        "print([name for name in ('sklearn', 'torch', 'transformers') if name in sys.modules])"
    )
    command = [sys.executable, "-c", code]
    root = Path(__file__).resolve().parents[3]
    finished = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    assert finished.stdout.strip() == "[]"
