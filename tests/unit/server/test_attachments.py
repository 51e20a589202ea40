"""Which files can be attached to a brief, and under which names."""

import unicodedata

import pytest

from meetmind.server import attachments
from meetmind.server.attachments import (
    LONGEST_NAME,
    MOST_FILES,
    TAKEN_SUFFIXES,
    Attachment,
    check_attachments,
    free_name,
    safe_name,
)


def reasons(*files: Attachment, bytes_there: int = 0) -> list[tuple[str, str]]:
    refusals = check_attachments(files, bytes_there)
    return [(refusal.name, refusal.reason) for refusal in refusals]


def file(name: str, content: bytes = b"words") -> Attachment:
    return Attachment(name=name, content=content)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("plan.md", "plan.md"),
        ("需求 第二版.docx", "需求 第二版.docx"),
        ("../../etc/passwd.txt", "passwd.txt"),
        ("C:\\Users\\me\\plan.md", "plan.md"),
        ("Notes: today?.md", "Notes- today-.md"),
        ("a\x00b\u202egpj.md", "abgpj.md"),
        ("  .hidden.md", "hidden.md"),
        ("@folder.md", "folder.md"),
        ("~$plan.docx", "$plan.docx"),
        ("line\nbreak.md", "linebreak.md"),
        ("plan .md", "plan.md"),
        (unicodedata.normalize("NFD", "café.md"), "café.md"),
    ],
)
def test_a_name_is_made_one_plain_part_of_a_path(given: str, kept: str) -> None:
    assert safe_name(given) == kept


def test_a_long_name_keeps_its_ending() -> None:
    name = safe_name("很" * 200 + ".md")
    assert name.endswith("很.md")
    assert len(name.encode()) <= LONGEST_NAME


def test_a_taken_name_gets_a_number_whatever_its_case() -> None:
    assert free_name("Plan.md", {"other.md"}) == "Plan.md"
    assert free_name("Plan.md", {"plan.md", "plan-2.md"}) == "Plan-3.md"


def test_documents_texts_and_images_are_taken() -> None:
    documents = [file(f"a{suffix}") for suffix in TAKEN_SUFFIXES]
    for start in range(0, len(documents), MOST_FILES):
        assert reasons(*documents[start : start + MOST_FILES]) == []
    assert reasons(file("PLAN.MD")) == []
    assert reasons(file("utf16.txt", "方案".encode("utf-16"))) == []
    assert (
        reasons(file("old.txt", "退款规则在这里写得很清楚，请团队先看一遍。".encode("gb18030")))
        == []
    )


@pytest.mark.parametrize(
    "name", ["run.exe", "all.zip", "lib.so", "a.tar.gz", "noending", "mac.dmg"]
)
def test_programs_and_archives_are_not_taken(name: str) -> None:
    assert reasons(file(name)) == [(name, "kind")]


@pytest.mark.parametrize(
    "name", [".env", ".ENV.txt", "credentials.json", "id_rsa.txt", "folder/.env.md", "secrets.toml"]
)
def test_names_that_often_hold_secrets_are_not_taken(name: str) -> None:
    assert reasons(file(name)) == [(name, "name")]


def test_a_program_called_a_text_is_not_taken() -> None:
    assert reasons(file("a.md", b"\x7fELF\x02\x01\x00\x00\x00")) == [("a.md", "no_text")]


def test_an_empty_file_is_told() -> None:
    assert reasons(file("a.md", b"")) == [("a.md", "empty")]


def test_what_goes_beyond_a_limit_is_refused_from_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [file(f"{number}.md") for number in range(MOST_FILES + 2)]
    assert reasons(*many) == [("10.md", "too_many"), ("11.md", "too_many")]
    monkeypatch.setattr(attachments, "MOST_FILE_BYTES", 8)
    monkeypatch.setattr(attachments, "MOST_BYTES", 12)
    assert reasons(file("a.md", b"123456789")) == [("a.md", "too_large")]
    two = (file("a.md", b"1234567"), file("b.md", b"123456"))
    assert reasons(*two) == [("b.md", "no_room")]
    assert reasons(file("a.md"), bytes_there=10) == [("a.md", "no_room")]
