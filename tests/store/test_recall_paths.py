"""Words and two embedding models in one statement, and each alone where one of them fails."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import psycopg
import pytest
from psycopg_pool import ConnectionPool

from meetmind.database import retrieval
from meetmind.database.agent_tables import ensure_agent_table
from meetmind.database.embedding_columns import NewEmbedding, index_vectors, store_embeddings
from meetmind.database.locating import locate_passage
from meetmind.database.passages import set_disabled
from meetmind.database.retrieval import VectorLeg, recall_passages
from meetmind.errors import KnowledgeError
from meetmind.knowledge.initializer import generate_doc_id
from meetmind.knowledge.questions import read_question
from meetmind.knowledge.table_search import TableSearch
from meetmind.search_trace import SkippedPath
from tests.store.embedders import E5_DIMENSIONS, e5, minilm
from tests.store.knowledge import TABLE, TABLES, Shelf, fill, new_passage, open_shelf, store

UNPAID = "Unpaid orders are cancelled after 15 minutes, and their stock is released at once."
COUPONS = "Coupons of a cancelled order go back to the wallet within a minute."
CALLBACK = "支付回调的处理超时为五秒，超过后由渠道重新发送通知。"
LOGS = "Logs of operations are kept for ninety days and then deleted by partition."
PASSAGES = (
    new_passage("Unpaid orders", UNPAID),
    new_passage("Coupons", COUPONS),
    new_passage("支付回调", CALLBACK),
    new_passage("Logs", LOGS),
)


@pytest.fixture
def table(pool: ConnectionPool) -> ConnectionPool:
    for table_name in TABLES:
        ensure_agent_table(pool, table_name)
    store(pool, PASSAGES)
    return pool


@pytest.fixture
def shelf(table: ConnectionPool, tmp_path: Path) -> Shelf:
    return open_shelf(table, tmp_path, minilm(), e5())


def drop_column(pool: ConnectionPool, column: str) -> None:
    with pool.connection() as connection:
        connection.execute(f"alter table {TABLE} drop column {column}")


def ids_on(shelf: Shelf, query: str, path: str) -> set[str]:
    (trace,) = shelf.retriever.retrieve(query).traces
    found: set[str] = set()
    for candidate in trace.candidates:
        if any(score.path == path for score in candidate.path_scores):
            found.add(candidate.passage_id)
    return found


def test_words_and_both_models_answer_in_one_statement(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    statements: list[str] = []
    compose = retrieval._recall_statement

    def composed(*arguments: object) -> object:
        statement = compose(*arguments)
        statements.append(statement.as_string())
        return statement

    monkeypatch.setattr(retrieval, "_recall_statement", composed)
    found = shelf.retriever.retrieve("cancelled orders and stock")

    assert len(statements) == 1
    assert found.mode == "words+minilm+e5+e5_across, late"
    assert found.degraded == ()
    best = found.passages[0]
    assert best.title == "Unpaid orders"
    assert [(score.path, score.rank) for score in best.path_scores] == [
        ("words", 1),
        ("minilm", 1),
        ("e5", 1),
    ]
    assert best.fused_score == pytest.approx(3 / 61)


def test_a_model_whose_column_is_gone_is_named_and_the_others_answer(shelf: Shelf) -> None:
    drop_column(shelf.pool, "embedding_e5")

    found = shelf.retriever.retrieve("cancelled orders and stock")

    assert found.passages[0].title == "Unpaid orders"
    assert found.mode == "words+minilm, late"
    assert found.degraded == ("vectors_failed",)


def test_when_every_vector_column_is_gone_the_words_answer(shelf: Shelf) -> None:
    drop_column(shelf.pool, "embedding_e5")
    drop_column(shelf.pool, "embedding_minilm")

    found = shelf.retriever.retrieve("cancelled orders and stock")

    assert found.passages[0].title == "Unpaid orders"
    assert found.mode == "words, fused"
    assert found.degraded == ("vectors_failed",)


def test_a_column_that_was_lost_is_made_again_and_filled(shelf: Shelf) -> None:
    drop_column(shelf.pool, "embedding_e5")
    shelf.retriever.retrieve("cancelled orders and stock")

    second = shelf.retriever.retrieve("cancelled orders and stock")
    assert second.mode == "words+minilm+e5+e5_across, late"
    assert second.degraded == ("embedding_unfinished",)

    fill(shelf.pool, shelf.models)
    third = shelf.retriever.retrieve("cancelled orders and stock")
    assert third.degraded == ()
    assert third.passages[0].on_path("e5") is not None


def test_a_model_that_another_process_removed_is_no_longer_searched(shelf: Shelf) -> None:
    with shelf.pool.connection() as connection:
        connection.execute("delete from embedding_models where key = 'minilm'")
        for table_name in TABLES:
            connection.execute(f"alter table {table_name} drop column embedding_minilm")

    assert shelf.retriever.retrieve("cancelled orders").degraded == ("vectors_failed",)
    assert [row.key for row in shelf.models.rows] == ["e5"]
    assert shelf.retriever.retrieve("cancelled orders").mode == "words+e5+e5_across, late"


def test_when_words_fail_both_models_answer_and_agree(shelf: Shelf) -> None:
    with shelf.pool.connection() as connection:
        connection.execute(f"drop table {TABLE}_postings")

    found = shelf.retriever.retrieve("cancelled orders and stock")

    assert found.mode == "minilm+e5+e5_across, late"
    assert found.degraded == ("words_failed",)
    assert found.passages[0].title == "Unpaid orders"
    assert [score.path for score in found.passages[0].path_scores] == ["minilm", "e5"]


def test_a_lost_database_is_one_sentence(shelf: Shelf) -> None:
    shelf.pool.close()

    with pytest.raises(KnowledgeError, match="cannot be searched now"):
        shelf.retriever.retrieve("cancelled orders")


def test_a_wanted_model_that_was_never_there_is_named(
    table: ConnectionPool, tmp_path: Path
) -> None:
    shelf = open_shelf(table, tmp_path, minilm())
    shelf.settings = replace(
        shelf.settings, embedding_models=(*shelf.settings.embedding_models, "someone/else")
    )
    found = shelf.retriever.retrieve("cancelled orders")

    assert found.degraded == ("embedding_unavailable",)
    assert found.mode == "words+minilm, late"


def test_a_disabled_passage_is_found_on_no_path(shelf: Shelf) -> None:
    unpaid = generate_doc_id("backend", UNPAID)
    for path in ("words", "minilm", "e5"):
        assert unpaid in ids_on(shelf, "cancelled orders", path)

    assert set_disabled(shelf.pool, TABLE, unpaid, True)

    assert not set_disabled(shelf.pool, TABLE, "backend_000000000000", False)
    for path in ("words", "minilm", "e5"):
        assert unpaid not in ids_on(shelf, "cancelled orders", path)
    assert shelf.retriever.retrieve("cancelled orders").passages[0].title == "Coupons"

    set_disabled(shelf.pool, TABLE, unpaid, False)
    assert shelf.retriever.retrieve("cancelled orders").passages[0].title == "Unpaid orders"


def test_a_model_without_chinese_has_no_say_on_a_chinese_question(shelf: Shelf) -> None:
    found = shelf.retriever.retrieve("支付回调超时")
    (trace,) = found.traces

    assert found.mode == "words+e5+e5_across, late"
    assert found.degraded == ()
    assert found.passages[0].title == "支付回调"
    assert SkippedPath(name="minilm", reason="cannot_read") in trace.skipped


def test_a_chinese_question_finds_an_english_passage_and_the_other_way_round(shelf: Shelf) -> None:
    chinese = shelf.retriever.retrieve("取消后库存释放")
    english = shelf.retriever.retrieve("payment callback timeout")

    assert chinese.passages[0].title == "Unpaid orders"
    assert chinese.passages[0].on_path("words") is None
    assert english.passages[0].title == "支付回调"
    by_e5 = english.passages[0].on_path("e5_across")
    assert by_e5 is not None
    assert by_e5.rank == 1


def test_one_model_alone_can_be_chosen(table: ConnectionPool, tmp_path: Path) -> None:
    shelf = open_shelf(table, tmp_path, e5())

    assert shelf.retriever.retrieve("cancelled orders").mode == "words+e5+e5_across, late"


def test_a_passage_can_be_located_however_far_down(shelf: Shelf) -> None:
    question = read_question("cancelled orders")
    search = TableSearch(question, TABLE, shelf.resources, shelf.settings)
    places = {place.path: place for place in search.locate(generate_doc_id("backend", LOGS))}

    assert search.paths == ["words", "minilm", "e5", "e5_across"]
    assert set(places) == {"minilm", "e5"}
    assert places["e5"].rank in (3, 4)


def fill_randomly(pool: ConnectionPool, count: int, dimensions: int) -> np.ndarray:
    """Passages with vectors in some hundred heaps, as texts about one thing lie together."""
    generator = np.random.default_rng(7)
    passages = [new_passage(f"T{number}", f"Text {number}") for number in range(count)]
    store(pool, passages, source="many.json")
    heaps = generator.normal(size=(100, dimensions))
    vectors = heaps[generator.integers(0, 100, count)]
    vectors = vectors + 0.4 * generator.normal(size=(count, dimensions))
    embeddings = [
        NewEmbedding(passage_id=passage.id, vector=vector.tolist(), tokens=None)
        for passage, vector in zip(passages, vectors, strict=True)
    ]
    store_embeddings(pool, TABLE, "e5", embeddings)
    return heaps


def english_leg(vector: np.ndarray) -> VectorLeg:
    return VectorLeg(key="e5", vector=vector.tolist(), language="en")


def nearest(pool: ConnectionPool, vector: np.ndarray) -> list[str]:
    found = recall_passages(pool, TABLE, words=None, vectors=[english_leg(vector)], depth=50)
    return [passage.id for passage in sorted(found, key=lambda passage: passage.ranks[0])][:10]


def index_and_analyse(pool: ConnectionPool) -> None:
    index_vectors(pool, TABLE, "e5", ("zh", "en"))
    with pool.connection() as connection:
        connection.execute(f"analyze {TABLE}")


def plan_of_recall(pool: ConnectionPool, leg: VectorLeg) -> str:
    statement = retrieval._recall_statement(TABLE, False, [leg])
    parameters = retrieval._recall_parameters(None, [leg], 50)
    with pool.connection() as connection, psycopg.ClientCursor(connection) as cursor:
        cursor.execute(b"explain " + statement.as_bytes(connection), parameters)
        return "\n".join(row[0] for row in cursor.fetchall())


def test_above_a_thousand_passages_an_index_answers_as_the_exact_scan_would(
    table: ConnectionPool, tmp_path: Path
) -> None:
    open_shelf(table, tmp_path, e5())
    heaps = fill_randomly(table, 1_500, E5_DIMENSIONS)
    queries = heaps[:10] + 0.2
    assert "_e5_" not in plan_of_recall(table, english_leg(queries[0]))
    exact = [nearest(table, query) for query in queries]

    index_and_analyse(table)
    by_index = [nearest(table, query) for query in queries]

    assert f"{TABLE}_e5_en" in plan_of_recall(table, english_leg(queries[0]))
    for exact_ids, index_ids in zip(exact, by_index, strict=True):
        assert len(set(exact_ids) & set(index_ids)) >= 9


def test_a_few_passages_of_another_language_are_found_in_a_large_table(
    table: ConnectionPool, tmp_path: Path
) -> None:
    shelf = open_shelf(table, tmp_path, e5())
    heaps = fill_randomly(table, 1_500, E5_DIMENSIONS)
    index_and_analyse(table)
    vector = heaps[0].tolist()
    leg = VectorLeg(key="e5", vector=vector, language="zh", is_across=True)
    (found,) = recall_passages(shelf.pool, TABLE, words=None, vectors=[leg], depth=50)

    assert (found.title, list(found.paths)) == ("支付回调", ["e5_across"])


def test_a_small_table_gets_no_index(shelf: Shelf) -> None:
    index_vectors(shelf.pool, TABLE, "e5")

    with shelf.pool.connection() as connection:
        row = connection.execute("select to_regclass('meetmind_backend_e5')").fetchone()
    assert row == (None,)


def test_a_depth_beyond_the_index_is_no_error(shelf: Shelf) -> None:
    shelf.settings = replace(shelf.settings, recall_depth=5_000)

    assert shelf.retriever.retrieve("cancelled orders").degraded == ()


def test_a_passage_without_a_word_or_vector_has_no_place(shelf: Shelf) -> None:
    places = locate_passage(
        shelf.pool, TABLE, generate_doc_id("backend", LOGS), words=None, vectors=[]
    )

    assert places == []
