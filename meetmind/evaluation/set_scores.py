"""How well every stage of a search did on one set of judged questions."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import quantiles

from meetmind.evaluation.metrics import mean_of, ndcg, recall, reciprocal_rank
from meetmind.search_trace import SearchTrace, TracedCandidate

FUSED = "fused"
RERANKED = "reranked"
NDCG_AT = 10
RECALL_AT = 5

OnQuestion = Callable[[int, int], None]
"""Told how many questions of a set are done, and how many there are."""


@dataclass(frozen=True, kw_only=True)
class JudgedQuestion:
    """A question with what answers it, and the search that is asked."""

    id: str
    text: str
    agent_name: str
    relevance_by_id: Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class StageScore:
    """One stage (a path, the fusion, the reranking) over all questions of a set, each 0 to 1."""

    stage: str
    ndcg10: float
    recall5: float
    mrr: float


@dataclass(frozen=True, kw_only=True)
class SetScores:
    """One set of questions."""

    name: str
    language: str
    questions: int
    ranker: str
    """The rung that reranked most of the questions."""
    stages: tuple[StageScore, ...]
    median_ms: float
    p95_ms: float

    def stage(self, name: str) -> StageScore | None:
        """The scores of one stage; None where it had no say on any question."""
        for score in self.stages:
            if score.stage == name:
                return score
        return None

    @property
    def best_path(self) -> StageScore:
        """The recall path that did best alone, by nDCG@10."""
        paths = [score for score in self.stages if score.stage not in (FUSED, RERANKED)]
        return max(paths, key=lambda score: score.ndcg10)


Search = Callable[[JudgedQuestion], SearchTrace]


def score_set(
    name: str,
    language: str,
    questions: Sequence[JudgedQuestion],
    search: Search,
    on_question: OnQuestion,
) -> SetScores:
    """Ask every question once and score each stage from the trace of that one search.

    A question on which a path had no say counts 0 for that path.
    """
    values_by_stage: dict[str, list[tuple[float, float, float]]] = {}
    milliseconds: list[float] = []
    rankers: list[str] = []
    for number, question in enumerate(questions, start=1):
        trace = search(question)
        milliseconds.append(sum(stage.milliseconds for stage in trace.stages))
        rankers.append(trace.ranker_key)
        for stage, ranking in rankings_of(trace).items():
            values = values_by_stage.setdefault(stage, [])
            values.append(_measures(ranking, question.relevance_by_id))
        on_question(number, len(questions))
    stages: list[StageScore] = []
    for stage, values in values_by_stage.items():
        stages.append(_stage_score(stage, values, len(questions)))
    return SetScores(
        name=name,
        language=language,
        questions=len(questions),
        ranker=max(set(rankers), key=rankers.count),
        stages=tuple(stages),
        median_ms=_percentile(milliseconds, 50),
        p95_ms=_percentile(milliseconds, 95),
    )


def rankings_of(trace: SearchTrace) -> dict[str, list[str]]:
    """The ids in the order of every path, of the fusion and of the reranking."""
    ranking_by_stage: dict[str, list[str]] = {}
    for path in trace.paths:
        ranking_by_stage[path] = _ids_on_path(trace.candidates, path)
    by_fusion = sorted(trace.candidates, key=lambda candidate: candidate.fused_rank)
    ranking_by_stage[FUSED] = [candidate.passage_id for candidate in by_fusion]
    reranked = [candidate for candidate in trace.candidates if candidate.reranked_rank]
    reranked.sort(key=lambda candidate: candidate.reranked_rank)
    ranking_by_stage[RERANKED] = [candidate.passage_id for candidate in reranked]
    return ranking_by_stage


def _ids_on_path(candidates: Iterable[TracedCandidate], path: str) -> list[str]:
    rank_by_id: dict[str, int] = {}
    for candidate in candidates:
        for place in candidate.path_scores:
            if place.path == path:
                rank_by_id[candidate.passage_id] = place.rank
    return sorted(rank_by_id, key=lambda passage_id: rank_by_id[passage_id])


def _measures(
    ranking: Sequence[str], relevance_by_id: Mapping[str, int]
) -> tuple[float, float, float]:
    return (
        ndcg(ranking, relevance_by_id, NDCG_AT),
        recall(ranking, relevance_by_id, RECALL_AT),
        reciprocal_rank(ranking, relevance_by_id, NDCG_AT),
    )


def _stage_score(
    stage: str, values: Sequence[tuple[float, float, float]], question_count: int
) -> StageScore:
    nothing = [(0.0, 0.0, 0.0)] * (question_count - len(values))
    ndcgs, recalls, ranks = zip(*values, *nothing, strict=True)
    return StageScore(
        stage=stage, ndcg10=mean_of(ndcgs), recall5=mean_of(recalls), mrr=mean_of(ranks)
    )


def _percentile(values: Sequence[float], percent: int) -> float:
    if len(values) < 2:
        return values[0] if values else 0.0
    return quantiles(values, n=100, method="inclusive")[percent - 1]
