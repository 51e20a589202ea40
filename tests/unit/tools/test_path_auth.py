"""File tools stay inside the workspace."""

import os
from pathlib import Path

import pytest

from meetmind.errors import PathRefused, ToolError
from meetmind.tools.files.file_replacing import remove_file, replace_file
from meetmind.tools.path_auth import checked_parts, open_folder, place_of, read_plain_file

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
    "汉" * 67,
    ".env.local",
    ".ENV",
    "．ｅｎｖ",
    ".env ",
    ".env.",
    ".env::$DATA",
    ".e\ufe0fnv",
    ".meetmind/x",
    "keys/server.PEM",
    "id_rsa.pub",
    "credentials.json",
    "secrets.toml",
    "a\u202egpj.exe",
    "a\u200bb",
    "a\nb",
    "a\ud800b",
    "...",
    "‥/x",
    "a /b",
    "@docs/a.md",
    "./@docs/a.md",
]


REASONS = ("odd_characters", "name_too_long", "outside", "hidden_name", "too_deep", "read_only")


@pytest.mark.parametrize("path", BAD_PATHS)
def test_a_path_that_leads_outside_is_refused_with_a_sentence(path: str) -> None:
    with pytest.raises(PathRefused, match=r"\.$") as refused:
        checked_parts(path)
    assert refused.value.reason in REASONS


@pytest.mark.parametrize(
    "path", ["a.md", "notes/a.md", "./a.md", "总结/决定.md", "总结：甲／乙.md", "key.md"]
)
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
        with pytest.raises(PathRefused):
            read_plain_file(folder, "a.md", 1000)
        with pytest.raises(PathRefused):
            replace_file(folder, "a.md", b"mine")
        with pytest.raises(PathRefused):
            remove_file(folder, "a.md")
    assert secret.read_text() == "secret"
    assert (workspace / "a.md").is_symlink()


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


def test_a_device_and_a_pipe_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with open_folder(tmp_path, (), create=False) as folder, pytest.raises(PathRefused):
        read_plain_file(folder, "pipe", 1000)


def test_another_file_system_is_not_entered() -> None:
    with pytest.raises(PathRefused), open_folder(Path("/"), ("proc",), create=False):
        pass


def test_a_name_with_decomposed_letters_is_found_by_its_composed_form(tmp_path: Path) -> None:
    (tmp_path / "re\u0301sume\u0301.md").write_bytes(b"x")
    (name,) = checked_parts("re\u0301sume\u0301.md")
    assert name == "r\u00e9sum\u00e9.md"
    with open_folder(tmp_path, (), create=False) as folder:
        assert read_plain_file(folder, name, 10) == b"x"
        replace_file(folder, name, b"y")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"y"]


def test_a_file_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_bytes(b"x")
    (tmp_path / "a.sh").chmod(0o751)
    with open_folder(tmp_path, (), create=False) as folder:
        replace_file(folder, "a.sh", b"y")
    assert (tmp_path / "a.sh").stat().st_mode & 0o777 == 0o751


def test_a_read_only_folder_is_reached_by_its_name_and_cannot_be_left(tmp_path: Path) -> None:
    folders = {"docs": tmp_path / "docs"}
    place = place_of("@docs/a/b.md", tmp_path / "ws", folders)
    assert (place.root, place.parts, place.writable) == (tmp_path / "docs", ("a", "b.md"), False)
    assert place.path == "@docs/a/b.md"
    assert place_of("@docs", tmp_path, folders).parts == ()
    for path in ("@other/a", "@docs/..", "@docs/../ws", "@docs//etc", "@/a", "@docs/.env"):
        with pytest.raises(PathRefused):
            place_of(path, tmp_path, folders)
