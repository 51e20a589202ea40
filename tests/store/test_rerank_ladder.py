"""The rungs of the rerank ladder on a real table: who ranks, who is skipped, and what is said."""

import math
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from psycopg_pool import ConnectionPool

from meetmind.database.agent_tables import ensure_agent_table
from meetmind.database.removal import empty_agent_table
from meetmind.knowledge import cross_rung
from meetmind.knowledge.cross_rung import CrossEncoderRung
from meetmind.knowledge.late_rung import USUAL_SUM, LateInteraction, _means
from meetmind.knowledge.questions import read_question
from meetmind.knowledge.rag_retriever import Retrieval
from meetmind.knowledge.token_weights import EMPTY_WORD_WEIGHT, token_weights
from meetmind.search_trace import SearchTrace, SkippedPath
from tests.store.embedders import LoadingEmbedder, e5, minilm
from tests.store.knowledge import TABLE, TABLES, Shelf, fill, new_passage, open_shelf, store

PASSAGES = (
    new_passage("Refund window", "A refund of an unopened order is paid within three days."),
    new_passage("Refund noise", "Refund refund refund refund; nothing else about it."),
    new_passage("Orders", "An order is paid once and shipped within two days."),
    new_passage("退款", "退款在三天内原路返回，超时由客服处理。"),
)

NAMES = [f"{first}{second}" for first in "abcdefgh" for second in ("anna", "otto", "uwe", "ida")]


@pytest.fixture
def table(pool: ConnectionPool) -> ConnectionPool:
    for table_name in TABLES:
        ensure_agent_table(pool, table_name)
    store(pool, PASSAGES)
    return pool


@pytest.fixture
def shelf(table: ConnectionPool, tmp_path: Path) -> Shelf:
    return open_shelf(table, tmp_path, minilm(), e5())


def trace_of(found: Retrieval) -> SearchTrace:
    (trace,) = found.traces
    return trace


def skipped(found: Retrieval) -> dict[str, str]:
    return {path.name: path.reason for path in trace_of(found).skipped}


def test_late_interaction_orders_by_the_sum_of_its_parts(shelf: Shelf) -> None:
    found = shelf.retriever.retrieve("refund of an unopened order")
    ranked = [candidate for candidate in trace_of(found).candidates if candidate.reranked_rank]

    assert (found.ranker, found.mode) == ("late interaction", "words+minilm+e5+e5_across, late")
    assert ranked[0].title == "Refund window"
    scores = [candidate.rerank_score for candidate in ranked]
    assert scores == sorted(scores, reverse=True)
    for candidate in ranked:
        names = [part.name for part in candidate.rerank_parts]
        assert names == ["cosine", "tokens", "words", "own_language"]
        total = sum(part.value * part.weight for part in candidate.rerank_parts)
        assert candidate.rerank_score == pytest.approx(
            1 / (1 + math.exp(USUAL_SUM - total)), abs=1e-3
        )


def test_a_model_says_nothing_against_a_passage_that_it_cannot_read() -> None:
    english_only = [1.0, 0.4, None, None]
    both_languages = [0.8, 0.2, 0.8, None]

    assert _means([english_only, both_languages]) == pytest.approx([0.9, 0.3, 0.8, 0.0])


def test_after_a_reset_the_scores_are_those_of_the_new_passages(shelf: Shelf) -> None:
    many = [
        new_passage(f"N{number}", f"Napkin number {number} of {n}.")
        for number, n in enumerate(NAMES)
    ]
    store(shelf.pool, many, source="many.json")
    fill(shelf.pool, shelf.models)
    before = shelf.retriever.retrieve("refund of an unopened order").passages

    empty_agent_table(shelf.pool, TABLE)
    store(shelf.pool, PASSAGES)
    store(shelf.pool, many, source="many.json")
    fill(shelf.pool, shelf.models)
    after = shelf.retriever.retrieve("refund of an unopened order").passages

    assert [passage.rerank_score for passage in after] == pytest.approx(
        [passage.rerank_score for passage in before]
    )


def test_without_token_vectors_the_fused_order_stands_and_says_so(shelf: Shelf) -> None:
    with shelf.pool.connection() as connection:
        connection.execute(f"update {TABLE} set tokens_minilm = null, tokens_e5 = null")

    found = shelf.retriever.retrieve("refund of an unopened order")

    assert (found.ranker, found.mode) == ("fused order", "words+minilm+e5+e5_across, fused")
    assert found.degraded == ("no_token_vectors",)
    assert {passage.rerank_score for passage in found.passages} == {0}
    fused = [passage.fused_score for passage in found.passages]
    assert fused == sorted(fused, reverse=True)


def test_token_vectors_that_cannot_be_read_leave_the_fused_order(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    with shelf.pool.connection() as connection:
        connection.execute(f"alter table {TABLE} drop column tokens_e5")

    found = shelf.retriever.retrieve("refund of an unopened order")

    assert found.degraded == ("tokens_failed",)
    assert found.mode == "words+minilm+e5+e5_across, fused"
    assert found.passages


def test_reranking_can_be_switched_off(shelf: Shelf) -> None:
    shelf.settings = replace(shelf.settings, reranking="fused")
    found = shelf.retriever.retrieve("refund of an unopened order")

    assert found.mode == "words+minilm+e5+e5_across, fused"
    assert found.degraded == ()
    assert skipped(found) == {"late": "rerank_off"}


def test_the_last_rung_ranks_where_no_model_reads_the_question(
    table: ConnectionPool, tmp_path: Path
) -> None:
    shelf = open_shelf(table, tmp_path, minilm())
    found = shelf.retriever.retrieve("退款几天到账")

    assert (found.mode, found.degraded) == ("words, fused", ())
    assert skipped(found) == {"minilm": "cannot_read", "late": "question_unread"}


def test_a_search_that_finds_nothing_is_not_called_degraded(shelf: Shelf) -> None:
    shelf.settings = replace(shelf.settings, embedding_models=())
    with shelf.pool.connection() as connection:
        connection.execute(f"update {TABLE} set is_disabled = true")

    found = shelf.retriever.retrieve("refund")

    assert (found.passages, found.degraded) == ((), ())


def test_a_number_across_a_full_width_comma_is_no_obstacle(shelf: Shelf) -> None:
    assert shelf.retriever.retrieve("退款满3，000元，超时怎么办").mode == "words+e5+e5_across, late"


def test_tokens_of_rare_words_weigh_more_than_grammar() -> None:
    weights = token_weights("refund of it", np.array([[0, 6], [7, 9]]), None)
    assert weights.tolist() == [1.0, 1.0]
    assert 0 < EMPTY_WORD_WEIGHT < 1


class FakeCrossEncoder:
    """Prefers short passages."""

    def __init__(self, folder: Path, thread_count: int) -> None:
        self.name = folder.name
        self.is_slow = False

    def score(
        self, query: str, passages: Sequence[str], deadline_seconds: float
    ) -> list[float] | None:
        if self.is_slow:
            return None
        return [1 / len(passage) for passage in passages]


def shelf_with_cross_encoder(
    table: ConnectionPool, tmp_path: Path, rung: CrossEncoderRung
) -> Shelf:
    shelf = open_shelf(table, tmp_path, minilm())
    shelf.ladder = (rung, LateInteraction())
    shelf.settings = replace(shelf.settings, rerank_model="some/reranker")
    return shelf


@pytest.fixture
def reranker_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "reranker"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"")
    (folder / "config.json").write_text("{}")
    return tmp_path


def test_the_cross_encoder_ranks_when_it_is_loaded(
    table: ConnectionPool,
    tmp_path: Path,
    reranker_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cross_rung, "CrossEncoderModel", FakeCrossEncoder)
    rung = CrossEncoderRung(reranker_folder)
    shelf = shelf_with_cross_encoder(table, tmp_path, rung)
    shelf.retriever.retrieve("refund of an order")
    assert rung.wait_until_loaded(10)

    found = shelf.retriever.retrieve("refund of an order")

    assert (found.ranker, found.mode) == ("reranker", "words+minilm, cross")
    assert found.degraded == ()
    lengths = [len(passage.title) + len(passage.content) for passage in found.passages]
    assert lengths == sorted(lengths)
    assert found.passages[0].rerank_score == pytest.approx(1 / (lengths[0] + 1))


def test_while_the_cross_encoder_is_loading_late_interaction_ranks(
    table: ConnectionPool,
    tmp_path: Path,
    reranker_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    may_load = threading.Event()

    class Loading(FakeCrossEncoder):
        def __init__(self, folder: Path, thread_count: int) -> None:
            assert may_load.wait(20)
            super().__init__(folder, thread_count)

    monkeypatch.setattr(cross_rung, "CrossEncoderModel", Loading)
    rung = CrossEncoderRung(reranker_folder)
    shelf = shelf_with_cross_encoder(table, tmp_path, rung)
    for _ in range(2):
        found = shelf.retriever.retrieve("refund of an order")
        assert (found.mode, found.degraded) == ("words+minilm, late", ("reranker_loading",))
    may_load.set()

    assert rung.wait_until_loaded(10)
    assert shelf.retriever.retrieve("refund of an order").mode == "words+minilm, cross"


def test_a_cross_encoder_that_is_too_slow_leaves_it_to_late_interaction(
    table: ConnectionPool,
    tmp_path: Path,
    reranker_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Slow(FakeCrossEncoder):
        def __init__(self, folder: Path, thread_count: int) -> None:
            super().__init__(folder, thread_count)
            self.is_slow = True

    monkeypatch.setattr(cross_rung, "CrossEncoderModel", Slow)
    rung = CrossEncoderRung(reranker_folder)
    shelf = shelf_with_cross_encoder(table, tmp_path, rung)
    shelf.retriever.retrieve("refund of an order")
    assert rung.wait_until_loaded(10)

    found = shelf.retriever.retrieve("refund of an order")

    assert (found.mode, found.degraded) == ("words+minilm, late", ("reranker_slow",))
    assert found.passages[0].title == "Refund window"


def test_a_cross_encoder_that_is_not_on_the_disk_is_no_fault(
    table: ConnectionPool, tmp_path: Path
) -> None:
    shelf = shelf_with_cross_encoder(table, tmp_path, CrossEncoderRung(tmp_path))
    found = shelf.retriever.retrieve("refund of an order")

    assert (found.mode, found.degraded) == ("words+minilm, late", ())
    assert SkippedPath(name="cross", reason="reranker_missing") in trace_of(found).skipped


def test_late_reranking_alone_can_be_chosen(
    table: ConnectionPool, tmp_path: Path, reranker_folder: Path
) -> None:
    rung = CrossEncoderRung(reranker_folder)
    shelf = shelf_with_cross_encoder(table, tmp_path, rung)
    shelf.settings = replace(shelf.settings, reranking="late")

    found = shelf.retriever.retrieve("refund of an order")

    assert found.mode == "words+minilm, late"
    assert skipped(found)["cross"] == "rerank_off"


def test_what_was_cut_is_traced_with_the_rule_that_cut_it(shelf: Shelf) -> None:
    shelf.settings = replace(shelf.settings, retrieve_top_n=2, rerank_top_n=1)
    trace = trace_of(shelf.retriever.retrieve("refund of an unopened order"))

    assert [candidate.cut_by for candidate in trace.candidates] == [
        "",
        "answer",
        "fusion",
        "fusion",
    ]
    assert [candidate.reranked_rank for candidate in trace.candidates] == [1, 2, 0, 0]
    assert {candidate.fused_rank for candidate in trace.candidates} == {1, 2, 3, 4}
    # One of the two places is for the other language.
    assert {candidate.language for candidate in trace.candidates[:2]} == {"en", "zh"}
    assert [stage.stage for stage in trace.stages] == [
        "encode",
        "vocabulary",
        "recall",
        "fuse",
        "rerank",
    ]


def test_a_loading_model_is_waited_for_by_nobody(table: ConnectionPool, tmp_path: Path) -> None:
    shelf = open_shelf(table, tmp_path, LoadingEmbedder(), filled=False)
    found = shelf.retriever.retrieve("refund of an order")

    assert (found.mode, found.degraded) == ("words, fused", ("embedding_loading",))


def test_a_question_of_signs_alone_is_read_by_the_rung(shelf: Shelf) -> None:
    assert read_question("？？").terms == ()
    assert shelf.retriever.retrieve("？？").degraded in ((), ("no_token_vectors",))
