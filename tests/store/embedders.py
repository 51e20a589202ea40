"""Embedding models for tests that need no weights: words become directions."""

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from psycopg_pool import ConnectionPool

from meetmind.config.retrieval_settings import E5_KEY, MINILM_KEY, RetrievalSettings
from meetmind.knowledge.embedding import Embedder
from meetmind.knowledge.embedding_models import EmbeddingModels
from meetmind.knowledge.late_interaction import TokenFrame
from meetmind.knowledge.models.encoder import Encoded, Kind, Runtime, TextTokens
from meetmind.knowledge.models.folders import E5_SMALL, MINILM, model_key
from meetmind.knowledge.token_frames import FRAME_FILE
from meetmind.knowledge.words import HAN_CHARACTER, tokens_of

DIMENSIONS = 96
E5_DIMENSIONS = 64
NOWHERE = Path("/nonexistent")
SAME_MEANING = {
    "取消": "cancel",
    "释放": "releas",
    "库存": "stock",
    "优惠": "coupon",
    "惠券": "coupon",
    "退款": "refund",
    "支付": "payment",
    "回调": "callback",
    "超时": "timeout",
}
"""What the test model for both languages understands."""


class WordEncoder:
    """A direction for every word; words of one meaning share theirs."""

    name = "words"
    longest = 512
    runtime: Runtime = "onnx int8"

    def __init__(self, dimensions: int, meanings: Mapping[str, str]) -> None:
        self.dimensions = dimensions
        self.passages: list[str] = []
        """Every passage that was encoded, in order."""
        self._meanings = meanings

    def encode(self, texts: Sequence[str], kind: Kind) -> Encoded:
        if kind == "passage":
            self.passages.extend(texts)
        vectors: list[np.ndarray] = []
        tokens: list[TextTokens] = []
        for text in texts:
            of_text = self._tokens(text)
            tokens.append(of_text)
            vectors.append(_unit(of_text.vectors.sum(axis=0) + 1e-3))
        return Encoded(vectors=np.stack(vectors), tokens=tuple(tokens))

    def _tokens(self, text: str) -> TextTokens:
        directions: list[np.ndarray] = []
        offsets: list[tuple[int, int]] = []
        for token in tokens_of(text):
            meaning = self._meanings.get(token.term, token.term)
            generator = np.random.default_rng(zlib.crc32(meaning.encode()))
            directions.append(_unit(generator.normal(size=self.dimensions)))
            offsets.append((token.start, token.start + len(token.surface)))
        vectors = np.asarray(directions, dtype=np.float32).reshape(-1, self.dimensions)
        spans = np.asarray(offsets, dtype=np.int32).reshape(-1, 2)
        return TextTokens(vectors=vectors, offsets=spans)


def _unit(vector: np.ndarray) -> np.ndarray:
    unit: np.ndarray = (vector / np.linalg.norm(vector)).astype(np.float32)
    return unit


class WordEmbedder(Embedder):
    """A model that is loaded from the start; reads English, or Chinese too."""

    def __init__(
        self,
        model_name: str = MINILM,
        dimensions: int = DIMENSIONS,
        *,
        reads_chinese: bool = False,
        meanings: Mapping[str, str] = SAME_MEANING,
    ) -> None:
        super().__init__(model_key(model_name), model_name, NOWHERE)
        self.model_name = model_name
        self._reads_both = reads_chinese
        self.encoder = WordEncoder(dimensions, meanings)
        self._encoder = self.encoder
        self._state = "ready"
        self._loaded.set()

    @property
    def reads_chinese(self) -> bool:
        return self._reads_both

    def can_read(self, text: str) -> bool:
        return self._reads_both or HAN_CHARACTER.search(text) is None


class LoadingEmbedder(WordEmbedder):
    """Never comes to an end of loading."""

    def __init__(self) -> None:
        super().__init__()
        self._encoder = None
        self._state = "loading"

    def start_loading(self) -> None:
        return


class MissingEmbedder(WordEmbedder):
    """Was there once, when the tables were filled, and is no longer on the disk."""

    def __init__(self) -> None:
        super().__init__()
        self._encoder = None
        self.problem = "The model is not on this disk."
        self._state = "failed"


def minilm() -> WordEmbedder:
    """Reads English only."""
    return WordEmbedder()


def e5() -> WordEmbedder:
    """Reads both languages and knows which words mean the same."""
    return WordEmbedder(E5_SMALL, E5_DIMENSIONS, reads_chinese=True)


class FakeModels(EmbeddingModels):
    """The models of an installation, of which some are the test's own."""

    def __init__(
        self,
        pool: ConnectionPool,
        table_names: Sequence[str],
        cache_dir: Path,
        embedders: Iterable[WordEmbedder],
    ) -> None:
        self.given = {embedder.model_name: embedder for embedder in embedders}
        for embedder in self.given.values():
            make_model_folder(cache_dir, embedder.model_name, embedder.encoder.dimensions)
        super().__init__(pool, table_names, cache_dir)

    def embedder(self, model_name: str) -> Embedder:
        given = self.given.get(model_name)
        return super().embedder(model_name) if given is None else given


def make_model_folder(cache_dir: Path, model_name: str, dimensions: int) -> Path:
    """What is read of a model's folder beside its weights."""
    folder = cache_dir / model_name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "modules.json").write_text("[]")
    (folder / "config.json").write_text(json.dumps({"hidden_size": dimensions}))
    nowhere = np.zeros(dimensions, dtype=np.float32)
    frame = TokenFrame(
        axes=np.eye(dimensions, dtype=np.float32), mean_by_language={"en": nowhere, "zh": nowhere}
    )
    (folder / FRAME_FILE).write_bytes(frame.to_bytes())
    return folder


def settings_for(*model_names: str) -> RetrievalSettings:
    """The defaults of an installation with these models."""
    return RetrievalSettings(embedding_models=model_names, rerank_model="")


__all__ = ["E5_KEY", "E5_SMALL", "MINILM", "MINILM_KEY"]
