"""Sends a whole run against a loopback endpoint that misbehaves, and judges what the run told."""

import json
import ssl
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from meetmind.config.settings import Settings
from meetmind.events import (
    DiscussionEvent,
    GuardActed,
    ModelFellBack,
    ModelHeld,
    ModelRetried,
    RunEnded,
    ToolRequested,
    ToolsUnavailable,
    UtteranceEnded,
    event_payload,
)
from meetmind.i18n.translate import has_text
from meetmind.llm.chat_models import build_chat_model
from meetmind.llm.client import ModelClient
from meetmind.llm.limits import limiter_for
from meetmind.llm.retry import RetryPolicy
from meetmind.llm.server_habits import Endpoint
from meetmind.llm.streaming import Patience
from tests.support.certificates import tls_pair
from tests.support.model_fault_cases import (
    KEY,
    TRIES,
    FaultCase,
    once,
    task_of,
    well_behaved,
)
from tests.support.openai_server import USAGE, OpenAIServer, Reply, refusal, tool_calls
from tests.support.room import Room

SILENCE_SECONDS = 0.5
HELD_SECONDS = 1.5
INPUT_TOKENS = USAGE["prompt_tokens"]
OUTPUT_TOKENS = USAGE["completion_tokens"]
GUARDS = ("lookups_used_up",)
"""Guards that speak of the model; those of the discussion are looked at elsewhere."""


def client_of(base_url: str, name: str = "m", fallback: ModelClient | None = None) -> ModelClient:
    """A client with three tries and hardly any wait between them."""
    settings = Settings(
        base_url=base_url, model_name=name, api_key=SecretStr(KEY), model_timeout_seconds=1.0
    )

    async def no_waiting(seconds: float) -> None:
        """Tries follow each other at once."""

    return ModelClient(
        build_chat_model(settings, SecretStr(KEY)),
        name=name,
        base_url=base_url,
        offline=False,
        limiter=limiter_for(Endpoint(name=name, base_url=base_url), 2),
        retry_policy=RetryPolicy(max_tries=TRIES, sleep=no_waiting),
        patience=Patience(silence_seconds=SILENCE_SECONDS),
        fallback=fallback,
    )


def faults_of_case(room: Room, case: FaultCase) -> list[str]:
    """What is wrong with the run of this case, in a few words each; empty when nothing is."""
    with ExitStack() as stack:
        tls = _certificate(room.home) if case.tls else None
        answer = case.answer or well_behaved
        server = stack.enter_context(OpenAIServer(otherwise=answer, tls=tls))
        fallback = None
        if case.fallback is not None:
            second = stack.enter_context(OpenAIServer(otherwise=case.fallback))
            fallback = client_of(second.base_url, name="second")
        host = server.base_url.split("/")[2]
        address = case.base_url.format(base_url=server.base_url, host=host)
        told = _run(room, client_of(address, fallback=fallback), case)
        wrong = _wrong(case, told)
        if case.requests is not None and len(server.requests) != case.requests:
            wrong.append(f"{len(server.requests)} requests")
    return wrong


def _run(room: Room, client: ModelClient, case: FaultCase) -> list[DiscussionEvent]:
    room.max_iterations = case.turns
    executor = room.open_with(client)
    run_id = executor.start_run(room.owner_id, room.new_session(), "Build it", case.mode)
    room.wait_for_end(run_id)
    executor.close()
    return room.events(run_id)


def _wrong(case: FaultCase, told: Sequence[DiscussionEvent]) -> list[str]:
    wrong = []
    words = telling_events(told)
    if words != case.told:
        wrong.append(f"told {words}, not {case.told}")
    utterances = [event for event in told if isinstance(event, UtteranceEnded)]
    contents = {utterance.content for utterance in utterances}
    if "said" in case.told and contents != {case.content}:
        wrong.append(f"said {contents}")
    if case.tokens is not None and utterances:
        counted = (utterances[0].input_tokens, utterances[0].output_tokens)
        if counted != case.tokens:
            wrong.append(f"counted {counted} tokens")
    everything = json.dumps([event_payload(event) for event in told], ensure_ascii=False)
    for secret in (KEY, "Traceback", "<think>", "Secret thoughts", "api_key"):
        if secret in everything:
            wrong.append(f"shows {secret}")
    end = told[-1]
    if not isinstance(end, RunEnded):
        wrong.append(f"ends with {end.kind}")
    elif end.fault and not has_text(f"fault.{end.fault}"):
        wrong.append(f"no sentence for {end.fault}")
    return wrong


def telling_events(told: Sequence[DiscussionEvent]) -> tuple[str, ...]:
    """What the run tells of its model, in order."""
    words = []
    for event in told:
        match event:
            case ModelRetried():
                words.append(f"retried:{event.fault}")
            case ModelHeld():
                words.append(f"held:{event.fault}")
            case ModelFellBack():
                words.append(f"fell_back:{event.fault}")
            case ToolsUnavailable():
                words.append("tools_off")
            case ToolRequested() if event.verdict == "refused":
                words.append(f"refused:{event.code}")
            case ToolRequested():
                words.append(f"asked:{event.tool}")
            case GuardActed() if event.guard in GUARDS:
                words.append(f"guard:{event.guard}")
            case UtteranceEnded():
                words.append("said")
            case RunEnded() if event.reason == "model_failed":
                words.append(f"{event.status}:{event.fault}")
            case RunEnded():
                words.append(event.status)
    return tuple(words)


def faults_of_hold(room: Room) -> list[str]:
    """`Retry-After` holds the calls of another run too, is told there once, and Stop ends it."""
    slow_down = refusal(429, "slow down", headers={"Retry-After": str(HELD_SECONDS)})
    room.max_iterations = 1
    with OpenAIServer(otherwise=once("look_up", slow_down)) as server:
        executor = room.open_with(client_of(server.base_url))
        first = executor.start_run(room.owner_id, room.new_session(), "Build it", "team")
        room.wait_for(first, ModelRetried)
        held_from = server.requests[-1].at
        others = []
        for _ in range(2):
            others.append(executor.start_run(room.owner_id, room.new_session(), "Build it", "team"))
        for run_id in others:
            room.wait_for(run_id, ModelHeld)
        began = time.monotonic()
        executor.stop_run(room.owner_id, others[1])
        stopped_seconds = time.monotonic() - began
        for run_id in (first, *others):
            room.wait_for_end(run_id)
        executor.close()
        after = [r.at - held_from for r in server.requests if r.at > held_from]
    wrong = []
    if not after or min(after) < HELD_SECONDS:
        wrong.append(f"asked again after {min(after, default=0)} s")
    if stopped_seconds > 1:
        wrong.append(f"stopped after {stopped_seconds} s")
    told = [telling_events(room.events(run_id)) for run_id in (first, *others)]
    said = ("asked:rag_search", "said", "done")
    expected = [
        ("retried:rate_limited", *said),
        ("held:rate_limited", *said),
        ("held:rate_limited", "stopped"),
    ]
    if told != expected:
        wrong.append(f"told {told}")
    return wrong


def faults_of_return(room: Room) -> list[str]:
    """After a fall-back the next run begins with the first model again; what was said stays."""
    calls = {"first": 0}

    def healing(body: dict[str, Any]) -> Reply:
        calls["first"] += 1
        return refusal(401, "no") if calls["first"] == 1 else well_behaved(body)

    with OpenAIServer(otherwise=healing) as first, OpenAIServer(otherwise=well_behaved) as second:
        room.max_iterations = 1
        client = client_of(first.base_url, fallback=client_of(second.base_url, name="second"))
        executor = room.open_with(client)
        session_id = room.new_session()
        told = []
        for brief in ("Build it", "Go on"):
            run_id = executor.start_run(room.owner_id, session_id, brief, "team")
            room.wait_for_end(run_id)
            told.append(telling_events(room.events(run_id)))
        executor.close()
    said = ("asked:rag_search", "said", "done")
    expected = [("fell_back:unauthorised", *said), said]
    return [] if told == expected else [f"told {told}"]


def faults_of_continuing(room: Room) -> list[str]:
    """A model that fails in the second turn takes nothing away, and the next run goes on."""
    failing = {"on": False}

    def answer(body: dict[str, Any]) -> Reply:
        if failing["on"]:
            return refusal(500, "oops")
        if task_of(body) == "speak":
            failing["on"] = True
        return well_behaved(body)

    with OpenAIServer(otherwise=answer) as server:
        room.max_iterations = 2
        executor = room.open_with(client_of(server.base_url))
        session_id = room.new_session()
        run_id = executor.start_run(room.owner_id, session_id, "Build it", "team")
        room.wait_for_end(run_id)
        failed = telling_events(room.events(run_id))
        failing["on"] = False
        next_id = executor.start_run(room.owner_id, session_id, "Go on", "team")
        room.wait_for_end(next_id)
        shown = [body for body in server.bodies if task_of(body) == "look_up"]
        executor.close()
    wrong = []
    retried = ["retried:server_error"] * (TRIES - 1)
    expected = ("asked:rag_search", "said", *retried, "failed:server_error")
    if failed != expected:
        wrong.append(f"told {failed}")
    if "72 hours" not in json.dumps(shown[-1]):
        wrong.append("the next run does not see what was said")
    return wrong


def faults_of_counting(room: Room) -> list[str]:
    """A turn and its run hold the tokens of every call, of those before an approval too."""

    def writing(body: dict[str, Any]) -> Reply:
        if task_of(body) == "look_up" and len(body["messages"]) == 2:
            return tool_calls(("Write", {"path": "notes.md", "content": "x", "why": "notes"}))
        return well_behaved(body)

    with OpenAIServer(otherwise=writing) as server:
        room.max_iterations = 1
        executor = room.open_with(client_of(server.base_url))
        run_id = executor.start_run(room.owner_id, room.new_session(), "Build it", "team")
        (call_id,) = room.wait_until_waiting(run_id)
        executor.decide(room.owner_id, run_id, call_id, "approved")
        room.wait_for_end(run_id)
        executor.close()
    with room.pool.connection() as connection:
        of_run = connection.execute(
            "select input_tokens, output_tokens from runs where id = %s", [run_id]
        ).fetchone()
    ended = [event for event in room.events(run_id) if isinstance(event, UtteranceEnded)]
    of_turn = (ended[0].input_tokens, ended[0].output_tokens)
    rewriting = 1
    wrong = []
    if of_turn != (3 * INPUT_TOKENS, 3 * OUTPUT_TOKENS):
        wrong.append(f"the turn has {of_turn}")
    if of_run != ((3 + rewriting) * INPUT_TOKENS, (3 + rewriting) * OUTPUT_TOKENS):
        wrong.append(f"the run has {of_run}")
    return wrong


Trial = Callable[[Room], list[str]]
TRIALS: dict[str, Trial] = {
    "Retry-After holds every call": faults_of_hold,
    "the next run begins with the first model": faults_of_return,
    "nothing said is lost": faults_of_continuing,
    "tokens of every call are counted": faults_of_counting,
}
"""Stories of several runs, each as what is wrong with it."""


def _certificate(folder: Path) -> ssl.SSLContext:
    server, _ = tls_pair(folder, "127.0.0.1")
    return server
