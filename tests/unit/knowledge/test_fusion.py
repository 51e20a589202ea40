"""Reciprocal rank fusion and the rerank ladder."""

from collections.abc import Sequence
from typing import cast

import pytest
from psycopg_pool import ConnectionPool

from meetmind.config.retrieval_settings import RetrievalSettings
from meetmind.database.retrieval import RecalledPassage
from meetmind.knowledge.embedding_models import EmbeddingModels
from meetmind.knowledge.fusion import Ranking, fuse
from meetmind.knowledge.questions import read_question
from meetmind.knowledge.reranking import (
    Candidate,
    FusedOrder,
    RerankRequest,
    RungUnavailable,
    rerank,
)


def candidate(passage_id: str) -> Candidate:
    passage = RecalledPassage(
        number=1,
        id=passage_id,
        content="",
        title="",
        summary="",
        source="",
        locator="",
        language="en",
        dated="",
        paths=["words"],
        ranks=[1],
        scores=[1.0],
    )
    return Candidate(passage=passage, fused_score=0.1)


def request(query: str) -> RerankRequest:
    """A question without a table: no rung of this file looks at one."""
    return RerankRequest(
        question=read_question(query),
        wording=None,
        query_by_key={},
        pool=cast(ConnectionPool, None),
        table_name="meetmind_backend",
        words_coverage=0.0,
        models=cast(EmbeddingModels, None),
        settings=RetrievalSettings(embedding_models=(), rerank_model=""),
    )


class BackwardsInEnglish:
    name = "backwards"
    key = "backwards"

    def rerank(self, request: RerankRequest, candidates: Sequence[Candidate]) -> list[Candidate]:
        if request.question.language != "en":
            raise RungUnavailable("cannot_read")
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

    english = rerank(request("refunds of orders"), candidates, ladder)
    chinese = rerank(request("订单退款"), candidates, ladder)

    assert (english.ranker, english.candidates[0].passage.id) == ("backwards", "b")
    assert (chinese.ranker, chinese.candidates[0].passage.id) == ("fused order", "a")
    assert english.skipped == ()
    assert [(rung.name, rung.reason) for rung in chinese.skipped] == [("backwards", "cannot_read")]


def test_the_fused_order_gives_no_rerank_score() -> None:
    reranked = rerank(request("refunds"), [candidate("a")], ladder=())

    assert reranked.ranker == "fused order"
    assert reranked.candidates[0].rerank_score == 0


def test_where_nothing_was_found_no_rung_is_asked() -> None:
    class NeverAsked(BackwardsInEnglish):
        def rerank(
            self, request: RerankRequest, candidates: Sequence[Candidate]
        ) -> list[Candidate]:
            raise AssertionError("there is nothing to rank")

    reranked = rerank(request("refunds"), [], (NeverAsked(),))

    assert (reranked.ranker_key, reranked.candidates, reranked.skipped) == ("fused", (), ())
