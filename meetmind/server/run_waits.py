"""What a run that rests waits for: decisions on calls, answers to questions, the end of a pause."""

from dataclasses import dataclass
from typing import Any, Literal

from langgraph.types import Command, Interrupt, StateSnapshot

from meetmind.agents.run_context import RunContext


@dataclass(frozen=True, kw_only=True)
class Wait:
    """One interrupt of the graph; `call_id` is empty for a pause."""

    interrupt_id: str
    kind: Literal["call", "question", "pause"]
    call_id: str = ""


def waits_of(snapshot: StateSnapshot) -> list[Wait]:
    """Everything that the run waits for."""
    waits = []
    for task in snapshot.tasks:
        for raised in task.interrupts:
            waits.append(_wait(raised))
    return waits


def _wait(raised: Interrupt) -> Wait:
    if "pause" in raised.value:
        return Wait(interrupt_id=raised.id, kind="pause")
    if "question_id" in raised.value:
        call_id = str(raised.value["question_id"])
        return Wait(interrupt_id=raised.id, kind="question", call_id=call_id)
    return Wait(interrupt_id=raised.id, kind="call", call_id=str(raised.value["call_id"]))


def ids_of(waits: list[Wait], kind: Literal["call", "question"]) -> tuple[str, ...]:
    """The call ids of this kind, in order."""
    return tuple(sorted(wait.call_id for wait in waits if wait.kind == kind))


async def what_came(context: RunContext, snapshot: StateSnapshot) -> Command[Any] | None:
    """What people have said to the waits of a run, from the database; None where nothing came."""
    resume: dict[str, str] = {}
    for wait in waits_of(snapshot):
        word = await _word_on(context, wait)
        if word is not None:
            resume[wait.interrupt_id] = word
    return Command(resume=resume) if resume else None


async def _word_on(context: RunContext, wait: Wait) -> str | None:
    """None while the person has not spoken; the graph reads the word itself from the database."""
    if wait.kind == "pause":
        now = await context.steering.now()
        return None if now.pause_asked else "go_on"
    if wait.kind == "question":
        answer = await context.steering.answer_to(wait.call_id)
        return None if answer is None else "answered"
    call = await context.ledger.get(wait.call_id)
    if call is None or call.status == "pending":
        return None
    return call.status
