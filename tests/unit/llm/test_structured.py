"""Structured answers are read strictly, and their words while they arrive."""

import json

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from meetmind.clean_text import clean_bad_chars
from meetmind.llm.structured import (
    RUNGS,
    essential_field,
    field_so_far,
    kept_text,
    read_object,
    rungs_from,
    with_schema,
)

GOOD = {"content": "Yes.", "done": True}


def test_an_object_is_found_among_other_words() -> None:
    text = json.dumps(GOOD)
    for answer in (text, f"```json\n{text}\n```", f"Sure {{ok}}: {text} Bye {{}}.", f"\n{text}\n"):
        assert read_object(answer, "content") == GOOD


def test_nothing_is_added_to_make_an_object_valid() -> None:
    whole = json.dumps(GOOD)
    for end in range(len(whole)):
        assert read_object(whole[:end], "content") is None


def test_an_object_without_its_essential_field_is_none() -> None:
    for answer in ('{"done": true}', '{"content": 3}', '{"content": " "}', "[1]", "Yes.", ""):
        assert read_object(answer, "content") is None


def test_code_in_the_words_is_not_taken_for_the_fence() -> None:
    value = {"content": "Use ```json\n{}\n``` here.", "done": False}
    assert read_object(json.dumps(value), "content") == value


def test_deep_nonsense_is_refused_quietly() -> None:
    assert read_object("{" * 100_000, "content") is None
    assert read_object('{"content":' * 50_000, "content") is None


@given(st.text(st.characters(codec=None)), st.booleans(), st.data())
def test_the_words_of_a_field_only_grow(words: str, plain: bool, data: st.DataObject) -> None:
    written = json.dumps({"content": words, "next_agent": "x"}, ensure_ascii=not plain)
    shown = ""
    for end in sorted(data.draw(st.lists(st.integers(0, len(written)), max_size=6))):
        more = field_so_far(written[:end], "content")
        assert more.startswith(shown)
        shown = more
    complete = clean_bad_chars(words)
    assert complete.startswith(shown)
    assert complete.startswith(field_so_far(written, "content"))


def test_a_field_that_has_not_begun_has_no_words() -> None:
    for text in ("", "{", '{"content"', '{"content":', '{"content": null', '{"x": "content"'):
        assert field_so_far(text, "content") == ""


def test_half_an_escape_waits_for_its_other_half() -> None:
    assert field_so_far('{"content": "a\\', "content") == "a"
    assert field_so_far('{"content": "a\\u00', "content") == "a"
    assert field_so_far('{"content": "a\\ud83d', "content") == "a"
    assert field_so_far('{"content": "a\\ud83d\\ude00', "content") == "a😀"


def test_the_words_to_keep_are_those_of_the_field_or_all() -> None:
    assert kept_text('{"content": "half a sen', "content") == "half a sen"
    assert kept_text("```\nplain words\n```", "content") == "plain words"
    assert kept_text(" plain words ", "content") == "plain words"


def test_the_ladder_goes_down_from_what_worked() -> None:
    assert rungs_from("") == list(RUNGS)
    assert rungs_from("function_calling") == ["function_calling", "required_tool", "text"]


def test_the_schema_always_stands_in_the_prompt_and_speakers_still_alternate() -> None:
    schema = {"title": "T", "required": ["a", "b"]}
    messages = [SystemMessage(content="s"), HumanMessage(content="h")]
    asked = with_schema(messages, schema)
    assert [message.type for message in asked] == ["system", "human"]
    assert json.dumps(schema) in asked[1].text
    assert messages[1].text == "h"
    after_words = with_schema([*messages, AIMessage(content="a")], schema)
    assert [message.type for message in after_words] == ["system", "human", "ai", "human"]
    assert essential_field(schema, "") == "a"
    assert essential_field(schema, "content") == "content"
