"""Questions to a role's table, in both languages and with paths missing."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from psycopg_pool import ConnectionPool

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.database.agent_tables import ensure_agent_table
from meetmind.database.passages import count_passages, index_vectors
from meetmind.errors import KnowledgeError
from meetmind.knowledge import vectors
from meetmind.knowledge.embedding import Embedder
from meetmind.knowledge.initializer import load_seeds_to_pg
from meetmind.knowledge.rag_retriever import RAGRetriever, get_retriever, search_all
from meetmind.knowledge.table_search import RetrievalResources
from meetmind.knowledge.vectors import fill_vectors
from tests.store.embedders import LoadingEmbedder, MissingEmbedder, WordVectorEmbedder

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
TABLE = "meetmind_backend"

Search = Callable[..., RAGRetriever]


@pytest.fixture
def filled(pool: ConnectionPool, tmp_path: Path) -> ConnectionPool:
    for agent_name, passages in (("backend", BACKEND), ("tester", TESTER)):
        folder = tmp_path / agent_name
        folder.mkdir()
        entries = [{"title": title, "content": text} for title, text in passages.items()]
        (folder / "rules.json").write_text(json.dumps(entries))
    for agent_name in AGENT_NAMES:
        load_seeds_to_pg(pool, "meetmind", agent_name, tmp_path)
    return pool


def resources_with(pool: ConnectionPool, embedder: Embedder) -> RetrievalResources:
    return RetrievalResources(pool=pool, table_prefix="meetmind", embedder=embedder)


def embed(pool: ConnectionPool, embedder: Embedder) -> None:
    fill_vectors(
        pool,
        [TABLE, "meetmind_tester"],
        embedder,
        on_passages=lambda table_name, done, total: None,
        is_stopped=lambda: False,
    )


@pytest.fixture
def words_only(filled: ConnectionPool) -> RetrievalResources:
    return resources_with(filled, MissingEmbedder())


@pytest.fixture
def hybrid(filled: ConnectionPool) -> RetrievalResources:
    embedder = WordVectorEmbedder()
    embed(filled, embedder)
    return resources_with(filled, embedder)


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
    assert found.passages[0].bm25_rank == 1
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
    assert best.bm25_score is not None
    assert best.bm25_score > 0
    assert best.vector_rank is None
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
    filled: ConnectionPool,
) -> None:
    missing = get_retriever("backend", resources_with(filled, MissingEmbedder()))
    loading = get_retriever("backend", resources_with(filled, LoadingEmbedder()))

    assert missing.retrieve("coupons").degraded == ("embedding_unavailable",)
    assert loading.retrieve("coupons at checkout").degraded == ("embedding_loading",)
    assert loading.retrieve("coupons at checkout").passages[0].title == "Coupons"
    assert loading.retrieve("coupons at checkout").seconds < 1


def test_both_paths_are_fused_and_every_score_is_kept(hybrid: RetrievalResources) -> None:
    found = get_retriever("backend", hybrid).retrieve("coupons of an order")

    best = found.passages[0]
    assert found.mode == "words+vectors, fused"
    assert found.degraded == ()
    assert best.title == "Coupons"
    assert (best.bm25_rank, best.vector_rank) == (1, 1)
    assert best.vector_score is not None
    assert 0 < best.vector_score <= 1
    assert best.fused_score == pytest.approx(2 / 61)


def test_a_model_without_chinese_has_no_say_on_chinese(hybrid: RetrievalResources) -> None:
    found = get_retriever("backend", hybrid).retrieve("未支付订单多久取消")

    assert found.mode == "words, fused"
    assert found.degraded == ()
    assert all(passage.vector_rank is None for passage in found.passages)
    counts = count_passages(hybrid.pool, TABLE)
    assert (counts.passages, counts.english_passages, counts.embedded_passages) == (6, 3, 3)


def test_filling_vectors_again_does_nothing(hybrid: RetrievalResources) -> None:
    class NeverAsked(WordVectorEmbedder):
        def encode_passages(self, texts: object) -> list[list[float]]:
            raise AssertionError("everything is embedded already")

    embed(hybrid.pool, NeverAsked())


def test_when_vectors_fail_the_words_answer(hybrid: RetrievalResources) -> None:
    wrong_size = resources_with(hybrid.pool, WordVectorEmbedder(dimensions=3))
    found = get_retriever("backend", wrong_size).retrieve("coupons of an order")

    assert found.passages[0].title == "Coupons"
    assert found.mode == "words, fused"
    assert found.degraded == ("vectors_failed",)


def test_when_words_fail_the_vectors_answer(hybrid: RetrievalResources) -> None:
    with hybrid.pool.connection() as connection:
        connection.execute(f"drop table {TABLE}_postings")
    found = get_retriever("backend", hybrid).retrieve("coupons of an order")

    assert found.passages[0].title == "Coupons"
    assert found.mode == "vectors, fused"
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

    assert len(retriever.retrieve("payment order coupons 订单 支付", top_n=2).passages) == 2
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
    monkeypatch.setattr("meetmind.database.passages.FEWEST_PASSAGES_FOR_AN_INDEX", 1)
    index_vectors(hybrid.pool, TABLE)

    with hybrid.pool.connection() as connection:
        row = connection.execute(f"select to_regclass('{TABLE}_vectors')::text").fetchone()
    assert row == (f"{TABLE}_vectors",)
    found = get_retriever("backend", hybrid).retrieve("coupons of an order")
    assert found.passages[0].title == "Coupons"


def test_a_stop_in_the_middle_of_the_vectors_leaves_the_rest_for_later(
    filled: ConnectionPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "PASSAGES_AT_ONCE", 1)
    embedder = WordVectorEmbedder()
    rounds = iter([False, False, True, True])
    fill_vectors(
        filled,
        [TABLE],
        embedder,
        on_passages=lambda table_name, done, total: None,
        is_stopped=lambda: next(rounds),
    )
    assert count_passages(filled, TABLE).embedded_passages == 2
    found = get_retriever("backend", resources_with(filled, embedder)).retrieve("coupons")
    assert found.degraded == ("embedding_unfinished",)

    embed(filled, embedder)
    assert count_passages(filled, TABLE).embedded_passages == 3


def test_tables_are_told_apart_by_their_prefix(
    words_only: RetrievalResources, pool: ConnectionPool
) -> None:
    ensure_agent_table(pool, "second_backend")
    other = RetrievalResources(pool=pool, table_prefix="second", embedder=words_only.embedder)

    assert get_retriever("backend", other).retrieve("coupons").passages == ()
    assert get_retriever("backend", words_only).retrieve("coupons").passages
