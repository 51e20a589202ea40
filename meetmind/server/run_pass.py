"""One pass of a run through the graph: from its last checkpoint to an interrupt or to the end."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command, StateSnapshot
from psycopg_pool import ConnectionPool

from meetmind.agents.run_context import RunContext
from meetmind.config.settings import Settings
from meetmind.database import memory, messages, read_folders, run_events, runs
from meetmind.database.checkpoints import CheckpointPool, run_saver
from meetmind.database.runs import RunRow
from meetmind.errors import LostTheRun, NotFound
from meetmind.events import EndReason, Mode, RunEnded, RunResumed, RunStarted, RunWaiting
from meetmind.graph.build import STEPS_BESIDE_TURNS, build_graph, first_state
from meetmind.graph.state import AgentState
from meetmind.llm.client import ModelClient
from meetmind.server.run_ledger import RunLedger
from meetmind.server.searches import RecordedSearch, Search
from meetmind.server.stream import RunIdentity, RunLog, in_thread
from meetmind.tools.net_auth import NetAuthority
from meetmind.tools.tool_register import ToolRegister
from meetmind.tracing.recorder import SpanRecorder


@dataclass(frozen=True, kw_only=True)
class RunMaterial:
    """What one pass works with."""

    row: RunRow
    epoch: int
    pool: ConnectionPool
    settings: Settings
    client: ModelClient
    search: Search
    search_slots: asyncio.Semaphore
    classify: Callable[[str], Any]
    workspace: Path
    register: ToolRegister
    spans: SpanRecorder
    net: NetAuthority


@dataclass(frozen=True, kw_only=True)
class PassOutcome:
    """Where a pass ended: the run is over, or it waits for decisions on these calls."""

    over: bool
    waiting_call_ids: tuple[str, ...] = ()


async def run_pass(
    material: RunMaterial,
    checkpoints: CheckpointPool,
    *,
    reason: Literal["start", "decision", "cut_off"],
) -> PassOutcome:
    """Execute the run from where it stands; raises `ModelError` and `LostTheRun`."""
    row = material.row
    context, log = await _open_context(material)
    graph = build_graph(context, run_saver(checkpoints))
    config: RunnableConfig = {
        "configurable": {"thread_id": row.id},
        "recursion_limit": row.max_iterations + STEPS_BESIDE_TURNS,
    }
    before = await graph.aget_state(config)
    graph_input: AgentState | Command[Any] | None
    if not before.values:
        await log.append(_started(context, row, material))
        graph_input = first_state(context, brief_id=row.brief_id, memory_id=row.memory_id or "")
    else:
        await log.append(RunResumed(reason="decision" if reason == "decision" else "cut_off"))
        graph_input = await _decisions(context, before)
    try:
        await graph.ainvoke(graph_input, config, durability="sync")
    finally:
        await _finish_effects(context)
        await log.flush()
    after = await graph.aget_state(config)
    if after.tasks:
        return await _rest(material, log, after)
    end = RunEnded(status="done", reason=_end_reason(cast(AgentState, after.values), material))
    await in_thread(
        run_events.close_run, material.pool, run_id=row.id, epoch=material.epoch, event=end
    )
    return PassOutcome(over=True)


async def _finish_effects(context: RunContext) -> None:
    """Wait for calls with an effect that were under way when the pass was broken off."""
    if context.effects:
        await asyncio.wait(set(context.effects))


async def _open_context(material: RunMaterial) -> tuple[RunContext, RunLog]:
    row = material.row
    identity = RunIdentity(
        run_id=row.id, session_id=row.session_id, owner_id=row.owner_id, epoch=material.epoch
    )
    brief = await in_thread(messages.get_message, material.pool, row.brief_id)
    if brief is None:
        raise NotFound("The brief of this run is gone.")
    memory_text = await in_thread(_memory_text, material.pool, row)
    log = RunLog(material.pool, identity)
    context = RunContext(
        run_id=row.id,
        session_id=row.session_id,
        owner_id=row.owner_id,
        brief=brief,
        language=row.language,
        mode=cast(Mode, row.mode),
        memory=memory_text,
        intent_route_margin=material.settings.intent_route_margin,
        max_iterations=row.max_iterations,
        max_tool_iterations=material.settings.max_tool_iterations,
        client=material.client,
        register=material.register,
        search=RecordedSearch(material.pool, row.id, material.search),
        search_slots=material.search_slots,
        classify=material.classify,
        workspace=material.workspace,
        files=tuple(row.files),
        read_folders=await in_thread(_read_folders, material.pool),
        net=material.net,
        spans=material.spans,
        log=log,
        ledger=RunLedger(material.pool, identity, log),
    )
    return context, log


def _read_folders(pool: ConnectionPool) -> dict[str, Path]:
    """What an administrator opened for reading, by the name in `@name/...`."""
    return {row.name: Path(row.path) for row in read_folders.list_folders(pool)}


def _memory_text(pool: ConnectionPool, row: RunRow) -> str:
    """The memory as it stood when the run began."""
    if row.memory_id is None:
        return ""
    version = memory.get_version(pool, owner_id=row.owner_id, version_id=row.memory_id)
    return "" if version is None else version.content


def _started(context: RunContext, row: RunRow, material: RunMaterial) -> RunStarted:
    return RunStarted(
        brief=context.brief,
        mode=context.mode,
        language=row.language,
        model_name=material.client.name,
        offline=material.client.offline,
        max_iterations=row.max_iterations,
        files=tuple(row.files),
    )


async def _decisions(context: RunContext, snapshot: StateSnapshot) -> Command[Any] | None:
    """The decisions that the graph waits for and that the ledger has, by interrupt."""
    resume: dict[str, str] = {}
    for interrupt_id, call_id in _waiting_calls(snapshot):
        call = await context.ledger.get(call_id)
        if call is not None and call.status != "pending":
            resume[interrupt_id] = call.status
    return Command(resume=resume) if resume else None


def _waiting_calls(snapshot: StateSnapshot) -> list[tuple[str, str]]:
    """Interrupt id and call id of everything that the run waits for."""
    waiting = []
    for task in snapshot.tasks:
        for raised in task.interrupts:
            waiting.append((raised.id, str(raised.value["call_id"])))
    return waiting


async def _rest(material: RunMaterial, log: RunLog, snapshot: StateSnapshot) -> PassOutcome:
    call_ids = tuple(sorted(call_id for _, call_id in _waiting_calls(snapshot)))
    await log.append(RunWaiting(call_ids=call_ids))
    rests = await in_thread(
        runs.rest_run, material.pool, run_id=material.row.id, epoch=material.epoch
    )
    if not rests:
        raise LostTheRun("Another executor has taken this run over.")
    return PassOutcome(over=False, waiting_call_ids=call_ids)


def _end_reason(state: AgentState, material: RunMaterial) -> EndReason:
    if state["route"] == "assistant":
        return "answered"
    if not state["done"]:
        return "iterations_used_up"
    if len({message["agent_name"] for message in state["messages"]}) == 1:
        return "nothing_known"
    return "closed_by_architect"
