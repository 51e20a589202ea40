"""The library changes its embedding models behind running searches."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from psycopg_pool import ConnectionPool

from meetmind.config.settings import Settings
from meetmind.errors import KnowledgeError
from meetmind.server import library as library_module
from meetmind.server.library import Library
from tests.store.embedders import E5_SMALL, MINILM, FakeModels, WordEmbedder, e5, minilm
from tests.store.knowledge import TABLE, count_rows, write_entries

THINGS = ("kettle", "teapot", "saucer", "spoon", "napkin", "teacup", "basket", "ribbon")
DEADLINE_SECONDS = 30.0


class Models(FakeModels):
    """MiniLM and E5 as test models, for a library that makes its models itself."""

    opened: "list[Models]"

    def __init__(self, pool: ConnectionPool, table_names: list[str], cache_dir: Path) -> None:
        super().__init__(pool, table_names, cache_dir, [minilm(), e5()])
        self.opened.append(self)


@pytest.fixture
def library(
    pool: ConnectionPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Library]:
    monkeypatch.setattr(Models, "opened", [], raising=False)
    monkeypatch.setattr(library_module, "EmbeddingModels", Models)
    entries = [(f"About {thing}", f"Every {thing} is counted.") for thing in THINGS]
    write_entries(tmp_path, "rules.json", entries)
    library = open_library(pool, tmp_path)
    library.start_ingestion()
    assert library.wait_until_idle(DEADLINE_SECONDS)
    yield library
    library.close()


def open_library(pool: ConnectionPool, folder: Path) -> Library:
    settings = Settings(
        seed_data_path=folder,
        meetmind_home=folder / "home",
        embedding_cache_dir=folder / "models",
        embedding_model_name=MINILM,
        rerank_model_name="",
    )
    return Library(pool, settings)


def encoded_by(model_name: str) -> list[str]:
    passages: list[str] = []
    for models in Models.opened:
        embedder = models.given[model_name]
        assert isinstance(embedder, WordEmbedder)
        passages.extend(embedder.encoder.passages)
    return passages


def test_the_first_ingestion_ends_with_vectors_of_the_configured_model(library: Library) -> None:
    (model,) = library.models()

    assert (model.key, model.state, model.loading) == ("minilm", "in_force", "ready")
    assert (model.seen_passages, model.all_passages) == (8, 8)
    assert library.overview()[1].embedded_passages == 8
    found = library.search("backend", "Where is the saucer counted?")
    assert (found.mode, found.degraded) == ("words+minilm, late", ())


def test_searches_go_on_while_the_model_is_changed(library: Library, pool: ConnectionPool) -> None:
    errors: list[KnowledgeError] = []
    firsts: set[str] = set()
    modes: set[str] = set()
    is_over = threading.Event()

    def search_on() -> None:
        while not is_over.is_set():
            try:
                found = library.search("backend", "Where is the saucer counted?")
            except KnowledgeError as error:
                errors.append(error)
                return
            modes.add(found.mode)
            firsts.add(found.passages[0].title)

    searching = threading.Thread(target=search_on)
    searching.start()
    wanted = replace(library.retrieval_settings(), embedding_models=(E5_SMALL,))
    library.choose_settings(wanted, None)
    assert library.wait_until_idle(DEADLINE_SECONDS)
    is_over.set()
    searching.join(DEADLINE_SECONDS)

    assert errors == []
    assert firsts == {"About saucer"}
    assert "words+minilm, late" in modes
    found = library.search("backend", "Where is the saucer counted?")
    assert (found.mode, found.degraded) == ("words+e5+e5_across, late", ())
    assert [model.key for model in library.models()] == ["e5"]
    assert count_rows(pool, TABLE, "embedding_e5 is not null") == 8
    assert len(encoded_by(E5_SMALL)) == 8


def test_a_second_process_pays_for_nothing_again(
    library: Library, pool: ConnectionPool, tmp_path: Path
) -> None:
    second = open_library(pool, tmp_path)
    second.start_ingestion()
    assert second.wait_until_idle(DEADLINE_SECONDS)
    second.close()

    assert len(encoded_by(MINILM)) == 8
    assert second.progress().failures == ()


def test_a_changed_file_is_searched_by_meaning_too(library: Library, tmp_path: Path) -> None:
    write_entries(tmp_path, "rules.json", [("About forks", "Every fork is counted.")])
    library.start_ingestion()
    assert library.wait_until_idle(DEADLINE_SECONDS)

    best = library.search("backend", "forks").passages[0]
    assert best.on_path("minilm") is not None
    assert len(encoded_by(MINILM)) == 9
