"""Every sentence about a document that the code names stands in both catalogues."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from meetmind.i18n.document_notes import (
    SECTIONS,
    Note,
    ReadingFailure,
    failure_text,
    note_text,
    report_text,
)
from meetmind.i18n.translate import catalogue
from meetmind.knowledge.document_faults import MOST_NUMBERS_SHOWN, noted_numbers, unreadable
from meetmind.knowledge.formats.signatures import FOREIGN_KINDS, OLD_OFFICE

PROJECT = Path(__file__).resolve().parents[3]
PLACEHOLDER = re.compile(r"{(\w+)}")
HAN = re.compile("[\u4e00-\u9fff]")
SECTION_BY_CALL = {"unreadable": "document_reason", "noted": "document_note"}
CHOSEN_IN_PYTHON = ("_reason_of_ole", "_foreign_kind", "_why_without_text")
"""Functions that return the name of a reason."""


def calls() -> Iterator[tuple[str, ast.Call]]:
    """Every call in the sources that may name a sentence, with the called function's name."""
    for path in sorted(PROJECT.glob("meetmind/**/*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                yield node.func.id, node


def named_directly() -> list[tuple[str, set[str]]]:
    """The keys that calls name, each with the placeholders that the call fills."""
    named: list[tuple[str, set[str]]] = []
    for function, call in calls():
        section = SECTION_BY_CALL.get(function)
        if section is None or not isinstance(call.args[0], ast.Constant):
            continue
        filled = {keyword.arg or "" for keyword in call.keywords}
        named.append((f"{section}.{call.args[0].value}", filled))
    return named


def named_otherwise() -> set[str]:
    """The keys that stand in tables, are returned by functions, or are given to a check."""
    reasons = {reason for _, reason in (*FOREIGN_KINDS, *OLD_OFFICE)}
    keys = {f"document_reason.{reason}" for reason in reasons}
    for function, call in calls():
        if function == "check_archive":
            assert isinstance(call.args[1], ast.Constant)
            keys.add(f"document_reason.{call.args[1].value}")
        if function == "noted_numbers":
            assert isinstance(call.args[0], ast.Constant)
            reason = call.args[0].value
            keys |= {f"document_note.{reason}", f"document_note.{reason}_more"}
    for path in PROJECT.glob("meetmind/knowledge/formats/*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name in CHOSEN_IN_PYTHON:
                keys |= {f"document_reason.{reason}" for reason in returned_texts(node)}
    return keys


def returned_texts(function: ast.FunctionDef) -> set[str]:
    returned: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Constant):
            returned.add(str(node.value.value))
    return returned - {""}


def known_keys(language: str) -> set[str]:
    texts = catalogue("zh" if language == "zh" else "en")
    return {key for key in texts if key.startswith(tuple(f"{name}." for name in SECTIONS))}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_sentence_that_the_code_names_exists_and_no_other(language: str) -> None:
    named = {key for key, _ in named_directly()} | named_otherwise()
    assert len(named) > 70
    assert sorted(named ^ known_keys(language)) == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_call_fills_exactly_the_placeholders_of_its_sentence(language: str) -> None:
    texts = catalogue("zh" if language == "zh" else "en")
    for key, filled in named_directly():
        assert set(PLACEHOLDER.findall(texts[key])) == filled, key


def test_no_name_stands_in_both_sections() -> None:
    names = [key.split(".")[1] for key in known_keys("en")]
    assert sorted(names) == sorted(set(names))


def test_every_chinese_sentence_is_chinese_with_full_width_punctuation() -> None:
    for key in known_keys("zh"):
        text = catalogue("zh")[key]
        assert HAN.search(text), key
        assert text.endswith("。"), key
        assert not re.search(r"[,;:!?()](?!\w)", text), key


def test_an_error_says_its_reason_in_english_and_carries_it() -> None:
    error = unreadable("old_kind", suffix=".doc", new_suffix=".docx")
    assert str(error) == "Files of the old kind .doc are not read. Save it as .docx."
    assert error.reason == "old_kind"
    assert error.details == {"suffix": ".doc", "new_suffix": ".docx"}


def test_numbers_are_listed_as_the_language_does_it_and_many_are_counted() -> None:
    few = noted_numbers("pages_empty", [2, 5])
    assert str(few) == "Pages without text: 2, 5."
    assert note_text(few, "zh") == "第 2、5 页没有文字。"
    many = noted_numbers("pages_empty", range(1, MOST_NUMBERS_SHOWN + 4))
    assert str(many).endswith("19, 20 and 3 more.")
    assert note_text(many, "zh") == (
        "第 1、2、3、4、5、6、7、8、9、10、11、12、13、14、15、16、17、18、19、20 页"
        "和另外 3 页没有文字。"
    )


def test_a_report_joins_its_sentences_as_the_language_does_it() -> None:
    notes = [Note(reason="rows_cut", details={"limit": 2}), Note(reason="formulas_empty")]
    english = "Only the first 2 rows were read. Formulas without a stored result were left empty."
    assert report_text(notes, "", "en") == english
    assert report_text(notes, "", "zh") == "只读取了前 2 行。有些公式没有保存计算结果，已留空。"


def test_an_unknown_sentence_or_none_leaves_the_stored_english_text() -> None:
    unknown = [Note(reason="empty"), Note(reason="of_a_later_version")]
    assert report_text(unknown, "As it was stored.", "zh") == "As it was stored."
    assert report_text([], "As it was stored.", "zh") == "As it was stored."
    assert report_text([], "", "zh") == ""


def test_a_failure_names_its_place_first() -> None:
    failure = ReadingFailure(
        place="backend/a.pdf", english="The file is empty.", notes=(Note(reason="empty"),)
    )
    assert str(failure) == failure_text(failure, "en") == "backend/a.pdf: The file is empty."
    assert failure_text(failure, "zh") == "backend/a.pdf：文件是空的。"
    assert failure_text(ReadingFailure(english="No model."), "zh") == "No model."
