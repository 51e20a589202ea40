"""Files of a seed folder into a role's table."""

import json
import sys
from pathlib import Path

import pytest
from psycopg_pool import ConnectionPool

from meetmind.database.agent_tables import (
    count_docs,
    delete_agent_table,
    ensure_agent_table,
    get_table_name,
    list_agent_tables,
)
from meetmind.database.documents import list_documents
from meetmind.database.removal import delete_passage
from meetmind.errors import KnowledgeError
from meetmind.i18n.document_notes import Note
from meetmind.knowledge.initializer import (
    build_agents_tables,
    generate_doc_id,
    get_existing_ids,
    reset_agent_db,
)
from meetmind.knowledge.source_files import get_seeds_content
from tests.store.knowledge import (
    TABLE,
    base_of,
    contents,
    count_rows,
    load,
    passages_of,
    terms_with_counts,
    write_entries,
)

REFUNDS = "Refunds of unopened goods are paid to the original channel within three working days."
COUPONS = "An order accepts a single coupon, and gift cards never count as coupons at checkout."
STOCK = "库存预占在下单时建立，付款成功后转为实扣，取消或超时后立即释放给其他顾客购买。"


@pytest.fixture
def seeds(tmp_path: Path) -> Path:
    (tmp_path / "backend").mkdir()
    write_entries(tmp_path, "rules.json", [("Refunds", REFUNDS), ("Coupons", COUPONS)])
    return tmp_path


def test_every_entry_becomes_a_passage_with_its_metadata(pool: ConnectionPool, seeds: Path) -> None:
    report = load(pool, seeds)

    assert (report.read, report.added_passages, report.failures) == (1, 2, ())
    first = passages_of(pool, "rules.json")[0]
    assert first.id == generate_doc_id("backend", REFUNDS)
    assert (first.title, first.source, first.locator) == ("Refunds", "rules.json", "Refunds")
    assert first.language == "en"
    assert get_existing_ids(pool, "meetmind", "backend") == {
        generate_doc_id("backend", REFUNDS),
        generate_doc_id("backend", COUPONS),
    }


def test_a_second_start_reads_nothing_again(pool: ConnectionPool, seeds: Path) -> None:
    load(pool, seeds)
    before = (get_existing_ids(pool, "meetmind", "backend"), terms_with_counts(pool))

    report = load(pool, seeds)

    assert (report.read, report.unchanged, report.added_passages) == (0, 1, 0)
    assert (get_existing_ids(pool, "meetmind", "backend"), terms_with_counts(pool)) == before


def test_reading_imports_no_model(pool: ConnectionPool, seeds: Path) -> None:
    torch_before = "torch" in sys.modules
    load(pool, seeds)

    assert ("torch" in sys.modules) is torch_before


def test_a_changed_document_replaces_its_old_passages_and_their_words(
    pool: ConnectionPool, seeds: Path
) -> None:
    load(pool, seeds)
    write_entries(seeds, "rules.json", [("Refunds", REFUNDS), ("库存", STOCK)])

    report = load(pool, seeds)

    assert (report.read, report.added_passages) == (1, 1)
    assert contents(pool) == [REFUNDS, STOCK]
    assert "coupon" not in terms_with_counts(pool)
    assert terms_with_counts(pool)["refund"] == 1
    assert count_docs(pool, TABLE) == 2


def test_a_new_title_is_searched_though_the_text_stayed(pool: ConnectionPool, seeds: Path) -> None:
    load(pool, seeds)
    write_entries(seeds, "rules.json", [("Chargebacks", REFUNDS), ("Coupons", COUPONS)])

    load(pool, seeds)

    titles = {row.title for row in passages_of(pool)}
    assert titles == {"Chargebacks", "Coupons"}
    assert terms_with_counts(pool)["chargeback"] == 1


def test_one_text_in_two_documents_is_one_passage_with_two_sources(
    pool: ConnectionPool, seeds: Path
) -> None:
    write_entries(seeds, "more.json", [("Money back", REFUNDS)])
    load(pool, seeds)

    assert count_docs(pool, TABLE) == 2
    passages_by_source = {row.source: row.passages for row in list_documents(pool, TABLE)}
    assert passages_by_source == {"more.json": 1, "rules.json": 2}


def test_a_shared_passage_stays_until_its_last_document_is_gone(
    pool: ConnectionPool, seeds: Path
) -> None:
    write_entries(seeds, "more.json", [("Money back", REFUNDS)])
    load(pool, seeds)
    (seeds / "backend" / "more.json").unlink()

    report = load(pool, seeds)

    assert report.removed == 1
    assert contents(pool) == [REFUNDS, COUPONS]
    with pool.connection() as connection:
        row = connection.execute(
            f"select metadata ->> 'source' from {TABLE} where content = %(content)s",
            {"content": REFUNDS},
        ).fetchone()
    assert row == ("rules.json",)


def test_a_bad_file_is_named_with_its_reason_and_the_rest_goes_on(
    pool: ConnectionPool, seeds: Path
) -> None:
    (seeds / "backend" / "a-broken.pdf").write_bytes(b"no pdf")
    (seeds / "backend" / "b-other.xls").write_bytes(b"a table")
    (seeds / "backend" / ".hidden").write_bytes(b"nothing")

    report = load(pool, seeds)

    assert [str(failure) for failure in report.failures] == [
        "backend/a-broken.pdf: This is not a PDF file.",
        "backend/b-other.xls: Files of the old kind .xls are not read. Save it as .xlsx.",
    ]
    assert [failure.place for failure in report.failures] == [
        "backend/a-broken.pdf",
        "backend/b-other.xls",
    ]
    assert report.failures[1].notes == (
        Note(reason="old_kind", details={"suffix": ".xls", "new_suffix": ".xlsx"}),
    )
    assert count_docs(pool, TABLE) == 2
    failed = list_documents(pool, TABLE)[0]
    assert (failed.status, failed.report) == ("failed", "This is not a PDF file.")
    assert failed.report_parts == (Note(reason="not_pdf"),)
    assert load(pool, seeds).failures == report.failures


def test_a_document_that_breaks_keeps_its_old_passages(pool: ConnectionPool, seeds: Path) -> None:
    load(pool, seeds)
    (seeds / "backend" / "rules.json").write_text("{")

    assert len(load(pool, seeds).failures) == 1
    assert contents(pool) == [REFUNDS, COUPONS]
    assert list_documents(pool, TABLE)[0].status == "failed"


def test_a_deleted_passage_does_not_come_back(pool: ConnectionPool, seeds: Path) -> None:
    load(pool, seeds)
    assert delete_passage(pool, TABLE, generate_doc_id("backend", COUPONS))
    assert not delete_passage(pool, TABLE, "backend_000000000000")

    write_entries(seeds, "rules.json", [("Coupons", COUPONS), ("Refunds", REFUNDS)])
    load(pool, seeds)
    assert contents(pool) == [REFUNDS]

    reset_agent_db(base_of(pool, seeds), "backend")
    assert contents(pool) == [REFUNDS]
    assert "coupon" not in terms_with_counts(pool)


def test_a_reset_empties_and_refills_one_role(pool: ConnectionPool, seeds: Path) -> None:
    (seeds / "tester").mkdir()
    (seeds / "tester" / "notes.txt").write_text(f"Notes\n\n{STOCK}", encoding="utf-8")
    build_agents_tables(base_of(pool, seeds))
    postings = count_rows(pool, f"{TABLE}_postings")

    report = reset_agent_db(base_of(pool, seeds), "backend")

    assert report.added_passages == 2
    assert count_rows(pool, f"{TABLE}_postings") == postings
    assert count_docs(pool, "meetmind_tester") == 1


def test_secrets_are_masked_before_they_are_stored(pool: ConnectionPool, seeds: Path) -> None:
    secret = "AKIA" + "ABCD1234" * 2
    write_entries(seeds, "rules.json", [("Keys", f"The export uses the key {secret} every night.")])
    load(pool, seeds)

    assert contents(pool) == ["The export uses the key [masked] every night."]
    document = list_documents(pool, TABLE)[0]
    assert document.report == "Secrets that were masked: 1."
    assert document.report_parts == (Note(reason="secrets", details={"count": 1}),)


def test_unstorable_characters_in_a_document_are_no_obstacle(
    pool: ConnectionPool, seeds: Path
) -> None:
    raw = (
        r'[{"title": "T\u0000\ud800", "summary": "s\udfff", "content": "Tea \u0000and\ud83d cups"}]'
    )
    (seeds / "backend" / "rules.json").write_text(raw)
    load(pool, seeds)

    assert contents(pool) == ["Tea and cups"]


def test_a_missing_folder_falls_back_to_the_single_file_and_to_nothing(
    pool: ConnectionPool, tmp_path: Path
) -> None:
    entries = [{"title": "Tea", "content": "Tea is stored dry and dark."}]
    (tmp_path / "backend_seeds.json").write_text(json.dumps(entries))

    assert load(pool, tmp_path).added_passages == 1
    assert get_seeds_content(tmp_path, "tester") == []
    assert load(pool, tmp_path / "nowhere").removed == 0
    assert count_docs(pool, TABLE) == 1


def test_a_new_prefix_starts_new_tables_and_leaves_the_old_ones(
    pool: ConnectionPool, seeds: Path
) -> None:
    load(pool, seeds)
    load(pool, seeds, prefix="other_shop")
    delete_agent_table(pool, get_table_name("other_shop", "backend"))

    assert list_agent_tables(pool) == [TABLE]
    assert contents(pool) == [REFUNDS, COUPONS]


@pytest.mark.parametrize("prefix", ["", "Upper", "with-dash", 'a"; drop table users; --', "x" * 32])
def test_only_a_plain_prefix_and_a_role_make_a_table_name(
    pool: ConnectionPool, prefix: str
) -> None:
    with pytest.raises(KnowledgeError):
        get_table_name(prefix, "backend")
    with pytest.raises(KnowledgeError):
        get_table_name("meetmind", "assistant")
    with pytest.raises(KnowledgeError):
        ensure_agent_table(pool, f"{prefix}_backend")


def test_the_longest_prefix_still_gives_valid_names(pool: ConnectionPool) -> None:
    for agent_name in ("backend", "product_manager"):
        table_name = get_table_name("p" * 31, agent_name)
        ensure_agent_table(pool, table_name)
        ensure_agent_table(pool, table_name)
        assert count_docs(pool, table_name) == 0
