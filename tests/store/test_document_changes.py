"""Documents that change, break or go: all of a version or nothing, and nothing left behind."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from psycopg_pool import ConnectionPool

from meetmind.database import ingestion
from meetmind.database.agent_tables import delete_agent_table, ensure_agent_table
from meetmind.database.documents import known_documents, list_documents
from meetmind.database.passages import set_disabled
from meetmind.database.removal import delete_passage, mark_document_deleted, remove_document
from meetmind.knowledge.initializer import (
    KnowledgeBase,
    generate_doc_id,
    load_seeds_to_pg,
    reset_agent_db,
)
from meetmind.knowledge.source_files import keep_upload
from tests.store.embedders import MINILM, FakeModels, WordEmbedder, minilm
from tests.store.knowledge import (
    TABLE,
    TABLES,
    base_of,
    contents,
    count_rows,
    fill,
    load,
    new_passage,
    passages_of,
    store,
    terms_with_counts,
    write_entries,
)

KETTLES = "Kettles are counted every week and stored on the upper shelf."
SAUCERS = "Saucers are stored in the cellar and counted every month."
SPOONS = "Spoons of silver are polished before the campaign begins."


@pytest.fixture
def seeds(tmp_path: Path) -> Path:
    folder = tmp_path / "seed"
    folder.mkdir()
    write_entries(folder, "rules.json", [("Kettles", KETTLES), ("Saucers", SAUCERS)])
    return folder


@pytest.fixture
def base(pool: ConnectionPool, seeds: Path, tmp_path: Path) -> KnowledgeBase:
    for table_name in TABLES:
        ensure_agent_table(pool, table_name)
    return base_of(pool, seeds, uploads=tmp_path / "uploads")


@pytest.fixture
def models(base: KnowledgeBase, tmp_path: Path) -> FakeModels:
    models = FakeModels(base.pool, TABLES, tmp_path / "models", [minilm()])
    assert models.choose([MINILM]) == []
    return models


def encoded(models: FakeModels) -> list[str]:
    embedder = models.given[MINILM]
    assert isinstance(embedder, WordEmbedder)
    return [text.split("\n")[0] for text in embedder.encoder.passages]


def snapshot(pool: ConnectionPool) -> tuple[object, ...]:
    documents = [replace(row, report="", report_parts=()) for row in list_documents(pool, TABLE)]
    postings = count_rows(pool, f"{TABLE}_postings")
    return (passages_of(pool), documents, terms_with_counts(pool), postings)


def test_an_error_in_the_middle_leaves_the_old_version_whole(
    base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_seeds_to_pg(base, "backend")
    before = snapshot(base.pool)

    def break_off(*arguments: object) -> None:
        raise RuntimeError("the machine is full")

    for step in ("_copy_postings", "_link", "unlink_passages"):
        with monkeypatch.context() as patch:
            patch.setattr(ingestion, step, break_off)
            with pytest.raises(RuntimeError, match="machine is full"):
                store(base.pool, [new_passage("Spoons", SPOONS)])
        assert snapshot(base.pool) == before


def test_what_did_not_change_keeps_its_vectors(base: KnowledgeBase, models: FakeModels) -> None:
    load_seeds_to_pg(base, "backend")
    fill(base.pool, models)
    assert sorted(encoded(models)) == ["Kettles", "Saucers"]

    entries = [("Spoons", SPOONS), ("Saucers", SAUCERS)]
    write_entries(base.folders.seeds, "rules.json", entries)
    load_seeds_to_pg(base, "backend")
    fill(base.pool, models)

    assert sorted(encoded(models)) == ["Kettles", "Saucers", "Spoons"]
    assert contents(base.pool) == [SPOONS, SAUCERS]
    assert count_rows(base.pool, TABLE, "embedding_minilm is not null") == 2


def test_a_passage_that_only_moved_keeps_its_vector_and_has_its_new_place(
    base: KnowledgeBase, models: FakeModels
) -> None:
    store(base.pool, [new_passage("Kettles", KETTLES, dated="2025-01-01")])
    fill(base.pool, models)
    moved = replace(new_passage("Kettles", KETTLES), locator="page 9", dated="2026-02-03")

    store(base.pool, [new_passage("Spoons", SPOONS), moved])
    fill(base.pool, models)

    assert encoded(models) == ["Kettles", "Spoons"]
    assert [row.locator for row in passages_of(base.pool)] == ["Spoons", "page 9"]
    assert count_rows(base.pool, TABLE, "metadata ->> 'dated' = '2026-02-03'") == 1
    assert count_rows(base.pool, TABLE, "metadata ->> 'locator' = 'page 9'") == 1


def test_a_passage_with_a_new_title_is_encoded_again(
    base: KnowledgeBase, models: FakeModels
) -> None:
    store(base.pool, [new_passage("Kettles", KETTLES)])
    fill(base.pool, models)
    store(base.pool, [new_passage("Teapots", KETTLES)])
    fill(base.pool, models)

    assert encoded(models) == ["Kettles", "Teapots"]


def test_a_shared_passage_is_encoded_once_and_keeps_its_vector(
    base: KnowledgeBase, models: FakeModels
) -> None:
    write_entries(base.folders.seeds, "more.json", [("Kettles again", KETTLES)])
    load_seeds_to_pg(base, "backend")
    fill(base.pool, models)
    (base.folders.seeds / "backend" / "more.json").unlink()
    load_seeds_to_pg(base, "backend")
    fill(base.pool, models)

    assert len(encoded(models)) == 2
    assert {row.source for row in passages_of(base.pool)} == {"rules.json"}


def test_nothing_points_to_a_deleted_passage(base: KnowledgeBase) -> None:
    load_seeds_to_pg(base, "backend")
    kettles = generate_doc_id("backend", KETTLES)
    delete_passage(base.pool, TABLE, kettles)

    assert "kettl" not in " ".join(terms_with_counts(base.pool))
    assert terms_with_counts(base.pool)["saucer"] == 1
    assert count_rows(base.pool, "passage_sources", f"passage_id = '{kettles}'") == 0
    orphans = f"passage not in (select number from {TABLE})"
    assert count_rows(base.pool, f"{TABLE}_postings", orphans) == 0


def test_nothing_is_left_of_a_removed_document(base: KnowledgeBase) -> None:
    load_seeds_to_pg(base, "backend")
    assert remove_document(base.pool, TABLE, "rules.json") == 2

    for table in (TABLE, f"{TABLE}_terms", f"{TABLE}_postings", "passage_sources", "documents"):
        assert count_rows(base.pool, table) == 0


def test_the_passages_left_out_are_counted_with_the_document(base: KnowledgeBase) -> None:
    load_seeds_to_pg(base, "backend")
    delete_passage(base.pool, TABLE, generate_doc_id("backend", KETTLES))
    reset_agent_db(base, "backend")

    (document,) = list_documents(base.pool, TABLE)
    assert (document.passages, document.left_out) == (1, 1)


def test_a_deleted_seed_document_stays_away_over_reading_and_reset(base: KnowledgeBase) -> None:
    write_entries(base.folders.seeds, "more.json", [("Spoons", SPOONS)])
    load_seeds_to_pg(base, "backend")
    assert mark_document_deleted(base.pool, TABLE, "rules.json") == 2

    write_entries(base.folders.seeds, "rules.json", [("Kettles", KETTLES)])
    load_seeds_to_pg(base, "backend")
    assert contents(base.pool) == [SPOONS]
    reset_agent_db(base, "backend")

    assert contents(base.pool) == [SPOONS]
    assert known_documents(base.pool, TABLE)["rules.json"].status == "deleted"


def test_a_disabled_passage_stays_disabled_over_reading_and_reset(base: KnowledgeBase) -> None:
    load_seeds_to_pg(base, "backend")
    set_disabled(base.pool, TABLE, generate_doc_id("backend", KETTLES), True)
    write_entries(base.folders.seeds, "rules.json", [("Teapots", KETTLES)])
    load_seeds_to_pg(base, "backend")
    assert [row.is_disabled for row in passages_of(base.pool)] == [True]
    reset_agent_db(base, "backend")

    assert [row.is_disabled for row in passages_of(base.pool)] == [True]


def test_uploads_survive_a_reset(base: KnowledgeBase) -> None:
    assert base.folders.uploads is not None
    raw = json.dumps([{"title": "Spoons", "content": SPOONS}]).encode()
    keep_upload(base.folders.uploads, "backend", "spoons.json", raw)
    load_seeds_to_pg(base, "backend")
    reset_agent_db(base, "backend")

    origin_by_source = {row.source: row.origin for row in list_documents(base.pool, TABLE)}
    assert origin_by_source == {"rules.json": "seed", "spoons.json": "upload"}


def test_an_upload_takes_the_place_of_a_seed_of_its_name(base: KnowledgeBase) -> None:
    assert base.folders.uploads is not None
    load_seeds_to_pg(base, "backend")
    raw = json.dumps([{"title": "Spoons", "content": SPOONS}]).encode()
    keep_upload(base.folders.uploads, "backend", "rules.json", raw)
    load_seeds_to_pg(base, "backend")

    assert contents(base.pool) == [SPOONS]
    (document,) = list_documents(base.pool, TABLE)
    assert (document.source, document.origin) == ("rules.json", "upload")


def test_seeds_whose_folder_is_missing_stay_though_there_are_uploads(
    base: KnowledgeBase, tmp_path: Path
) -> None:
    assert base.folders.uploads is not None
    load_seeds_to_pg(base, "backend")
    raw = json.dumps([{"title": "Spoons", "content": SPOONS}]).encode()
    keep_upload(base.folders.uploads, "backend", "spoons.json", raw)
    elsewhere = base_of(base.pool, tmp_path / "unmounted", uploads=base.folders.uploads)

    assert load_seeds_to_pg(elsewhere, "backend").removed == 0
    assert len(contents(base.pool)) == 3


def test_a_file_that_breaks_keeps_its_old_version_and_is_reported(base: KnowledgeBase) -> None:
    load_seeds_to_pg(base, "backend")
    (base.folders.seeds / "backend" / "rules.json").write_text("[{]")

    report = load_seeds_to_pg(base, "backend")

    assert str(report.failures[0]).startswith("backend/rules.json: ")
    assert contents(base.pool) == [KETTLES, SAUCERS]
    assert known_documents(base.pool, TABLE)["rules.json"].status == "failed"
    write_entries(base.folders.seeds, "rules.json", [("Spoons", SPOONS)])
    assert load_seeds_to_pg(base, "backend").failures == ()
    assert contents(base.pool) == [SPOONS]


def test_a_removed_table_takes_everything_about_it_along(
    pool: ConnectionPool, base: KnowledgeBase
) -> None:
    load_seeds_to_pg(base, "backend")
    set_disabled(pool, TABLE, generate_doc_id("backend", KETTLES), True)
    delete_passage(pool, TABLE, generate_doc_id("backend", SAUCERS))
    delete_agent_table(pool, TABLE)

    for table in ("documents", "deleted_passages", "disabled_passages", "passage_sources"):
        assert count_rows(pool, table) == 0


def test_a_second_reading_changes_nothing(pool: ConnectionPool, base: KnowledgeBase) -> None:
    load(pool, base.folders.seeds)
    before = snapshot(pool)
    load(pool, base.folders.seeds)

    assert snapshot(pool) == before
