"""Evaluation runs with numbers that a test can follow."""

from datetime import UTC, datetime

from meetmind.evaluation.evaluation_runs import EvaluationRun
from meetmind.evaluation.no_answer import NoAnswerScore
from meetmind.evaluation.set_scores import SetScores, StageScore

FIRST_TIME = datetime(2026, 3, 1, 8, 30, 5, tzinfo=UTC)
SECOND_TIME = datetime(2026, 3, 2, 9, 45, 10, tzinfo=UTC)
STAGES = ("words", "e5", "fused", "reranked")


def measured_set(name: str, last: float, *, questions: int = 20, ranker: str = "late") -> SetScores:
    """A set whose last stage has this nDCG@10; every stage before it has a tenth less."""
    stages: list[StageScore] = []
    for place, stage in enumerate(reversed(STAGES)):
        height = last - place / 10
        stages.append(
            StageScore(stage=stage, ndcg10=height, recall5=height - 0.02, mrr=height - 0.04)
        )
    stages.reverse()
    return SetScores(
        name=name,
        language="en",
        questions=questions,
        ranker=ranker,
        stages=tuple(stages),
        median_ms=40.0,
        p95_ms=90.0,
    )


def measured_run(
    at: datetime, *sets: SetScores, no_answer: NoAnswerScore | None = None
) -> EvaluationRun:
    """A run of these sets."""
    return EvaluationRun(
        at=at, models=("multilingual-e5-small (onnx int8)",), sets=sets, no_answer=no_answer
    )


NO_ANSWER = NoAnswerScore(answered=40, unanswered=10, answered_right=0.9, unanswered_right=0.7)
