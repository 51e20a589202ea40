"""Migrations are applied once, in order, and never silently changed."""

import threading
from pathlib import Path

import pytest
from psycopg_pool import ConnectionPool

from meetmind.database.migrate import apply_migrations, table_names, unapplied_migrations
from meetmind.errors import DatabaseUnfit


@pytest.fixture
def folder(tmp_path: Path, pool: ConnectionPool) -> Path:
    with pool.connection() as connection:
        connection.execute("truncate schema_migrations")
    (tmp_path / "0001_cups.sql").write_text("create table cups (id int);", encoding="utf-8")
    (tmp_path / "0002_tea.sql").write_text(
        "create table tea (id int);\ncreate index tea_id on tea (id);", encoding="utf-8"
    )
    return tmp_path


def table_exists(pool: ConnectionPool, name: str) -> bool:
    with pool.connection() as connection:
        row = connection.execute("select to_regclass(%s) is not null", [name]).fetchone()
    return row is not None and bool(row[0])


def test_migrations_are_applied_in_order_and_only_once(pool: ConnectionPool, folder: Path) -> None:
    assert apply_migrations(pool, folder) == ["0001_cups", "0002_tea"]
    assert apply_migrations(pool, folder) == []
    assert table_exists(pool, "tea")


def test_a_new_migration_is_applied_alone(pool: ConnectionPool, folder: Path) -> None:
    apply_migrations(pool, folder)
    (folder / "0003_milk.sql").write_text("create table milk (id int)", encoding="utf-8")

    assert unapplied_migrations(pool, folder) == ["0003_milk"]
    assert apply_migrations(pool, folder) == ["0003_milk"]
    assert unapplied_migrations(pool, folder) == []


def test_a_changed_migration_is_refused(pool: ConnectionPool, folder: Path) -> None:
    apply_migrations(pool, folder)
    (folder / "0001_cups.sql").write_text("create table cups (id bigint);", encoding="utf-8")

    with pytest.raises(DatabaseUnfit, match="0001_cups was changed after it had been applied"):
        apply_migrations(pool, folder)


def test_a_database_of_a_newer_program_is_refused(pool: ConnectionPool, folder: Path) -> None:
    apply_migrations(pool, folder)
    (folder / "0002_tea.sql").unlink()

    with pytest.raises(DatabaseUnfit, match="made by a newer MeetMind"):
        apply_migrations(pool, folder)


def test_a_failing_migration_leaves_nothing_behind(pool: ConnectionPool, folder: Path) -> None:
    (folder / "0003_broken.sql").write_text(
        "create table half (id int); select no_such_column;", encoding="utf-8"
    )

    with pytest.raises(DatabaseUnfit, match="0003_broken could not be applied"):
        apply_migrations(pool, folder)

    assert not table_exists(pool, "half")
    assert unapplied_migrations(pool, folder) == ["0003_broken"]


def test_two_numbers_that_are_the_same_are_refused(pool: ConnectionPool, folder: Path) -> None:
    (folder / "0002_coffee.sql").write_text("select 1", encoding="utf-8")

    with pytest.raises(DatabaseUnfit, match="number 0002"):
        apply_migrations(pool, folder)


def test_two_apps_that_start_at_once_apply_each_migration_once(
    pool: ConnectionPool, folder: Path
) -> None:
    applied: list[str] = []

    def start() -> None:
        applied.extend(apply_migrations(pool, folder))

    apps = [threading.Thread(target=start) for _ in range(4)]
    for app in apps:
        app.start()
    for app in apps:
        app.join()

    assert sorted(applied) == ["0001_cups", "0002_tea"]


def test_every_table_of_a_migrated_database_is_known_by_name(pool: ConnectionPool) -> None:
    with pool.connection() as connection:
        rows = connection.execute(
            "select tablename from pg_tables where schemaname = 'public'"
        ).fetchall()

    assert {row[0] for row in rows} == set(table_names())
