"""A database of the former shape, with one model's columns, on its way to several models."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from psycopg.conninfo import make_conninfo
from psycopg_pool import ConnectionPool

from meetmind.database.agent_tables import ensure_agent_table
from meetmind.database.connection import get_pg_pool
from meetmind.database.migrate import MIGRATIONS, apply_migrations
from meetmind.database.wiping import drop_tables, installation_tables
from tests.conftest import run_on_server
from tests.store.embedders import minilm
from tests.store.knowledge import TABLE, TABLES, Shelf, count_rows, new_passage, open_shelf, store

KETTLES = "Kettles are counted every week and stored on the upper shelf."
FORMER_SHAPE = f"""
    alter table {TABLE} drop column is_disabled;
    alter table {TABLE} add column embedding halfvec(384), add column embedded_by text;
    update {TABLE} set embedded_by = 'all-MiniLM-L6-v2';
    create index {TABLE}_vectors on {TABLE} using hnsw (embedding halfvec_cosine_ops);
    create table somebody_elses (embedding text, embedded_by text);
"""
"""What 0005 and the program of that time left: only what differs from today's tables."""


@pytest.fixture
def former(server_url: str, tmp_path: Path) -> Iterator[ConnectionPool]:
    """A database at 0005 with one passage, and today's migrations still to come."""
    name = "meetmind_test_former"
    run_on_server(server_url, f"create database {name} encoding 'UTF8' template template0")
    pool = get_pg_pool(make_conninfo(server_url, dbname=name))
    folder = tmp_path / "migrations"
    folder.mkdir()
    for path in sorted(MIGRATIONS.glob("000[1-5]*.sql")):
        shutil.copy(path, folder)
    apply_migrations(pool, folder)
    yield pool
    pool.close()
    run_on_server(server_url, f"drop database {name} with (force)")


def store_in_former_shape(pool: ConnectionPool) -> None:
    """Through today's code where it is the same, then the columns as they were."""
    with pool.connection() as connection:
        connection.execute("create extension if not exists pg_trgm")
        connection.execute("create extension if not exists vector")
        connection.execute("create table disabled_passages (table_name text, passage_id text)")
        connection.execute(
            "alter table documents add column bytes bigint, add column left_out integer,"
            " add column report_parts jsonb"
        )
    ensure_agent_table(pool, TABLE)
    store(pool, [new_passage("Kettles", KETTLES)])
    with pool.connection() as connection:
        connection.execute("drop table disabled_passages")
        connection.execute(
            "alter table documents drop column bytes, drop column left_out,"
            " drop column report_parts"
        )
        connection.execute(FORMER_SHAPE)


def test_passages_of_the_former_shape_stay_and_get_their_vectors_anew(
    former: ConnectionPool, tmp_path: Path
) -> None:
    store_in_former_shape(former)

    assert apply_migrations(former)[0] == "0006_retrieval"

    assert count_rows(former, TABLE, f"content = '{KETTLES}' and not is_disabled") == 1
    for table_name in TABLES:
        ensure_agent_table(former, table_name)
    shelf: Shelf = open_shelf(former, tmp_path, minilm())
    found = shelf.retriever.retrieve("kettles on the shelf")
    assert (found.mode, found.degraded) == ("words+minilm, late", ())
    assert found.passages[0].content == KETTLES
    assert count_rows(former, TABLE, "embedding_minilm is not null") == 1


def test_a_table_of_somebody_else_is_left_alone(former: ConnectionPool) -> None:
    store_in_former_shape(former)
    apply_migrations(former)

    with former.connection() as connection:
        rows = connection.execute(
            "select column_name from information_schema.columns where table_name = 'somebody_elses'"
        ).fetchall()
    assert {name for (name,) in rows} == {"embedding", "embedded_by"}


def test_wiping_removes_the_tables_of_the_knowledge_too(pool: ConnectionPool) -> None:
    for table_name in TABLES:
        ensure_agent_table(pool, table_name)
    names = installation_tables(pool, "meetmind")
    assert {"embedding_models", "passage_edits", "searches", "judgements", "aliases"} <= set(names)
    drop_tables(pool, names)

    assert installation_tables(pool, "meetmind") == []
    assert count_rows(pool, "pg_tables", "schemaname = 'public'") == 0
