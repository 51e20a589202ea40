"""The rerank ladder: the first rung that is there and reads the language decides the order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from psycopg_pool import ConnectionPool

from meetmind.config.retrieval_settings import RetrievalSettings
from meetmind.database.retrieval import RecalledPassage
from meetmind.knowledge.embedding import EncodedText
from meetmind.knowledge.embedding_models import EmbeddingModels
from meetmind.knowledge.questions import Question
from meetmind.knowledge.wording import Wording
from meetmind.search_trace import ScorePart, SkippedPath

FUSED_ORDER = "fused order"


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A passage on its way to the answer."""

    passage: RecalledPassage
    fused_score: float
    date_factor: float = 1.0
    rerank_score: float = 0.0
    rerank_parts: tuple[ScorePart, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False)
class RerankRequest:
    """What a rung may look at beside the candidates."""

    question: Question
    wording: Wording | None
    query_by_key: Mapping[str, EncodedText]
    """The question by every embedding model that reads it."""
    pool: ConnectionPool
    table_name: str
    words_coverage: float
    """The largest share of the question that the words of one passage cover, 0 to 1."""
    models: EmbeddingModels
    settings: RetrievalSettings


class RungUnavailable(Exception):
    """A rung cannot rank this question; `reason` is a key of the text catalogue."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Reranker(Protocol):
    """A rung of the ladder."""

    @property
    def name(self) -> str:
        """What the result says about who ranked."""

    @property
    def key(self) -> str:
        """The rung in `Retrieval.mode`; a key of the text catalogue (`ranker.<key>`)."""

    def rerank(self, request: RerankRequest, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The candidates with their rerank scores, best first.

        Raises `RungUnavailable` when the rung is not there, does not read the question's language
        or has not the time.
        """


class FusedOrder:
    """The last rung: leaves the order of the fusion, every rerank score is 0."""

    name = FUSED_ORDER
    key = "fused"

    def rerank(self, request: RerankRequest, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The candidates as they are."""
        return list(candidates)


@dataclass(frozen=True, kw_only=True)
class Reranked:
    """The candidates in their last order and who ordered them."""

    candidates: tuple[Candidate, ...]
    ranker: str
    ranker_key: str
    skipped: tuple[SkippedPath, ...] = ()
    """The rungs above, and why they had no say."""


def rerank(
    request: RerankRequest, candidates: Sequence[Candidate], ladder: Sequence[Reranker]
) -> Reranked:
    """Let the first rung that can rank the question order the candidates."""
    skipped: list[SkippedPath] = []
    rungs = ladder if candidates else ()
    for rung in rungs:
        try:
            ordered = rung.rerank(request, candidates)
        except RungUnavailable as unavailable:
            skipped.append(SkippedPath(name=rung.key, reason=unavailable.reason))
            continue
        return Reranked(
            candidates=tuple(ordered),
            ranker=rung.name,
            ranker_key=rung.key,
            skipped=tuple(skipped),
        )
    last_rung = FusedOrder()
    return Reranked(
        candidates=tuple(candidates),
        ranker=last_rung.name,
        ranker_key=last_rung.key,
        skipped=tuple(skipped),
    )
