"""A run against a loopback endpoint that behaves well or badly ends in the right event."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from meetmind.config.settings import Settings
from meetmind.events import ModelRetried, RunEnded, ToolFinished, ToolsUnavailable, UtteranceEnded
from meetmind.i18n.translate import has_text
from meetmind.llm.chat_models import build_chat_model
from meetmind.llm.client import ModelClient
from meetmind.llm.limits import limiter_for
from meetmind.llm.retry import RetryPolicy
from meetmind.llm.server_habits import Endpoint, forget_all_habits
from meetmind.llm.streaming import Patience
from tests.support.openai_server import (
    Answer,
    OpenAIServer,
    Reply,
    Silence,
    Torn,
    completion,
    delta,
    events,
    html_page,
    refusal,
    tool_calls,
)
from tests.support.room import Room

KEY = "sk-secret-0123456789"
WORDS = "Keys are kept for 72 hours. 保留三天。"
TURN = json.dumps({"content": WORDS, "next_agent": "backend", "done": False})
REWRITE = json.dumps({"rewritten_query": "Build it", "expansion_terms": []})


@pytest.fixture(autouse=True)
def fresh_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """No habits of earlier servers; loading the system's certificates is left out for speed."""
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    forget_all_habits()
    yield
    forget_all_habits()


def task_of(body: dict[str, Any]) -> str:
    text = str(body["messages"][-1]["content"])
    for task in ("rewrite", "look_up", "speak", "answer"):
        if f"<task>{task}</task>" in text:
            return task
    return "look_up"


def well_behaved(body: dict[str, Any]) -> Reply:
    """One search, then one turn, in the way that the request asks for."""
    task = task_of(body)
    if task == "rewrite":
        return completion(REWRITE)
    if task == "speak":
        return completion(TURN)
    if task == "answer" or any(message["role"] == "tool" for message in body["messages"]):
        return completion("Enough.")
    return tool_calls(("rag_search", {"query": "keys"}))


def spoken(reply: Reply) -> Callable[[dict[str, Any]], Reply]:
    """Well behaved, but for what is said."""
    return lambda body: reply if task_of(body) == "speak" else well_behaved(body)


def looked_up(reply: Reply) -> Callable[[dict[str, Any]], Reply]:
    """Well behaved, but for the first answer of the tool loop."""

    def answer(body: dict[str, Any]) -> Reply:
        is_first = task_of(body) == "look_up" and len(body["messages"]) == 2
        return reply if is_first else well_behaved(body)

    return answer


def once(reply: Reply) -> Callable[[dict[str, Any]], Reply]:
    """Well behaved, but for the first request of the tool loop ever."""
    left = [reply]

    def answer(body: dict[str, Any]) -> Reply:
        if task_of(body) == "look_up" and left:
            return left.pop()
        return well_behaved(body)

    return answer


def refusing(field: str, status: int, message: str) -> Callable[[dict[str, Any]], Reply]:
    def answer(body: dict[str, Any]) -> Reply:
        return refusal(status, message) if body.get(field) else well_behaved(body)

    return answer


def refusing_schema(body: dict[str, Any]) -> Reply:
    if (body.get("response_format") or {}).get("type") == "json_schema":
        return refusal(400, "response_format json_schema is not supported")
    return well_behaved(body)


def calls_without_index(body: dict[str, Any]) -> Reply:
    """A server that answers schemas only as a function call, whose deltas carry no index."""
    if task_of(body) != "speak":
        return well_behaved(body)
    if body.get("response_format"):
        return refusal(400, "response_format is not supported")
    if not body.get("tools"):
        return completion("no structure at all")
    name = body["tools"][0]["function"]["name"]
    first = {"id": "c", "type": "function", "function": {"name": name, "arguments": TURN[:20]}}
    rest = {"function": {"arguments": TURN[20:]}}
    return events(
        delta(tool_calls=[first]), delta(tool_calls=[rest]), delta(finish_reason="tool_calls")
    )


@dataclass(frozen=True, kw_only=True)
class Case:
    """What the endpoint does, and how the run must end."""

    name: str
    otherwise: Answer = well_behaved
    fault: str = ""
    """For runs that must fail: the key of the sentence."""
    words: str = WORDS
    retried: bool = False
    tools_off: bool = False


BROKEN_TEXT = json.dumps({"content": "a\ud83d b\x00 c", "next_agent": "backend", "done": False})
EMPTY_CHOICES = {"id": "c1", "object": "chat.completion.chunk", "model": "m", "choices": []}
CASES = [
    Case(name="streams and calls tools"),
    Case(name="refuses a JSON schema", otherwise=refusing_schema),
    Case(
        name="refuses tools",
        otherwise=refusing("tools", 400, "this model does not support tools"),
        tools_off=True,
    ),
    Case(
        name="429 with Retry-After",
        otherwise=once(refusal(429, "slow down", headers={"Retry-After": "1"})),
        retried=True,
    ),
    Case(name="500 once", otherwise=once(refusal(500, "oops")), retried=True),
    Case(name="500 for ever", otherwise=looked_up(refusal(500, "oops")), fault="server_error"),
    Case(name="401", otherwise=refusal(401, f"Incorrect API key {KEY}"), fault="unauthorised"),
    Case(name="403", otherwise=refusal(403, "no"), fault="forbidden"),
    Case(name="404", otherwise=refusal(404, "no such model"), fault="not_found"),
    Case(
        name="quota used up",
        otherwise=refusal(429, "You exceeded your quota", code="insufficient_quota"),
        fault="quota",
    ),
    Case(
        name="cut stream", otherwise=spoken(events(delta(TURN[:30]), ending="closed")), fault="cut"
    ),
    Case(
        name="torn stream", otherwise=spoken(events(delta(TURN[:30]), ending="torn")), fault="cut"
    ),
    Case(name="reset connection", otherwise=looked_up(Torn()), fault="connection"),
    Case(name="tool-call deltas without index", otherwise=calls_without_index),
    Case(name="empty choices", otherwise=spoken(events(EMPTY_CHOICES)), fault="cut"),
    Case(name="HTML instead of JSON", otherwise=looked_up(html_page()), fault="unreadable"),
    Case(name="lone surrogate and NUL", otherwise=spoken(completion(BROKEN_TEXT)), words="a b c"),
    Case(name="silent", otherwise=spoken(Silence()), fault="timeout"),
    Case(
        name="silent in mid-stream",
        otherwise=spoken(events(delta(TURN[:30]), ending="silent")),
        fault="timeout",
    ),
    Case(name="unknown tool", otherwise=looked_up(tool_calls(("rm", {"path": "/"})))),
    Case(name="plain words only", otherwise=spoken(completion("Just words.")), words="Just words."),
]


def client_of(base_url: str) -> ModelClient:
    settings = Settings(
        base_url=base_url, model_name="m", api_key=SecretStr(KEY), model_timeout_seconds=1.0
    )

    async def no_waiting(seconds: float) -> None:
        """Tries follow each other at once in a test."""

    return ModelClient(
        build_chat_model(settings, SecretStr(KEY)),
        name="m",
        base_url=base_url,
        offline=False,
        limiter=limiter_for(Endpoint(name="m", base_url=base_url), 2),
        retry_policy=RetryPolicy(max_tries=3, sleep=no_waiting),
        patience=Patience(silence_seconds=1.0),
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_way_of_an_endpoint_ends_in_the_right_event(room: Room, case: Case) -> None:
    room.max_iterations = 1
    with OpenAIServer(otherwise=case.otherwise) as server:
        executor = room.open_with(client_of(server.base_url))
        run_id = executor.start_run(room.owner_id, room.new_session(), "Build it", "team")
        end = room.wait_for_end(run_id)
    told = room.events(run_id)
    if case.fault:
        assert (end.status, end.reason, end.fault) == ("failed", "model_failed", case.fault)
        assert has_text(f"fault.{end.fault}")
    else:
        assert end.status == "done", end
        utterance = next(event for event in told if isinstance(event, UtteranceEnded))
        assert utterance.content == case.words
    assert any(isinstance(event, ModelRetried) for event in told) or not case.retried
    assert any(isinstance(event, ToolsUnavailable) for event in told) == case.tools_off
    if case.tools_off:
        found = [event for event in told if isinstance(event, ToolFinished)]
        assert found
        assert found[0].evidence
    everything = json.dumps([str(event) for event in told])
    assert KEY not in everything
    assert "Traceback" not in everything
    assert len([event for event in told if isinstance(event, RunEnded)]) == 1
