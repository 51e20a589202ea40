"""`list_processes`: which processes run on this machine, by name, pid, processor and memory."""

import asyncio
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Literal

import psutil
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from pydantic import BaseModel, ConfigDict, Field

from meetmind.clean_text import clean_bad_chars
from meetmind.tools.envelope import Envelope
from meetmind.tools.workbench import current_workbench

MEASURED_SECONDS = 0.2
"""Between the two looks at the processors' time, of which a share of it is made."""
MOST_SHOWN = 50
BYTES_A_MEGABYTE = 1024 * 1024

SortedBy = Literal["memory", "cpu"]


@dataclass(frozen=True, kw_only=True)
class RunningProcess:
    """What may be told of a process: no arguments, environment, user or path."""

    name: str
    pid: int
    cpu_percent: float
    """Of one processor, so that it may be more than 100."""
    memory_mb: float


class ListProcessesArguments(BaseModel):
    """Arguments of `list_processes`."""

    model_config = ConfigDict(extra="ignore")

    name: Annotated[str, Field(max_length=100)] = Field(
        default="", description="Only processes whose name contains this; empty for all."
    )
    sort_by: SortedBy = Field(
        default="memory", description="Whether the most memory or the most cpu comes first."
    )
    limit: Annotated[int, Field(ge=1, le=MOST_SHOWN)] = Field(
        default=15, description="How many processes at most, 1 to 50."
    )


@tool("list_processes", args_schema=ListProcessesArguments)
async def list_processes_tool(
    config: RunnableConfig, name: str = "", sort_by: SortedBy = "memory", limit: int = 15
) -> str:
    """List the processes of the machine that MeetMind runs on: name, pid, cpu and memory."""
    current_workbench(config)
    running = await asyncio.to_thread(running_processes)
    wanted = [each for each in running if name.casefold() in each.name.casefold()]
    wanted.sort(key=lambda each: _weight(each, sort_by), reverse=True)
    shown = wanted[:limit]
    envelope = Envelope(
        tool="list_processes",
        status="ok",
        request={"name": name, "sort_by": sort_by, "limit": limit},
        data={"processes": [asdict(each) for each in shown], "found": len(wanted)},
        diagnostics={"summary": f"{len(shown)} of {len(wanted)} processes"},
    )
    return envelope.to_json()


list_processes_tool.metadata = {"risk": "low"}


def _weight(process: RunningProcess, sort_by: SortedBy) -> float:
    return process.cpu_percent if sort_by == "cpu" else process.memory_mb


def running_processes(seconds: float = MEASURED_SECONDS) -> list[RunningProcess]:
    """Every process that can be seen, measured over `seconds`; blocks that long."""
    processes = list(psutil.process_iter())
    cpu_before_by_pid = _cpu_seconds(processes)
    began = time.monotonic()
    time.sleep(seconds)
    elapsed = time.monotonic() - began
    running = []
    for process in processes:
        before = cpu_before_by_pid.get(process.pid)
        measured = _measured(process, before, elapsed)
        if measured is not None:
            running.append(measured)
    return running


def _cpu_seconds(processes: Iterable[psutil.Process]) -> Mapping[int, float]:
    seconds_by_pid = {}
    for process in processes:
        try:
            times = process.cpu_times()
        except psutil.Error:
            continue
        seconds_by_pid[process.pid] = times.user + times.system
    return seconds_by_pid


def _measured(
    process: psutil.Process, cpu_before: float | None, elapsed: float
) -> RunningProcess | None:
    """None for a process that has ended or may not be looked at."""
    if cpu_before is None:
        return None
    try:
        with process.oneshot():
            times = process.cpu_times()
            memory = process.memory_info().rss
            name = process.name()
    except psutil.Error:
        return None
    cpu_seconds = times.user + times.system - cpu_before
    return RunningProcess(
        name=clean_bad_chars(name),
        pid=process.pid,
        cpu_percent=round(100 * max(cpu_seconds, 0.0) / elapsed, 1),
        memory_mb=round(memory / BYTES_A_MEGABYTE, 1),
    )
