"""What administrators change in the knowledge, and that nobody else can."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from psycopg_pool import ConnectionPool

from meetmind.config.settings import Settings
from meetmind.database.users import find_user_by_name, insert_user
from meetmind.errors import EditRefused, NotFound
from meetmind.knowledge.initializer import generate_doc_id
from meetmind.server.accounts import Person
from meetmind.server.knowledge_editing import KnowledgeEditing, Upload
from meetmind.server.library import Library
from tests.store.knowledge import TABLE, contents, count_rows, passages_of, write_entries

KETTLES = "Kettles are counted every week and stored on the upper shelf."
SAUCERS = "Saucers are stored in the cellar and counted every month."
CORRECTED = "Kettles are counted every second week and stored in the hall."
DEADLINE_SECONDS = 30.0
KETTLES_ID = generate_doc_id("backend", KETTLES)


@pytest.fixture
def seeds(tmp_path: Path) -> Path:
    folder = tmp_path / "seed"
    folder.mkdir()
    write_entries(folder, "rules.json", [("Kettles", KETTLES), ("Saucers", SAUCERS)])
    return folder


@pytest.fixture
def library(pool: ConnectionPool, seeds: Path, tmp_path: Path) -> Iterator[Library]:
    settings = Settings(
        seed_data_path=seeds, meetmind_home=tmp_path / "home", embedding_model_name="no-such-model"
    )
    library = Library(pool, settings)
    library.start_ingestion()
    settle(library)
    yield library
    library.close()


@pytest.fixture
def editing(pool: ConnectionPool, library: Library) -> KnowledgeEditing:
    return KnowledgeEditing(pool, library)


@pytest.fixture
def admin(pool: ConnectionPool) -> Person:
    return person(pool, "lin", is_admin=True)


@pytest.fixture
def member(pool: ConnectionPool) -> Person:
    return person(pool, "max", is_admin=False)


def person(pool: ConnectionPool, name: str, *, is_admin: bool) -> Person:
    insert_user(pool, name, "!")
    user = find_user_by_name(pool, name)
    assert user is not None
    return Person(
        id=user.id, name=name, is_admin=is_admin, must_change_password=False, language=None
    )


def settle(library: Library) -> None:
    assert library.wait_until_idle(DEADLINE_SECONDS)
    assert library.progress().state == "ready"


def entries_file(*contents: str) -> bytes:
    entries = [{"title": content.split()[0], "content": content} for content in contents]
    return json.dumps(entries).encode()


def test_only_an_administrator_changes_the_knowledge(
    editing: KnowledgeEditing, pool: ConnectionPool, member: Person
) -> None:
    changes: list[Callable[[], object]] = [
        lambda: editing.upload(member, "backend", [Upload(name="a.md", raw=b"# A\n\nText")]),
        lambda: editing.delete_document(member, "backend", "rules.json"),
        lambda: editing.restore_document(member, "backend", "rules.json"),
        lambda: editing.delete_passage(member, "backend", KETTLES_ID),
        lambda: editing.restore_passage(member, "backend", KETTLES_ID),
        lambda: editing.set_disabled(member, "backend", KETTLES_ID, True),
        lambda: editing.edit_passage(member, "backend", KETTLES_ID, "T", "Text"),
        lambda: editing.undo_edit(member, "backend", KETTLES_ID),
        lambda: editing.add_alias(member, "backend", "a", "b"),
        lambda: editing.delete_alias(member, "backend", 1),
        lambda: editing.reset(member, "backend"),
    ]
    before = passages_of(pool)
    for change in changes:
        with pytest.raises(EditRefused, match="administrator"):
            change()
    assert passages_of(pool) == before


def test_every_change_is_in_the_test_above() -> None:
    asked = ("upload", "delete_", "restore_", "set_", "edit_", "undo_", "add_", "reset")
    changes = [name for name in vars(KnowledgeEditing) if name.startswith(asked)]

    assert len(changes) == 11


def test_an_edit_holds_over_reading_and_reset(
    editing: KnowledgeEditing, library: Library, seeds: Path, admin: Person, pool: ConnectionPool
) -> None:
    edited_id = editing.edit_passage(admin, "backend", KETTLES_ID, "Our kettles", CORRECTED)
    settle(library)

    edited = editing.open_passage("backend", edited_id).passage
    assert (edited.title, edited.content, edited.is_edited) == ("Our kettles", CORRECTED, True)
    assert (edited.source, edited.position) == ("rules.json", 1)
    assert library.search("backend", "kettles in the hall").passages[0].passage_id == edited_id
    with pytest.raises(NotFound):
        editing.open_passage("backend", KETTLES_ID)

    write_entries(seeds, "rules.json", [("Saucers", SAUCERS), ("Kettles", KETTLES)])
    library.start_ingestion()
    settle(library)
    assert contents(pool) == [SAUCERS, CORRECTED]
    editing.reset(admin, "backend")
    settle(library)
    assert contents(pool) == [SAUCERS, CORRECTED]


def test_an_undone_edit_gives_the_text_of_the_file_back(
    editing: KnowledgeEditing, library: Library, admin: Person, pool: ConnectionPool
) -> None:
    edited_id = editing.edit_passage(admin, "backend", KETTLES_ID, "", CORRECTED)
    settle(library)
    again_id = editing.edit_passage(admin, "backend", edited_id, "", CORRECTED + " Twice.")
    settle(library)
    assert contents(pool) == [CORRECTED + " Twice.", SAUCERS]

    editing.undo_edit(admin, "backend", again_id)
    settle(library)

    assert contents(pool) == [KETTLES, SAUCERS]
    assert count_rows(pool, "passage_edits") == 0
    with pytest.raises(NotFound):
        editing.undo_edit(admin, "backend", KETTLES_ID)


def test_an_edit_is_undone_before_it_was_ever_read(
    editing: KnowledgeEditing, library: Library, admin: Person, pool: ConnectionPool
) -> None:
    edited_id = editing.edit_passage(admin, "backend", KETTLES_ID, "", CORRECTED)
    editing.undo_edit(admin, "backend", edited_id)
    settle(library)

    assert contents(pool) == [KETTLES, SAUCERS]


def test_two_passages_with_one_edited_text_are_edited_on(
    editing: KnowledgeEditing, library: Library, admin: Person, pool: ConnectionPool
) -> None:
    both = "Kettles and saucers are counted in spring."
    for content in (KETTLES, SAUCERS):
        passage_id = generate_doc_id("backend", content)
        both_id = editing.edit_passage(admin, "backend", passage_id, "", both)
        settle(library)
    assert contents(pool) == [both]

    last_id = editing.edit_passage(admin, "backend", both_id, "", both + " Twice.")
    settle(library)
    assert contents(pool) == [both + " Twice."]
    editing.undo_edit(admin, "backend", last_id)
    settle(library)
    assert contents(pool) == [KETTLES, SAUCERS]


def test_a_secret_in_an_edit_is_masked(
    editing: KnowledgeEditing, library: Library, admin: Person, pool: ConnectionPool
) -> None:
    secret = "AKIA" + "ABCD1234" * 2
    editing.edit_passage(admin, "backend", KETTLES_ID, "Keys", f"The key is {secret} tonight.")
    settle(library)

    assert contents(pool)[0] == "The key is [masked] tonight."
    assert count_rows(pool, "passage_edits", f"content like '%{secret}%'") == 0


@pytest.mark.parametrize(("text", "reason"), [(" \x00 ", "needs a text"), ("x" * 4_001, "at most")])
def test_an_empty_or_endless_edit_is_refused(
    editing: KnowledgeEditing, admin: Person, text: str, reason: str
) -> None:
    with pytest.raises(EditRefused, match=reason):
        editing.edit_passage(admin, "backend", KETTLES_ID, "", text)


def test_a_deleted_passage_comes_back_only_when_it_is_restored(
    editing: KnowledgeEditing, library: Library, admin: Person, pool: ConnectionPool, seeds: Path
) -> None:
    write_entries(seeds, "more.json", [("Kettles again", KETTLES)])
    library.start_ingestion()
    settle(library)
    editing.delete_passage(admin, "backend", KETTLES_ID)
    editing.reset(admin, "backend")
    settle(library)
    assert contents(pool) == [SAUCERS]
    (deleted,) = editing.deleted_passages("backend")
    assert deleted.passage_id == KETTLES_ID

    editing.restore_passage(admin, "backend", KETTLES_ID)
    settle(library)

    assert {row.source for row in passages_of(pool) if row.content == KETTLES} == {
        "more.json",
        "rules.json",
    }
    assert editing.deleted_passages("backend") == []
    with pytest.raises(NotFound):
        editing.restore_passage(admin, "backend", KETTLES_ID)


def test_nothing_of_a_deleted_edit_stays(
    editing: KnowledgeEditing, library: Library, admin: Person, pool: ConnectionPool
) -> None:
    edited_id = editing.edit_passage(admin, "backend", KETTLES_ID, "", CORRECTED)
    settle(library)
    editing.delete_passage(admin, "backend", edited_id)
    editing.reset(admin, "backend")
    settle(library)

    assert contents(pool) == [SAUCERS]
    assert count_rows(pool, "passage_edits") == 0
    (deleted,) = editing.deleted_passages("backend")
    editing.restore_passage(admin, "backend", deleted.passage_id)
    settle(library)
    assert contents(pool) == [KETTLES, SAUCERS]


def test_a_disabled_passage_is_shown_and_never_found(
    editing: KnowledgeEditing, library: Library, admin: Person
) -> None:
    editing.set_disabled(admin, "backend", KETTLES_ID, True)

    assert editing.find_passages("backend", only_disabled=True).total == 1
    assert library.search("backend", "kettles").passages == ()
    edited_id = editing.edit_passage(admin, "backend", KETTLES_ID, "", CORRECTED)
    settle(library)
    assert editing.open_passage("backend", edited_id).passage.is_disabled
    editing.set_disabled(admin, "backend", edited_id, False)
    assert library.search("backend", "kettles").passages
    with pytest.raises(NotFound):
        editing.set_disabled(admin, "backend", "backend_000000000000", True)


def test_uploads_are_read_and_their_names_are_cleaned(
    editing: KnowledgeEditing, library: Library, admin: Person
) -> None:
    files = [
        Upload(name="../../etc/sp\x00oons.json", raw=entries_file("Spoons are polished.")),
        Upload(name="C:\\notes\\.hidden.md", raw=b"# Hidden\n\nForks are counted too."),
        Upload(name="...", raw=b"x"),
        Upload(name="virus.exe", raw=b"x"),
        Upload(name="x" * 500 + ".txt", raw=b"Notes\n\nNapkins are folded on Monday."),
    ]
    refusals = editing.upload(admin, "backend", files)
    settle(library)

    assert [refusal.name for refusal in refusals] == ["...", "virus.exe"]
    assert refusals[1].reason.startswith("Only .")
    sources = [document.source for document in library.list_documents("backend")]
    assert sources == ["hidden.md", "rules.json", "spoons.json", "x" * 116 + ".txt"]
    kept = {path.name for path in (library.uploads / "backend").iterdir()}
    assert kept == set(sources) - {"rules.json"}
    assert library.search("backend", "napkins").passages


def test_a_deleted_upload_gives_its_place_back_to_the_seed(
    editing: KnowledgeEditing, library: Library, admin: Person, pool: ConnectionPool
) -> None:
    raw = entries_file("Spoons are polished before the campaign begins.")
    assert editing.upload(admin, "backend", [Upload(name="rules.json", raw=raw)]) == []
    settle(library)
    assert [row.source for row in passages_of(pool)] == ["rules.json"]

    assert editing.delete_document(admin, "backend", "rules.json") == 1
    settle(library)

    assert contents(pool) == [KETTLES, SAUCERS]
    (document,) = library.list_documents("backend")
    assert (document.origin, document.status) == ("seed", "read")


def test_a_deleted_seed_document_comes_back_when_it_is_restored_or_uploaded(
    editing: KnowledgeEditing, library: Library, admin: Person, pool: ConnectionPool
) -> None:
    assert editing.delete_document(admin, "backend", "rules.json") == 2
    library.start_ingestion()
    settle(library)
    assert contents(pool) == []
    assert library.list_documents("backend")[0].status == "deleted"

    editing.restore_document(admin, "backend", "rules.json")
    settle(library)
    assert contents(pool) == [KETTLES, SAUCERS]
    with pytest.raises(NotFound):
        editing.restore_document(admin, "backend", "rules.json")

    editing.delete_document(admin, "backend", "rules.json")
    raw = entries_file("Spoons are polished.")
    editing.upload(admin, "backend", [Upload(name="rules.json", raw=raw)])
    settle(library)
    assert contents(pool) == ["Spoons are polished."]


def test_a_document_that_is_unknown_cannot_be_deleted(
    editing: KnowledgeEditing, admin: Person
) -> None:
    with pytest.raises(NotFound):
        editing.delete_document(admin, "backend", "../rules.json")


def test_aliases_are_checked_and_kept(
    editing: KnowledgeEditing, library: Library, admin: Person
) -> None:
    for name, alias in (("", "b"), ("Same", " same "), ("a", "b" * 81)):
        with pytest.raises(EditRefused):
            editing.add_alias(admin, "backend", name, alias)
    editing.add_alias(admin, "backend", " Boiler ", "kettle")

    (alias_row,) = editing.aliases("backend")
    assert (alias_row.name, alias_row.alias) == ("Boiler", "kettle")
    assert library.search("backend", "boiler").passages[0].passage_id == KETTLES_ID
    editing.delete_alias(admin, "backend", alias_row.id)
    assert editing.aliases("backend") == []


def test_passages_are_filtered_sorted_and_opened_with_their_neighbours(
    editing: KnowledgeEditing, library: Library
) -> None:
    found = editing.find_passages("backend", words="CELLAR")
    assert [row.title for row in found.passages] == ["Saucers"]
    assert editing.find_passages("backend", words="100%").total == 0
    titles = [row.title for row in editing.find_passages("backend", sort_by="title").passages]
    assert titles == ["Kettles", "Saucers"]
    page = editing.find_passages("backend", limit=1, offset=1)
    assert (page.total, [row.title for row in page.passages]) == (2, ["Saucers"])

    opened = editing.open_passage("backend", KETTLES_ID)
    assert [row.title for row in opened.around] == ["Kettles", "Saucers"]
    assert opened.other_places == ()


def test_nobodys_table_is_touched(editing: KnowledgeEditing, pool: ConnectionPool) -> None:
    assert count_rows(pool, TABLE) == 2
