"""Ways in which a model misbehaves, each with exactly the events that a run has to tell.

A case is a loopback endpoint that does one thing wrong; `told` are the telling events of the run in
order, as short words (see `telling_events`).
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.support.openai_server import (
    Answer,
    Completion,
    Page,
    Reply,
    Silence,
    Torn,
    completion,
    delta,
    events,
    html_page,
    json_page,
    raw_tool_calls,
    refusal,
    tool_calls,
)

KEY = "sk-secret-0123456789"
WORDS = "Keys are kept for 72 hours. 保留三天。"
TURN = json.dumps({"content": WORDS, "next_agent": "backend", "done": False}, ensure_ascii=False)
REWRITE = json.dumps({"rewritten_query": "Build it", "expansion_terms": []})
SEARCHED = "asked:rag_search"
SAID = (SEARCHED, "said", "done")
TRIES = 3
"""How often a call is tried in these runs."""


@dataclass(frozen=True, kw_only=True)
class FaultCase:
    """What the endpoint does, and what the run tells."""

    name: str
    told: tuple[str, ...] = SAID
    answer: Answer | None = None
    """What the endpoint answers; None is well-behaved."""
    content: str | None = WORDS
    """What is said in the end; not looked at in runs that fail."""
    base_url: str = "{base_url}"
    """The address that the model is asked at; the placeholders are the endpoint's."""
    tls: bool = False
    """Whether the endpoint speaks TLS, with a certificate that nobody trusts."""
    mode: str = "team"
    turns: int = 1
    tokens: tuple[int, int] | None = None
    """Input and output tokens of the first turn, where they are looked at."""
    fallback: Answer | None = None
    """What the fallback model answers; None: there is none."""
    requests: int | None = None
    """How many requests the endpoint gets, where it is looked at."""


def task_of(body: dict[str, Any]) -> str:
    """The step of a discussion that a request belongs to."""
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
    if task == "answer":
        return completion(WORDS)
    if any(message["role"] == "tool" for message in body["messages"]):
        return completion("Enough.")
    return tool_calls(("rag_search", {"query": "keys"}))


def spoken(reply: Answer) -> Answer:
    """Well behaved, but for what is said."""
    return lambda body: _reply(reply, body) if task_of(body) == "speak" else well_behaved(body)


def looked_up(reply: Answer) -> Answer:
    """Well behaved, but for the first answer of the tool loop."""

    def answer(body: dict[str, Any]) -> Reply:
        is_first = task_of(body) == "look_up" and len(body["messages"]) == 2
        return _reply(reply, body) if is_first else well_behaved(body)

    return answer


def once(task: str, reply: Reply) -> Answer:
    """Well behaved, but for the first request of this step; serves one run."""
    left = [reply]

    def answer(body: dict[str, Any]) -> Reply:
        if task_of(body) == task and left:
            return left.pop()
        return well_behaved(body)

    return answer


def _reply(answer: Answer, body: dict[str, Any]) -> Reply:
    return answer(body) if callable(answer) else answer


def said_in(content: str, **fields: Any) -> str:
    """A turn as the model writes it."""
    return json.dumps({"content": content, "next_agent": "backend", "done": False, **fields})


def failing(fault: str, *, tries: int = TRIES, before: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The events of a run whose call fails with this fault again and again."""
    return (*before, *[f"retried:{fault}"] * (tries - 1), f"failed:{fault}")


def spoken_failing(fault: str, *, tries: int = TRIES) -> tuple[str, ...]:
    """The same for the call in which the role speaks."""
    return failing(fault, tries=tries, before=(SEARCHED,))


def refusing(field: str, status: int, message: str) -> Answer:
    def answer(body: dict[str, Any]) -> Reply:
        return refusal(status, message) if body.get(field) else well_behaved(body)

    return answer


def refusing_schema(body: dict[str, Any]) -> Reply:
    if (body.get("response_format") or {}).get("type") == "json_schema":
        return refusal(400, "response_format json_schema is not supported")
    return well_behaved(body)


def calls_in_pieces(*pieces: dict[str, Any]) -> Answer:
    """A server that gives structure only as a forced call, whose deltas come like this."""

    def answer(body: dict[str, Any]) -> Reply:
        if body.get("response_format"):
            return refusal(400, "response_format is not supported")
        if not body.get("tools"):
            return completion("no structure at all")
        name = body["tools"][0]["function"]["name"]
        deltas = []
        for piece in pieces:
            function = dict(piece["function"])
            if function.get("name"):
                function["name"] = name
            deltas.append(delta(tool_calls=[{**piece, "function": function}]))
        return events(*deltas, delta(finish_reason="tool_calls"))

    return spoken(answer)


def searching_for_ever(body: dict[str, Any]) -> Reply:
    if task_of(body) != "look_up":
        return well_behaved(body)
    return tool_calls(("rag_search", {"query": f"keys {len(body['messages'])}"}))


def thinking(body: dict[str, Any]) -> Reply:
    """Reasoning in a field of its own, before the words."""
    return events(
        delta(reasoning_content="The user wants keys."),
        delta(reasoning="Secret thoughts."),
        delta(TURN),
        delta(finish_reason="stop"),
    )


def _many_searches() -> Reply:
    queries = [("rag_search", {"query": f"keys {number}"}) for number in range(30)]
    return tool_calls(*queries)


def _without_usage(body: dict[str, Any]) -> Reply:
    if task_of(body) == "look_up":
        return raw_tool_calls(("rag_search", '{"query": "keys"}')) if _is_first(body) else ENOUGH
    if task_of(body) == "speak":
        return events(delta(TURN), delta(finish_reason="stop"))
    return well_behaved(body)


def _is_first(body: dict[str, Any]) -> bool:
    return len(body["messages"]) == 2


ENOUGH = json_page(
    {"choices": [{"message": {"role": "assistant", "content": "x"}, "finish_reason": "stop"}]}
)
EMPTY_CHOICES = {"id": "c1", "object": "chat.completion.chunk", "model": "m", "choices": []}
RETRY_SOON = {"Retry-After": "0.3"}
HUGE = "All work and no play. " * 500
PIECES = (TURN[:20], TURN[20:40], TURN[40:])
CLOSED_PORT = "http://127.0.0.1:9/v1"


def connection_cases() -> Iterator[FaultCase]:
    """No answer at all."""
    unreachable = (*["retried:refused"] * 2 * (TRIES - 1), "failed:refused")
    yield FaultCase(
        name="DNS", base_url="http://no-such-host.invalid/v1", told=("failed:unknown_host",)
    )
    yield FaultCase(name="refused", base_url=CLOSED_PORT, told=unreachable)
    yield FaultCase(name="TLS, unknown certificate", tls=True, told=("failed:tls",))
    yield FaultCase(
        name="TLS asked of a plain server", base_url="https://{host}/v1", told=("failed:tls",)
    )
    yield FaultCase(name="no scheme", base_url="{host}/v1", told=("failed:bad_address",))
    yield FaultCase(name="reset for ever", answer=looked_up(Torn()), told=failing("connection"))
    yield FaultCase(name="slow", answer=spoken(completion(TURN, pause_seconds=0.05)))
    yield FaultCase(name="silent", answer=looked_up(Silence()), told=failing("timeout"))
    yield FaultCase(
        name="silent in mid-stream",
        answer=spoken(events(delta(TURN[:30]), ending="silent")),
        told=spoken_failing("timeout"),
    )
    yield FaultCase(
        name="alive without words",
        answer=spoken(events(*[": ping\n\n"] * 30, ending="closed", pause_seconds=0.1)),
        told=spoken_failing("timeout"),
    )


def status_cases() -> Iterator[FaultCase]:
    """An HTTP status that says no."""
    for status, words, fault in (
        (401, f"Incorrect API key {KEY}", "unauthorised"),
        (402, "Payment required", "quota"),
        (403, "no", "forbidden"),
        (404, "no such model", "not_found"),
        (413, "Request too large", "too_long"),
        (400, "maximum context length is 4096 tokens", "too_long"),
    ):
        yield FaultCase(
            name=f"{status} {fault}", answer=refusal(status, words), told=(f"failed:{fault}",)
        )
    yield FaultCase(
        name="429 quota",
        answer=refusal(429, "You exceeded your quota", code="insufficient_quota"),
        told=("failed:quota",),
    )
    yield FaultCase(
        name="400 for good",
        answer=looked_up(refusal(400, "messages: wrong form")),
        told=("failed:bad_request",),
    )
    for status, fault in (
        (408, "timeout"),
        (409, "overloaded"),
        (429, "rate_limited"),
        (500, "server_error"),
        (502, "server_error"),
        (503, "overloaded"),
        (504, "timeout"),
        (529, "overloaded"),
    ):
        yield FaultCase(
            name=f"{status} for ever", answer=looked_up(refusal(status, "no")), told=failing(fault)
        )
    yield FaultCase(
        name="429 with Retry-After of an hour",
        answer=looked_up(refusal(429, "slow down", headers={"Retry-After": "3600"})),
        told=("failed:rate_limited",),
    )
    yield FaultCase(
        name="an error with status 200",
        answer=looked_up(json_page({"error": {"message": "overloaded", "code": 529}})),
        told=failing("overloaded"),
    )
    yield FaultCase(
        name="an error inside a stream",
        answer=spoken(events(delta(TURN[:30]), {"error": {"message": "boom", "code": 500}})),
        told=spoken_failing("server_error"),
    )


def broken_answer_cases() -> Iterator[FaultCase]:
    """An answer that is none."""
    cut = spoken_failing("cut")
    yield FaultCase(
        name="cut stream", answer=spoken(events(delta(TURN[:30]), ending="closed")), told=cut
    )
    yield FaultCase(
        name="torn stream", answer=spoken(events(delta(TURN[:30]), ending="torn")), told=cut
    )
    yield FaultCase(name="whole words, no finish", answer=spoken(events(delta(TURN))), told=cut)
    broken_off = delta(finish_reason="insufficient_system_resource")
    yield FaultCase(
        name="broken off by the server", answer=spoken(events(delta(TURN), broken_off)), told=cut
    )
    yield FaultCase(
        name="cut at the length limit",
        answer=spoken(completion(TURN[:30], finish_reason="length")),
        told=spoken_failing("length"),
    )
    yield FaultCase(
        name="HTML in place of a reply", answer=looked_up(html_page()), told=failing("unreadable")
    )
    yield FaultCase(
        name="HTML in place of a stream",
        answer=spoken(html_page()),
        told=spoken_failing("unreadable"),
    )
    yield FaultCase(
        name="words in place of a stream",
        answer=spoken(Page(body=b"hello", headers={"Content-Type": "text/plain"})),
        told=spoken_failing("unreadable"),
    )
    yield FaultCase(
        name="malformed JSON",
        answer=looked_up(
            Page(body=b'{"choices": [{"mess', headers={"Content-Type": "application/json"})
        ),
        told=failing("unreadable"),
    )
    yield FaultCase(
        name="malformed event",
        answer=spoken(events('data: {"choices": [{"del\n\n')),
        told=spoken_failing("unreadable"),
    )
    yield FaultCase(
        name="a reply of another form",
        answer=looked_up(json_page({"id": 5, "choices": [{"message": "hello"}]})),
        told=failing("unreadable"),
    )
    yield FaultCase(name="empty body", answer=looked_up(Page(body=b"")), told=failing("unreadable"))
    twice_empty = (SEARCHED, *["retried:empty"] * 2 * (TRIES - 1), "failed:empty")
    yield FaultCase(name="empty answer", answer=spoken(completion("")), told=twice_empty)
    yield FaultCase(
        name="only a thought",
        answer=spoken(completion("<think>What should I say?</think>")),
        told=twice_empty,
    )
    yield FaultCase(
        name="empty choices in a stream", answer=spoken(events(EMPTY_CHOICES)), told=cut
    )
    yield FaultCase(
        name="empty choices", answer=looked_up(json_page({"choices": []})), told=failing("empty")
    )
    too_much = spoken_failing("too_much", tries=2)
    yield FaultCase(name="huge output", answer=spoken(events(*[delta(HUGE)] * 40)), told=too_much)
    yield FaultCase(
        name="huge body",
        answer=looked_up(json_page({"choices": [], "padding": "x" * 9_000_000})),
        told=failing("too_much", tries=2),
    )
    filtered = (SEARCHED, "failed:filtered")
    yield FaultCase(
        name="refusal in its field",
        answer=spoken(events(delta(refusal="I can't help."), delta(finish_reason="stop"))),
        told=filtered,
    )
    yield FaultCase(
        name="content filter",
        answer=spoken(completion("I", finish_reason="content_filter")),
        told=filtered,
    )


def odd_answer_cases() -> Iterator[FaultCase]:
    """An odd answer that is one all the same."""
    yield FaultCase(name="well-behaved", tokens=(33, 21))
    yield FaultCase(name="no token counts", answer=_without_usage, tokens=(0, 0))
    yield FaultCase(
        name="refusal in plain words",
        answer=spoken(completion(said_in("I cannot help with that."))),
        content="I cannot help with that.",
    )
    wrong_schema = '{"answer": 42}'
    yield FaultCase(
        name="wrong schema", answer=spoken(completion(wrong_schema)), content=wrong_schema
    )
    yield FaultCase(
        name="plain words only", answer=spoken(completion("Just words.")), content="Just words."
    )
    yield FaultCase(name="a fence round the object", answer=spoken(completion(f"```\n{TURN}\n```")))
    yield FaultCase(
        name="lone surrogate and NUL",
        answer=spoken(completion(said_in("a\ud83d b\x00 c"))),
        content="a b c",
    )
    yield FaultCase(
        name="thoughts before the object",
        answer=spoken(completion(f"<think>Hm, {{}}</think>{TURN}")),
    )
    yield FaultCase(
        name="thoughts inside the object",
        answer=spoken(completion(said_in(f"<think>Hm.</think>{WORDS}"))),
    )
    yield FaultCase(name="reasoning in a field of its own", answer=spoken(thinking))
    yield FaultCase(name="no JSON schema", answer=refusing_schema)
    yield FaultCase(
        name="unknown fields refused",
        answer=refusing("thinking", 400, "Unrecognized request argument: thinking"),
    )


def tool_cases() -> Iterator[FaultCase]:
    """Calls that must not run as they are, or not for ever."""
    yield FaultCase(
        name="no tools",
        answer=refusing("tools", 400, "this model does not support tools"),
        told=("tools_off", *SAID),
    )
    for name, called, told in (
        ("unknown tool", raw_tool_calls(("rm", '{"path": "/"}')), "refused:unknown_tool"),
        ("bad arguments", raw_tool_calls(("rag_search", '{"q": 1}')), "refused:bad_arguments"),
        (
            "truncated arguments",
            raw_tool_calls(("rag_search", '{"query": "ke')),
            "refused:broken_arguments",
        ),
        (
            "truncated arguments that nothing needs",
            raw_tool_calls(("list_dir", '{"pa')),
            "refused:broken_arguments",
        ),
        ("a list of arguments", raw_tool_calls(("rag_search", "[1]")), "refused:broken_arguments"),
        (
            "arguments encoded twice",
            raw_tool_calls(("rag_search", json.dumps('{"query": "keys"}'))),
            SEARCHED,
        ),
        ("arguments as an object", raw_tool_calls(("rag_search", {"query": "keys"})), SEARCHED),
    ):
        yield FaultCase(name=name, answer=looked_up(called), told=(told, "said", "done"))
    yield FaultCase(
        name="a call cut at the length limit",
        answer=looked_up(
            Completion(calls=(("rag_search", {"query": "keys"}),), finish_reason="length")
        ),
        told=failing("length"),
    )
    first, second, third = ({"function": {"arguments": piece}} for piece in PIECES)
    named = {"id": "c", "type": "function", "function": {"name": "x", "arguments": PIECES[0]}}
    yield FaultCase(name="no index", answer=calls_in_pieces(named, second, third))
    repeated = [
        {"index": 0, "function": {"name": "x", "arguments": piece["function"]["arguments"]}}
        for piece in (first, second, third)
    ]
    yield FaultCase(name="the name in every piece", answer=calls_in_pieces(*repeated))
    yield FaultCase(
        name="parallel calls",
        answer=looked_up(
            tool_calls(
                ("rag_search", {"query": "keys"}),
                ("rag_search", {"query": "locks"}),
                ("rag_search", {"query": "keys"}),
            )
        ),
        told=(SEARCHED, SEARCHED, "refused:same_call_again", "said", "done"),
    )
    yield FaultCase(
        name="thirty calls at once",
        answer=looked_up(_many_searches()),
        told=(*[SEARCHED] * 24, *["refused:too_many_calls"] * 6, "said", "done"),
    )
    yield FaultCase(
        name="endless tool loop",
        answer=searching_for_ever,
        told=(*[SEARCHED] * 6, "guard:lookups_used_up", "said", "done"),
        tokens=(77, 49),
    )


def healed_cases() -> Iterator[FaultCase]:
    """One fault that the next try heals."""
    for name, reply, fault in (
        ("reset once", Torn(), "connection"),
        ("408 once", refusal(408, "late"), "timeout"),
        ("409 once", refusal(409, "conflict"), "overloaded"),
        ("429 once", refusal(429, "slow down"), "rate_limited"),
        (
            "429 with Retry-After",
            refusal(429, "slow down", headers=RETRY_SOON),
            "rate_limited",
        ),
        (
            "503 with Retry-After",
            refusal(503, "busy", headers=RETRY_SOON),
            "overloaded",
        ),
        ("500 once", refusal(500, "oops"), "server_error"),
        ("529 once", refusal(529, "overloaded"), "overloaded"),
    ):
        yield FaultCase(name=name, answer=once("look_up", reply), told=(f"retried:{fault}", *SAID))
    yield FaultCase(
        name="cut once",
        answer=once("speak", events(delta(TURN[:30]), ending="closed")),
        told=(SEARCHED, "retried:cut", "said", "done"),
    )
    yield FaultCase(
        name="failed in the rewriting",
        answer=once("rewrite", refusal(500, "oops")),
        told=("retried:server_error", *SAID),
    )


def fallback_cases() -> Iterator[FaultCase]:
    """A second model behind the first."""
    unauthorised = refusal(401, f"Incorrect API key {KEY}")
    yield FaultCase(
        name="fallback for a wrong key, at once and for the rest",
        answer=unauthorised,
        fallback=well_behaved,
        turns=2,
        told=("fell_back:unauthorised", SEARCHED, "said", SEARCHED, "said", "done"),
        requests=1,
    )
    yield FaultCase(
        name="fallback in the tool loop",
        answer=looked_up(refusal(500, "oops")),
        fallback=well_behaved,
        told=(*["retried:server_error"] * 2, "fell_back:server_error", *SAID),
    )
    cut = spoken(events(delta(TURN[:30]), ending="closed"))
    yield FaultCase(
        name="fallback in the middle of the words",
        answer=cut,
        fallback=well_behaved,
        told=(SEARCHED, *["retried:cut"] * 2, "fell_back:cut", "said", "done"),
    )
    yield FaultCase(
        name="fallback of the assistant",
        mode="assistant",
        answer=lambda body: Torn() if task_of(body) == "answer" else well_behaved(body),
        fallback=well_behaved,
        told=(SEARCHED, *["retried:connection"] * 2, "fell_back:connection", "said", "done"),
    )
    yield FaultCase(
        name="fallback that fails too",
        answer=unauthorised,
        fallback=refusal(404, "no such model"),
        told=("fell_back:unauthorised", "failed:fallback_not_found"),
    )
    yield FaultCase(
        name="no fallback for what the model declines",
        answer=spoken(completion("I", finish_reason="content_filter")),
        fallback=well_behaved,
        told=(SEARCHED, "failed:filtered"),
    )
    yield FaultCase(
        name="no fallback for a talk that is too long",
        answer=refusal(400, "maximum context length is 4096 tokens"),
        fallback=well_behaved,
        told=("failed:too_long",),
    )
    yield FaultCase(
        name="fallback that takes no tools",
        answer=unauthorised,
        fallback=refusing("tools", 400, "this model does not support tools"),
        told=("fell_back:unauthorised", "tools_off", *SAID),
    )


def all_cases() -> list[FaultCase]:
    """Every case; some answers remember what they were asked, so each serves one run."""
    return [
        *connection_cases(),
        *status_cases(),
        *broken_answer_cases(),
        *odd_answer_cases(),
        *tool_cases(),
        *healed_cases(),
        *fallback_cases(),
    ]
