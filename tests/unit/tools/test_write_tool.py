"""Write, Read and the effect that the approval card shows."""

import hashlib
import os
from pathlib import Path

import pytest

from meetmind.errors import ToolError
from meetmind.tools.effects import current_sha256, expected_effect, restore_content
from meetmind.tools.list_dir_tool import list_dir_tool
from meetmind.tools.read_tool import read_tool
from meetmind.tools.write_tool import write_tool
from tests.support.file_bench import run_tool


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_what_is_written_can_be_read_again(tmp_path: Path) -> None:
    written = run_tool(write_tool, {"path": "notes/决定.md", "content": "第一条\n"}, tmp_path)
    assert written["status"] == "ok"
    assert written["data"]["sha256"] == sha256("第一条\n")
    read = run_tool(read_tool, {"path": "notes/决定.md"}, tmp_path)
    assert read["data"]["text"] == "第一条\n"


def test_the_effect_tells_the_file_before_and_after_and_the_difference(tmp_path: Path) -> None:
    arguments = {"path": "a.md", "content": "two\n"}
    new_file = expected_effect("Write", arguments, tmp_path)
    assert new_file.sha256_before == ""
    run_tool(write_tool, {"path": "a.md", "content": "one\n"}, tmp_path)
    effect = expected_effect("Write", arguments, tmp_path)
    assert effect.sha256_before == sha256("one\n")
    assert effect.sha256_after == sha256("two\n")
    assert "-one" in effect.diff
    assert "+two" in effect.diff


def test_the_effect_of_a_forbidden_path_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ToolError):
        expected_effect("Write", {"path": "../a.md", "content": "x"}, tmp_path)


def test_a_missing_file_is_said_plainly(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="no file"):
        run_tool(read_tool, {"path": "none.md"}, tmp_path)


def test_a_replaced_file_keeps_encoding_line_ends_and_mark(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    run_tool(write_tool, {"path": "a.txt", "content": "one\nthree\n"}, tmp_path)
    assert (tmp_path / "a.txt").read_bytes() == b"\xef\xbb\xbfone\r\nthree\r\n"


def test_a_text_that_the_old_encoding_cannot_hold_is_refused(tmp_path: Path) -> None:
    western = "Le café est fermé dans les rues et pour les enfants.\n".encode("cp1252")
    (tmp_path / "a.txt").write_bytes(western)
    with pytest.raises(ToolError, match="has no '决'"):
        run_tool(write_tool, {"path": "a.txt", "content": "决定\n"}, tmp_path)
    assert (tmp_path / "a.txt").read_bytes() == western


def test_the_diff_tells_that_the_last_line_end_goes(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("one\ntwo\n")
    effect = expected_effect("Write", {"path": "a.md", "content": "one\ntwo"}, tmp_path)
    assert effect.path == "a.md"
    assert effect.diff.splitlines()[2:] == [
        "@@ -1,2 +1,2 @@",
        " one",
        "-two",
        "+two",
        "\\ No newline at end of file",
    ]


def test_the_expected_hash_is_the_hash_that_the_file_gets(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("一\r\n二\n三\r\n".encode("utf-16"))
    arguments = {"path": "a.txt", "content": "一\n二\n四\n"}
    effect = expected_effect("Write", arguments, tmp_path)
    run_tool(write_tool, arguments, tmp_path)
    assert current_sha256(tmp_path, "a.txt") == effect.sha256_after


def test_undo_puts_a_file_back_and_takes_a_new_one_away(tmp_path: Path) -> None:
    run_tool(write_tool, {"path": "notes/a.md", "content": "one\n"}, tmp_path)
    restore_content(tmp_path, "notes/a.md", b"before")
    assert (tmp_path / "notes/a.md").read_bytes() == b"before"
    restore_content(tmp_path, "notes/a.md", None)
    assert current_sha256(tmp_path, "notes/a.md") == ""
    restore_content(tmp_path, "nowhere/a.md", None)
    with pytest.raises(ToolError):
        restore_content(tmp_path, "../a.md", b"x")


def test_a_crash_in_the_middle_leaves_the_old_file_and_nothing_that_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.md").write_text("old")

    def crash(*names: object, **handles: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "rename", crash)
    with pytest.raises(KeyboardInterrupt):
        restore_content(tmp_path, "a.md", b"new")
    monkeypatch.undo()
    assert (tmp_path / "a.md").read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 2
    listed = run_tool(list_dir_tool, {}, tmp_path)
    assert [entry["name"] for entry in listed["data"]["entries"]] == ["a.md"]


def test_a_disk_that_takes_nothing_is_said_and_nothing_is_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.md").write_text("old")

    def full(*names: object, **handles: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "rename", full)
    with pytest.raises(ToolError, match="No space left"):
        run_tool(write_tool, {"path": "a.md", "content": "new"}, tmp_path)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]
