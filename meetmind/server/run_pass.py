"""One pass of a run through the graph: from its last checkpoint to an interrupt or to the end."""

import asyncio
import contextlib
from dataclasses import dataclass
from typing import Any, Literal, cast

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.types import Command, StateSnapshot
from psycopg_pool import PoolTimeout

from meetmind import faults
from meetmind.agents.run_context import RunContext, Steering
from meetmind.database import runs, steering
from meetmind.database.checkpoints import CheckpointPool, run_saver
from meetmind.errors import LostTheRun
from meetmind.events import RunResumed, RunWaiting
from meetmind.graph.build import STEPS_A_PASS, RunGraph, build_graph, first_state
from meetmind.graph.state import AgentState
from meetmind.server.run_ending import close_unless_wanted, gone_on
from meetmind.server.run_opening import RunMaterial, open_context, started
from meetmind.server.run_waits import ids_of, waits_of, what_came
from meetmind.server.stream import RunLog, in_thread

COUNT_SECONDS = 5.0


@dataclass(frozen=True, kw_only=True)
class PassOutcome:
    """Where a pass ended: the run is over, or it rests for a person."""

    over: bool
    waiting_call_ids: tuple[str, ...] = ()
    question_ids: tuple[str, ...] = ()
    is_paused: bool = False


async def run_pass(
    material: RunMaterial,
    checkpoints: CheckpointPool,
    *,
    reason: Literal["start", "decision", "cut_off", "pause"],
) -> PassOutcome:
    """Execute the run from where it stands; raises `ModelError` and `LostTheRun`."""
    row = material.row
    context, log = await open_context(material)
    graph = build_graph(context, run_saver(checkpoints))
    config: RunnableConfig = {
        "configurable": {"thread_id": row.id},
        "recursion_limit": STEPS_A_PASS,
    }
    before = await graph.aget_state(config)
    graph_input: AgentState | Command[Any] | None
    if not before.values:
        if not await log.has_started():
            await log.append(started(context, row, material))
        faults.reach("run.started")
        graph_input = first_state(context, brief_id=row.brief_id, memory_id=row.memory_id or "")
    else:
        await log.append(RunResumed(reason="cut_off" if reason == "start" else reason))
        faults.reach("run.resumed")
        graph_input = await what_came(context, before)
    try:
        while True:
            await _invoke(graph, graph_input, config, context, log)
            after = await graph.aget_state(config)
            if after.tasks:
                return await _rest(material, log, after)
            state = cast(AgentState, after.values)
            if await close_unless_wanted(material.pool, context, state, material.epoch):
                return PassOutcome(over=True)
            changes, node = await gone_on(context, state)
            await graph.aupdate_state(config, changes, as_node=node)
            graph_input = None
    finally:
        await _count_work(context.steering)


async def _invoke(
    graph: RunGraph,
    graph_input: AgentState | Command[Any] | None,
    config: RunnableConfig,
    context: RunContext,
    log: RunLog,
) -> None:
    try:
        await graph.ainvoke(graph_input, config, durability="sync")
    finally:
        await _finish_effects(context)
        await log.flush()


async def _count_work(run: Steering) -> None:
    """However the pass ended, its work counts; a run that is lost is counted by whoever has it."""
    with contextlib.suppress(LostTheRun, psycopg.Error, PoolTimeout, TimeoutError):
        async with asyncio.timeout(COUNT_SECONDS):
            await run.count_work()


async def _finish_effects(context: RunContext) -> None:
    """Wait for calls with an effect that were under way when the pass was broken off.

    Whoever breaks the pass off a second time waits as well.
    """
    cancelled: asyncio.CancelledError | None = None
    while context.effects:
        try:
            await asyncio.wait(set(context.effects))
        except asyncio.CancelledError as again:
            cancelled = again
    if cancelled is not None:
        raise cancelled


async def _rest(material: RunMaterial, log: RunLog, snapshot: StateSnapshot) -> PassOutcome:
    waits = waits_of(snapshot)
    if any(wait.kind == "pause" for wait in waits):
        await in_thread(
            steering.rest_paused, material.pool, run_id=material.row.id, epoch=material.epoch
        )
        faults.reach("run.paused")
        return PassOutcome(over=False, is_paused=True)
    call_ids = ids_of(waits, "call")
    question_ids = ids_of(waits, "question")
    await log.append(RunWaiting(call_ids=call_ids, question_ids=question_ids))
    faults.reach("run.waiting")
    rests = await in_thread(
        runs.rest_run, material.pool, run_id=material.row.id, epoch=material.epoch
    )
    if not rests:
        raise LostTheRun("Another executor has taken this run over.")
    faults.reach("run.rested")
    return PassOutcome(over=False, waiting_call_ids=call_ids, question_ids=question_ids)
