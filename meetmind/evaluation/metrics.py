"""How good a ranking is, measured as trec_eval measures it.

A ranking is the ids of what was found, best first. A judgement says how relevant an id is: 1 and
more is relevant, 0, less and no judgement at all are not. Every measure lies between 0 and 1.
"""

import math
from collections.abc import Iterable, Mapping, Sequence


def ndcg(ranking: Sequence[str], relevance_by_id: Mapping[str, int], k: int = 10) -> float:
    """The normalised discounted cumulative gain of the first k: higher when the best stand first.

    The gain is the relevance itself and the discount the logarithm of the place (Järvelin and
    Kekäläinen 2002), as in trec_eval's `ndcg_cut`. 0 when nothing is relevant.
    Raises `ValueError` when the ranking names an id twice.
    """
    _check_distinct(ranking)
    found_gains = [_gain(relevance_by_id.get(id_, 0)) for id_ in ranking[:k]]
    all_gains = [_gain(relevance) for relevance in relevance_by_id.values()]
    all_gains.sort(reverse=True)
    best = _discounted_sum(all_gains[:k])
    if best == 0:
        return 0.0
    return _discounted_sum(found_gains) / best


def recall(ranking: Sequence[str], relevance_by_id: Mapping[str, int], k: int) -> float:
    """The share of everything relevant that stands among the first k; 0 when nothing is relevant.

    Raises `ValueError` when the ranking names an id twice.
    """
    _check_distinct(ranking)
    relevant_ids = {id_ for id_, relevance in relevance_by_id.items() if relevance > 0}
    if not relevant_ids:
        return 0.0
    found_ids = relevant_ids.intersection(ranking[:k])
    return len(found_ids) / len(relevant_ids)


def reciprocal_rank(
    ranking: Sequence[str], relevance_by_id: Mapping[str, int], k: int | None = None
) -> float:
    """One divided by the place of the first relevant id; 0 when none stands among the first k.

    Its mean over many questions is the MRR. Without `k` the whole ranking counts.
    Raises `ValueError` when the ranking names an id twice.
    """
    _check_distinct(ranking)
    for place, id_ in enumerate(ranking[:k], start=1):
        if relevance_by_id.get(id_, 0) > 0:
            return 1 / place
    return 0.0


def mean_of(values: Iterable[float]) -> float:
    """The arithmetic mean.

    Raises `ValueError` for no values at all: a mean of nothing would read like a bad result.
    """
    counted = list(values)
    if not counted:
        raise ValueError("There is no mean of no values.")
    return math.fsum(counted) / len(counted)


def _gain(relevance: int) -> int:
    return max(relevance, 0)


def _discounted_sum(gains: Sequence[int]) -> float:
    discounted_sum = 0.0
    for place, gain in enumerate(gains, start=1):
        discounted_sum += gain / math.log2(place + 1)
    return discounted_sum


def _check_distinct(ranking: Sequence[str]) -> None:
    """An id that counted twice would lift a measure above 1."""
    seen_ids: set[str] = set()
    for id_ in ranking:
        if id_ in seen_ids:
            raise ValueError(f"The ranking names {id_} twice.")
        seen_ids.add(id_)
