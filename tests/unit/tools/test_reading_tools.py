"""Read, list_dir, glob and grep see plain files, hide what is secret and stay bounded."""

import os
import time
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meetmind.errors import PathRefused, ToolError
from meetmind.tools.files.glob_patterns import read_glob
from meetmind.tools.glob_tool import glob_tool
from meetmind.tools.grep_tool import grep_tool
from meetmind.tools.list_dir_tool import list_dir_tool
from meetmind.tools.read_tool import read_tool
from tests.support.file_bench import run_tool


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / "notes" / "old").mkdir(parents=True)
    (folder / "brief.md").write_text("# Refunds\nThree coupons on one order.\nEnd\n")
    (folder / "notes" / "a.txt").write_bytes("优惠券\r\n叠加规则\r\n".encode("gb18030"))
    (folder / "notes" / "old" / "b.md").write_text("nothing\n")
    (folder / ".env").write_text("KEY=coupon")
    (folder / "notes" / "server.pem").write_text("coupon")
    (folder / "notes" / "link.md").symlink_to("/etc/passwd")
    (folder / "notes" / "picture.png").write_bytes(bytes(5000))
    os.mkfifo(folder / "notes" / "pipe")
    return folder


def test_a_folder_shows_plain_files_and_says_how_many_are_hidden(workspace: Path) -> None:
    top = run_tool(list_dir_tool, {}, workspace)
    assert [entry["name"] for entry in top["data"]["entries"]] == ["brief.md", "notes/"]
    assert top["diagnostics"]["hidden"] == 1
    notes = run_tool(list_dir_tool, {"path": "notes"}, workspace)
    names = [entry["name"] for entry in notes["data"]["entries"]]
    assert names == ["a.txt", "old/", "picture.png"]
    assert notes["diagnostics"]["hidden"] == 3


def test_a_workspace_without_files_is_empty_and_no_error(tmp_path: Path) -> None:
    empty = tmp_path / "none"
    assert run_tool(list_dir_tool, {}, empty)["data"]["entries"] == []
    assert run_tool(glob_tool, {"pattern": "**"}, empty)["data"]["paths"] == []
    assert run_tool(grep_tool, {"pattern": "x"}, empty)["data"]["files"] == []


def test_read_only_folders_are_named_and_read(workspace: Path, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "rules.md").write_text("coupon rules\n")
    folders = {"shared": shared}
    listed = run_tool(list_dir_tool, {}, workspace, folders)
    assert listed["data"]["read_only_folders"] == ["@shared"]
    found = run_tool(glob_tool, {"pattern": "*.md", "path": "@shared"}, workspace, folders)
    assert found["data"]["paths"] == ["@shared/rules.md"]
    read = run_tool(read_tool, {"path": "@shared/rules.md"}, workspace, folders)
    assert read["evidence"][0]["source"] == "@shared/rules.md"
    matched = run_tool(grep_tool, {"pattern": "rules", "path": "@shared"}, workspace, folders)
    assert matched["data"]["files"] == [{"path": "@shared/rules.md", "lines": [1]}]


def test_what_was_read_is_evidence_with_its_lines(workspace: Path) -> None:
    read = run_tool(read_tool, {"path": "brief.md", "offset": 2, "limit": 1}, workspace)
    assert read["data"]["text"] == "Three coupons on one order."
    assert (read["data"]["from_line"], read["data"]["lines"]) == (2, 3)
    (evidence,) = read["evidence"]
    assert evidence["kind"] == "file"
    assert evidence["locator"] == "line 2"
    assert evidence["passage_id"].startswith("file_")
    assert len(evidence["passage_id"]) == 17


def test_a_text_of_old_is_decoded_and_its_encoding_said(workspace: Path) -> None:
    read = run_tool(read_tool, {"path": "notes/a.txt"}, workspace)
    assert read["data"]["text"] == "优惠券\n叠加规则\n"
    assert (read["data"]["encoding"], read["data"]["line_ends"]) == ("GB18030", "CRLF")
    assert read["evidence"][0]["language"] == "zh"


def test_a_long_file_is_read_in_pieces_of_bounded_length(workspace: Path) -> None:
    lines = [f"line {number} " + "x" * 90 for number in range(1, 501)]
    (workspace / "long.txt").write_text("\n".join(lines))
    read = run_tool(read_tool, {"path": "long.txt"}, workspace)
    assert len(read["data"]["text"]) <= 12_100
    assert all(len(piece["content"]) <= 4000 for piece in read["evidence"])
    further = {"path": "long.txt", "offset": read["data"]["to_line"] + 1}
    assert run_tool(read_tool, further, workspace)["data"]["text"].startswith(
        f"line {read['data']['to_line'] + 1} "
    )
    with pytest.raises(ToolError, match="500 lines"):
        run_tool(read_tool, {"path": "long.txt", "offset": 501}, workspace)


def test_a_workbook_that_a_person_attached_is_read(workspace: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["coupon", "share"])
    book.active.append(["spring", 12])
    book.save(workspace / "figures.xlsx")
    read = run_tool(read_tool, {"path": "figures.xlsx"}, workspace)
    assert "spring" in read["data"]["text"]


@pytest.mark.parametrize("path", [".env", "notes/server.pem", "notes/link.md", "notes/pipe", ".."])
def test_what_is_hidden_is_not_read_either(workspace: Path, path: str) -> None:
    with pytest.raises(PathRefused):
        run_tool(read_tool, {"path": path}, workspace)
    with pytest.raises(PathRefused):
        run_tool(grep_tool, {"pattern": "x", "path": path}, workspace)


def test_a_pattern_finds_paths_in_any_folder(workspace: Path) -> None:
    found = run_tool(glob_tool, {"pattern": "**/*.{md,txt}"}, workspace)
    assert found["data"]["paths"] == ["brief.md", "notes/a.txt", "notes/old/b.md"]
    assert found["diagnostics"]["hidden"] == 4
    below = run_tool(glob_tool, {"pattern": "*/*.md", "path": "notes"}, workspace)
    assert below["data"]["paths"] == ["notes/old/b.md"]
    for pattern in ("../*", "/etc/*", "[z-a]", "{a,b}" * 9):
        with pytest.raises(ToolError):
            run_tool(glob_tool, {"pattern": pattern}, workspace)


def fits_by_definition(pattern: str, name: str) -> bool:
    """The meaning of stars and question marks, tried in every way."""
    if not pattern:
        return not name
    if pattern[0] == "*":
        return any(fits_by_definition(pattern[1:], name[cut:]) for cut in range(len(name) + 1))
    return bool(name) and pattern[0] in ("?", name[0]) and fits_by_definition(pattern[1:], name[1:])


@settings(deadline=None)
@given(pattern=st.text(alphabet="ab*?", min_size=1, max_size=6), name=st.text("ab", max_size=6))
def test_a_segment_fits_as_its_signs_mean(pattern: str, name: str) -> None:
    fits = read_glob("x" + pattern).matches(("x" + name,))
    assert fits == fits_by_definition(pattern, name)


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("**", "a/b", True),
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/x/y/b", True),
        ("**/x/**", "x", True),
        ("*.md", "a/b.md", False),
        ("[!a]*", "abc", False),
        ("[a-c]?", "b1", True),
        ("re\u0301*", "r\u00e9sum\u00e9", True),
    ],
)
def test_a_pattern_fits_whole_paths(pattern: str, path: str, fits: bool) -> None:
    assert read_glob(pattern).matches(tuple(path.split("/"))) is fits


def test_matching_lines_come_with_their_neighbours_as_evidence(workspace: Path) -> None:
    found = run_tool(grep_tool, {"pattern": "COUPON", "ignore_case": True}, workspace)
    assert found["data"]["files"] == [{"path": "brief.md", "lines": [2]}]
    (evidence,) = found["evidence"]
    assert evidence["content"] == "1- # Refunds\n2: Three coupons on one order.\n3- End"
    assert found["diagnostics"]["hidden"] == 4
    assert "1 files are no plain texts" in found["data"]["left_out"][0]


def test_files_of_every_encoding_are_searched(workspace: Path) -> None:
    found = run_tool(grep_tool, {"pattern": "叠加", "files": "**/*.txt"}, workspace)
    assert found["data"]["files"] == [{"path": "notes/a.txt", "lines": [2]}]


def test_more_matches_than_are_shown_are_said(workspace: Path) -> None:
    (workspace / "many.txt").write_text("hit\n" * 500)
    found = run_tool(grep_tool, {"pattern": "hit"}, workspace)
    assert len(found["data"]["files"][0]["lines"]) == 100
    assert any("more matches" in sentence for sentence in found["data"]["left_out"])


def test_a_bad_pattern_gets_a_sentence(workspace: Path) -> None:
    with pytest.raises(ToolError, match="no regular expression") as told:
        run_tool(grep_tool, {"pattern": "(coupon"}, workspace)
    assert told.value.reason == "bad_pattern"


def test_a_pattern_that_never_ends_is_stopped(workspace: Path) -> None:
    (workspace / "bad.txt").write_text("a" * 5000 + "!\n")
    began = time.monotonic()
    with pytest.raises(ToolError, match="too long"):
        run_tool(grep_tool, {"pattern": "(a|aa)+$"}, workspace)
    assert time.monotonic() - began < 5
