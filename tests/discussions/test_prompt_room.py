"""No prompt outgrows what the model can read, whatever a discussion has gathered by then."""

import re
from collections.abc import Sequence
from dataclasses import replace

from meetmind.events import PassageEvidence, TalkCompacted
from meetmind.llm.scripted import ScriptedStep, answers, calls, says
from meetmind.llm.token_counts import estimate_tokens
from tests.support.room import Found, Room, passage

CONTEXT_TOKENS = 12_000
TURNS = 14
PASSAGES_A_SEARCH = 5
LONG_WORDS = "The depot of the region counts every parcel that comes back and says what it is. " * 9


def long_passages(agent_name: str | None, query: str, terms: Sequence[str]) -> Found:
    """New long passages for every turn and search that the query names."""
    turn, place = re.findall(r"\d+", query) or ("900", "0")
    first = int(turn) * 100 + int(place) * PASSAGES_A_SEARCH
    found: list[PassageEvidence] = []
    for number in range(first, first + PASSAGES_A_SEARCH):
        plain = passage(agent_name or "backend", number)
        found.append(replace(plain, content=LONG_WORDS))
    return Found(passages=tuple(found))


def searching_turns() -> list[ScriptedStep]:
    """Every turn searches three times and cites what the first search brought."""
    names = ["architect", "backend", "tester", "frontend", "product_manager"]
    steps = []
    for number in range(TURNS):
        name, following = names[number % 5], names[(number + 1) % 5]
        asked = [("rag_search", {"query": f"parcels {number} {place}"}) for place in range(3)]
        steps.append(calls(*asked, task="look_up", role=name))
        steps.append(says("That is enough.", task="look_up", role=name))
        cited = " ".join(f"[{name}_{number * 100 + place:012x}]" for place in range(5))
        points = [{"id": "P1", "question": f"What of {number}?", "state": "open"}]
        value = {"content": f"New in {number}: {cited}", "next_agent": following, "done": False}
        if name == "architect":
            value["points"] = points
        steps.append(answers(value, task="speak", role=name))
    return steps


def test_no_prompt_outgrows_the_model_by_evidence_and_results(room: Room) -> None:
    room.settings["MODEL_CONTEXT_TOKENS"] = str(CONTEXT_TOKENS)
    room.max_iterations = TURNS
    room.search = long_passages  # type: ignore[method-assign]
    executor = room.open(searching_turns())
    run_id = executor.start_run(room.owner_id, room.new_session(), "Take parcels back", "team")
    assert room.wait_for_end(run_id).status == "done"
    for request in room.models[0].requests:
        text = "\n".join(str(message.content) for message in request.messages)
        assert estimate_tokens(text) < CONTEXT_TOKENS, request.sections.task
    speaking = [one for one in room.models[0].requests if one.sections.task == "speak"][-1]
    shown = speaking.sections.earlier_evidence
    assert shown  # the newest of what was cited is still to be read
    newest = max(int(one.passage_id[-12:], 16) for one in shown)
    assert newest >= (TURNS - 4) * 100
    assert speaking.sections.passages
    assert not any(isinstance(event, TalkCompacted) for event in room.events(run_id))
