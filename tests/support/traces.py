"""Traces of searches in which a test says which passage stood where."""

from collections.abc import Mapping, Sequence

from meetmind.config.retrieval_settings import RetrievalSettings
from meetmind.events import PathScore
from meetmind.search_trace import SearchTrace, StageTime, TracedCandidate, TracedTerm

SETTINGS = RetrievalSettings(embedding_models=("multilingual-e5-small",), rerank_model="")


def candidate(
    passage_id: str,
    *,
    fused_rank: int = 1,
    reranked_rank: int = 0,
    places: Mapping[str, tuple[int, float]] | None = None,
    coverage: float = 0.0,
) -> TracedCandidate:
    """A passage with its rank and score on each path."""
    path_scores: list[PathScore] = []
    for path, (rank, score) in (places or {}).items():
        path_scores.append(PathScore(path=path, rank=rank, score=score))
    return TracedCandidate(
        passage_id=passage_id,
        agent_name="backend",
        title=passage_id,
        source="rules.md",
        locator="",
        language="en",
        excerpt="",
        path_scores=tuple(path_scores),
        fused_rank=fused_rank,
        fused_score=1 / (60 + fused_rank),
        reranked_rank=reranked_rank,
        coverage=coverage,
    )


def trace_of(
    candidates: Sequence[TracedCandidate] = (),
    *,
    paths: Sequence[str] = ("words",),
    language: str = "en",
    ranker_key: str = "late",
    milliseconds: Sequence[float] = (1.0,),
    terms: Sequence[TracedTerm] = (),
) -> SearchTrace:
    """A search that brought these candidates, its stages taking so long."""
    return SearchTrace(
        agent_name="backend",
        query="a question",
        language=language,
        expansion_terms=(),
        settings=SETTINGS,
        paths=tuple(paths),
        skipped=(),
        ranker=ranker_key,
        ranker_key=ranker_key,
        terms=tuple(terms),
        stages=tuple(StageTime(stage="recall", milliseconds=value) for value in milliseconds),
        candidates=tuple(candidates),
    )
