"""The rerank ladder: the first rung that is there and reads the language decides the order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from meetmind.database.retrieval import RecalledPassage
from meetmind.knowledge.questions import Question

FUSED_ORDER = "fused order"


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A passage on its way to the answer."""

    passage: RecalledPassage
    fused_score: float
    rerank_score: float = 0.0


class Reranker(Protocol):
    """A rung of the ladder."""

    @property
    def name(self) -> str:
        """What the result says about who ranked."""

    @property
    def key(self) -> str:
        """The rung in `Retrieval.mode`; a key of the text catalogue (`ranker.<key>`)."""

    def can_rank(self, question: Question) -> bool:
        """Whether the rung is ready and reads the question's language."""

    def rerank(self, question: Question, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The candidates with their rerank scores, best first."""


class FusedOrder:
    """The last rung: leaves the order of the fusion, every rerank score is 0."""

    name = FUSED_ORDER
    key = "fused"

    def can_rank(self, question: Question) -> bool:
        """Always."""
        return True

    def rerank(self, question: Question, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The candidates as they are."""
        return list(candidates)


LADDER: tuple[Reranker, ...] = (FusedOrder(),)


@dataclass(frozen=True, kw_only=True)
class Reranked:
    """The candidates in their last order and who ordered them."""

    candidates: tuple[Candidate, ...]
    ranker: str
    ranker_key: str


def rerank(
    question: Question, candidates: Sequence[Candidate], ladder: Sequence[Reranker] = LADDER
) -> Reranked:
    """Let the first rung that can rank the question order the candidates."""
    for rung in ladder:
        if rung.can_rank(question):
            ordered = rung.rerank(question, candidates)
            return Reranked(candidates=tuple(ordered), ranker=rung.name, ranker_key=rung.key)
    last_rung = FusedOrder()
    return Reranked(candidates=tuple(candidates), ranker=last_rung.name, ranker_key=last_rung.key)
