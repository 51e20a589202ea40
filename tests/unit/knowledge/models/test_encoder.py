"""Encoding with a tiny model: prefixes, offsets, lengths and the two runtimes."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from meetmind.errors import EmbeddingUnavailable
from meetmind.knowledge.models.encoder import EXPORT, MADE_FILE, open_encoder, read_folder_facts
from meetmind.knowledge.models.onnx_encoder import OnnxEncoder
from meetmind.knowledge.models.onnx_export import write_int8_export
from meetmind.knowledge.models.torch_encoder import TorchEncoder
from tests.unit.knowledge.models.tiny_models import write_tiny_bert

TEXTS = (
    "orders are cancelled",
    "  tea and   gift cards",
    "",
    "refund after thirty minutes",
    "tea " * 40,
)
WITHOUT_TORCH = """
import sys
from pathlib import Path
from meetmind.knowledge.models.encoder import open_encoder
encoder = open_encoder(Path(sys.argv[1]), 1)
encoder.encode(["tea"], "query")
print(encoder.runtime, "torch" in sys.modules, "transformers" in sys.modules)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny-model")
    write_tiny_bert(folder)
    (folder / EXPORT).parent.mkdir()
    write_int8_export(folder, folder / EXPORT)
    (folder / MADE_FILE).write_text('{"model": "tiny"}')
    return folder


def test_both_runtimes_give_nearly_the_same_vectors(folder: Path) -> None:
    by_export = OnnxEncoder(folder, 1).encode(TEXTS, "passage")
    by_torch = TorchEncoder(folder, 1).encode(TEXTS, "passage")

    assert by_export.vectors.shape == (len(TEXTS), 32)
    assert by_export.vectors.dtype == np.float32
    cosines = np.sum(by_export.vectors * by_torch.vectors, axis=1)
    assert cosines.min() > 0.99
    for tokens_by_export, tokens_by_torch in zip(by_export.tokens, by_torch.tokens, strict=True):
        assert np.array_equal(tokens_by_export.offsets, tokens_by_torch.offsets)


def test_vectors_of_texts_and_tokens_have_unit_length(folder: Path) -> None:
    encoded = OnnxEncoder(folder, 1).encode(TEXTS, "query")

    assert np.linalg.norm(encoded.vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    for tokens in encoded.tokens:
        assert len(tokens.vectors) == len(tokens.offsets)
        assert np.linalg.norm(tokens.vectors, axis=1) == pytest.approx(1.0, abs=1e-5)


def test_a_text_has_the_same_vector_alone_and_beside_longer_ones(folder: Path) -> None:
    encoder = TorchEncoder(folder, 1)
    together = encoder.encode(TEXTS, "passage").vectors

    for position, text in enumerate(TEXTS):
        alone = encoder.encode([text], "passage").vectors[0]
        assert together[position] == pytest.approx(alone, abs=1e-5)


def test_tokens_say_where_they_stand_in_the_text(folder: Path) -> None:
    text = TEXTS[1]
    tokens = OnnxEncoder(folder, 1).encode([text], "passage").tokens[0]

    words = [text[start:end] for start, end in tokens.offsets]
    assert words == ["tea", "and", "gift", "cards"]


def test_a_declared_prompt_changes_the_vector_but_not_the_offsets(
    folder: Path, tmp_path: Path
) -> None:
    write_tiny_bert(tmp_path)
    prompts = {"query": "refund minutes ", "document": "gift "}
    (tmp_path / "config_sentence_transformers.json").write_text(json.dumps({"prompts": prompts}))
    text = "orders are cancelled"

    with_prompt = TorchEncoder(tmp_path, 1)
    without_prompt = TorchEncoder(folder, 1)
    query = with_prompt.encode([text], "query")
    passage = with_prompt.encode([text], "passage")

    assert query.tokens[0].offsets.tolist() == [[0, 6], [7, 10], [11, 20]]
    assert passage.tokens[0].offsets.tolist() == [[0, 6], [7, 10], [11, 20]]
    spelled_out = without_prompt.encode(["refund minutes " + text], "query")
    assert query.vectors[0] == pytest.approx(spelled_out.vectors[0], abs=1e-5)
    assert not np.allclose(query.vectors, passage.vectors, atol=1e-3)


def test_a_long_text_is_read_up_to_the_models_length(folder: Path) -> None:
    encoder = OnnxEncoder(folder, 1)
    tokens = encoder.encode(["tea " * 40], "passage").tokens[0]

    assert encoder.longest == 16
    assert len(tokens.offsets) == 14


def test_no_texts_give_no_vectors(folder: Path) -> None:
    encoded = OnnxEncoder(folder, 1).encode([], "passage")

    assert encoded.vectors.shape == (0, 32)
    assert encoded.tokens == ()


def test_the_export_runs_without_torch(folder: Path) -> None:
    answer = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, str(folder)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    assert answer.stdout.split("\n")[0] == "onnx int8 False False"


def test_a_broken_export_falls_back_to_torch(tmp_path: Path) -> None:
    write_tiny_bert(tmp_path)
    (tmp_path / EXPORT).parent.mkdir()
    (tmp_path / EXPORT).write_bytes(b"no model")
    (tmp_path / MADE_FILE).write_text("{}")

    assert open_encoder(tmp_path, 1).runtime == "torch"


def test_a_broken_export_without_weights_is_named(folder: Path, tmp_path: Path) -> None:
    for name in ("config.json", "tokenizer.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    (tmp_path / EXPORT).parent.mkdir()
    (tmp_path / EXPORT).write_bytes(b"no model")
    (tmp_path / MADE_FILE).write_text("{}")

    with pytest.raises(EmbeddingUnavailable, match="cannot be loaded"):
        open_encoder(tmp_path, 1)


def test_an_empty_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingUnavailable, match="not a readable model folder"):
        open_encoder(tmp_path, 1)


@pytest.mark.parametrize(
    ("name", "query_prompt"),
    [
        ("multilingual-e5-base", "query: "),
        ("e5-small-v2", "query: "),
        ("multilingual-e5-large-instruct", ""),
        ("all-MiniLM-L6-v2", ""),
    ],
)
def test_prompts_of_a_known_family(tmp_path: Path, name: str, query_prompt: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    (folder / "config.json").write_text('{"hidden_size": 8}')

    assert read_folder_facts(folder).prompts["query"] == query_prompt
