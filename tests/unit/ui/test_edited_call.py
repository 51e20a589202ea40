import pytest

from meetmind.ui.edited_call import field_text, in_reading_order, is_long, typed_arguments

ASKED = {
    "why": "to keep it",
    "content": "one\r\ntwo\r\n",
    "path": "a.md",
    "times": 3,
    "marks": ["a", "b"],
    "again": True,
}


def test_what_was_not_touched_stays_as_the_role_gave_it() -> None:
    typed = {name: field_text(value) for name, value in ASKED.items()}
    typed["content"] = "one\ntwo\n"  # as a browser hands it back
    assert typed_arguments(ASKED, typed) == (ASKED, "")


def test_typed_values_keep_the_kind_that_the_role_gave() -> None:
    typed = {"path": "12", "times": "5", "marks": '["c"]', "again": False}
    arguments, wrong = typed_arguments(ASKED, typed)
    assert wrong == ""
    assert arguments == {**ASKED, "path": "12", "times": 5, "marks": ["c"], "again": False}


@pytest.mark.parametrize("typed", ["", "three", "[1,"])
def test_what_is_no_json_is_named(typed: str) -> None:
    _, wrong = typed_arguments(ASKED, {"path": "b.md", "times": typed})
    assert wrong == "times"


def test_a_field_that_was_never_drawn_changes_nothing() -> None:
    assert typed_arguments(ASKED, {"path": None}) == (ASKED, "")


def test_arguments_are_read_from_what_to_why() -> None:
    assert list(in_reading_order(ASKED)) == ["path", "content", "times", "marks", "again", "why"]


def test_long_texts_and_structures_get_several_lines() -> None:
    long = [value for value in ("a\nb", "a\rb", "x" * 81, ["a"]) if is_long(value)]
    assert len(long) == 4
    assert not is_long("a.md")
    assert not is_long(3)
