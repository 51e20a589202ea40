"""The zero-shot rung, with a tiny model of the test's own."""

import logging
from pathlib import Path

import pytest

from meetmind.errors import KnowledgeError
from meetmind.knowledge.intent_classifier import IntentClassifier
from meetmind.knowledge.intent_nli import LABEL_BY_DESCRIPTION, NliRung, weights_folder

NAME = "somebody/tiny-nli"
LABELS = {0: "entailment", 1: "neutral", 2: "contradiction"}


def write_tiny_model(folder: Path, labels: dict[int, str] | None = None) -> None:
    """A BERT of one layer with random weights and a vocabulary of the sentences asked."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    words = sorted({word for text in LABEL_BY_DESCRIPTION for word in text.split()})
    vocabulary = {word: number for number, word in enumerate(["[PAD]", "[UNK]", "[SEP]", *words])}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=8,
        max_position_embeddings=512,
        id2label=labels or LABELS,
        label2id={label: number for number, label in (labels or LABELS).items()},
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token="[UNK]",
        pad_token="[PAD]",
        sep_token="[SEP]",
        model_max_length=512,
    )
    fast.save_pretrained(folder)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    write_tiny_model(folder / NAME)
    return folder


def test_weights_on_disk_make_the_nli_rung_answer(models: Path) -> None:
    classifier = IntentClassifier(model_name=NAME, model_folder=models)
    intent = classifier.classify("Which fee applies?")
    assert intent.rung == "nli"
    assert intent.label in LABEL_BY_DESCRIPTION.values()
    assert 0 <= intent.margin <= intent.score <= 1


def test_a_text_longer_than_the_model_reads_is_cut(models: Path) -> None:
    probabilities = NliRung(models / NAME).probabilities("fee " * 3_000)
    assert sum(probabilities.values()) == pytest.approx(1)
    assert set(probabilities) == set(LABEL_BY_DESCRIPTION.values())


@pytest.mark.parametrize("text", ["", "  ", "\ud800", "🙂"])
def test_a_blank_or_odd_text_is_judged_too(models: Path, text: str) -> None:
    classifier = IntentClassifier(model_name=NAME, model_folder=models)
    assert classifier.classify(text).rung == "nli"


def test_a_rule_comes_before_the_nli_rung(models: Path) -> None:
    classifier = IntentClassifier(model_name=NAME, model_folder=models)
    assert classifier.classify("Hello!").rung == "rule"


def test_a_folder_without_weights_is_no_model(tmp_path: Path) -> None:
    folder = tmp_path / NAME
    folder.mkdir(parents=True)
    assert weights_folder(NAME, tmp_path) is None
    (folder / "config.json").write_text("{}", encoding="utf-8")
    assert weights_folder(NAME, tmp_path) is None
    (folder / "model.safetensors").write_bytes(b"")
    assert weights_folder(NAME, tmp_path) == folder


def test_weights_that_cannot_be_read_are_logged_and_left(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_tiny_model(tmp_path / NAME)
    (tmp_path / NAME / "model.safetensors").write_bytes(b"cut off in the middle of a download")
    classifier = IntentClassifier(model_name=NAME, model_folder=tmp_path)
    with caplog.at_level(logging.WARNING, logger="meetmind"):
        assert classifier.classify("Which fee applies?").rung == "n-grams"
    assert "Intents are recognised without nli" in caplog.text


def test_a_model_that_knows_no_entailment_is_refused(tmp_path: Path) -> None:
    write_tiny_model(tmp_path / NAME, labels={0: "positive", 1: "negative"})
    with pytest.raises(KnowledgeError, match="no label for entailment"):
        NliRung(tmp_path / NAME)
