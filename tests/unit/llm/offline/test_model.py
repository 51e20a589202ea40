"""The offline model as a chat model: streaming, tools, structure, nothing left to chance."""

import asyncio
import json

from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    SystemMessage,
)
from langchain_core.tools import tool

from meetmind.agents.schemas import ModelOutput
from meetmind.llm.client import ModelClient
from meetmind.llm.limits import limiter_for
from meetmind.llm.offline.model import OfflineChatModel
from meetmind.llm.retry import RetryPolicy
from meetmind.llm.server_habits import Endpoint
from tests.support.recording_listener import RecordingListener

SYSTEM = (
    '<you name="architect" title="Architect"/>\n<team>\narchitect | Architect | leads\n</team>\n'
    "<language>en</language>"
)


@tool
def rag_search(query: str, scope: str = "own") -> str:
    """Search."""
    return query + scope


def prompt(task: str) -> list[BaseMessage]:
    human = (
        f"<task>{task}</task><brief>Refund gift cards.</brief>"
        "<question>Refund gift cards.</question>"
        '<talk></talk><points>[]</points><heard></heard><turn number="1" of="15"/>'
        "<passages></passages>"
    )
    return [SystemMessage(content=SYSTEM), HumanMessage(content=human)]


def quick_model() -> OfflineChatModel:
    return OfflineChatModel(chunk_delay_seconds=0.0)


def test_words_arrive_in_pieces_that_add_up() -> None:
    model = quick_model()
    pieces = list(model.stream(prompt("speak")))
    assert 10 < len(pieces) <= 52
    whole = AIMessageChunk(content="")
    for piece in pieces:
        whole += piece
    assert whole.text == model.invoke(prompt("speak")).text
    assert pieces[-1].response_metadata["finish_reason"] == "stop"


def test_a_turn_takes_about_a_second_by_default() -> None:
    default = OfflineChatModel().chunk_delay_seconds
    assert 1.0 <= 50 * default <= 1.5


def test_the_structured_turn_has_content_first() -> None:
    text = quick_model().invoke(prompt("speak")).text
    assert text.startswith('{"content": "')
    output = ModelOutput.model_validate_json(text)
    assert output.done


def test_tools_are_asked_for_in_both_ways_of_calling() -> None:
    model = quick_model().bind_tools([rag_search])
    at_once = model.invoke(prompt("look_up"))
    assert isinstance(at_once, AIMessage)
    assert at_once.tool_calls
    assert {call["name"] for call in at_once.tool_calls} == {"rag_search"}
    assert {call["args"]["scope"] for call in at_once.tool_calls} == {"own", "all"}
    streamed = AIMessageChunk(content="")
    for piece in model.stream(prompt("look_up")):
        assert isinstance(piece, AIMessageChunk)
        streamed += piece
    assert [c["args"] for c in streamed.tool_calls] == [c["args"] for c in at_once.tool_calls]


def test_without_tools_the_look_up_ends_at_once() -> None:
    answer = quick_model().invoke(prompt("look_up"))
    assert isinstance(answer, AIMessage)
    assert answer.tool_calls == []
    assert answer.text


def test_the_client_gets_a_structured_answer_on_the_first_rung() -> None:
    client = ModelClient(
        quick_model(),
        name="offline",
        base_url="",
        offline=True,
        limiter=limiter_for(Endpoint(name="offline", base_url=""), 2),
        retry_policy=RetryPolicy(),
    )
    listener = RecordingListener()
    schema = {
        "title": "ModelOutput",
        "type": "object",
        "properties": {"content": {"type": "string"}},
        "required": ["content"],
    }
    answer = asyncio.run(client.stream_structured(prompt("speak"), schema, listener=listener))
    assert answer.rung == "json_schema"
    assert answer.value is not None
    assert "None of the five tables" in answer.value["content"]


def test_the_same_prompt_gets_the_same_answer() -> None:
    texts = {quick_model().invoke(prompt("speak")).text for _ in range(3)}
    assert len(texts) == 1
    assert json.loads(texts.pop())["done"]


def test_a_prompt_without_sections_gets_a_plain_answer() -> None:
    answer = quick_model().invoke([HumanMessage(content="Hello?")])
    assert answer.text
