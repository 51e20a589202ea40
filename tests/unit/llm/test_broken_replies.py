"""Replies that hold no answer are faults; odd ones that do are read."""

import json
from contextlib import suppress
from typing import Any

import pytest

from meetmind.errors import ModelAnswerBroken
from meetmind.llm.bounded_body import MOST_BYTES
from meetmind.llm.cleaning import visible_text
from meetmind.llm.reply_repair import content_text, repaired_completion, whole_arguments
from meetmind.llm.streaming import MOST_CHARACTERS
from tests.support.model_bench import GOOD_JSON, GOOD_WORDS, Bench
from tests.support.openai_server import (
    OpenAIServer,
    completion,
    delta,
    events,
    json_page,
    raw_tool_calls,
)


@pytest.mark.parametrize(
    ("arguments", "read"),
    [
        ('{"query": "x"}', {"query": "x"}),
        (json.dumps('{"query": "x"}'), {"query": "x"}),
        ({"query": "x"}, {"query": "x"}),
        ("", {}),
        (None, {}),
        ("null", {}),
        ('{"query": "x', None),
        ("[1, 2]", None),
        ("7", None),
        ('"words"', None),
    ],
)
def test_only_whole_objects_are_arguments(arguments: Any, read: dict[str, Any] | None) -> None:
    with OpenAIServer(raw_tool_calls(("rag_search", arguments))) as server:
        message = Bench(server.base_url).look_up()
    if read is None:
        assert (len(message.tool_calls), len(message.invalid_tool_calls)) == (0, 1)
    else:
        assert message.tool_calls[0]["args"] == read


def test_what_cannot_be_read_keeps_its_words() -> None:
    assert whole_arguments("[1]") == "no object: [1]"


@pytest.mark.parametrize(
    "reply",
    [
        {"choices": [{"message": "hello"}]},
        {"choices": [{"message": {"content": "x", "tool_calls": [{"function": "f"}]}}]},
        {"id": 5, "choices": [{"message": {"content": "x"}, "finish_reason": 7}], "usage": 3},
    ],
)
def test_a_reply_of_another_form_is_no_fault_of_the_program(reply: Any) -> None:
    with OpenAIServer(otherwise=json_page(reply)) as server, suppress(ModelAnswerBroken):
        Bench(server.base_url).look_up()


def test_a_stream_that_never_ends_is_ended() -> None:
    piece = "again " * 1000
    endless = events(*[delta(piece)] * (MOST_CHARACTERS // len(piece) + 2), ending="silent")
    with OpenAIServer(otherwise=endless) as server:
        bench = Bench(server.base_url)
        with pytest.raises(ModelAnswerBroken) as caught:
            bench.text()
    assert caught.value.fault == "too_much"
    assert len(server.requests) == 2
    assert bench.listener.words == ""


def test_a_body_that_would_fill_the_memory_is_not_read() -> None:
    huge = json_page({"choices": [], "padding": "x" * MOST_BYTES})
    with OpenAIServer(otherwise=huge) as server, pytest.raises(ModelAnswerBroken) as caught:
        Bench(server.base_url).look_up()
    assert caught.value.fault == "too_much"


def test_a_refusal_in_its_own_field_is_declined_at_once() -> None:
    refused = events(delta(refusal="I can't help."), delta(finish_reason="stop"))
    with OpenAIServer(otherwise=refused) as server, pytest.raises(ModelAnswerBroken) as caught:
        Bench(server.base_url).structured()
    assert caught.value.fault == "filtered"
    assert len(server.requests) == 1


def test_thoughts_inside_the_words_are_not_shown() -> None:
    thought = GOOD_JSON.replace(GOOD_WORDS, f"<think>Hm. What?</think> {GOOD_WORDS}")
    with OpenAIServer(completion(thought)) as server:
        bench = Bench(server.base_url)
        answer = bench.structured()
    assert answer.value is not None
    assert answer.value["content"] == bench.listener.words == GOOD_WORDS
    assert bench.listener.restarts == 0


def test_a_server_that_broke_off_by_itself_gave_no_answer_to_the_loop() -> None:
    reply = {
        "choices": [{"message": {"content": "x"}, "finish_reason": "insufficient_system_resource"}]
    }
    with OpenAIServer(json_page(reply), completion("Enough.")) as server:
        bench = Bench(server.base_url)
        bench.look_up()
    assert bench.listener.faults == ["cut"]


@pytest.mark.parametrize("mark", ["think", "thinking", "thought", "reasoning"])
def test_every_mark_of_thoughts_is_known(mark: str) -> None:
    assert visible_text(f"<{mark}>secret</{mark}>Words.", complete=True) == "Words."
    assert visible_text(f"<{mark}>sec", complete=False) == ""


def test_blocks_of_thoughts_hold_no_words() -> None:
    blocks = [{"type": "reasoning", "text": "secret"}, {"type": "text", "text": "Words."}]
    assert content_text(blocks) == "Words."


def test_negative_token_counts_are_none() -> None:
    usage = {"prompt_tokens": -5, "completion_tokens": 3}
    repaired = repaired_completion({"choices": [], "usage": usage})
    assert repaired["usage"] == {"prompt_tokens": 0, "completion_tokens": 3, "total_tokens": 3}
