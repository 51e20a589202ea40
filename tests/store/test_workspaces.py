"""The files of a discussion: who sees them, how they came about, and how a change is taken back."""

import io
import threading
import zipfile
from pathlib import Path

import pytest
from psycopg_pool import ConnectionPool

from meetmind.database import file_versions, runs, sessions
from meetmind.errors import NotFound, ToolError, UndoRefused
from meetmind.server import attachments, workspace_files
from meetmind.server.accounts import Accounts
from meetmind.server.attachments import Attachment
from meetmind.server.workspaces import Workspaces
from tests.support.file_change import Changer, open_changer


@pytest.fixture
def owner_id(pool: ConnectionPool) -> str:
    accounts = Accounts(pool)
    accounts.ensure_first_account()
    return accounts.sign_in("admin", "admin").id


@pytest.fixture
def stranger_id(pool: ConnectionPool) -> str:
    return Accounts(pool).local_person().id


@pytest.fixture
def workspaces(pool: ConnectionPool, tmp_path: Path) -> Workspaces:
    return Workspaces(pool, tmp_path)


@pytest.fixture
def opened(pool: ConnectionPool, tmp_path: Path, owner_id: str) -> tuple[str, Changer]:
    return open_changer(pool, tmp_path, owner_id)


def refusal_of(workspaces: Workspaces, owner_id: str, run_id: str, call_id: str) -> str:
    with pytest.raises(UndoRefused) as refused:
        workspaces.undo(owner_id, run_id, call_id)
    return str(refused.value.details["reason"])


def text_file(name: str, words: str = "words") -> Attachment:
    return Attachment(name=name, content=words.encode())


def test_a_file_says_whether_it_was_attached_or_written(
    workspaces: Workspaces, owner_id: str, opened: tuple[str, Changer]
) -> None:
    session_id, changer = opened
    workspaces.attach(owner_id, session_id, [text_file("plan.md"), text_file("rules.md")])
    changer.write("c1", "./plan.md", "better words")
    changer.write("c2", "notes/summary.md", "summary")
    origins = {
        file.path: (file.was_attached, file.changes)
        for file in workspaces.list_files(owner_id, session_id)
    }
    assert origins == {
        "plan.md": (True, 1),
        "rules.md": (True, 0),
        "notes/summary.md": (False, 1),
    }
    assert sorted(workspaces.attached_names(owner_id, session_id)) == ["plan.md", "rules.md"]


def test_every_change_is_told_with_its_diff_and_the_one_from_the_first(
    workspaces: Workspaces, owner_id: str, opened: tuple[str, Changer]
) -> None:
    session_id, changer = opened
    changer.write("c1", "a.md", "one\n")
    changer.write("c2", "a.md", "one\ntwo\n")
    history = workspaces.changes(owner_id, session_id, "a.md")
    assert [change.call_id for change in history.changes] == ["c1", "c2"]
    assert history.changes[0].agent_name == "architect"
    assert "+two" in history.changes[1].diff
    assert "+one" not in history.changes[1].diff
    assert "+one" in history.diff_from_first
    assert "+two" in history.diff_from_first


def test_only_the_owner_sees_attaches_and_takes_back(
    workspaces: Workspaces, owner_id: str, stranger_id: str, opened: tuple[str, Changer]
) -> None:
    session_id, changer = opened
    changer.write("c1", "a.md", "one")
    for asked in (
        lambda: workspaces.list_files(stranger_id, session_id),
        lambda: workspaces.read_file(stranger_id, session_id, "a.md"),
        lambda: workspaces.changes(stranger_id, session_id, "a.md"),
        lambda: workspaces.zip_bytes(stranger_id, session_id),
        lambda: workspaces.attach(stranger_id, session_id, [text_file("b.md")]),
        lambda: workspaces.version_before(stranger_id, changer.run_id, "c1"),
        lambda: workspaces.undo(stranger_id, changer.run_id, "c1"),
        lambda: workspaces.list_files(owner_id, "../workspaces"),
    ):
        with pytest.raises(NotFound):
            asked()
    assert workspaces.read_file(owner_id, session_id, "a.md") == b"one"


def test_a_path_out_of_the_folder_is_refused(
    workspaces: Workspaces, owner_id: str, opened: tuple[str, Changer]
) -> None:
    session_id, changer = opened
    changer.write("c1", "a.md", "one")
    (changer.workspace / "link.md").symlink_to("/etc/hostname")
    listed = [file.path for file in workspaces.list_files(owner_id, session_id)]
    assert listed == ["a.md"]
    for path in ("../../x", "/etc/passwd", "link.md", ".env", "a\x00.md"):
        with pytest.raises(ToolError):
            workspaces.read_file(owner_id, session_id, path)
    with pytest.raises(NotFound):
        workspaces.read_file(owner_id, session_id, "nowhere/b.md")


def test_all_files_come_in_one_archive_and_links_do_not(
    workspaces: Workspaces, owner_id: str, opened: tuple[str, Changer]
) -> None:
    session_id, changer = opened
    changer.write("c1", "notes/方案.md", "方案")
    changer.write("c2", "a.md", "one")
    (changer.workspace / ".env").write_text("KEY=1")
    (changer.workspace / "link.md").symlink_to("/etc/hostname")
    with zipfile.ZipFile(io.BytesIO(workspaces.zip_bytes(owner_id, session_id))) as archive:
        assert archive.namelist() == ["a.md", "notes/方案.md"]
        assert archive.read("notes/方案.md").decode() == "方案"


def test_files_too_large_together_make_no_archive(
    workspaces: Workspaces,
    owner_id: str,
    opened: tuple[str, Changer],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session_id, changer = opened
    changer.write("c1", "a.md", "one")
    monkeypatch.setattr(workspace_files, "MOST_ZIP_BYTES", 2)
    with pytest.raises(ToolError):
        workspaces.zip_bytes(owner_id, session_id)


def test_a_change_is_taken_back_and_the_file_is_as_before(
    workspaces: Workspaces, owner_id: str, opened: tuple[str, Changer]
) -> None:
    session_id, changer = opened
    changer.write("c1", "a.md", "one")
    changer.write("c2", "a.md", "two")
    workspaces.undo(owner_id, changer.run_id, "c2")
    assert workspaces.read_file(owner_id, session_id, "a.md") == b"one"
    history = workspaces.changes(owner_id, session_id, "a.md")
    assert [change.undone_by for change in history.changes] == ["", "admin"]
    assert history.changes[1].undone_at is not None
    assert workspaces.list_files(owner_id, session_id)[0].undone == 1
    workspaces.undo(owner_id, changer.run_id, "c1")
    assert workspaces.list_files(owner_id, session_id) == []


def test_what_changed_since_is_not_lost_by_taking_back(
    workspaces: Workspaces, owner_id: str, opened: tuple[str, Changer]
) -> None:
    session_id, changer = opened
    changer.write("c1", "a.md", "one")
    changer.write("c2", "a.md", "two")
    assert refusal_of(workspaces, owner_id, changer.run_id, "c1") == "changed"
    assert workspaces.read_file(owner_id, session_id, "a.md") == b"two"
    version = workspaces.version_before(owner_id, changer.run_id, "c2")
    assert version.content == b"one"
    # The refusal left no mark: once the later change is gone, this one can be taken back.
    workspaces.undo(owner_id, changer.run_id, "c2")
    workspaces.undo(owner_id, changer.run_id, "c1")


def test_two_clicks_take_a_change_back_once(
    workspaces: Workspaces, owner_id: str, opened: tuple[str, Changer]
) -> None:
    _, changer = opened
    changer.write("c1", "a.md", "one")
    changer.write("c2", "a.md", "two")
    outcomes: list[str] = []

    def click() -> None:
        try:
            workspaces.undo(owner_id, changer.run_id, "c2")
            outcomes.append("done")
        except UndoRefused as error:
            outcomes.append(str(error.details["reason"]))

    clicks = [threading.Thread(target=click) for _ in range(6)]
    for thread in clicks:
        thread.start()
    for thread in clicks:
        thread.join()
    assert sorted(outcomes) == ["already_undone"] * 5 + ["done"]


def test_a_file_about_to_be_changed_is_left_alone(
    workspaces: Workspaces, owner_id: str, opened: tuple[str, Changer], pool: ConnectionPool
) -> None:
    session_id, changer = opened
    changer.write("c1", "a.md", "one")
    changer.ask("c2", "./a.md", "two")
    assert refusal_of(workspaces, owner_id, changer.run_id, "c1") == "at_work"
    assert workspaces.read_file(owner_id, session_id, "a.md") == b"one"


def test_nothing_is_taken_back_where_nothing_was_kept(
    workspaces: Workspaces, owner_id: str, opened: tuple[str, Changer], pool: ConnectionPool
) -> None:
    _, changer = opened
    changer.write("c1", "a.md", "one")
    with pool.connection() as connection:
        connection.execute("delete from file_versions")
    assert refusal_of(workspaces, owner_id, changer.run_id, "c1") == "nothing_kept"
    with pytest.raises(NotFound):
        workspaces.undo(owner_id, changer.run_id, "no-such-call")


def test_a_call_that_is_asked_about_again_keeps_what_it_would_replace_now(
    pool: ConnectionPool, owner_id: str, opened: tuple[str, Changer]
) -> None:
    session_id, changer = opened
    changer.ask("c1", "a.md", "one")
    for content in (None, b"later"):
        file_versions.keep_version(
            pool, run_id=changer.run_id, call_id="c1", path="a.md", content=content
        )
    versions = file_versions.versions_of(
        pool, owner_id=owner_id, session_id=session_id, path="a.md"
    )
    assert [version.content for version in versions] == [b"later"]


def test_a_deleted_discussion_takes_its_kept_versions_along(
    pool: ConnectionPool, owner_id: str, opened: tuple[str, Changer]
) -> None:
    session_id, changer = opened
    changer.write("c1", "a.md", "one")
    sessions.delete_session(pool, owner_id=owner_id, session_id=session_id)
    with pool.connection() as connection:
        row = connection.execute("select count(*) from file_versions").fetchone()
    assert row == (0,)
    assert runs.list_runs(pool, owner_id=owner_id, session_id=session_id) == []


def test_attached_files_get_free_names_and_are_kept_whole(
    workspaces: Workspaces, owner_id: str, opened: tuple[str, Changer]
) -> None:
    session_id, changer = opened
    first = workspaces.attach(owner_id, session_id, [text_file("Plan.md", "1")])
    more = [text_file("plan.md", "2"), text_file("C:\\x\\plan.md", "3")]
    second = workspaces.attach(owner_id, session_id, more)
    assert (first.names, second.names) == (("Plan.md",), ("plan-2.md", "plan-3.md"))
    assert workspaces.read_file(owner_id, session_id, "plan-3.md") == b"3"
    assert (changer.workspace / "plan-2.md").stat().st_mode & 0o777 == 0o644


def test_one_bad_file_keeps_all_of_them_out(
    workspaces: Workspaces, owner_id: str, opened: tuple[str, Changer]
) -> None:
    session_id, _ = opened
    outcome = workspaces.attach(owner_id, session_id, [text_file("a.md"), text_file("b.exe")])
    assert outcome.names == ()
    assert [(refusal.name, refusal.reason) for refusal in outcome.refusals] == [("b.exe", "kind")]
    assert workspaces.list_files(owner_id, session_id) == []


def test_files_of_a_brief_that_was_not_taken_go_away_again(
    workspaces: Workspaces, owner_id: str, opened: tuple[str, Changer]
) -> None:
    session_id, changer = opened
    changer.write("c1", "notes/a.md", "one")
    names = workspaces.attach(owner_id, session_id, [text_file("a.md")]).names
    workspaces.take_attached_away(owner_id, session_id, [*names, "notes/a.md", "../x"])
    assert [file.path for file in workspaces.list_files(owner_id, session_id)] == ["notes/a.md"]


def test_what_lies_there_already_counts_for_the_room(
    workspaces: Workspaces,
    owner_id: str,
    opened: tuple[str, Changer],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session_id, changer = opened
    changer.write("c1", "a.md", "0123456789")
    monkeypatch.setattr(attachments, "MOST_BYTES", 14)
    outcome = workspaces.attach(owner_id, session_id, [text_file("b.md")])
    assert [refusal.reason for refusal in outcome.refusals] == ["no_room"]
