"""The measures of a ranking, held against ir-measures (which asks trec_eval)."""

import random
from collections.abc import Callable, Mapping, Sequence

import ir_measures
import pytest
from ir_measures import RR, Measure, R, nDCG

from meetmind.evaluation.metrics import mean_of, ndcg, recall, reciprocal_rank

Judged = tuple[list[str], dict[str, int]]
ALL_IDS = [f"d{number}" for number in range(30)]
BINARY = (0, 1)
GRADED = (-1, 0, 1, 2, 3)


def by_ir_measures(measure: Measure, ranking: Sequence[str], judged: Mapping[str, int]) -> float:
    score_by_id: dict[str, float] = {}
    for place, id_ in enumerate(ranking):
        score_by_id[id_] = float(len(ranking) - place)
    return ir_measures.calc_aggregate([measure], {"q": dict(judged)}, {"q": score_by_id})[measure]


def random_cases(grades: Sequence[int]) -> list[Judged]:
    chance = random.Random(7)
    cases: list[Judged] = []
    for _ in range(100):
        ranking = chance.sample(ALL_IDS, chance.randint(1, len(ALL_IDS)))
        judged_ids = chance.sample(ALL_IDS, chance.randint(1, len(ALL_IDS)))
        cases.append((ranking, {id_: chance.choice(grades) for id_ in judged_ids}))
    return cases


EDGE_CASES: list[Judged] = [
    (["a", "b", "c"], {"a": 0, "b": 0}),
    (["a", "b"], {"x": 1, "y": 2}),
    (["a"], {"a": 1, "b": 1, "c": 1}),
    (["a", "b"], {"b": 3}),
    (["a", "b", "c"], {"a": -1, "b": 1}),
]
CASES = [*random_cases(BINARY), *random_cases(GRADED), *EDGE_CASES]


@pytest.mark.parametrize("k", [1, 3, 10, 100])
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(ndcg, nDCG), (recall, R), (reciprocal_rank, RR)],
    ids=["ndcg", "recall", "reciprocal_rank"],
)
def test_a_measure_at_k_agrees_with_ir_measures(
    ours: Callable[[Sequence[str], Mapping[str, int], int], float], theirs: Measure, k: int
) -> None:
    for ranking, judged in CASES:
        expected = by_ir_measures(theirs @ k, ranking, judged)

        assert ours(ranking, judged, k) == pytest.approx(expected, abs=1e-9)


def test_the_reciprocal_rank_of_a_whole_ranking_agrees_with_ir_measures() -> None:
    for ranking, judged in CASES:
        expected = by_ir_measures(RR, ranking, judged)

        assert reciprocal_rank(ranking, judged) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("judged", [{}, {"a": 0}, {"a": 1}])
def test_finding_nothing_is_worth_nothing(judged: dict[str, int]) -> None:
    assert ndcg([], judged) == 0.0
    assert recall([], judged, 10) == 0.0
    assert reciprocal_rank([], judged) == 0.0


def test_the_best_order_has_an_ndcg_of_one_and_another_order_has_less() -> None:
    judged = {"a": 3, "b": 2, "c": 1}

    assert ndcg(["a", "b", "c"], judged) == pytest.approx(1.0)
    assert ndcg(["c", "b", "a"], judged) < 0.85


def test_a_relevant_id_behind_k_does_not_count() -> None:
    ranking = ["x", "y", "a"]

    assert ndcg(ranking, {"a": 1}, k=2) == 0.0
    assert recall(ranking, {"a": 1}, k=2) == 0.0
    assert reciprocal_rank(ranking, {"a": 1}, k=2) == 0.0
    assert reciprocal_rank(ranking, {"a": 1}) == pytest.approx(1 / 3)


def test_a_ranking_that_names_an_id_twice_is_refused() -> None:
    for measure in (ndcg, recall, reciprocal_rank):
        with pytest.raises(ValueError, match="names a twice"):
            measure(["a", "b", "a"], {"a": 1}, 10)


def test_the_mean_is_that_of_all_values_and_there_is_none_of_nothing() -> None:
    assert mean_of(value for value in (0.25, 0.75)) == 0.5
    with pytest.raises(ValueError, match="no mean"):
        mean_of([])
