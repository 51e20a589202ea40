"""Names and places of uploaded files."""

from pathlib import Path

import pytest

from meetmind.errors import DocumentUnreadable
from meetmind.knowledge.source_files import (
    LONGEST_NAME,
    get_seeds_content,
    keep_upload,
    remove_upload,
    upload_name,
    uploaded_files,
)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("rules.md", "rules.md"),
        ("../../etc/passwd.txt", "passwd.txt"),
        ("C:\\Users\\lin\\订单规则.docx", "订单规则.docx"),
        (".~lock.md", "lock.md"),
        ("a\x00b\u202ec\n.pdf", "abc.pdf"),
        ("  spaced name .md ", "spaced name .md"),
    ],
)
def test_a_name_is_one_plain_part(given: str, kept: str) -> None:
    assert upload_name(given) == kept


@pytest.mark.parametrize("given", ["", ".", "..", "/", "...", "~", "\x00", " . "])
def test_a_name_of_which_nothing_is_left_is_refused(given: str) -> None:
    with pytest.raises(DocumentUnreadable, match="no usable name"):
        upload_name(given)


def test_a_long_name_keeps_its_ending() -> None:
    name = upload_name("长" * 200 + ".docx")

    assert name.endswith("长.docx")
    assert len(name.encode()) <= LONGEST_NAME


def test_an_upload_is_whole_and_replaces_one_of_its_name(tmp_path: Path) -> None:
    keep_upload(tmp_path, "backend", "a.md", b"old")
    keep_upload(tmp_path, "backend", "a.md", b"new")
    (file,) = uploaded_files(tmp_path, "backend")

    assert (file.source, file.origin, file.path.read_bytes()) == ("a.md", "upload", b"new")
    assert uploaded_files(tmp_path, "tester") == []


def test_only_a_file_of_the_roles_folder_is_removed(tmp_path: Path) -> None:
    keep_upload(tmp_path, "backend", "a.md", b"x")
    outside = tmp_path / "outside.md"
    outside.write_text("x")
    remove_upload(tmp_path, "backend", "../outside.md")
    remove_upload(tmp_path, "backend", "a.md")
    remove_upload(tmp_path, "backend", "a.md")

    assert outside.exists()
    assert uploaded_files(tmp_path, "backend") == []


def test_half_written_and_hidden_files_are_not_read(tmp_path: Path) -> None:
    folder = tmp_path / "backend"
    (folder / ".git").mkdir(parents=True)
    for name in (".a.md.part", "~$rules.docx", ".git/config.txt", "b.md"):
        (folder / name).write_text("x")

    assert [file.source for file in get_seeds_content(tmp_path, "backend")] == ["b.md"]
