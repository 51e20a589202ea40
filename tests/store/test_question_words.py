"""Aliases, slips of the pen and added words; what the fusion makes of paths and dates."""

from dataclasses import replace
from pathlib import Path

import pytest
from psycopg_pool import ConnectionPool

from meetmind.config.retrieval_settings import PathWeight
from meetmind.database.agent_tables import ensure_agent_table
from meetmind.database.aliases import add_alias, delete_alias, list_aliases
from meetmind.knowledge.rag_retriever import Retrieval
from meetmind.search_trace import SearchTrace, TracedTerm
from tests.store.embedders import e5
from tests.store.knowledge import TABLE, TABLES, Shelf, new_passage, open_shelf, store

PASSAGES = (
    new_passage("Flow control", "The gateway limits every client to fifty requests a second."),
    new_passage("Coupons", "A coupon is refused when the basket holds gift cards alone."),
    new_passage("大促", "双11大促期间冻结发布，只允许紧急修复上线。"),
    new_passage("Notes of spring", "The kettle shelf is counted weekly.", dated="2020-03-01"),
    new_passage("Notes of autumn", "The kettle shelf is counted daily.", dated="2026-11-01"),
)


@pytest.fixture
def table(pool: ConnectionPool) -> ConnectionPool:
    for table_name in TABLES:
        ensure_agent_table(pool, table_name)
    store(pool, PASSAGES)
    return pool


@pytest.fixture
def shelf(table: ConnectionPool, tmp_path: Path) -> Shelf:
    """Words alone, in the fused order."""
    return replace(open_shelf(table, tmp_path), ladder=())


@pytest.fixture
def admin_id(pool: ConnectionPool) -> str:
    with pool.connection() as connection:
        row = connection.execute(
            "insert into users (name, password_hash) values ('lin', '!') returning id::text"
        ).fetchone()
    assert row is not None
    return str(row[0])


def titles(found: Retrieval) -> list[str]:
    return [passage.title for passage in found.passages]


def trace_of(found: Retrieval) -> SearchTrace:
    (trace,) = found.traces
    return trace


def traced(found: Retrieval, surface: str) -> TracedTerm:
    (term,) = [term for term in trace_of(found).terms if term.surface == surface]
    return term


def test_an_alias_works_in_both_directions_and_is_traced(shelf: Shelf, admin_id: str) -> None:
    assert shelf.retriever.retrieve("TurboGate").passages == ()
    assert add_alias(shelf.pool, TABLE, "TurboGate", "gateway", admin_id)
    assert not add_alias(shelf.pool, TABLE, "TurboGate", "gateway", admin_id)

    by_alias = shelf.retriever.retrieve("What does TurboGate limit?")
    by_name = shelf.retriever.retrieve("What does the gateway limit?")

    assert titles(by_alias)[0] == "Flow control"
    added = traced(by_alias, "gateway")
    assert (added.kind, added.answers) == ("alias", ("gateway",))
    assert traced(by_name, "turbogate").kind == "alias"
    assert traced(by_name, "gateway").kind == "word"
    (alias,) = list_aliases(shelf.pool, TABLE)
    assert delete_alias(shelf.pool, TABLE, alias.id)
    assert shelf.retriever.retrieve("TurboGate").passages == ()


def test_an_alias_is_read_by_the_models_too(
    table: ConnectionPool, tmp_path: Path, admin_id: str
) -> None:
    shelf = replace(open_shelf(table, tmp_path, e5()), ladder=())
    assert rank_by_meaning(shelf, "TurboGate and the basket") == 4
    add_alias(shelf.pool, TABLE, "TurboGate", "gateway clients fifty requests", admin_id)

    assert rank_by_meaning(shelf, "TurboGate and the basket") == 1


def rank_by_meaning(shelf: Shelf, query: str) -> int:
    (rank,) = [
        place.rank
        for candidate in trace_of(shelf.retriever.retrieve(query)).candidates
        for place in candidate.path_scores
        if candidate.title == "Flow control" and place.path == "e5"
    ]
    return rank


def test_an_alias_ranks_and_never_counts_as_covered(shelf: Shelf, admin_id: str) -> None:
    add_alias(shelf.pool, TABLE, "TurboGate", "gateway", admin_id)

    assert shelf.retriever.retrieve("TurboGate").best_coverage == 0


def test_an_alias_is_a_whole_latin_word(shelf: Shelf, admin_id: str) -> None:
    add_alias(shelf.pool, TABLE, "cap", "gateway", admin_id)

    assert shelf.retriever.retrieve("capacity of recaps").passages == ()
    assert titles(shelf.retriever.retrieve("What is the Cap?")) == ["Flow control"]
    assert titles(shelf.retriever.retrieve("网关CAP是多少")) == ["Flow control"]


def test_a_chinese_alias_is_found_within_a_sentence(shelf: Shelf, admin_id: str) -> None:
    add_alias(shelf.pool, TABLE, "双11", "光棍节", admin_id)

    assert titles(shelf.retriever.retrieve("光棍节前能发版吗"))[0] == "大促"


def test_an_alias_of_another_role_does_nothing(shelf: Shelf, admin_id: str) -> None:
    add_alias(shelf.pool, "meetmind_tester", "TurboGate", "gateway", admin_id)

    assert shelf.retriever.retrieve("TurboGate").passages == ()


def test_a_slip_is_answered_by_the_vocabulary_and_traced_as_a_guess(shelf: Shelf) -> None:
    found = shelf.retriever.retrieve("gatewya")
    slip = traced(found, "gatewya")

    assert titles(found) == ["Flow control"]
    assert (slip.answers, slip.is_guess) == (("gateway",), True)
    assert not traced(shelf.retriever.retrieve("gateway"), "gateway").is_guess


def test_expansion_terms_are_traced_and_count_less_than_the_question(shelf: Shelf) -> None:
    found = shelf.retriever.retrieve("gateway", ("coupon",))

    assert titles(found) == ["Flow control", "Coupons"]
    assert trace_of(found).expansion_terms == ("coupon",)
    assert traced(found, "coupon").kind == "expansion"
    assert traced(found, "coupon").weight < traced(found, "gateway").weight


def test_unstorable_signs_in_a_query_are_gone_from_its_trace(shelf: Shelf) -> None:
    trace = trace_of(shelf.retriever.retrieve("gate\x00way \ud800limit", ("cou\x00pon\udfff",)))

    assert trace.query == "gateway limit"
    assert trace.expansion_terms == ("coupon",)


def test_a_path_counts_by_its_weight_for_the_language_of_the_question(
    table: ConnectionPool, tmp_path: Path
) -> None:
    shelf = replace(open_shelf(table, tmp_path, e5()), ladder=())
    weights = (PathWeight(path="words", en=1.0, zh=3.0), PathWeight(path="e5", en=0.5, zh=2.0))
    shelf.settings = replace(shelf.settings, path_weights=weights)

    english = shelf.retriever.retrieve("limits of the gateway").passages[0]
    chinese = shelf.retriever.retrieve("大促期间冻结发布").passages[0]

    assert english.fused_score == pytest.approx(1.5 / 61)
    assert chinese.fused_score == pytest.approx(5 / 61)


def test_a_heavier_path_decides_who_is_first(table: ConnectionPool, tmp_path: Path) -> None:
    meant = new_passage("Released stock", "Stock of cancelled orders is released.")
    store(table, [meant], source="orders.json")
    shelf = replace(open_shelf(table, tmp_path, e5()), ladder=())
    query = "取消释放库存 kettle"
    by_words = first_with(shelf, query, words=9.0, e5_across=0.0)
    by_meaning = first_with(shelf, query, words=0.0, e5_across=9.0)

    assert by_words == "Notes of spring"
    assert by_meaning == "Released stock"


def first_with(shelf: Shelf, query: str, **weight_by_path: float) -> str:
    weights = tuple(PathWeight(path=path, zh=zh) for path, zh in weight_by_path.items())
    settings = replace(shelf.settings, path_weights=weights)
    return shelf.retriever.retrieve(query, settings=settings).passages[0].title


def test_dates_do_not_matter_by_default(shelf: Shelf) -> None:
    trace = trace_of(shelf.retriever.retrieve("kettle shelf"))

    assert [candidate.title for candidate in trace.candidates] == [
        "Notes of spring",
        "Notes of autumn",
    ]
    assert {candidate.date_factor for candidate in trace.candidates} == {1.0}


def test_an_old_date_is_a_factor_of_its_own_when_dates_matter(shelf: Shelf) -> None:
    shelf.settings = replace(shelf.settings, half_life_days=365)
    trace = trace_of(shelf.retriever.retrieve("kettle shelf"))
    factor_by_title = {candidate.title: candidate.date_factor for candidate in trace.candidates}

    assert list(factor_by_title) == ["Notes of autumn", "Notes of spring"]
    assert factor_by_title["Notes of spring"] < 0.05
    assert factor_by_title["Notes of autumn"] > factor_by_title["Notes of spring"]
    old = trace.candidates[1]
    assert old.fused_score == pytest.approx(old.date_factor / 61)


def test_a_passage_without_a_date_keeps_its_score_when_dates_matter(shelf: Shelf) -> None:
    shelf.settings = replace(shelf.settings, half_life_days=365)
    trace = trace_of(shelf.retriever.retrieve("gateway"))

    assert trace.candidates[0].date_factor == 1.0
