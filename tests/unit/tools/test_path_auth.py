"""File tools stay inside the workspace."""

import os
from pathlib import Path

import pytest

from meetmind.errors import ToolError
from meetmind.tools.path_auth import checked_parts, open_folder, read_plain_file, replace_file

BAD_PATHS = [
    "",
    "   ",
    "/etc/passwd",
    "~/x",
    "../x",
    "a/../../x",
    "a\\..\\x",
    "C:/x",
    "a\x00b",
    ".env",
    "a/.ssh/id",
    "a/.GIT/config",
    "/".join(["a"] * 13),
    "x" * 300,
]


@pytest.mark.parametrize("path", BAD_PATHS)
def test_a_path_that_leads_outside_is_refused_with_a_sentence(path: str) -> None:
    with pytest.raises(ToolError, match=r"\."):
        checked_parts(path)


@pytest.mark.parametrize("path", ["a.md", "notes/a.md", "./a.md", "总结/决定.md"])
def test_a_plain_relative_path_is_taken(path: str) -> None:
    assert checked_parts(path)[-1].endswith(".md")


def test_a_link_on_the_way_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "door").symlink_to(outside)
    with pytest.raises(ToolError), open_folder(workspace, ("door",), create=True):
        pass
    assert list(outside.iterdir()) == []


def test_a_link_at_the_end_is_neither_read_nor_written_through(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "a.md").symlink_to(secret)
    with open_folder(workspace, (), create=False) as folder:
        with pytest.raises(ToolError):
            read_plain_file(folder, "a.md", 1000)
        replace_file(folder, "a.md", b"mine")
    assert secret.read_text() == "secret"
    assert (workspace / "a.md").read_text() == "mine"


def test_a_hard_link_is_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    os.link(secret, workspace / "a.md")
    with open_folder(workspace, (), create=False) as folder, pytest.raises(ToolError):
        read_plain_file(folder, "a.md", 1000)


def test_a_file_above_the_limit_is_refused_and_a_missing_one_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"12345")
    with open_folder(tmp_path, (), create=False) as folder:
        with pytest.raises(ToolError):
            read_plain_file(folder, "a.md", 4)
        assert read_plain_file(folder, "none.md", 4) is None


def test_a_folder_is_made_only_when_asked(tmp_path: Path) -> None:
    with pytest.raises(ToolError), open_folder(tmp_path, ("notes",), create=False):
        pass
    with open_folder(tmp_path, ("notes",), create=True) as folder:
        replace_file(folder, "a.md", b"x")
    assert (tmp_path / "notes" / "a.md").read_bytes() == b"x"
    assert [path.name for path in (tmp_path / "notes").iterdir()] == ["a.md"]
