"""Folders that an administrator opens for the tools to read."""

from pathlib import Path

import pytest
from psycopg_pool import ConnectionPool

from meetmind.config.settings import PROJECT_ROOT
from meetmind.database import read_folders as folder_rows
from meetmind.errors import EditRefused, NotFound
from meetmind.server.accounts import Accounts, Person
from meetmind.server.read_folders import MOST_FOLDERS
from meetmind.server.workspaces import Workspaces


@pytest.fixture
def admin(pool: ConnectionPool) -> Person:
    accounts = Accounts(pool)
    accounts.ensure_first_account()
    return accounts.sign_in("admin", "admin")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "state" / "home"
    home.mkdir(parents=True)
    return home


@pytest.fixture
def workspaces(pool: ConnectionPool, home: Path) -> Workspaces:
    return Workspaces(pool, home)


@pytest.fixture
def handbook(tmp_path: Path) -> Path:
    folder = tmp_path / "handbook"
    folder.mkdir()
    return folder


def refusal(workspaces: Workspaces, person: Person, name: str, path: str) -> str:
    with pytest.raises(EditRefused) as refused:
        workspaces.add_read_folder(person, name, path)
    return refused.value.refusal


def test_a_folder_is_opened_listed_and_closed(
    workspaces: Workspaces, admin: Person, handbook: Path
) -> None:
    opened = workspaces.add_read_folder(admin, " @Handbook ", f"{handbook}/")
    assert (opened.name, opened.path, opened.added_by) == ("handbook", str(handbook), "admin")
    assert workspaces.read_folders() == [opened]
    assert opened.is_there
    handbook.rmdir()
    assert not workspaces.read_folders()[0].is_there
    workspaces.remove_read_folder(admin, "handbook")
    assert workspaces.read_folders() == []
    with pytest.raises(NotFound):
        workspaces.remove_read_folder(admin, "handbook")


def test_a_link_is_resolved_before_anything_is_checked(
    workspaces: Workspaces, admin: Person, handbook: Path, home: Path, tmp_path: Path
) -> None:
    (tmp_path / "to_handbook").symlink_to(handbook)
    (tmp_path / "to_home").symlink_to(home)
    opened = workspaces.add_read_folder(admin, "a", str(tmp_path / "to_handbook"))
    assert opened.path == str(handbook)
    assert refusal(workspaces, admin, "b", str(tmp_path / "to_home")) == "own"


def test_folders_of_the_system_are_refused(workspaces: Workspaces, admin: Person) -> None:
    for path in ("/", "/proc", "/proc/self", "/sys", "/dev", "/dev/../proc", "//"):
        assert refusal(workspaces, admin, "a", path) == "system", path


def test_what_holds_our_own_data_or_settings_is_refused(
    workspaces: Workspaces, admin: Person, home: Path
) -> None:
    (home / "workspaces").mkdir()
    for folder in (home, home.parent, home / "workspaces", PROJECT_ROOT, PROJECT_ROOT.parent):
        assert refusal(workspaces, admin, "a", str(folder)) == "own"
    assert workspaces.add_read_folder(admin, "docs", str(PROJECT_ROOT / "docs")).is_there


def test_a_folder_named_like_a_secret_is_refused(
    workspaces: Workspaces, admin: Person, tmp_path: Path
) -> None:
    (tmp_path / ".ssh" / "more").mkdir(parents=True)
    assert refusal(workspaces, admin, "a", str(tmp_path / ".ssh" / "more")) == "secret"


def test_what_is_no_folder_is_refused(
    workspaces: Workspaces, admin: Person, handbook: Path
) -> None:
    (handbook / "a.md").write_text("a")
    assert refusal(workspaces, admin, "a", str(handbook / "a.md")) == "no_folder"
    assert refusal(workspaces, admin, "a", str(handbook / "none")) == "no_folder"
    assert refusal(workspaces, admin, "a", f"{handbook}/{'x' * 5000}") == "no_folder"
    for path in ("", "handbook", "~", f"{handbook}\x00"):
        assert refusal(workspaces, admin, "a", path) == "not_absolute"


def test_a_name_that_no_path_can_hold_is_refused(
    workspaces: Workspaces, admin: Person, handbook: Path
) -> None:
    for name in ("", "1a", "a b", "文档", "a/b", "..", "x" * 31):
        assert refusal(workspaces, admin, name, str(handbook)) == "name", name


def test_a_name_is_given_once_and_there_are_not_too_many(
    workspaces: Workspaces, admin: Person, handbook: Path, pool: ConnectionPool
) -> None:
    workspaces.add_read_folder(admin, "a", str(handbook))
    assert refusal(workspaces, admin, "a", str(handbook)) == "name_taken"
    for number in range(MOST_FOLDERS - 1):
        folder_rows.add_folder(pool, name=f"b{number}", path="/x", person_id=admin.id)
    assert refusal(workspaces, admin, "c", str(handbook)) == "too_many"


def test_only_administrators_change_it(
    workspaces: Workspaces, admin: Person, handbook: Path, pool: ConnectionPool
) -> None:
    workspaces.add_read_folder(admin, "a", str(handbook))
    person = Accounts(pool).local_person()
    assert not person.is_admin
    assert refusal(workspaces, person, "b", str(handbook)) == "not_admin"
    with pytest.raises(EditRefused):
        workspaces.remove_read_folder(person, "a")
    assert [folder.name for folder in workspaces.read_folders()] == ["a"]
