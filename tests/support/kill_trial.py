"""A scripted discussion of four turns that a trial kills and takes up again.

Its model keeps no memory of its own: what it says depends on the prompt alone, so that a fresh
process goes on as the killed one would have.
"""

import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.tools import StructuredTool
from pydantic import BaseModel

from meetmind import faults
from meetmind.database.connection import get_pg_pool
from meetmind.llm.prompt_sections import PromptSections, read_sections
from meetmind.llm.scripted import ScriptedChatModel, ScriptedStep, answers, calls, says
from meetmind.server import run_tasks
from meetmind.server.execution import LocalExecutor
from meetmind.server.stream import RunLog
from meetmind.tools.envelope import Envelope
from tests.support.room import Room, scripted_client, wait_until

BRIEF = "Keep the notes of the refund rules"
NOTES = "notes.md"
NOTES_AT_FIRST = "# Refunds\n- end\n"
NOTES_AT_LAST = "# Refunds\n- within 14 days\n- end\n"
COUNTED = "counted once"
TURNS = 4
SHORT_TALK = {"MODEL_CONTEXT_TOKENS": "2000", "COMPACT_AT_SHARE": "0.06"}
"""The talk is summarised on the way."""
LOOK_SECONDS = 0.02
PIECE_SECONDS = 0.015
OVER = ("done", "stopped", "failed")

Call = tuple[str, dict[str, Any]]

SEARCH: Call = ("rag_search", {"query": "refund rules"})
WRITE: Call = ("Write", {"path": NOTES, "content": NOTES_AT_FIRST, "why": "to keep them"})
EDIT: Call = (
    "Edit",
    {
        "path": NOTES,
        "old_string": "- end",
        "new_string": "- within 14 days\n- end",
        "why": "it was agreed",
    },
)
COUNT: Call = ("count", {"line": COUNTED})
ECHO: Call = ("echo", {"text": "refunds"})
ASK: Call = ("ask_person", {"question": "Within how many days?", "why": "the rule needs it"})
ANSWER = "14"
SAID = "Think of gift cards too"

ROUNDS: Mapping[tuple[str, bool], Sequence[Sequence[Call]]] = {
    ("architect", False): ((SEARCH,), (WRITE, COUNT)),
    ("tester", False): ((SEARCH,), (ECHO, ASK)),
    ("architect", True): ((SEARCH,), (EDIT,)),
}
"""The rounds of calls, by role and by whether it has spoken before."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """What a process of the trial is to do."""

    database_url: str
    home: str
    owner_id: str
    spec: str = ""
    """Faults, as `MEETMIND_FAULTS` names them."""
    log: str = ""
    kill_after: float | None = None
    """Seconds after which whoever started the process kills it."""
    limit: float = 60.0
    """Seconds after which the process counts as stuck."""
    without: str = ""
    """A guard of the product that is off: "settling" or "handover"."""

    @property
    def effects(self) -> Path:
        """The file to which `count` appends."""
        return Path(self.home) / "effects.txt"


class TrialModel(ScriptedChatModel):
    """Answers from the prompt alone."""

    def _next_step(self, messages: Sequence[BaseMessage], options: dict[str, Any]) -> ScriptedStep:
        sections = read_sections(messages)
        name = sections.you.name if sections.you is not None else ""
        has_spoken = name in sections.heard
        if sections.task == "look_up":
            return looked_up(sections, name, has_spoken)
        if sections.task == "speak":
            return spoken(name, sections.turn_number)
        if sections.task == "compact":
            return says("The team keeps the refund rules in one file.")
        return answers({"rewritten_query": sections.brief, "expansion_terms": []})


def looked_up(sections: PromptSections, name: str, has_spoken: bool) -> ScriptedStep:
    """The next round of calls of this turn, or the end of looking things up."""
    made = len(sections.asked_calls)
    for round_of_calls in ROUNDS.get((name, has_spoken), ((SEARCH,),)):
        if made == 0:
            return calls(*round_of_calls)
        made -= len(round_of_calls)
    return says("Looked up.")


def spoken(name: str, turn: int) -> ScriptedStep:
    """What a role says; long enough to be streamed in several rows of words."""
    words = " ".join(f"word{number}" for number in range(20))
    return answers(
        {
            "content": f"The {name} says in turn {turn}: {words}.",
            "next_agent": "tester" if name == "architect" else "architect",
            "done": False,
            "handover_reason": "It is next.",
            "stances": [],
            "points": [],
        }
    )


class CountArguments(BaseModel):
    line: str


def count_tool(effects: Path, seconds: float = 0.0) -> StructuredTool:
    """A tool of a foreign server whose every effect is a line of a file, after some time."""

    def append(line: str) -> None:
        with effects.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
            file.flush()
            os.fsync(file.fileno())

    async def count(line: str) -> str:
        await asyncio.sleep(seconds)
        await asyncio.to_thread(append, line)
        return Envelope(tool="count", status="ok", request={"line": line}).to_json()

    return StructuredTool.from_function(
        coroutine=count,
        name="count",
        description="Appends a line to a list that cannot be taken back.",
        args_schema=CountArguments,
        metadata={"risk": "high", "mcp_server": "lists"},
    )


def take_part(job: Job) -> None:
    """One process: begin the discussion or take it up, and decide what waits, to the end."""
    faults.arm(job.spec, job.log)
    switch_off(job.without)
    room = Room(
        pool=get_pg_pool(job.database_url),
        database_url=job.database_url,
        home=Path(job.home),
        owner_id=job.owner_id,
        max_iterations=TURNS,
        tools=[count_tool(job.effects)],
        settings=SHORT_TALK,
    )
    model = TrialModel(piece_seconds=PIECE_SECONDS)
    executor = room.open_with(scripted_client(model))
    run_id = run_of(room, executor)
    while (state := room.state(run_id)) not in OVER:
        if state == "cut_off":
            executor.resume_execution(job.owner_id, run_id)
        elif state == "waiting":
            speak_and_pause(room, executor, run_id)
            decide_waiting(executor, job)
        elif state == "paused":
            executor.go_on_run(job.owner_id, run_id)
        time.sleep(LOOK_SECONDS)
    wait_until(lambda: not has_checkpoints(room))
    room.close()
    room.pool.close()


def has_checkpoints(room: Room) -> bool:
    with room.pool.connection() as connection:
        found = connection.execute("select 1 from checkpoints limit 1").fetchone()
    return found is not None


def run_of(room: Room, executor: LocalExecutor) -> str:
    """The run of this home, begun where there is none."""
    sessions = room.discussions.list_sessions(room.owner_id)
    session_id = sessions[0].id if sessions else room.new_session()
    runs = room.discussions.list_runs(room.owner_id, session_id)
    if runs:
        return runs[0].id
    return executor.start_run(room.owner_id, session_id, BRIEF, "team")


def speak_and_pause(room: Room, executor: LocalExecutor, run_id: str) -> None:
    """A person who has said nothing yet says something and wants a pause after this turn."""
    kinds = {event.kind for event in room.events(run_id)}
    if "person_spoke" not in kinds:
        executor.say_into_run(room.owner_id, run_id, SAID)
    if "pause_asked" not in kinds:
        executor.pause_run(room.owner_id, run_id)


def decide_waiting(executor: LocalExecutor, job: Job) -> None:
    """A person answers, approves, and rejects an unsure call that has taken effect already."""
    for question in executor.pending_questions(job.owner_id):
        executor.answer_question(job.owner_id, question.run_id, question.call_id, ANSWER)
    for call in executor.pending_calls(job.owner_id):
        has_happened = call.asked_again == "unsure" and job.effects.exists()
        decision = "rejected" if has_happened else "approved"
        executor.decide(job.owner_id, call.run_id, call.call_id, decision)


def switch_off(guard: str) -> None:
    """Take a guard of the product away, to see whether the trial notices."""
    if guard == "settling":
        run_tasks.settle_started_calls = lambda *details, **named: None
    if guard == "handover":
        RunLog.stored_handover = untold


async def untold(log: RunLog, utterance_id: str) -> None:
    """Nothing was told before, whatever stands in the log."""
