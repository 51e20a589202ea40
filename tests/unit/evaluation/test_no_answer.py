"""Telling questions that nothing answers from others, by the numbers of their searches."""

import random

import pytest

from meetmind.evaluation.no_answer import NoAnswerScore, known_features, score_no_answer
from meetmind.search_trace import SearchTrace, TracedTerm
from tests.support.traces import candidate, trace_of

A_LANGUAGE = 20


def search(best: float, rest: float, language: str) -> SearchTrace:
    """A search whose best passage has one score by meaning and all others another."""
    candidates = [candidate("p1", places={"e5": (1, best)})]
    for place in range(2, 8):
        candidates.append(candidate(f"p{place}", fused_rank=place, places={"e5": (place, rest)}))
    return trace_of(candidates, paths=("e5",), language=language)


def searches(best: float, seed: int) -> list[SearchTrace]:
    chance = random.Random(seed)
    found: list[SearchTrace] = []
    for language in ("en", "zh"):
        for _ in range(A_LANGUAGE):
            found.append(search(best + chance.uniform(0, 0.02), 0.7, language))
    return found


def test_the_features_are_the_heights_of_each_path_the_coverage_and_the_share_of_words() -> None:
    term = TracedTerm(surface="refund", kind="word", weight=1.0, idf=8.0, answers=("refund",))
    trace = trace_of(
        [
            candidate("a", places={"words": (1, 6.0), "e5": (2, 0.8)}, coverage=0.5),
            candidate("b", fused_rank=2, places={"words": (2, 2.0), "e5": (1, 0.9)}),
            candidate("c", fused_rank=3, places={"words": (3, 1.0)}, coverage=0.25),
        ],
        paths=("words", "e5"),
        terms=(term,),
    )
    features = known_features(trace)

    assert features[:3] == pytest.approx([6.0, 4.0, 4.5])
    assert features[3:6] == [0.0, 0.0, 0.0]
    assert features[6:9] == pytest.approx([0.9, 0.1, 0.1])
    assert features[9:12] == [0.0, 0.0, 0.0]
    assert features[12:] == pytest.approx([0.5, 0.75])


def test_a_single_passage_stands_no_higher_than_itself() -> None:
    features = known_features(trace_of([candidate("a", places={"words": (1, 6.0)})]))

    assert features[:3] == [6.0, 0.0, 0.0]


def test_a_search_that_found_nothing_has_features_too() -> None:
    assert known_features(trace_of([])) == [0.0] * 14


def test_searches_of_both_kinds_are_told_apart_in_both_languages() -> None:
    score = score_no_answer(searches(0.9, seed=1), searches(0.72, seed=2))

    assert (score.answered, score.unanswered) == (2 * A_LANGUAGE, 2 * A_LANGUAGE)
    assert score.answered_right > 0.9
    assert score.unanswered_right > 0.9


def test_searches_that_look_alike_are_not_told_apart() -> None:
    score = score_no_answer(searches(0.8, seed=1), searches(0.8, seed=2))

    assert 0.25 < score.accuracy < 0.75


def test_the_same_searches_are_told_apart_the_same_way_each_time() -> None:
    first = score_no_answer(searches(0.8, seed=1), searches(0.79, seed=2))

    assert score_no_answer(searches(0.8, seed=1), searches(0.79, seed=2)) == first


def test_the_accuracy_is_the_mean_of_both_shares() -> None:
    score = NoAnswerScore(answered=90, unanswered=10, answered_right=1.0, unanswered_right=0.0)

    assert score.accuracy == 0.5
