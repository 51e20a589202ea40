"""Weighted reciprocal rank fusion of several rankings (Cormack, Clarke and Buettcher 2009)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

RRF_K = 60


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """The ids that one path found, best first, and how much the path counts."""

    ids: Sequence[str]
    weight: float = 1.0


def fuse(rankings: Iterable[Ranking]) -> dict[str, float]:
    """The fused score of every id, best first; equal scores stay in the order of the rankings."""
    score_by_id: dict[str, float] = {}
    for ranking in rankings:
        for rank, passage_id in enumerate(ranking.ids, start=1):
            score_so_far = score_by_id.get(passage_id, 0.0)
            score_by_id[passage_id] = score_so_far + ranking.weight / (RRF_K + rank)
    best_first = sorted(score_by_id.items(), key=lambda item: -item[1])
    return dict(best_first)
