"""Another embedding model: filled beside the old one, searched when complete, never a stop."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from psycopg_pool import ConnectionPool

from meetmind.database import embedding_columns, embedding_models
from meetmind.database.agent_tables import ensure_agent_table
from meetmind.database.embedding_models import FILLING, IN_FORCE, LEAVING
from meetmind.errors import EmbeddingUnavailable
from meetmind.knowledge import vectors
from meetmind.knowledge.embedding import get_embed_model_dim
from meetmind.knowledge.models.encoder import Encoded, Kind
from meetmind.knowledge.models.folders import model_key
from meetmind.knowledge.vectors import VectorFilling
from tests.store.embedders import (
    E5_SMALL,
    MINILM,
    FakeModels,
    WordEmbedder,
    WordEncoder,
    e5,
    make_model_folder,
    minilm,
    settings_for,
)
from tests.store.knowledge import (
    TABLE,
    TABLES,
    Shelf,
    count_rows,
    fill,
    new_passage,
    open_shelf,
    store,
)

THINGS = ("kettle", "teapot", "saucer", "spoon", "napkin", "teacup", "basket", "ribbon")
PASSAGES = [
    new_passage(f"About {thing}", f"Every {thing} of the shop is counted on shelf {number}.")
    for number, thing in enumerate(THINGS)
]
QUESTION = "Where is the saucer counted?"
OTHER = "some/other-model"


@pytest.fixture
def table(pool: ConnectionPool) -> ConnectionPool:
    for table_name in TABLES:
        ensure_agent_table(pool, table_name)
    store(pool, PASSAGES)
    return pool


@pytest.fixture
def shelf(table: ConnectionPool, tmp_path: Path) -> Shelf:
    """MiniLM in force and filled; E5 can be had."""
    shelf = open_shelf(table, tmp_path, minilm())
    shelf.models = FakeModels(table, TABLES, tmp_path, [given(shelf, MINILM), e5()])
    return shelf


def given(shelf: Shelf, model_name: str) -> WordEmbedder:
    models = shelf.models
    assert isinstance(models, FakeModels)
    return models.given[model_name]


def states(shelf: Shelf) -> dict[str, str]:
    return {row.key: row.state for row in shelf.models.rows}


def columns(pool: ConnectionPool) -> set[str]:
    with pool.connection() as connection:
        rows = connection.execute(
            "select column_name from information_schema.columns where table_name = %s", [TABLE]
        ).fetchall()
    return {name for (name,) in rows if name.startswith(("embedding_", "tokens_", "seen_"))}


def columns_of(*keys: str) -> set[str]:
    return {f"{kind}_{key}" for key in keys for kind in ("embedding", "tokens", "seen")}


def fill_some(shelf: Shelf, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a process that dies after so many passages."""
    monkeypatch.setattr(vectors, "PASSAGES_AT_ONCE", 1)
    told: list[str] = []
    filling = VectorFilling(
        shelf.pool,
        TABLES,
        shelf.models,
        on_passages=lambda model, table_name, done, total: told.append(model),
        is_stopped=lambda: len(told) >= count,
    )
    filling.run()


def test_a_new_model_fills_beside_the_old_one_and_is_not_searched(shelf: Shelf) -> None:
    assert shelf.models.choose([E5_SMALL]) == []

    assert states(shelf) == {"minilm": LEAVING, "e5": FILLING}
    assert columns(shelf.pool) == columns_of("minilm", "e5")
    found = shelf.retriever.retrieve(QUESTION)
    assert (found.mode, found.degraded) == ("words+minilm, late", ())
    assert found.passages[0].title == "About saucer"
    assert not shelf.models.finish_change()


def test_when_it_is_complete_the_models_are_swapped_and_the_old_columns_go(shelf: Shelf) -> None:
    shelf.models.choose([E5_SMALL])
    fill(shelf.pool, shelf.models)
    assert shelf.retriever.retrieve(QUESTION).mode == "words+minilm, late"

    assert shelf.models.finish_change()

    assert states(shelf) == {"e5": IN_FORCE}
    assert columns(shelf.pool) == columns_of("e5")
    shelf.settings = settings_for(E5_SMALL)
    found = shelf.retriever.retrieve(QUESTION)
    assert (found.mode, found.degraded) == ("words+e5+e5_across, late", ())
    assert found.passages[0].title == "About saucer"
    assert not shelf.models.finish_change()


def test_half_filled_is_not_complete(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.models.choose([E5_SMALL])
    fill_some(shelf, 3, monkeypatch)

    assert not shelf.models.finish_change()
    assert states(shelf) == {"minilm": LEAVING, "e5": FILLING}


def test_a_second_model_joins_the_first_when_it_is_complete(shelf: Shelf) -> None:
    shelf.models.choose([MINILM, E5_SMALL])
    assert states(shelf) == {"minilm": IN_FORCE, "e5": FILLING}
    fill(shelf.pool, shelf.models)
    shelf.models.finish_change()

    assert states(shelf) == {"minilm": IN_FORCE, "e5": IN_FORCE}
    assert shelf.retriever.retrieve(QUESTION).mode == "words+minilm+e5+e5_across, late"


def test_a_model_that_is_no_longer_wanted_goes_where_the_others_are_complete(
    table: ConnectionPool, tmp_path: Path
) -> None:
    shelf = open_shelf(table, tmp_path, minilm(), e5())
    shelf.models.choose([E5_SMALL])

    assert shelf.models.finish_change()
    assert columns(table) == columns_of("e5")


def test_after_a_crash_half_way_nothing_is_encoded_twice_and_nothing_is_lost(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.models.choose([E5_SMALL])
    fill_some(shelf, 3, monkeypatch)
    encoded_before = set(given(shelf, E5_SMALL).encoder.passages)
    assert 0 < len(encoded_before) < len(PASSAGES)

    # A new process on the same database.
    shelf.models = FakeModels(shelf.pool, TABLES, tmp_path, [minilm(), e5()])
    assert states(shelf) == {"minilm": LEAVING, "e5": FILLING}
    assert shelf.retriever.retrieve(QUESTION).mode == "words+minilm, late"
    shelf.models.choose([E5_SMALL])
    fill(shelf.pool, shelf.models)
    encoded_after = given(shelf, E5_SMALL).encoder.passages

    assert len(encoded_after) == len(PASSAGES) - len(encoded_before)
    assert encoded_before.isdisjoint(encoded_after)
    assert given(shelf, MINILM).encoder.passages == []
    assert shelf.models.finish_change()
    assert count_rows(shelf.pool, TABLE, "embedding_e5 is not null") == len(PASSAGES)


def test_a_crash_in_the_middle_of_the_swap_leaves_it_undone(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.models.choose([E5_SMALL])
    fill(shelf.pool, shelf.models)
    drop = embedding_models.drop_columns

    def drop_until_killed(connection: object, table_name: str, key: str) -> None:
        if table_name == "meetmind_tester":
            raise KeyboardInterrupt
        drop(connection, table_name, key)  # type: ignore[arg-type]

    monkeypatch.setattr(embedding_models, "drop_columns", drop_until_killed)
    with pytest.raises(KeyboardInterrupt):
        shelf.models.finish_change()
    monkeypatch.undo()

    shelf.models = FakeModels(shelf.pool, TABLES, tmp_path, [minilm(), e5()])
    assert states(shelf) == {"minilm": LEAVING, "e5": FILLING}
    assert shelf.retriever.retrieve(QUESTION).mode == "words+minilm, late"
    assert shelf.models.finish_change()
    assert states(shelf) == {"e5": IN_FORCE}


def test_a_change_of_mind_half_way_drops_the_model_that_was_filling(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = WordEmbedder(OTHER, 16, reads_chinese=True)
    shelf.models = FakeModels(
        shelf.pool, TABLES, tmp_path, [given(shelf, MINILM), given(shelf, E5_SMALL), other]
    )
    shelf.models.choose([E5_SMALL])
    fill_some(shelf, 3, monkeypatch)

    shelf.models.choose([OTHER])

    assert states(shelf) == {"minilm": LEAVING, other.key: FILLING}
    assert columns(shelf.pool) == columns_of("minilm", other.key)


def test_back_to_a_leaving_model_costs_nothing(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.models.choose([E5_SMALL])
    fill_some(shelf, 3, monkeypatch)
    shelf.models.choose([MINILM])

    assert states(shelf) == {"minilm": IN_FORCE}
    assert columns(shelf.pool) == columns_of("minilm")
    fill(shelf.pool, shelf.models)
    assert len(given(shelf, MINILM).encoder.passages) == len(PASSAGES)
    assert shelf.retriever.retrieve(QUESTION).mode == "words+minilm, late"


def test_a_model_of_other_dimensions_works(shelf: Shelf, tmp_path: Path) -> None:
    other = WordEmbedder(OTHER, 16, reads_chinese=True)
    shelf.models = FakeModels(shelf.pool, TABLES, tmp_path, [given(shelf, MINILM), other])
    shelf.models.choose([OTHER])
    fill(shelf.pool, shelf.models)
    shelf.models.finish_change()

    found = shelf.retriever.retrieve(QUESTION)
    assert found.mode == f"words+{other.key}+{other.key}_across, late"
    assert found.passages[0].title == "About saucer"


def test_the_same_model_under_its_full_name_is_the_same_model(shelf: Shelf, tmp_path: Path) -> None:
    full_name = f"sentence-transformers/{MINILM}"
    make_model_folder(tmp_path, full_name, 32)
    shelf.models.choose([full_name])

    assert states(shelf) == {"minilm": IN_FORCE}
    assert not shelf.models.finish_change()
    assert columns(shelf.pool) == columns_of("minilm")


def test_a_model_that_cannot_be_had_changes_nothing(shelf: Shelf) -> None:
    (problem,) = shelf.models.choose(["no/such-model"])

    assert problem.startswith("no/such-model: The embedding model no/such-model is not on this")
    assert states(shelf) == {"minilm": IN_FORCE}


def test_a_folder_that_is_no_model_is_a_sentence_and_the_others_go_on(
    shelf: Shelf, tmp_path: Path
) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "modules.json").write_text("[]")
    (problem,) = shelf.models.choose(["broken", MINILM])

    assert problem.startswith("broken: ")
    assert states(shelf) == {"minilm": IN_FORCE}
    with pytest.raises(EmbeddingUnavailable):
        get_embed_model_dim(tmp_path / "broken")


def test_a_model_that_fails_while_it_fills_leaves_the_old_one_in_use(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing(WordEncoder):
        def encode(self, texts: Sequence[str], kind: Kind) -> Encoded:
            raise EmbeddingUnavailable("out of memory")

    monkeypatch.setattr(given(shelf, E5_SMALL), "_encoder", Failing(24, {}))
    shelf.models.choose([E5_SMALL])

    assert fill(shelf.pool, shelf.models) == ["multilingual-e5-small: out of memory"]
    assert not shelf.models.finish_change()
    assert shelf.retriever.retrieve(QUESTION).mode == "words+minilm, late"


def test_an_index_that_a_dead_process_did_not_come_to_is_built(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding_columns, "FEWEST_PASSAGES_FOR_AN_INDEX", 1)
    fill(shelf.pool, shelf.models)

    with shelf.pool.connection() as connection:
        row = connection.execute("select to_regclass('meetmind_backend_minilm')::text").fetchone()
    assert row == ("meetmind_backend_minilm",)


def test_the_longest_names_of_tables_and_models_make_indexes_of_their_own(
    pool: ConnectionPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding_columns, "FEWEST_PASSAGES_FOR_AN_INDEX", 0)
    table_name = f"{'p' * 31}_product_manager"
    ensure_agent_table(pool, table_name)
    languages = ("en", "zh")
    for folder in ("one", "two"):
        key = model_key(f"/{folder}/a-very-long-name-of-a-model")
        embedding_columns.ensure_columns(pool, table_name, key, 8)
        embedding_columns.index_vectors(pool, table_name, key, languages)
        embedding_columns.index_vectors(pool, table_name, key, languages)

    assert count_rows(pool, "pg_indexes", f"tablename = '{table_name}' and indexdef ~ 'hnsw'") == 4


def test_the_whole_grows_with_what_is_read_meanwhile(table: ConnectionPool, tmp_path: Path) -> None:
    shelf = open_shelf(table, tmp_path, minilm(), filled=False)
    late_passage = new_passage("About jar", "Every jar of the shop is counted.", source="late.json")
    told: list[tuple[int, int]] = []

    def on_passages(model: str, table_name: str, done: int, total: int) -> None:
        if not told:
            store(table, [late_passage], source="late.json")
        told.append((done, total))

    filling = VectorFilling(
        table, TABLES, shelf.models, on_passages=on_passages, is_stopped=lambda: False
    )
    filling.run()

    assert told[0] == (0, 8)
    assert told[-1] == (9, 9)
    assert all(done <= total for done, total in told)
