"""What one pass of a run begins with: the run's surroundings, read fresh from the database."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from psycopg_pool import ConnectionPool

from meetmind.agents.listening import LogListener
from meetmind.agents.run_context import RunContext
from meetmind.config.settings import Settings
from meetmind.database import memory, messages, read_folders
from meetmind.database.runs import RunRow
from meetmind.errors import NotFound
from meetmind.events import Mode, RunStarted
from meetmind.llm.client import ModelClient
from meetmind.server.carried_points import carried_points
from meetmind.server.recall import Recall
from meetmind.server.run_ledger import RunLedger
from meetmind.server.run_steering import RunSteering, prices_of
from meetmind.server.searches import RecordedSearch, Search
from meetmind.server.stream import RunIdentity, RunLog, in_thread
from meetmind.server.talk_memory import RunTalk
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
    recall: Recall | None = None


async def open_context(material: RunMaterial) -> tuple[RunContext, RunLog]:
    """The context of one pass, and the log that it writes; raises `NotFound`."""
    row = material.row
    identity = RunIdentity(
        run_id=row.id, session_id=row.session_id, owner_id=row.owner_id, epoch=material.epoch
    )
    brief = await in_thread(messages.get_message, material.pool, row.brief_id)
    if brief is None:
        raise NotFound("The brief of this run is gone.")
    memory_text = await in_thread(_memory_text, material.pool, row)
    carried = await in_thread(
        carried_points, material.pool, owner_id=row.owner_id, run_id=row.continues_run_id
    )
    log = RunLog(material.pool, identity)
    steering = RunSteering(material.pool, identity, prices_of(material.settings))
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
        steering=steering,
        talk=RunTalk(
            material.pool,
            identity,
            settings=material.settings,
            client=material.client,
            language=row.language,
            listener=LogListener(log, "", steering),
            recall=material.recall,
        ),
        asked_agent=row.asked_agent,
        carried_points=carried,
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


def started(context: RunContext, row: RunRow, material: RunMaterial) -> RunStarted:
    """The first event of the run."""
    return RunStarted(
        brief=context.brief,
        mode=context.mode,
        language=row.language,
        model_name=material.client.name,
        offline=material.client.offline,
        max_iterations=row.max_iterations,
        files=tuple(row.files),
        asked_agent=row.asked_agent,
        continues_run_id=row.continues_run_id or "",
        max_tokens=row.max_tokens,
        max_minutes=row.max_minutes,
        max_cost=row.max_cost,
    )
