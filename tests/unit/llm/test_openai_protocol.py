"""Drives langchain_openai through `ModelClient` against a real HTTP server on loopback."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool

from meetmind.errors import (
    ModelAnswerBroken,
    ModelError,
    ModelMisconfigured,
    ModelUnavailable,
    ToolsRefused,
)
from meetmind.llm.limits import limiter_for
from meetmind.llm.server_habits import Endpoint
from tests.support.model_bench import (
    GOOD_JSON,
    GOOD_WORDS,
    KEY,
    LOOK_UP,
    MESSAGES,
    MODEL,
    Bench,
)
from tests.support.openai_server import (
    Completion,
    EventStream,
    OpenAIServer,
    Reply,
    Silence,
    Torn,
    completion,
    delta,
    events,
    html_page,
    json_page,
    refusal,
    tool_calls,
)
from tests.support.recording_listener import RecordingListener

T = TypeVar("T")
T = TypeVar("T")


def refuse_when(
    field: str, message: str, *, status: int = 400, then: Reply
) -> Callable[..., Reply]:
    """Refuses requests that carry a field."""

    def answer(body: dict[str, Any]) -> Reply:
        return refusal(status, message) if body.get(field) else then

    return answer


def rung_of(body: dict[str, Any]) -> str:
    if "response_format" in body:
        return str(body["response_format"]["type"])
    if "tools" in body:
        return "required_tool" if body["tool_choice"] == "required" else "function_calling"
    return "text"


def assert_plain(error: ModelError) -> None:
    """One sentence for a person: no key, no traceback, nothing the server wrote."""
    sentence = str(error)
    assert sentence.endswith(".")
    assert KEY not in sentence
    for word in ("Traceback", "Error code", "Exception", "<html", "{", "SECRET"):
        assert word not in sentence
    assert error.__cause__ is None


# Answers that are as they should be


def test_words_stream_as_they_arrive_and_tokens_are_counted() -> None:
    with OpenAIServer(completion("Orders are kept for 72 hours.")) as server:
        bench = Bench(server.base_url)
        answer = bench.text()
    assert answer.text == bench.listener.words == "Orders are kept for 72 hours."
    assert len(bench.listener.pieces) > 2
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (11, 7)
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert server.bodies[0]["thinking"] == {"type": "disabled"}
    assert server.bodies[0]["stream_options"] == {"include_usage": True}


def test_a_structured_answer_streams_its_content_alone() -> None:
    with OpenAIServer(completion(GOOD_JSON)) as server:
        bench = Bench(server.base_url)
        answer = bench.structured()
    assert answer.value == {"content": GOOD_WORDS, "next_agent": "tester", "done": False}
    assert answer.rung == "json_schema"
    assert bench.listener.words == GOOD_WORDS
    assert len(bench.listener.pieces) > 2
    assert bench.listener.restarts == 0
    assert '"next_agent"' in server.bodies[0]["messages"][-1]["content"]


def test_tool_calls_reach_the_loop() -> None:
    with OpenAIServer(tool_calls(("rag_search", {"query": "退款"}))) as server:
        message = Bench(server.base_url).look_up()
    assert message.tool_calls[0]["name"] == "rag_search"
    assert message.tool_calls[0]["args"] == {"query": "退款"}
    assert server.bodies[0]["stream"] is False


def test_the_end_of_the_tool_loop_may_be_empty() -> None:
    with OpenAIServer(completion("")) as server:
        message = Bench(server.base_url).look_up()
    assert message.text == ""
    assert message.tool_calls == []


# The ladder of structured answers


@pytest.mark.parametrize("status", [400, 422])
def test_a_refused_schema_steps_down_and_is_remembered(status: int) -> None:
    def answer(body: dict[str, Any]) -> Reply:
        if rung_of(body) == "json_schema":
            return refusal(status, "This response_format type is unavailable now")
        return completion(GOOD_JSON)

    with OpenAIServer(otherwise=answer) as server:
        first = Bench(server.base_url)
        answer_1 = first.structured()
        answer_2 = Bench(server.base_url).structured()
    assert answer_1.rung == answer_2.rung == "json_object"
    assert [rung_of(body) for body in server.bodies] == [
        "json_schema",
        "json_object",
        "json_object",
    ]
    assert first.sleeps.seconds == []


def test_every_rung_of_the_ladder_is_tried_in_order() -> None:
    def answer(body: dict[str, Any]) -> Reply:
        if rung_of(body) == "text":
            return completion(f"Here it is:\n```json\n{GOOD_JSON}\n```\nBye.")
        return refusal(400, "response_format and tool_choice are not supported")

    with OpenAIServer(otherwise=answer) as server:
        bench = Bench(server.base_url)
        result = bench.structured()
    assert result.rung == "text"
    assert result.value is not None
    assert bench.listener.words == GOOD_WORDS
    assert [rung_of(body) for body in server.bodies] == [
        "json_schema",
        "json_object",
        "function_calling",
        "required_tool",
        "text",
    ]


def test_a_forced_call_streams_its_content_too() -> None:
    arguments = {"content": GOOD_WORDS, "next_agent": "tester", "done": False}
    fragments = []
    for start in range(0, len(GOOD_JSON), 9):
        piece = {"index": 0, "function": {"arguments": GOOD_JSON[start : start + 9]}}
        if start == 0:
            piece = {"index": 0, "id": "a", "function": {"name": "ModelOutput", "arguments": ""}}
            fragments.append(delta(tool_calls=[piece]))
            piece = {"index": 0, "function": {"arguments": GOOD_JSON[:9]}}
        fragments.append(delta(tool_calls=[piece]))

    def answer(body: dict[str, Any]) -> Reply:
        if rung_of(body) == "function_calling":
            return events(*fragments, delta(finish_reason="tool_calls"))
        return refusal(400, "response_format is not supported")

    with OpenAIServer(otherwise=answer) as server:
        bench = Bench(server.base_url)
        result = bench.structured()
    assert result.value == arguments
    assert result.rung == "function_calling"
    assert len(bench.listener.pieces) > 2
    assert not bench.client.tools_refused


def test_an_answer_that_is_no_object_is_asked_for_once_more_one_rung_lower() -> None:
    with OpenAIServer(completion("I think so."), completion(GOOD_JSON)) as server:
        bench = Bench(server.base_url)
        result = bench.structured()
    assert result.value is not None
    assert [rung_of(body) for body in server.bodies] == ["json_schema", "json_object"]


def test_words_that_never_become_an_object_are_kept() -> None:
    with OpenAIServer(otherwise=completion("I think 72 hours is right.")) as server:
        bench = Bench(server.base_url)
        result = bench.structured()
    assert result.value is None
    assert result.raw_text == bench.listener.words == "I think 72 hours is right."
    assert len(server.requests) == 2


def test_truncated_json_is_never_completed_silently() -> None:
    half = '{"content": "We keep it", "next_agent": "tes'
    with OpenAIServer(otherwise=completion(half)) as server:
        bench = Bench(server.base_url)
        result = bench.structured()
    assert result.value is None
    assert result.raw_text == bench.listener.words == "We keep it"


# Fields that a server rejects


def test_a_refused_extra_field_is_left_out_from_then_on() -> None:
    answer = refuse_when(
        "thinking", "Unrecognized request argument: thinking", then=completion("ok")
    )
    with OpenAIServer(otherwise=answer) as server:
        bench = Bench(server.base_url)
        assert bench.text().text == "ok"
        assert Bench(server.base_url).text().text == "ok"
        assert Bench(server.base_url).look_up().text == "ok"
    assert ["thinking" in body for body in server.bodies] == [True, False, False, False]
    assert bench.listener.notices == []


def test_an_extra_field_refused_without_a_reason_is_found_out() -> None:
    answer = refuse_when("thinking", "Bad Request", then=completion(GOOD_JSON))
    with OpenAIServer(otherwise=answer) as server:
        assert Bench(server.base_url).structured().rung == "json_schema"
        assert Bench(server.base_url).structured().rung == "json_schema"
    assert ["thinking" in body for body in server.bodies] == [True, False, False]


def test_refused_token_counts_and_temperature_are_left_out_too() -> None:
    def answer(body: dict[str, Any]) -> Reply:
        if "stream_options" in body:
            return refusal(400, "stream_options is not supported")
        if body.get("temperature") is not None:
            return refusal(400, "invalid temperature: only 1 is allowed for this model")
        return completion("ok")

    with OpenAIServer(otherwise=answer) as server:
        assert Bench(server.base_url).text().text == "ok"
        assert Bench(server.base_url).text().text == "ok"
    assert len(server.requests) == 4


def test_a_request_that_stays_refused_is_a_plain_error() -> None:
    with (
        OpenAIServer(otherwise=refusal(400, "SECRET detail")) as server,
        pytest.raises(ModelMisconfigured) as caught,
    ):
        Bench(server.base_url).text()
    assert caught.value.fault == "bad_request"
    assert_plain(caught.value)


# Tools


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "test-model does not support tools"),
        (404, "No endpoints found that support tool use"),
        (422, "Extra inputs are not permitted: tool_choice"),
        (501, "function calling is not implemented"),
    ],
)
def test_refused_tools_are_told_apart_and_remembered(status: int, message: str) -> None:
    answer = refuse_when("tools", message, status=status, then=completion("ok"))
    with OpenAIServer(otherwise=answer) as server:
        bench = Bench(server.base_url)
        with pytest.raises(ToolsRefused) as caught:
            bench.look_up()
        assert bench.client.tools_refused
        assert Bench(server.base_url).client.tools_refused
    assert_plain(caught.value)
    assert bench.listener.notices == []


# Transient faults


def test_429_waits_as_long_as_the_server_asks() -> None:
    slow_down = refusal(429, "slow down", headers={"Retry-After": "0.3"})
    with OpenAIServer(slow_down, completion("ok")) as server:
        bench = Bench(server.base_url)
        assert bench.text().text == "ok"
    assert bench.listener.faults == ["rate_limited"]
    assert bench.listener.notices[0].wait_seconds == 0.3
    assert server.requests[1].at - server.requests[0].at >= 0.3
    assert bench.listener.holds == [], "a retry is told once"


def test_an_exhausted_quota_is_not_tried_again() -> None:
    answer = refusal(429, "You exceeded your current quota", code="insufficient_quota")
    with OpenAIServer(otherwise=answer) as server, pytest.raises(ModelMisconfigured) as caught:
        Bench(server.base_url).text()
    assert caught.value.fault == "quota"
    assert len(server.requests) == 1
    assert_plain(caught.value)


@pytest.mark.parametrize(
    ("status", "fault"),
    [(500, "server_error"), (502, "server_error"), (503, "overloaded"), (529, "overloaded")],
)
def test_a_server_fault_is_tried_ten_times_and_then_told(status: int, fault: str) -> None:
    with OpenAIServer(otherwise=refusal(status, "SECRET stack trace")) as server:
        bench = Bench(server.base_url)
        with pytest.raises(ModelUnavailable) as caught:
            bench.text()
    assert caught.value.fault == fault
    assert len(server.requests) == 10
    assert len(bench.sleeps.seconds) == 9
    assert_plain(caught.value)


def test_a_reset_connection_is_opened_anew() -> None:
    with OpenAIServer(Torn(), completion("ok")) as server:
        bench = Bench(server.base_url)
        assert bench.text().text == "ok"
    assert bench.listener.faults == ["connection"]


def test_no_connection_is_kept() -> None:
    with OpenAIServer(otherwise=completion("ok")) as server:
        bench = Bench(server.base_url)
        bench.text()
        bench.look_up()
        bench.look_up()
    ports = {request.client_port for request in server.requests}
    assert len(ports) == 3


def test_nothing_that_listens_is_a_plain_error() -> None:
    with OpenAIServer() as server:
        base_url = server.base_url
    with pytest.raises(ModelUnavailable) as caught:
        Bench(base_url).text()
    assert caught.value.fault == "refused"
    assert_plain(caught.value)


def test_a_slow_answer_is_waited_for() -> None:
    with OpenAIServer(completion("slow but sure", pause_seconds=0.02)) as server:
        assert Bench(server.base_url).text().text == "slow but sure"


@pytest.mark.parametrize("ending", ["closed", "torn"])
def test_a_cut_stream_is_taken_back_and_tried_again(ending: Any) -> None:
    cut = events(delta("We keep "), delta("it for"), ending=ending)
    with OpenAIServer(cut, completion("We keep it for 72 hours.")) as server:
        bench = Bench(server.base_url)
        answer = bench.text()
    assert answer.text == bench.listener.words == "We keep it for 72 hours."
    assert bench.listener.restarts == 1
    assert bench.listener.faults == ["cut"]


def test_a_structured_answer_that_is_cut_begins_again() -> None:
    cut = events(delta('{"content": "We kee'), ending="closed")
    with OpenAIServer(cut, completion(GOOD_JSON)) as server:
        bench = Bench(server.base_url)
        answer = bench.structured()
    assert answer.value is not None
    assert answer.rung == "json_schema"
    assert bench.listener.words == GOOD_WORDS
    assert bench.listener.restarts == 1


def test_a_stream_that_is_always_cut_ends_in_a_sentence() -> None:
    cut = events(delta("We keep "), ending="closed")
    with OpenAIServer(otherwise=cut) as server:
        bench = Bench(server.base_url)
        with pytest.raises(ModelAnswerBroken) as caught:
            bench.text()
    assert caught.value.fault == "cut"
    assert bench.listener.words == ""
    assert len(server.requests) == 10
    assert_plain(caught.value)


def test_an_answer_cut_at_the_length_limit_is_no_answer() -> None:
    with (
        OpenAIServer(otherwise=completion("We keep it", finish_reason="length")) as server,
        pytest.raises(ModelAnswerBroken) as caught,
    ):
        Bench(server.base_url).text()
    assert caught.value.fault == "length"
    assert_plain(caught.value)


def test_words_of_the_tool_loop_may_run_into_the_limit_but_a_tool_call_may_not() -> None:
    cut_call = Completion(calls=(("rag_search", {"query": "ke"}),), finish_reason="length")
    with OpenAIServer(completion("We keep it", finish_reason="length")) as server:
        assert Bench(server.base_url).look_up().text == "We keep it"
    with OpenAIServer(otherwise=cut_call) as server, pytest.raises(ModelAnswerBroken) as caught:
        Bench(server.base_url).look_up()
    assert caught.value.fault == "length"


def test_a_silent_stream_is_given_up_by_the_watchdog() -> None:
    silent = events(delta("We keep "), ending="silent")
    with OpenAIServer(silent, completion("We keep it.")) as server:
        bench = Bench(server.base_url, silence_seconds=0.3)
        assert bench.text().text == "We keep it."
    assert bench.listener.faults == ["timeout"]
    assert bench.listener.restarts == 1


def test_a_server_that_keeps_the_line_open_without_words_is_given_up_too() -> None:
    pings = EventStream(events=[": ping\n\n"] * 200, pause_seconds=0.05)
    with OpenAIServer(pings, completion("ok")) as server:
        bench = Bench(server.base_url, silence_seconds=0.4)
        assert bench.text().text == "ok"
    assert bench.listener.faults == ["timeout"]


def test_a_server_that_never_answers_is_a_timeout() -> None:
    with OpenAIServer(Silence(), completion("ok")) as server:
        bench = Bench(server.base_url, model_timeout_seconds=0.4)
        assert bench.look_up().text == "ok"
    assert bench.listener.faults == ["timeout"]


def test_an_error_inside_a_stream_is_a_fault_of_the_server() -> None:
    broken = events(delta("We "), {"error": {"message": "SECRET", "code": 529}})
    with OpenAIServer(broken, completion("We keep it.")) as server:
        bench = Bench(server.base_url)
        assert bench.text().text == "We keep it."
    assert bench.listener.faults == ["overloaded"]
    assert bench.listener.restarts == 1


def test_an_error_with_status_200_is_a_fault_of_the_server() -> None:
    broken = json_page({"error": {"message": "SECRET"}})
    with OpenAIServer(broken, broken, completion("ok"), completion("ok")) as server:
        bench = Bench(server.base_url)
        assert bench.look_up().text == "ok"
        assert bench.text().text == "ok"
    assert bench.listener.faults == ["server_error", "server_error"]


# Permanent faults


@pytest.mark.parametrize(
    ("status", "fault"), [(401, "unauthorised"), (403, "forbidden"), (404, "not_found")]
)
def test_a_wrong_key_or_name_fails_at_once(status: int, fault: str) -> None:
    message = f"SECRET Incorrect API key provided: {KEY}"
    with OpenAIServer(otherwise=refusal(status, message)) as server:
        for ask in (Bench(server.base_url).text, Bench(server.base_url).look_up):
            with pytest.raises(ModelMisconfigured) as caught:
                ask()
            assert caught.value.fault == fault
            assert_plain(caught.value)
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "message", ["Model Not Exist", "The model `m` does not exist", "no such model"]
)
def test_a_wrong_model_name_is_told_even_by_a_400(message: str) -> None:
    with OpenAIServer(otherwise=refusal(400, message)) as server:
        with pytest.raises(ModelMisconfigured) as caught:
            Bench(server.base_url).structured()
        assert len(server.requests) == 1
    assert caught.value.fault == "not_found"


def test_a_host_that_does_not_exist_fails_at_once() -> None:
    bench = Bench("http://no-such-host.invalid/v1")
    with pytest.raises(ModelMisconfigured) as caught:
        bench.text()
    assert caught.value.fault == "unknown_host"
    assert bench.sleeps.seconds == []
    assert_plain(caught.value)


@pytest.mark.parametrize("base_url", ["api.example.com/v1", "ftp://api.example.com/v1"])
def test_an_address_without_a_scheme_is_told(base_url: str) -> None:
    with pytest.raises(ModelMisconfigured) as caught:
        Bench(base_url).text()
    assert caught.value.fault == "bad_address"
    assert_plain(caught.value)


def test_a_plain_server_behind_https_is_told() -> None:
    with OpenAIServer(otherwise=completion("ok")) as server:
        bench = Bench(server.base_url.replace("http://", "https://"))
        with pytest.raises(ModelMisconfigured) as caught:
            bench.text()
    assert caught.value.fault == "tls"
    assert_plain(caught.value)


# Answers that are none


@pytest.mark.parametrize("ask", [Bench.text, Bench.look_up, Bench.structured])
def test_html_instead_of_an_answer_is_told(ask: Callable[[Bench], Any]) -> None:
    with OpenAIServer(otherwise=html_page()) as server, pytest.raises(ModelAnswerBroken) as caught:
        ask(Bench(server.base_url))
    assert caught.value.fault == "unreadable"
    assert len(server.requests) == 3
    assert_plain(caught.value)


def test_html_that_claims_to_be_json_is_told() -> None:
    page = json_page(None)
    with OpenAIServer(otherwise=page) as server:
        for ask in (Bench(server.base_url).text, Bench(server.base_url).look_up):
            with pytest.raises(ModelAnswerBroken) as caught:
                ask()
            assert caught.value.fault == "unreadable"


def test_a_broken_event_is_told() -> None:
    with (
        OpenAIServer(otherwise=events('data: {"choices": [{\n\n')) as server,
        pytest.raises(ModelAnswerBroken) as caught,
    ):
        Bench(server.base_url).text()
    assert caught.value.fault == "unreadable"
    assert_plain(caught.value)


@pytest.mark.parametrize("choices", [[], None])
def test_empty_choices_are_an_empty_answer(choices: Any) -> None:
    page = json_page({"id": "c1", "choices": choices})
    chunk = events({"id": "c1", "choices": choices}, delta(finish_reason="stop"))
    with OpenAIServer(page, page, page, chunk, chunk, chunk) as server:
        for ask in (Bench(server.base_url).look_up, Bench(server.base_url).text):
            with pytest.raises(ModelAnswerBroken) as caught:
                ask()
            assert caught.value.fault == "empty"
            assert_plain(caught.value)
    assert len(server.requests) == 6


def test_empty_choices_between_words_do_no_harm() -> None:
    stream = events(
        {"choices": []},
        delta("We "),
        {"choices": None},
        delta("keep it."),
        {"choices": [{"delta": None, "finish_reason": "stop"}]},
    )
    with OpenAIServer(stream) as server:
        assert Bench(server.base_url).text().text == "We keep it."


def test_a_server_that_does_not_stream_is_understood() -> None:
    message = {"role": "assistant", "content": GOOD_JSON}
    page = json_page({"choices": [{"message": message, "finish_reason": "stop"}]})
    with OpenAIServer(page) as server:
        bench = Bench(server.base_url)
        assert bench.structured().value is not None
    assert bench.listener.words == GOOD_WORDS


def test_a_filtered_answer_is_told_and_not_tried_again() -> None:
    with (
        OpenAIServer(otherwise=completion("", finish_reason="content_filter")) as server,
        pytest.raises(ModelAnswerBroken) as caught,
    ):
        Bench(server.base_url).text()
    assert caught.value.fault == "filtered"
    assert len(server.requests) == 1


# Characters and pieces that are not as they should be


def test_lone_surrogates_and_nul_never_get_in() -> None:
    text = "保留\ud83d 72\x00 小时 \ud83d\ude00"
    with OpenAIServer(completion(text), completion(text)) as server:
        bench = Bench(server.base_url)
        answer = bench.text()
        assert bench.look_up().text == "保留 72 小时 😀"
    assert answer.text == bench.listener.words == "保留 72 小时 😀"


def test_a_character_split_over_two_pieces_is_joined() -> None:
    stream = events(delta("a\ud83d"), delta("\ude00b"), delta(finish_reason="stop"))
    with OpenAIServer(stream) as server:
        bench = Bench(server.base_url)
        assert bench.text().text == "a😀b"
    assert bench.listener.words == "a😀b"
    assert bench.listener.restarts == 0


def test_bad_characters_in_a_structured_answer_and_in_arguments_are_removed() -> None:
    broken = r'{"content": "ok\u0000 \ud83d fine", "next_agent": "te\u0000ster", "done": false}'
    call = tool_calls(("Write", {"path": "a\x00b\udc00.md"}))
    with OpenAIServer(completion(broken), call) as server:
        bench = Bench(server.base_url)
        answer = bench.structured()
        message = bench.look_up()
    assert answer.value == {"content": "ok  fine", "next_agent": "tester", "done": False}
    assert bench.listener.words == "ok  fine"
    assert message.tool_calls[0]["args"] == {"path": "ab.md"}


def test_a_lone_surrogate_in_the_prompt_does_not_break_the_request() -> None:
    with OpenAIServer(completion("ok")) as server:
        bench = Bench(server.base_url)
        messages = [HumanMessage(content="half \ud83d a\x00 character")]
        asyncio.run(bench.client.stream_text(messages, listener=bench.listener))
    assert server.bodies[0]["messages"][0]["content"] == "half  a character"


def test_thoughts_are_not_shown() -> None:
    stream = events(
        delta("<thi"),
        delta("nk>The user wa"),
        delta("nts</th"),
        delta("ink>\n\nWe keep "),
        delta("it."),
        delta(finish_reason="stop"),
    )
    with OpenAIServer(stream, completion(f"<think>hm</think>{GOOD_JSON}")) as server:
        bench = Bench(server.base_url)
        assert bench.text().text == bench.listener.words == "We keep it."
        assert bench.structured().value is not None
    assert bench.listener.restarts == 0


def test_reasoning_in_a_field_of_its_own_is_left_aside() -> None:
    stream = events(
        delta(reasoning_content="hm"), delta("We keep it."), delta(finish_reason="stop")
    )
    with OpenAIServer(stream) as server:
        assert Bench(server.base_url).text().text == "We keep it."


def test_content_in_blocks_is_read_as_text() -> None:
    blocks = [{"type": "thinking", "thinking": []}, {"type": "text", "text": "We keep it."}]
    message = {"role": "assistant", "content": blocks}
    page = json_page({"choices": [{"message": message, "finish_reason": "stop"}]})
    with OpenAIServer(events(delta(blocks), delta(finish_reason="stop")), page) as server:
        bench = Bench(server.base_url)
        assert bench.text().text == "We keep it."
        assert bench.look_up().text == "We keep it."


def streamed_calls(server_events: EventStream) -> list[tuple[str, dict[str, Any]]]:
    """The tool calls of a streamed answer, as langchain reads them."""
    with OpenAIServer(server_events) as server:
        model = Bench(server.base_url).client.model

        async def read() -> AIMessage:
            whole = None
            async for chunk in model.bind_tools([LOOK_UP]).astream(MESSAGES):
                whole = chunk if whole is None else whole + chunk
            assert isinstance(whole, AIMessage)
            return whole

        message = asyncio.run(read())
    assert all(call["id"] for call in message.tool_calls)
    assert message.invalid_tool_calls == []
    return [(call["name"], call["args"]) for call in message.tool_calls]


def piece(name: str | None, arguments: Any, **fields: Any) -> dict[str, Any]:
    return {"function": {"name": name, "arguments": arguments}, **fields}


def calls_in(*pieces: dict[str, Any]) -> EventStream:
    chunks = [delta(tool_calls=[one]) for one in pieces]
    return events(*chunks, delta(finish_reason="tool_calls"))


@pytest.mark.parametrize(
    "stream",
    [
        calls_in(piece("Read", '{"path"', id="a"), piece(None, ': "x"}'),
                 piece("Grep", '{"for"', id="b"), piece(None, ': "y"}')),
        calls_in(piece("Read", '{"path"', id="a"), piece("Read", ': "x"}', id="a"),
                 piece("Grep", '{"for"', id="b"), piece("Grep", ': "y"}', id="b")),
        calls_in(piece("Read", '{"path"'), piece("Read", ': "x"}'),
                 piece("Grep", '{"for"'), piece("Grep", ': "y"}')),
        calls_in(piece("Read", '{"path": "x"}', index=0, id="a"),
                 piece("Grep", '{"for": "y"}', index=0, id="b")),
        calls_in(piece("Read", '{"path"', index=1, id="a"), piece(None, ': "x"}', index=1),
                 piece("Grep", '{"for"', index=2, id="b"), piece(None, ': "y"}', index=2)),
        calls_in(piece("Read", {"path": "x"}), piece("Grep", {"for": "y"})),
    ],
    ids=["no index", "repeated names", "neither index nor id", "always index 0", "from 1", "whole"],
)  # fmt: skip
def test_tool_calls_in_odd_pieces_are_put_together(stream: EventStream) -> None:
    assert streamed_calls(stream) == [("Read", {"path": "x"}), ("Grep", {"for": "y"})]


def test_two_calls_of_one_tool_without_ids_stay_two() -> None:
    stream = calls_in(piece("Read", '{"path": "x"}'), piece("Read", '{"path": "y"}'))
    assert streamed_calls(stream) == [("Read", {"path": "x"}), ("Read", {"path": "y"})]


# What must not leak, and who may call


def test_the_key_stands_in_no_representation() -> None:
    bench = Bench("http://127.0.0.1:9/v1")
    assert KEY not in repr(bench.client.model)
    assert KEY not in str(bench.client.model)
    assert KEY not in repr(vars(bench.client))


def test_the_key_stands_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    with OpenAIServer(refusal(500, f"SECRET {KEY}"), completion("ok"), completion("ok")) as server:
        bench = Bench(server.base_url)
        bench.text()
        bench.look_up()
    assert KEY not in caplog.text


def test_the_tool_loop_of_langchain_runs_over_a_server() -> None:
    @tool
    def rag_search(query: str) -> str:
        """Search."""
        return f"72 hours for {query}"

    asked = tool_calls(("rag_search", {"query": "logs"}))
    with OpenAIServer(asked, completion("Enough.")) as server:
        loop = create_agent(Bench(server.base_url).client.model, [rag_search])
        state = asyncio.run(loop.ainvoke({"messages": [HumanMessage(content="?")]}))
    assert [message.type for message in state["messages"]] == ["human", "ai", "tool", "ai"]
    assert server.bodies[1]["messages"][-1]["content"] == "72 hours for logs"


def test_stopping_in_mid_stream_frees_the_place() -> None:
    async def stop_soon(bench: Bench) -> None:
        task = asyncio.create_task(bench.client.stream_text(MESSAGES, listener=bench.listener))
        await bench.listener.has_words.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    endless = EventStream(events=[delta("more ")] * 400, pause_seconds=0.05)
    with OpenAIServer(endless) as server:
        bench = Bench(server.base_url)
        asyncio.run(asyncio.wait_for(stop_soon(bench), 5))
        assert limiter_for(Endpoint(name=MODEL, base_url=server.base_url), 2).taken == 0


def test_what_a_listener_raises_is_not_taken_for_a_fault_of_the_model() -> None:
    class Lost(OSError):
        pass

    class LosingListener(RecordingListener):
        async def on_words(self, text: str) -> None:
            raise Lost

    with OpenAIServer(otherwise=completion("ok")) as server:
        bench = Bench(server.base_url)
        bench.listener = LosingListener()
        with pytest.raises(Lost):
            bench.text()
    assert len(server.requests) == 1


def test_an_object_that_grew_too_long_keeps_its_closed_words() -> None:
    grown = '{"content": "We keep it 72 hours.", "next_agent": "tester", "stances": [{"why": "be'
    with OpenAIServer(completion(grown, finish_reason="length")) as server:
        bench = Bench(server.base_url)
        answer = bench.structured()
    assert answer.value == {"content": "We keep it 72 hours."}
    assert len(server.requests) == 1


def test_an_object_that_grew_too_long_within_its_words_is_a_fault() -> None:
    grown = '{"content": "We keep it 72 ho'
    with OpenAIServer(otherwise=completion(grown, finish_reason="length")) as server:
        bench = Bench(server.base_url)
        with pytest.raises(ModelAnswerBroken) as caught:
            bench.structured()
    assert caught.value.fault == "length"
