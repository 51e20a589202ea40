"""Embedding models for tests that need no meaning."""

from pathlib import Path

from meetmind.database.agent_tables import EMBEDDING_DIMENSIONS
from meetmind.errors import EmbeddingUnavailable
from meetmind.knowledge.embedding import Embedder
from meetmind.knowledge.words import terms_of


class WordVectorEmbedder(Embedder):
    """Reads English and counts words: passages with the same words are near each other."""

    def __init__(self, dimensions: int = EMBEDDING_DIMENSIONS) -> None:
        super().__init__("all-MiniLM-L6-v2", Path("/nonexistent"))
        self.dimensions = dimensions
        self._state = "ready"

    def encode_query(self, text: str) -> list[float]:
        vector = [0.001] * self.dimensions
        for term in terms_of(text):
            vector[sum(term.encode()) % self.dimensions] += 1.0
        return vector

    def encode_passages(self, texts: object) -> list[list[float]]:
        assert isinstance(texts, list)
        return [self.encode_query(text) for text in texts]

    def wait_until_loaded(self, seconds: float) -> bool:
        return True


class LoadingEmbedder(Embedder):
    """Never comes to an end of loading."""

    def __init__(self) -> None:
        super().__init__("all-MiniLM-L6-v2", Path("/nonexistent"))
        self._state = "loading"

    def start_loading(self) -> None:
        return


class MissingEmbedder(Embedder):
    """Is not on the disk."""

    def __init__(self) -> None:
        super().__init__("no-such-model", Path("/nonexistent"))

    def wait_until_loaded(self, seconds: float) -> bool:
        raise EmbeddingUnavailable("no-such-model is not on this disk.")
