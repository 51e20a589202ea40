"""Questions to a role's table, in both languages and with paths missing."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from psycopg_pool import ConnectionPool

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.database import embedding_columns
from meetmind.database.agent_tables import ensure_agent_table
from meetmind.database.embedding_columns import index_vectors
from meetmind.database.passages import count_passages
from meetmind.errors import KnowledgeError
from meetmind.events import PassageEvidence
from meetmind.knowledge import vectors
from meetmind.knowledge.initializer import load_seeds_to_pg
from meetmind.knowledge.rag_retriever import get_retriever, search_all
from meetmind.knowledge.table_search import RetrievalResources
from meetmind.knowledge.vectors import VectorFilling
from tests.store.embedders import (
    FakeModels,
    LoadingEmbedder,
    MissingEmbedder,
    WordEmbedder,
    minilm,
    settings_for,
)
from tests.store.knowledge import ALL_TABLES, TABLE, base_of, count_rows, fill

BACKEND = {
    "Idempotency keys": "Idempotency keys of payment requests are kept for 72 hours in a table.",
    "Coupons": "An order accepts at most 3 coupons, and a further code is refused at checkout.",
    "Gift cards": "Gift cards are redeemed after coupons and before the card payment is asked for.",
    "支付回调": "支付回调的处理超时为 5 秒，超过后网关直接返回失败，由渠道重新发送通知。",
    "未支付订单": "未支付订单在 15 分钟后自动取消并释放库存，优惠券退回账户。",
    "日志": "订单操作日志保留 90 天，到期后按天整分区删除，不再进入归档库。",
}
TESTER = {
    "Return window": "The acceptance suite assumes a return window of 7 days after delivery.",
    "Payment": "Payment tests repeat every request with the same idempotency key once.",
}


@pytest.fixture
def filled(pool: ConnectionPool, tmp_path: Path) -> ConnectionPool:
    for agent_name, passages in (("backend", BACKEND), ("tester", TESTER)):
        folder = tmp_path / agent_name
        folder.mkdir()
        entries = [{"title": title, "content": text} for title, text in passages.items()]
        (folder / "rules.json").write_text(json.dumps(entries))
    for agent_name in AGENT_NAMES:
        load_seeds_to_pg(base_of(pool, tmp_path), agent_name)
    return pool


def resources_with(
    pool: ConnectionPool, folder: Path, embedder: WordEmbedder
) -> RetrievalResources:
    """The fused order is what is tested here; the ladder has tests of its own."""
    models = FakeModels(pool, ALL_TABLES, folder / "models", [embedder])
    models.choose([embedder.model_name])
    settings = settings_for(embedder.model_name)
    return RetrievalResources(
        pool=pool,
        table_prefix="meetmind",
        models=models,
        current_settings=lambda: settings,
        ladder=(),
    )


@pytest.fixture
def words_only(filled: ConnectionPool, tmp_path: Path) -> RetrievalResources:
    return resources_with(filled, tmp_path, MissingEmbedder())


@pytest.fixture
def hybrid(filled: ConnectionPool, tmp_path: Path) -> RetrievalResources:
    resources = resources_with(filled, tmp_path, minilm())
    fill(filled, resources.models)
    return resources


def rank_on(passage: PassageEvidence, path: str) -> int | None:
    path_score = passage.on_path(path)
    return None if path_score is None else path_score.rank


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("How long are the keys of payment requests kept?", "Idempotency keys"),
        ("How many coupons can one order have?", "Coupons"),
        ("未支付订单多久取消", "未支付订单"),
        ("支付回调处理的超时时间", "支付回调"),
        ("操作日志要保留多少天？", "日志"),
        ("ＣＯＵＰＯＮＳ", "Coupons"),
    ],
)
def test_a_question_finds_its_passage_in_both_languages(
    words_only: RetrievalResources, query: str, title: str
) -> None:
    found = get_retriever("backend", words_only).retrieve(query)

    assert found.passages[0].title == title
    assert found.passages[0].rank == 1
    assert rank_on(found.passages[0], "words") == 1
    assert found.ranker == "fused order"
    assert found.mode == "words, fused"


def test_evidence_says_where_it_comes_from_and_what_matched(words_only: RetrievalResources) -> None:
    (best, *_) = (
        get_retriever("backend", words_only).retrieve("order with several coupons").passages
    )

    assert (best.agent_name, best.source, best.locator) == ("backend", "rules.json", "Coupons")
    assert best.passage_id.startswith("backend_")
    assert best.language == "en"
    assert set(best.matched_terms) == {"order", "coupons"}
    by_words = best.on_path("words")
    assert by_words is not None
    assert by_words.score > 0
    assert rank_on(best, "minilm") is None
    assert best.rerank_score == 0


def test_coverage_counts_content_words_by_their_rarity(words_only: RetrievalResources) -> None:
    retriever = get_retriever("backend", words_only)
    whole = retriever.retrieve("Please tell me: how are coupons refused at checkout?")
    partly = retriever.retrieve("coupons for dragons and castles")
    nothing = retriever.retrieve("a rocket guidance system for Mars landing")

    assert whole.best_coverage == 1.0
    assert 0 < partly.best_coverage < 0.5
    assert nothing.best_coverage < 0.1


def test_slips_are_understood_and_count_less(words_only: RetrievalResources) -> None:
    retriever = get_retriever("backend", words_only)
    right = retriever.retrieve("idempotency of payment")
    slip = retriever.retrieve("idempotancy of paymnet")

    assert slip.passages[0].title == "Idempotency keys"
    assert "payment" in slip.passages[0].matched_terms
    assert 0.5 < slip.best_coverage < right.best_coverage


def test_expansion_terms_find_more_and_cover_nothing(words_only: RetrievalResources) -> None:
    retriever = get_retriever("backend", words_only)

    assert retriever.retrieve("vouchers").passages == ()
    found = retriever.retrieve("vouchers", expansion_terms=("coupon", "优惠券"))
    assert {passage.title for passage in found.passages} == {"Coupons", "Gift cards", "未支付订单"}
    assert found.best_coverage == 0


def test_a_question_without_any_content_word_finds_nothing(words_only: RetrievalResources) -> None:
    for query in ("", "what is it?", "这是什么呢", "\x00\ud800 %_'\";--"):
        assert get_retriever("backend", words_only).retrieve(query).passages == ()


def test_a_model_that_is_missing_or_loading_is_named_and_words_answer(
    filled: ConnectionPool, tmp_path: Path
) -> None:
    missing = get_retriever("backend", resources_with(filled, tmp_path, MissingEmbedder()))
    loading = get_retriever("backend", resources_with(filled, tmp_path, LoadingEmbedder()))

    assert missing.retrieve("coupons").degraded == ("embedding_unavailable",)
    assert loading.retrieve("coupons at checkout").degraded == ("embedding_loading",)
    assert loading.retrieve("coupons at checkout").passages[0].title == "Coupons"
    assert loading.retrieve("coupons at checkout").seconds < 1


def test_both_paths_are_fused_and_every_score_is_kept(hybrid: RetrievalResources) -> None:
    found = get_retriever("backend", hybrid).retrieve("coupons of an order")

    best = found.passages[0]
    assert found.mode == "words+minilm, fused"
    assert found.degraded == ()
    assert best.title == "Coupons"
    assert (rank_on(best, "words"), rank_on(best, "minilm")) == (1, 1)
    by_vectors = best.on_path("minilm")
    assert by_vectors is not None
    assert 0 < by_vectors.score <= 1
    assert best.fused_score == pytest.approx(2 / 61)


def test_a_model_without_chinese_has_no_say_on_chinese(hybrid: RetrievalResources) -> None:
    found = get_retriever("backend", hybrid).retrieve("未支付订单多久取消")

    assert found.mode == "words, fused"
    assert found.degraded == ()
    assert all(rank_on(passage, "minilm") is None for passage in found.passages)
    counts = count_passages(hybrid.pool, TABLE, ["minilm"])
    assert (counts.passages, counts.english_passages) == (6, 3)
    assert (counts.embedded_passages, counts.seen_passages) == (3, 6)
    assert count_rows(hybrid.pool, TABLE, "embedding_minilm is not null") == 3


def test_filling_vectors_again_does_nothing(hybrid: RetrievalResources) -> None:
    embedder = hybrid.models.embedder("all-MiniLM-L6-v2")
    assert isinstance(embedder, WordEmbedder)
    assert len(embedder.encoder.passages) == 5

    fill(hybrid.pool, hybrid.models)

    assert len(embedder.encoder.passages) == 5


def test_when_vectors_fail_the_words_answer(hybrid: RetrievalResources, tmp_path: Path) -> None:
    wrong_size = resources_with(hybrid.pool, tmp_path, WordEmbedder(dimensions=3))
    found = get_retriever("backend", wrong_size).retrieve("coupons of an order")

    assert found.passages[0].title == "Coupons"
    assert found.mode == "words, fused"
    assert found.degraded == ("vectors_failed",)


def test_when_words_fail_the_vectors_answer(hybrid: RetrievalResources) -> None:
    with hybrid.pool.connection() as connection:
        connection.execute(f"drop table {TABLE}_postings")
    found = get_retriever("backend", hybrid).retrieve("coupons of an order")

    assert found.passages[0].title == "Coupons"
    assert found.mode == "minilm, fused"
    assert found.degraded == ("words_failed",)


def test_when_nothing_can_answer_it_is_an_error_and_no_silence(
    words_only: RetrievalResources,
) -> None:
    with words_only.pool.connection() as connection:
        connection.execute(f"drop table {TABLE}_terms")

    with pytest.raises(KnowledgeError, match="cannot be searched"):
        get_retriever("backend", words_only).retrieve("coupons")


def test_top_n_bounds_the_answer(words_only: RetrievalResources) -> None:
    retriever = get_retriever("backend", words_only)
    two = replace(words_only.current_settings(), rerank_top_n=2)

    query = "payment order coupons 订单 支付"
    assert len(retriever.retrieve(query, settings=two).passages) == 2
    assert len(retriever.retrieve("payment order coupons 订单 支付").passages) == 5


def test_a_retriever_is_cached_and_counts_its_calls(words_only: RetrievalResources) -> None:
    retriever = get_retriever("backend", words_only)
    retriever.retrieve("coupons")
    retriever.retrieve("refunds")

    assert get_retriever("backend", words_only) is retriever
    assert retriever.call_count == 2
    retriever.restart()
    assert retriever.call_count == 0


def test_all_tables_are_searched_and_fused_by_rank(words_only: RetrievalResources) -> None:
    found = search_all("idempotency keys of payment requests", words_only)

    assert [passage.agent_name for passage in found.passages[:2]] == ["backend", "tester"]
    assert [passage.rank for passage in found.passages] == list(range(1, len(found.passages) + 1))
    assert found.ranker == "fused order"


def test_an_empty_table_finds_nothing(words_only: RetrievalResources) -> None:
    found = get_retriever("architect", words_only).retrieve("coupons")

    assert found.passages == ()
    assert found.best_coverage == 0


def test_a_large_table_gets_a_vector_index_and_finds_the_same(
    hybrid: RetrievalResources, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding_columns, "FEWEST_PASSAGES_FOR_AN_INDEX", 1)
    index_vectors(hybrid.pool, TABLE, "minilm")

    with hybrid.pool.connection() as connection:
        row = connection.execute(f"select to_regclass('{TABLE}_minilm')::text").fetchone()
    assert row == (f"{TABLE}_minilm",)
    found = get_retriever("backend", hybrid).retrieve("coupons of an order")
    assert found.passages[0].title == "Coupons"


def test_a_stop_in_the_middle_of_the_vectors_leaves_the_rest_for_later(
    filled: ConnectionPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "PASSAGES_AT_ONCE", 1)
    resources = resources_with(filled, tmp_path, minilm())
    done_counts: list[int] = []
    filling = VectorFilling(
        filled,
        [TABLE],
        resources.models,
        on_passages=lambda model, table_name, done, total: done_counts.append(done),
        is_stopped=lambda: len(done_counts) > 1,
    )
    filling.run()
    assert count_passages(filled, TABLE, ["minilm"]).seen_passages == 2
    found = get_retriever("backend", resources).retrieve("coupons")
    assert found.degraded == ("embedding_unfinished",)

    fill(filled, resources.models)
    assert count_passages(filled, TABLE, ["minilm"]).seen_passages == 6
    assert get_retriever("backend", resources).retrieve("coupons").degraded == ()


def test_tables_are_told_apart_by_their_prefix(
    words_only: RetrievalResources, pool: ConnectionPool
) -> None:
    ensure_agent_table(pool, "second_backend")
    other = replace(words_only, table_prefix="second")

    assert get_retriever("backend", other).retrieve("coupons").passages == ()
    assert get_retriever("backend", words_only).retrieve("coupons").passages
