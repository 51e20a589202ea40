"""Edit changes what it names and nothing else, in any encoding and with any line ends."""

import codecs
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meetmind.errors import ToolError
from meetmind.tools.edit_tool import content_after_edit, edit_tool
from meetmind.tools.effects import current_sha256, expected_effect
from meetmind.tools.files.line_ends import fit_line_ends, lines_of, with_lf
from meetmind.tools.files.text_files import decode_file
from meetmind.tools.write_tool import content_after_write
from tests.support.file_bench import run_tool

ENCODINGS = [
    ("utf-8", b""),
    ("utf-8", codecs.BOM_UTF8),
    ("utf-16-le", codecs.BOM_UTF16_LE),
    ("utf-16-be", codecs.BOM_UTF16_BE),
    ("gb18030", b""),
]
ENDS = ["\n", "\r\n", "\r"]
WORDS = ["退款", "券", "改为七天", "refund", "of the order", ""]
BODY = st.lists(st.sampled_from(WORDS), max_size=4).map("".join)


def texts_with(ends: list[str]) -> st.SearchStrategy[str]:
    """Texts of a few lines with these line ends, the last line with or without one."""
    line = st.tuples(BODY, st.sampled_from(ends)).map("".join)
    whole_lines = st.lists(line, max_size=6).map("".join)
    return st.tuples(whole_lines, BODY).map("".join)


MIXED_TEXT = texts_with(ENDS)
CRLF_OR_LF = texts_with(["\n", "\r\n"])
KIND = st.sampled_from(ENCODINGS)


def write(path: Path, text: str, encoding: str = "utf-8") -> None:
    path.write_bytes(text.encode(encoding))


def edit(folder: Path, old: str, new: str, *, everywhere: bool = False) -> None:
    arguments = {"path": "a.txt", "old_string": old, "new_string": new, "replace_all": everywhere}
    effect = expected_effect("Edit", arguments, folder)
    run_tool(edit_tool, arguments, folder)
    assert current_sha256(folder, "a.txt") == effect.sha256_after


@settings(max_examples=60, deadline=None)
@given(kind=KIND, ends=st.sampled_from(ENDS), before=BODY, after=BODY)
def test_an_edit_keeps_encoding_mark_and_line_ends(
    kind: tuple[str, bytes], ends: str, before: str, after: str
) -> None:
    encoding, mark = kind
    # A first line that every recognition knows for what it is.
    old = f"的一是在不了有和人这{ends}{before}<unique>{ends}{after}"
    content = mark + old.encode(encoding)
    edited = content_after_edit("a", content, "<unique>\n", "新\nlines\n", False)
    expected = old.replace(f"<unique>{ends}", f"新{ends}lines{ends}")
    assert edited == mark + expected.encode(encoding)


@settings(max_examples=60, deadline=None)
@given(text=MIXED_TEXT, wanted=MIXED_TEXT, cut=st.data())
def test_an_edit_of_any_passage_changes_the_words_as_asked(
    text: str, wanted: str, cut: st.DataObject
) -> None:
    plain = with_lf(text)
    if not plain:
        return
    start = cut.draw(st.integers(0, len(plain) - 1))
    end = cut.draw(st.integers(start + 1, len(plain)))
    sought = plain[start:end]
    if sought == with_lf(wanted):
        return
    edited = content_after_edit("a", text.encode(), sought, wanted, True).decode()
    assert with_lf(edited) == plain.replace(sought, with_lf(wanted))


@settings(max_examples=60, deadline=None)
@given(before=CRLF_OR_LF, wanted=CRLF_OR_LF, after=CRLF_OR_LF)
def test_the_lines_around_a_passage_keep_their_own_ends(
    before: str, wanted: str, after: str
) -> None:
    content = f"{before}<unique>{after}".encode()
    edited = content_after_edit("a", content, "<unique>", wanted, False).decode()
    assert edited.startswith(before)
    assert edited.endswith(after)


@settings(max_examples=60, deadline=None)
@given(kind=KIND, text=MIXED_TEXT)
def test_writing_back_what_was_read_changes_no_byte(kind: tuple[str, bytes], text: str) -> None:
    encoding, mark = kind
    content = mark + ("的一是在不了有和人这\n" + text).encode(encoding)
    read = with_lf(decode_file("a", content).text)
    assert content_after_write("a", content, read) == content


@settings(max_examples=60, deadline=None)
@given(before=MIXED_TEXT, after=MIXED_TEXT)
def test_fitted_line_ends_change_no_words(before: str, after: str) -> None:
    assert with_lf(fit_line_ends(before, after, "\r\n")) == with_lf(after)


def test_lines_that_stay_keep_their_own_ends() -> None:
    fitted = fit_line_ends("one\r\ntwo\nthree\r\n", "one\nnew\ntwo\nthree\n", "\r\n")
    assert lines_of(fitted) == ["one\r\n", "new\r\n", "two\n", "three\r\n"]


def test_a_passage_that_is_not_there_or_not_alone_is_told_with_its_number(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "one\ntwo\ntwo\n")
    for sought, message in (("three", "0 times"), ("two", "2 times")):
        with pytest.raises(ToolError, match=message):
            edit(tmp_path, sought, "x")
    with pytest.raises(ToolError, match="the same"):
        edit(tmp_path, "one", "one")
    assert (tmp_path / "a.txt").read_text() == "one\ntwo\ntwo\n"


def test_every_place_is_replaced_when_asked(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "two\r\n的一是在\r\ntwo", "gb18030")
    edit(tmp_path, "two", "二", everywhere=True)
    assert (tmp_path / "a.txt").read_bytes() == "二\r\n的一是在\r\n二".encode("gb18030")


def test_a_missing_file_and_a_picture_are_not_edited(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="no file"):
        edit(tmp_path, "a", "b")
    (tmp_path / "a.txt").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4)
    with pytest.raises(ToolError, match="not a text"):
        edit(tmp_path, "P", "Q")
