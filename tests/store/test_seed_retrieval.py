"""Retrieval over the seed documents: planted facts, known and unknown topics, MiniLM."""

import json
import time
from collections.abc import Iterator

import pytest
from psycopg.conninfo import make_conninfo
from psycopg_pool import ConnectionPool

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.config.settings import PROJECT_ROOT
from meetmind.database.connection import get_pg_pool
from meetmind.knowledge.embedding_models import EmbeddingModels
from meetmind.knowledge.initializer import KnowledgeBase, build_agents_tables
from meetmind.knowledge.late_rung import LateInteraction
from meetmind.knowledge.models.folders import MINILM
from meetmind.knowledge.rag_retriever import KNOWN_COVERAGE, get_retriever
from meetmind.knowledge.table_search import RetrievalResources
from meetmind.knowledge.vectors import VectorFilling
from tests.conftest import run_on_server
from tests.store.embedders import FakeModels, LoadingEmbedder, settings_for
from tests.store.knowledge import ALL_TABLES, base_of

SEEDS = PROJECT_ROOT / "data" / "seed"
DATA = PROJECT_ROOT / "tests" / "data"


@pytest.fixture(scope="module")
def base(server_url: str, template_database: str) -> Iterator[KnowledgeBase]:
    name = "meetmind_test_seeds"
    run_on_server(server_url, f"create database {name} template {template_database}")
    pool = get_pg_pool(make_conninfo(server_url, dbname=name))
    base = base_of(pool, SEEDS)
    reports = build_agents_tables(base)
    assert [report.failures for report in reports.values()] == [()] * 5
    yield base
    base.reader.close()
    pool.close()
    run_on_server(server_url, f"drop database {name} with (force)")


@pytest.fixture(scope="module")
def seeded(base: KnowledgeBase) -> ConnectionPool:
    return base.pool


@pytest.fixture(scope="module")
def words_only(
    seeded: ConnectionPool, tmp_path_factory: pytest.TempPathFactory
) -> RetrievalResources:
    models = FakeModels(seeded, ALL_TABLES, tmp_path_factory.mktemp("models"), [LoadingEmbedder()])
    return resources_of(seeded, models)


def resources_of(pool: ConnectionPool, models: EmbeddingModels) -> RetrievalResources:
    return RetrievalResources(
        pool=pool,
        table_prefix="meetmind",
        models=models,
        current_settings=lambda: settings_for(MINILM),
        ladder=(LateInteraction(),),
    )


def best_coverage(resources: RetrievalResources, query: str) -> float:
    coverages = []
    for agent_name in AGENT_NAMES:
        found = get_retriever(agent_name, resources).retrieve(query)
        coverages.append(found.best_coverage)
    return max(coverages)


def test_a_second_reading_of_all_seeds_takes_well_under_a_second(base: KnowledgeBase) -> None:
    started = time.perf_counter()
    reports = build_agents_tables(base)

    assert [report.read for report in reports.values()] == [0] * 5
    assert time.perf_counter() - started < 0.5


@pytest.mark.parametrize(
    ("pair", "query"),
    [
        ("P1", "How long are idempotency keys of payment requests kept?"),
        (
            "P1",
            "We get duplicate card charges when clients retry. Make payment requests idempotent.",
        ),
        ("P2", "支付回调偶尔处理很慢，导致订单状态不更新，请讨论超时与重试方案。"),
        (
            "P3",
            "Customers see sold-out goods in the cart. Show fresh stock levels in the cart.",
        ),
        ("P4", "顾客抱怨没来得及付款订单就被取消了，调整未支付订单的超时取消规则。"),
        (
            "P5",
            "Customers in Europe want to return unopened goods for a refund. What is the window?",
        ),
        ("P6", "结算页太慢，提升首屏加载速度"),
        ("P7", "Plan the release of the Double 11 campaign: code freeze, load test and rollback."),
        ("P8", "客服纠纷需要查看订单操作日志，请确定保留期限和查询权限"),
        ("P9", "Let customers combine several coupons in one order at checkout"),
        ("P10", "购物车容量不够用，提升购物车商品数量上限"),
    ],
)
def test_both_sides_of_a_contradiction_are_found_by_a_brief(
    words_only: RetrievalResources, pair: str, query: str
) -> None:
    contradictions = json.loads((DATA / "contradictions.json").read_text(encoding="utf-8"))
    (sides,) = [entry["sides"] for entry in contradictions if entry["id"] == pair]
    for side in sides:
        found = get_retriever(side["agent"], words_only).retrieve(query)
        sources = [passage.source for passage in found.passages]
        texts = [passage.content for passage in found.passages]
        assert side["document"] in sources
        assert any(side["sentence"] in text for text in texts)


def test_known_topics_are_told_from_unknown_ones_by_coverage(
    words_only: RetrievalResources,
) -> None:
    topics = json.loads((DATA / "topics.json").read_text(encoding="utf-8"))
    missed = [q for q in topics["known"] if best_coverage(words_only, q) < KNOWN_COVERAGE]
    mistaken = [q for q in topics["unknown"] if best_coverage(words_only, q) >= KNOWN_COVERAGE]

    topic_count = len(topics["known"]) + len(topics["unknown"])
    assert topic_count >= 120
    assert len(missed) + len(mistaken) <= 0.05 * topic_count, missed + mistaken


def test_a_rocket_is_unknown_everywhere(words_only: RetrievalResources) -> None:
    assert best_coverage(words_only, "a rocket guidance system for Mars landing") < KNOWN_COVERAGE
    assert best_coverage(words_only, "火星着陆火箭的制导系统") < KNOWN_COVERAGE


def test_a_search_by_words_is_fast(words_only: RetrievalResources) -> None:
    topics = json.loads((DATA / "topics.json").read_text(encoding="utf-8"))
    seconds = []
    for query in topics["known"]:
        found = get_retriever("backend", words_only).retrieve(query)
        seconds.append(found.seconds)
    median = sorted(seconds)[len(seconds) // 2]

    # Two milliseconds on a quiet machine.
    assert median < 0.05


def test_minilm_joins_in_english_and_stays_out_of_chinese(seeded: ConnectionPool) -> None:
    models = EmbeddingModels(seeded, ALL_TABLES, PROJECT_ROOT / "models")
    assert models.choose([MINILM]) == []
    filling = VectorFilling(
        seeded,
        ["meetmind_frontend"],
        models,
        on_passages=lambda model, table_name, done, total: None,
        is_stopped=lambda: False,
    )
    assert filling.run() == []
    retriever = get_retriever("frontend", resources_of(seeded, models))
    english = retriever.retrieve("people who cannot see must be able to buy")
    chinese = retriever.retrieve("结算页首屏加载时间")

    assert english.mode == "words+minilm, late"
    assert any("ccessib" in passage.title for passage in english.passages)
    assert chinese.mode == "words, fused"
    assert chinese.passages[0].language == "zh"
