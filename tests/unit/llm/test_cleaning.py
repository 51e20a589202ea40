"""What a model writes is cleaned before anybody reads or stores it."""

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, ToolCall

from meetmind.clean_text import clean_bad_chars, clean_value
from meetmind.llm.cleaning import clean_message, visible_text

ANY_TEXT = st.text(st.characters(codec=None))


@given(ANY_TEXT)
def test_cleaned_text_can_always_be_stored(text: str) -> None:
    cleaned = clean_bad_chars(text)
    cleaned.encode("utf-8")
    assert "\x00" not in cleaned
    assert clean_bad_chars(cleaned) == cleaned


@given(st.text())
def test_good_text_stays_as_it_is(text: str) -> None:
    assert clean_bad_chars(text) == text.replace("\x00", "")


def test_two_halves_of_a_character_are_joined() -> None:
    assert clean_bad_chars("a\ud83d\ude00b\udc00\x00") == "a😀b"


def test_values_are_cleaned_deep_inside() -> None:
    dirty = {"a\x00": ["\ud800x", {"b": "\x00"}, 3, None, True]}
    assert clean_value(dirty) == {"a": ["x", {"b": ""}, 3, None, True]}


@given(ANY_TEXT, st.lists(st.integers(0, 60)))
def test_what_is_shown_only_grows_while_text_arrives(text: str, cuts: list[int]) -> None:
    shown = ""
    for cut in sorted(cuts):
        visible = visible_text(text[:cut], complete=False)
        if "<" not in text:
            assert visible.startswith(shown)
        shown = visible
    if "<" not in text:
        assert visible_text(text, complete=True).startswith(shown)


def test_thoughts_before_an_answer_are_left_out() -> None:
    assert visible_text("<think>a</think>\n<thinking>b</thinking> Yes.", complete=True) == "Yes."
    assert visible_text("only the end mark</think> Yes.", complete=True) == "Yes."
    assert visible_text("<think>never ends", complete=True) == ""


def test_a_thought_is_not_shown_while_its_mark_arrives() -> None:
    for part in ("", " <", "<th", "<think", "<think>", "<think>hm", "<thinking>hm</thin"):
        assert visible_text(part, complete=False) == ""


def test_a_mark_inside_a_json_answer_is_just_text() -> None:
    text = '{"content": "write </think> here"}'
    assert visible_text(text, complete=True) == text


def test_a_message_keeps_its_calls() -> None:
    call = ToolCall(name="Write", args={"path": "a\x00"}, id="1", type="tool_call")
    message = AIMessage(content=[{"type": "text", "text": "ok\ud800"}], tool_calls=[call])
    cleaned = clean_message(message)
    assert cleaned.content == "ok"
    assert cleaned.tool_calls == [{**call, "args": {"path": "a"}}]
