"""The commands that look after an installation, on a real database."""

import os
from pathlib import Path

import pytest
from psycopg_pool import ConnectionPool
from typer.testing import CliRunner, Result

from meetmind.cli.commands import app
from meetmind.database.connection import get_pg_pool
from meetmind.database.migrate import table_names
from meetmind.database.users import insert_user


@pytest.fixture(autouse=True)
def _environment(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in os.environ.items():
        monkeypatch.setenv(name, value)  # whatever a command sets is put back
    monkeypatch.setenv("PG_URL", database_url)
    monkeypatch.setenv("MEETMIND_HOME", str(tmp_path))
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    monkeypatch.setenv("COLUMNS", "300")


def run(*arguments: str, typed: str = "") -> Result:
    return CliRunner().invoke(app, list(arguments), input=typed)


def tables(database_url: str) -> set[str]:
    pool = get_pg_pool(database_url)
    with pool.connection() as connection:
        rows = connection.execute("select tablename from pg_tables where schemaname = 'public'")
        names = {row[0] for row in rows}
    pool.close()
    return names


def test_doctor_finds_a_sound_installation_sound() -> None:
    result = run("doctor")

    assert result.exit_code == 0, result.output
    assert "The database passes every check" in result.output
    assert "pgvector" in result.output
    assert "cli." not in result.output


def test_doctor_in_chinese_is_chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")

    assert "数据库通过全部检查" in run("doctor").output


def test_doctor_says_what_is_wrong_with_a_database_and_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PG_URL", "postgresql://meetmind:s3cret@127.0.0.1:1/meetmind")

    result = run("doctor")

    assert result.exit_code == 1
    assert "PostgreSQL does not answer at 127.0.0.1:1" in result.output
    assert "s3cret" not in result.output


def test_doctor_names_a_wrong_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", "many")

    result = run("doctor")

    assert result.exit_code == 1
    assert "PORT" in result.output


def test_doctor_says_that_the_documents_are_missing_without_failing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SEED_DATA_PATH", str(tmp_path / "nothing"))

    result = run("doctor")

    assert result.exit_code == 0
    assert "the roles know nothing" in result.output


def test_wipe_removes_every_table_of_the_installation_and_no_other(
    pool: ConnectionPool, database_url: str
) -> None:
    insert_user(pool, "lin", "!")
    with pool.connection() as connection:
        connection.execute("create table meetmind_backend (id text)")
        connection.execute("create table meetmind_backend_postings (id text)")
        connection.execute("create table checkpoints (id text)")
        connection.execute("create table somebody_elses (id text)")
    pool.close()

    result = run("wipe", "--yes")

    assert result.exit_code == 0, result.output
    assert tables(database_url) == {"somebody_elses"}


def test_wipe_asks_first_and_keeps_everything_without_the_word(
    pool: ConnectionPool, database_url: str
) -> None:
    pool.close()

    result = run("wipe", typed="yes\n")

    assert result.exit_code == 1
    assert "Nothing was removed" in result.output
    assert tables(database_url) == set(table_names())


def test_wipe_goes_on_when_the_word_is_typed(database_url: str) -> None:
    result = run("wipe", typed="wipe\n")

    assert result.exit_code == 0, result.output
    assert tables(database_url) == set()
    assert "nothing to remove" in run("wipe", "--yes").output


def test_wipe_is_refused_while_the_app_is_running(pool: ConnectionPool, database_url: str) -> None:
    insert_user(pool, "lin", "!")

    result = run("wipe", "--yes")

    assert result.exit_code == 1
    assert "MeetMind is running on this database" in result.output


def test_an_unknown_role_is_refused_before_anything_starts() -> None:
    result = run("reset", "designer")

    assert result.exit_code == 2
    assert "architect, backend, frontend, tester, product_manager" in result.output
