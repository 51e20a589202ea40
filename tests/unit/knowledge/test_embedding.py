"""The embedding model as far as it works without being loaded."""

import sys
from pathlib import Path

import pytest

from meetmind.errors import EmbeddingUnavailable
from meetmind.knowledge.embedding import Embedder, get_embed_model_dim
from meetmind.knowledge.models.folders import model_folder


@pytest.fixture
def embedder(tmp_path: Path) -> Embedder:
    return Embedder("minilm", "all-MiniLM-L6-v2", tmp_path)


def test_the_model_lies_in_its_package(tmp_path: Path) -> None:
    folder = model_folder("all-MiniLM-L6-v2", tmp_path)

    assert folder == model_folder("sentence-transformers/all-MiniLM-L6-v2", tmp_path)
    assert get_embed_model_dim(folder) == 384


def test_a_model_in_the_cache_folder_goes_before_the_package(tmp_path: Path) -> None:
    cached = tmp_path / "all-MiniLM-L6-v2"
    cached.mkdir()
    (cached / "modules.json").write_text("[]")

    assert model_folder("all-MiniLM-L6-v2", tmp_path) == cached


def test_a_model_that_is_nowhere_is_named(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingUnavailable, match="some/model is not on this disk"):
        model_folder("some/model", tmp_path)


@pytest.mark.parametrize(
    ("text", "is_readable"),
    [
        ("Unpaid orders are cancelled after 30 minutes.", True),
        ("Invoices (发票) follow the Golden Tax rules of the tax office.", True),
        ("未支付订单在三十分钟后自动取消。", False),
        ("中国人民", False),
        ("请检查 payment-service 的超时设置", False),
    ],
)
def test_minilm_reads_english_and_no_chinese(
    embedder: Embedder, text: str, is_readable: bool
) -> None:
    assert embedder.can_read(text) is is_readable


def test_asking_what_it_reads_loads_no_model(embedder: Embedder) -> None:
    torch_before = "torch" in sys.modules
    embedder.can_read("Some text")

    assert embedder.state == "idle"
    assert ("torch" in sys.modules) is torch_before


def test_a_model_that_is_not_loaded_says_so(embedder: Embedder) -> None:
    with pytest.raises(EmbeddingUnavailable, match="not loaded yet"):
        embedder.encode_query("refunds")


def test_a_missing_model_fails_with_its_reason(tmp_path: Path) -> None:
    embedder = Embedder("nosuch", "no-such-model", tmp_path)

    assert not embedder.wait_until_loaded(10)
    assert embedder.state == "failed"
    assert "no-such-model is not on this disk" in embedder.problem
    with pytest.raises(EmbeddingUnavailable, match="no-such-model"):
        embedder.encode_query("refunds")
