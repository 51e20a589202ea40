"""A cross-encoder with random weights: loading, scores, order and the time budget."""

import math
from itertools import count
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from meetmind.errors import EmbeddingUnavailable
from meetmind.knowledge.models.cross_encoder import CrossEncoderModel, find_cross_encoder
from tests.unit.knowledge.models.tiny_models import write_tiny_cross_encoder

QUERY = "orders are cancelled"
PASSAGES = (
    "gift cards",
    "orders are cancelled after thirty minutes",
    "tea",
    "refund after thirty minutes and tea and tea and tea and tea",
    "cards are cancelled",
    "minutes after minutes",
    "tea",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cross") / "BAAI" / "bge-reranker-base"
    write_tiny_cross_encoder(folder)
    return folder


def test_each_passage_has_the_sigmoid_of_its_own_logit(folder: Path) -> None:
    scores = CrossEncoderModel(folder, 1).score(QUERY, PASSAGES, 60.0)

    assert scores is not None
    assert len(set(scores)) == len(set(PASSAGES))
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder)
    for passage, score in zip(PASSAGES, scores, strict=True):
        inputs = tokenizer(QUERY, passage, return_tensors="pt")
        with torch.inference_mode():
            logit = model(**inputs).logits.item()
        assert score == pytest.approx(1.0 / (1.0 + math.exp(-logit)), abs=1e-5)


def test_no_passages_have_no_scores(folder: Path) -> None:
    assert CrossEncoderModel(folder, 1).score(QUERY, [], 1.0) == []


def test_a_passage_beyond_the_models_length_is_cut(folder: Path) -> None:
    scores = CrossEncoderModel(folder, 1).score(QUERY, ["tea " * 500], 60.0)

    assert scores is not None


def test_it_gives_up_when_the_first_batch_shows_that_time_will_not_suffice(folder: Path) -> None:
    ticks = count()
    looks: list[float] = []

    def clock() -> float:
        looks.append(float(next(ticks)))
        return looks[-1]

    model = CrossEncoderModel(folder, 1, clock)

    # One batch takes one tick here; 4 of the 59 tokens' ticks are far beyond 5.
    assert model.score(QUERY, PASSAGES, 5.0) is None
    assert len(looks) == 4
    assert model.score(QUERY, PASSAGES, 1_000.0) is not None


def test_it_gives_up_while_another_thread_holds_the_model(folder: Path) -> None:
    model = CrossEncoderModel(folder, 1)

    with model._turn:
        assert model.score(QUERY, PASSAGES, 0.01) is None


def test_a_classifier_with_several_outputs_is_refused(tmp_path: Path) -> None:
    write_tiny_cross_encoder(tmp_path, label_count=3)

    with pytest.raises(EmbeddingUnavailable, match="gives 3 values"):
        CrossEncoderModel(tmp_path, 1)


def test_broken_weights_are_named(folder: Path, tmp_path: Path) -> None:
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "model.safetensors").write_bytes(b"cut off")

    with pytest.raises(EmbeddingUnavailable, match="cannot be loaded"):
        CrossEncoderModel(tmp_path, 1)


def test_it_is_found_by_path_and_by_name(folder: Path, tmp_path: Path) -> None:
    cache_dir = folder.parent.parent

    assert find_cross_encoder(str(folder), tmp_path) == folder
    assert find_cross_encoder("BAAI/bge-reranker-base", cache_dir) == folder
    assert find_cross_encoder("BAAI/bge-reranker-base", folder.parent) == folder


def test_a_folder_without_weights_is_none(tmp_path: Path) -> None:
    (tmp_path / "bge-reranker-base").mkdir()
    (tmp_path / "bge-reranker-base" / "config.json").write_text("{}")

    assert find_cross_encoder("BAAI/bge-reranker-base", tmp_path) is None
