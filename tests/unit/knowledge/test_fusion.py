"""Reciprocal rank fusion and the rerank ladder."""

from collections.abc import Sequence

import pytest

from meetmind.database.retrieval import RecalledPassage
from meetmind.knowledge.fusion import Ranking, fuse
from meetmind.knowledge.questions import Question, read_question
from meetmind.knowledge.reranking import Candidate, FusedOrder, rerank


def candidate(passage_id: str) -> Candidate:
    passage = RecalledPassage(
        id=passage_id,
        content="",
        title="",
        summary="",
        source="",
        locator="",
        language="en",
        bm25_rank=1,
        bm25_score=1.0,
        vector_rank=None,
        vector_score=None,
    )
    return Candidate(passage=passage, fused_score=0.1)


class BackwardsInEnglish:
    name = "backwards"
    key = "backwards"

    def can_rank(self, question: Question) -> bool:
        return question.language == "en"

    def rerank(self, question: Question, candidates: Sequence[Candidate]) -> list[Candidate]:
        return list(reversed(candidates))


def test_what_both_paths_found_stands_before_what_one_found() -> None:
    fused = fuse([Ranking(ids=["a", "b", "c"]), Ranking(ids=["c", "b"])])

    assert list(fused) == ["c", "b", "a"]
    assert fused["a"] == pytest.approx(1 / 61)
    assert fused["c"] == pytest.approx(1 / 63 + 1 / 61)


def test_a_path_with_more_weight_wins() -> None:
    fused = fuse([Ranking(ids=["a"], weight=1.0), Ranking(ids=["b"], weight=2.0)])

    assert list(fused) == ["b", "a"]


def test_nothing_found_is_nothing_fused() -> None:
    assert fuse([]) == {}
    assert fuse([Ranking(ids=[])]) == {}


def test_the_first_rung_that_reads_the_language_ranks_and_is_named() -> None:
    ladder = (BackwardsInEnglish(), FusedOrder())
    candidates = [candidate("a"), candidate("b")]

    english = rerank(read_question("refunds of orders"), candidates, ladder)
    chinese = rerank(read_question("订单退款"), candidates, ladder)

    assert (english.ranker, english.candidates[0].passage.id) == ("backwards", "b")
    assert (chinese.ranker, chinese.candidates[0].passage.id) == ("fused order", "a")


def test_the_fused_order_gives_no_rerank_score() -> None:
    reranked = rerank(read_question("refunds"), [candidate("a")])

    assert reranked.ranker == "fused order"
    assert reranked.candidates[0].rerank_score == 0
