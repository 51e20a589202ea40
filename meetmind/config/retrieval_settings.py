"""How the knowledge is searched: what an administrator may change in the app, and its defaults."""

from dataclasses import dataclass, field
from typing import Literal

from meetmind.config.settings import Settings

WORDS_PATH = "words"
"""The path of BM25; every other path is named after the key of its embedding model."""
ACROSS = "_across"
"""Ends the name of a path that looks for passages in another language than the question's."""
MINILM_KEY = "minilm"
E5_KEY = "e5"

Reranking = Literal["auto", "late", "fused"]


@dataclass(frozen=True, kw_only=True)
class PathWeight:
    """How much a recall path counts in the fusion, by the language of the question."""

    path: str
    en: float = 1.0
    zh: float = 1.0

    def for_language(self, language: str) -> float:
        """The weight for a question in `zh` or `en`."""
        return self.zh if language == "zh" else self.en


DEFAULT_WEIGHTS = (
    PathWeight(path=WORDS_PATH),
    PathWeight(path=MINILM_KEY),
    PathWeight(path=E5_KEY),
    PathWeight(path=f"{E5_KEY}{ACROSS}"),
)


@dataclass(frozen=True, kw_only=True)
class RetrievalSettings:
    """Everything that decides the order of a search's results."""

    embedding_models: tuple[str, ...]
    """Names or folders; each is a path of its own."""
    rerank_model: str
    """The cross-encoder that is used when it lies on the disk."""
    reranking: Reranking = "auto"
    """`auto`: the best rung that is there; `late`: no cross-encoder; `fused`: no reranking."""
    recall_depth: int = 50
    retrieve_top_n: int = 20
    rerank_top_n: int = 5
    rerank_seconds: float = 1.5
    """What the cross-encoder may take before the next rung is used."""
    path_weights: tuple[PathWeight, ...] = field(default=DEFAULT_WEIGHTS)
    half_life_days: int = 0
    """After so many days a dated passage counts half in the fusion; 0: its date does not matter."""

    def weight_of(self, path: str, language: str) -> float:
        """How much a path counts for a question in this language; 1 where nothing is set."""
        for weight in self.path_weights:
            if weight.path == path:
                return weight.for_language(language)
        return 1.0


def default_retrieval_settings(settings: Settings) -> RetrievalSettings:
    """What the environment says, for an installation in which nothing was chosen in the app."""
    return RetrievalSettings(
        embedding_models=settings.embedding_model_names,
        rerank_model=settings.rerank_model_name,
        recall_depth=settings.recall_depth,
        retrieve_top_n=settings.retrieve_top_n,
        rerank_top_n=settings.rerank_top_n,
    )
