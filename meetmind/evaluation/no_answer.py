"""Whether the numbers of a search show that a role knows nothing about a question.

A logistic regression over a few numbers of each search, one for each language of the question,
judged on questions that it never saw (five folds).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from meetmind.search_trace import SearchTrace

FOLDS = 5
REGULARISATION = 0.1
PATHS = ("words", "minilm", "e5", "e5_across")
BELOW_THE_BEST = 5


@dataclass(frozen=True, kw_only=True)
class NoAnswerScore:
    """How well answered and unanswered questions are told apart."""

    answered: int
    unanswered: int
    answered_right: float
    """The share of answered questions that are taken for answered, 0 to 1."""
    unanswered_right: float

    @property
    def accuracy(self) -> float:
        """The mean of both shares: always saying the same gives one half."""
        return (self.answered_right + self.unanswered_right) / 2


def score_no_answer(
    answered: Sequence[SearchTrace], unanswered: Sequence[SearchTrace]
) -> NoAnswerScore:
    """Tell both kinds apart, each question by a model that learned from the others."""
    is_known_right: list[bool] = []
    is_unknown_right: list[bool] = []
    for language in ("en", "zh"):
        known = [known_features(trace) for trace in answered if trace.language == language]
        unknown = [known_features(trace) for trace in unanswered if trace.language == language]
        taken_for_known = _cross_validated(known, unknown)
        is_known_right.extend(taken_for_known[: len(known)])
        is_unknown_right.extend(not taken for taken in taken_for_known[len(known) :])
    return NoAnswerScore(
        answered=len(is_known_right),
        unanswered=len(is_unknown_right),
        answered_right=sum(is_known_right) / len(is_known_right),
        unanswered_right=sum(is_unknown_right) / len(is_unknown_right),
    )


def known_features(trace: SearchTrace) -> list[float]:
    """The numbers of a search that hint at an answer: how good the best passage is, and how alone.

    For every path its best score and the distances to the second and to the mean of the next five;
    the largest coverage; BM25 as a share of what a passage with every word could score.
    """
    features: list[float] = []
    for path in PATHS:
        features.extend(_heights(_scores_on(trace, path)))
    features.append(max((candidate.coverage for candidate in trace.candidates), default=0.0))
    whole_idf = sum(term.idf * term.weight for term in trace.terms)
    best_words = max(_scores_on(trace, "words"), default=0.0)
    features.append(best_words / whole_idf if whole_idf > 0 else 0.0)
    return features


def _heights(scores: Sequence[float]) -> list[float]:
    if not scores:
        return [0.0, 0.0, 0.0]
    best_first = sorted(scores, reverse=True)
    next_ones = best_first[1 : 1 + BELOW_THE_BEST] or best_first[:1]
    mean_of_next = sum(next_ones) / len(next_ones)
    return [best_first[0], best_first[0] - next_ones[0], best_first[0] - mean_of_next]


def _scores_on(trace: SearchTrace, path: str) -> list[float]:
    scores: list[float] = []
    for candidate in trace.candidates:
        for place in candidate.path_scores:
            if place.path == path:
                scores.append(place.score)
    return scores


def _cross_validated(
    known: Sequence[Sequence[float]], unknown: Sequence[Sequence[float]]
) -> list[bool]:
    """For every question, the known ones first, whether it is taken for answered."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    rows = np.array([*known, *unknown])
    labels = np.array([True] * len(known) + [False] * len(unknown))
    model = make_pipeline(
        StandardScaler(),
        LogisticRegression(C=REGULARISATION, class_weight="balanced", max_iter=1_000),
    )
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    taken: list[bool] = cross_val_predict(model, rows, labels, cv=folds).tolist()
    return taken
