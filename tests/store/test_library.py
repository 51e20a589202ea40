"""The library as the front doors call it."""

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from psycopg_pool import ConnectionPool

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.config.settings import Settings
from meetmind.errors import KnowledgeError
from meetmind.server.library import IngestionProgress, Library

DEADLINE_SECONDS = 30.0


@pytest.fixture
def seeds(tmp_path: Path) -> Path:
    for agent_name in AGENT_NAMES:
        folder = tmp_path / agent_name
        folder.mkdir()
        (folder / "handbook-zh.md").write_text(
            f"# {agent_name} 手册\n\n## 退款\n\n退款由 {agent_name} 负责，在三天内完成。\n",
            encoding="utf-8",
        )
    entries = [
        {"title": "Coupons", "content": "An order accepts a single coupon at checkout."},
        {"title": "Gift cards", "content": "Gift cards are money and never expire."},
    ]
    (tmp_path / "backend" / "rules.json").write_text(json.dumps(entries))
    return tmp_path


@pytest.fixture
def library(pool: ConnectionPool, seeds: Path) -> Iterator[Library]:
    settings = Settings(seed_data_path=seeds, embedding_model_name="no-such-model")
    library = Library(pool, settings)
    yield library
    library.close()


def ingested(library: Library) -> IngestionProgress:
    library.start_ingestion()
    assert library.wait_until_idle(DEADLINE_SECONDS)
    return library.progress()


def test_an_empty_library_can_be_searched_and_listed(library: Library) -> None:
    assert library.progress() == IngestionProgress()
    assert library.search("backend", "coupons").passages == ()
    assert library.search(None, "coupons").passages == ()
    assert library.list_documents("tester") == []
    assert [role.passages for role in library.overview()] == [0, 0, 0, 0, 0]


def test_ingestion_runs_behind_and_ends_ready(library: Library) -> None:
    progress = ingested(library)

    assert progress.state == "ready"
    assert len(progress.failures) == 1
    assert str(progress.failures[0]).startswith("no-such-model: ")
    assert library.search("backend", "coupons").passages[0].title == "Coupons"


def test_the_overview_counts_every_role(library: Library) -> None:
    ingested(library)
    backend = library.overview()[1]

    assert [role.agent_name for role in library.overview()] == AGENT_NAMES
    assert (backend.documents, backend.passages) == (2, 3)
    assert (backend.chinese_passages, backend.english_passages) == (1, 2)
    assert backend.characters > 60
    assert backend.embedded_passages == 0


def test_documents_and_passages_are_listed_in_order_and_by_page(library: Library) -> None:
    ingested(library)
    documents = library.list_documents("backend")
    first_page = library.list_passages("backend", offset=0, limit=2)
    second_page = library.list_passages("backend", offset=2, limit=2)

    assert [document.source for document in documents] == ["handbook-zh.md", "rules.json"]
    assert (documents[0].title, documents[0].language) == ("backend 手册", "zh")
    assert (documents[1].passages, documents[1].status) == (2, "read")
    titles = [passage.title for passage in first_page + second_page]
    assert titles == ["backend 手册 · 退款", "Coupons", "Gift cards"]
    only_rules = library.list_passages("backend", source="rules.json")
    assert [passage.title for passage in only_rules] == ["Coupons", "Gift cards"]


def test_a_search_over_all_roles_names_each_passages_role(library: Library) -> None:
    ingested(library)
    found = library.search(None, "退款几天完成")

    assert {passage.agent_name for passage in found.passages} == set(AGENT_NAMES)


def test_a_bad_file_is_in_the_progress_by_name(library: Library, seeds: Path) -> None:
    (seeds / "tester" / "broken.docx").write_bytes(b"broken")
    progress = ingested(library)

    assert progress.state == "ready"
    assert str(progress.failures[0]).startswith("tester/broken.docx: This is not a Word document")
    assert library.search("tester", "退款").passages


def test_a_reset_refills_one_role(library: Library, seeds: Path) -> None:
    ingested(library)
    (seeds / "backend" / "rules.json").unlink()
    library.reset("backend")

    assert library.search("backend", "coupons").passages == ()
    assert library.search("backend", "退款").passages
    with pytest.raises(KnowledgeError):
        library.reset("nobody")


def test_asking_twice_for_ingestion_reads_once_at_a_time(library: Library) -> None:
    for _ in range(5):
        library.start_ingestion()
    names = [thread.name for thread in threading.enumerate()]

    assert names.count("meetmind-ingestion") <= 1
    assert library.wait_until_idle(DEADLINE_SECONDS)
    assert library.overview()[1].passages == 3


def test_a_new_file_is_found_by_the_next_ingestion(library: Library, seeds: Path) -> None:
    ingested(library)
    (seeds / "backend" / "more.txt").write_text("Notes\n\nTea caddies are shipped on pallets.")
    ingested(library)

    assert library.search("backend", "pallets").passages[0].title == "Notes"


def test_two_libraries_may_read_the_same_files_at_once(
    pool: ConnectionPool, seeds: Path, library: Library
) -> None:
    settings = Settings(seed_data_path=seeds, embedding_model_name="no-such-model")
    other = Library(pool, settings)
    library.start_ingestion()
    other.start_ingestion()
    assert library.wait_until_idle(DEADLINE_SECONDS)
    assert other.wait_until_idle(DEADLINE_SECONDS)

    assert (library.progress().state, other.progress().state) == ("ready", "ready")
    assert [role.passages for role in library.overview()] == [1, 3, 1, 1, 1]


def test_a_lost_database_ends_in_a_sentence_and_not_in_silence(
    pool: ConnectionPool, library: Library
) -> None:
    with pool.connection() as connection:
        connection.execute("drop table documents cascade")
    progress = ingested(library)

    assert progress.state == "failed"
    assert progress.failures


def test_a_second_start_is_quick(library: Library, pool: ConnectionPool, seeds: Path) -> None:
    ingested(library)
    settings = Settings(seed_data_path=seeds, embedding_model_name="no-such-model")
    started = time.perf_counter()
    second = Library(pool, settings)
    second.start_ingestion()
    assert second.wait_until_idle(DEADLINE_SECONDS)

    assert time.perf_counter() - started < 1.0
