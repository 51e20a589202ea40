"""One search with all its numbers: each candidate on each path, what was cut and by what rule."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import TypeAdapter

from meetmind.config.retrieval_settings import RetrievalSettings
from meetmind.events import PathScore

CutBy = Literal["", "fusion", "answer"]
TermKind = Literal["word", "expansion", "alias"]


@dataclass(frozen=True, kw_only=True)
class TracedTerm:
    """A word of the question, or one that was added to it, and what the vocabulary has for it."""

    surface: str
    kind: TermKind
    weight: float
    idf: float
    answers: tuple[str, ...]
    """The vocabulary's words; empty where it has none."""
    is_guess: bool = False
    """Whether the answers are other spellings of the word."""


@dataclass(frozen=True, kw_only=True)
class ScorePart:
    """One of the scores that a rerank score is made of, and how much it counts in the sum."""

    name: str
    value: float
    weight: float


@dataclass(frozen=True, kw_only=True)
class TracedCandidate:
    """A passage on its way through the search."""

    passage_id: str
    agent_name: str
    title: str
    source: str
    locator: str
    language: str
    excerpt: str
    path_scores: tuple[PathScore, ...]
    fused_rank: int
    fused_score: float
    date_factor: float = 1.0
    """What its date made of the fused score; 1 where dates do not matter."""
    reranked_rank: int = 0
    """0: it was cut before."""
    rerank_score: float = 0.0
    rerank_parts: tuple[ScorePart, ...] = ()
    coverage: float = 0.0
    matched_terms: tuple[str, ...] = ()
    cut_by: CutBy = ""
    """`fusion`: below the best `retrieve_top_n`; `answer`: below the best `rerank_top_n`."""


@dataclass(frozen=True, kw_only=True)
class StageTime:
    """How long a stage of the search took."""

    stage: str
    milliseconds: float


@dataclass(frozen=True, kw_only=True)
class SkippedPath:
    """A path or rung that had no say, and why (`degraded.<reason>` in the text catalogue)."""

    name: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class SearchTrace:
    """One search of one role's table."""

    agent_name: str
    query: str
    language: str
    expansion_terms: tuple[str, ...]
    settings: RetrievalSettings
    paths: tuple[str, ...]
    skipped: tuple[SkippedPath, ...]
    ranker: str
    ranker_key: str
    terms: tuple[TracedTerm, ...]
    stages: tuple[StageTime, ...]
    candidates: tuple[TracedCandidate, ...]
    """In their last order; those that were cut follow in the order of the fusion."""


_TRACES: TypeAdapter[SearchTrace] = TypeAdapter(SearchTrace)


def trace_payload(trace: SearchTrace) -> dict[str, Any]:
    """The trace as plain JSON values."""
    payload: dict[str, Any] = _TRACES.dump_python(trace, mode="json")
    return payload


def trace_from_payload(payload: Mapping[str, Any]) -> SearchTrace:
    """The trace that `trace_payload` wrote; raises `pydantic.ValidationError` for anything else."""
    return _TRACES.validate_python(dict(payload))
