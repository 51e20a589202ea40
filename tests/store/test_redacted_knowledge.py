"""No secret of a document, an edit, an alias or a question stands in any table afterwards."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from psycopg import sql
from psycopg_pool import ConnectionPool

from meetmind.config.settings import Settings
from meetmind.database import runs, sessions
from meetmind.database.users import find_user_by_name, insert_user
from meetmind.server.accounts import Person
from meetmind.server.knowledge_editing import KnowledgeEditing
from meetmind.server.library import Library
from meetmind.server.searches import RecordedSearch, Searches
from tests.store.knowledge import write_entries

KEY = "ghp_" + "a1B2c3" * 6
LONG_TOKEN = "eyJhbGciOiJSUzI1NiJ9." + "QmFzZTY0" * 600 + "." + "c2lnbmF0dXJl" * 20
PASSWORD = "Tr0ub4dor&3x"
DEADLINE_SECONDS = 30.0
ENTRIES = [
    (f"Kettles with {KEY}", f"Kettles are counted weekly. 密码：{PASSWORD}。The shelf is theirs."),
    ("Saucers", f"Saucers are stored in the cellar. {LONG_TOKEN} They are counted every month."),
    ("Teapots", "Teapots are stored in the loft and counted every year."),
]


@pytest.fixture
def library(pool: ConnectionPool, tmp_path: Path) -> Iterator[Library]:
    write_entries(tmp_path, "rules.json", ENTRIES)
    settings = Settings(
        seed_data_path=tmp_path,
        meetmind_home=tmp_path / "home",
        embedding_model_name="no-such-model",
    )
    library = Library(pool, settings)
    library.start_ingestion()
    assert library.wait_until_idle(DEADLINE_SECONDS)
    yield library
    library.close()


@pytest.fixture
def admin(pool: ConnectionPool) -> Person:
    insert_user(pool, "lin", "!")
    user = find_user_by_name(pool, "lin")
    assert user is not None
    return Person(id=user.id, name="lin", is_admin=True, must_change_password=False, language="en")


TEXT_TABLES = """
select distinct table_name
from information_schema.columns
where table_schema = 'public'
  and table_name not like 'pg\\_%%'
order by table_name
"""


def tables_with(pool: ConnectionPool, secret: str) -> list[str]:
    """The tables in which the text stands anywhere, whatever the column."""
    found: list[str] = []
    with pool.connection() as connection:
        for (name,) in connection.execute(TEXT_TABLES).fetchall():
            statement = sql.SQL("select 1 from {table} as t where strpos(t::text, %s) > 0 limit 1")
            query = statement.format(table=sql.Identifier(name))
            if connection.execute(query, (secret,)).fetchone() is not None:
                found.append(name)
    return found


def assert_nowhere(pool: ConnectionPool, *secrets: str) -> None:
    for secret in secrets:
        assert tables_with(pool, secret) == []
        # As terms stand in the vocabulary.
        assert tables_with(pool, secret.lower()) == []


@pytest.mark.usefixtures("library")
def test_no_secret_of_a_document_is_stored_not_even_a_piece_of_a_long_one(
    pool: ConnectionPool,
) -> None:
    assert "meetmind_backend" in tables_with(pool, "Saucers")
    assert_nowhere(pool, KEY, PASSWORD, "QmFzZTY0" * 3, "c2lnbmF0dXJl" * 2)


def test_no_secret_of_an_edit_or_an_alias_is_stored(
    pool: ConnectionPool, library: Library, admin: Person
) -> None:
    editing = KnowledgeEditing(pool, library)
    page = editing.find_passages("backend", words="Teapots")
    passage_id = page.passages[0].id

    editing.edit_passage(admin, "backend", passage_id, f"Pots {KEY}", f"password={PASSWORD}")
    editing.add_alias(admin, "backend", f"pot {KEY}", "kettle")
    assert library.wait_until_idle(DEADLINE_SECONDS)

    assert "aliases" in tables_with(pool, "pot [masked]")
    assert_nowhere(pool, KEY, PASSWORD)


def test_no_secret_of_a_question_is_kept_with_its_search_or_its_marks(
    pool: ConnectionPool, library: Library, admin: Person
) -> None:
    session_id = sessions.create_session(pool, owner_id=admin.id, title="Shelves")
    run_id = runs.create_run(
        pool,
        owner_id=admin.id,
        session_id=session_id,
        brief="Shelves",
        mode="auto",
        language="en",
        memory_id=None,
        max_iterations=15,
        model_name="offline",
    )
    question = f"kettles with {KEY} and password: {PASSWORD}"
    searches = Searches(pool, library)

    found = RecordedSearch(pool, run_id, library.search_for_role)(None, question, (f"pot {KEY}",))
    searches.judge(admin.id, "backend", question, found.passages[0].passage_id, True)

    assert found.traces[0].query == "kettles with [masked] and password: [masked]"
    assert searches.judgements_of(admin.id, "backend", question) != {}
    assert_nowhere(pool, KEY, PASSWORD)
