"""Runs file tools on a folder, as a turn would."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from meetmind.tools.workbench import Workbench


def config_for(workspace: Path, read_folders: Mapping[str, Path] | None = None) -> dict[str, Any]:
    """What a tool call is handed; searching is an error."""

    def no_search(agent_name: str | None, query: str, expansion_terms: object) -> Any:
        raise AssertionError("nobody searches here")

    bench = Workbench(
        agent_name="architect",
        search=no_search,
        search_slots=asyncio.Semaphore(1),
        expansion_terms=(),
        workspace=workspace,
        read_folders=read_folders or {},
    )
    return {"configurable": {"workbench": bench}}


def run_tool(
    tool: Any,
    arguments: dict[str, Any],
    workspace: Path,
    read_folders: Mapping[str, Path] | None = None,
) -> dict[str, Any]:
    """The tool's envelope as plain values."""
    answer = asyncio.run(tool.ainvoke(arguments, config_for(workspace, read_folders)))
    envelope: dict[str, Any] = json.loads(answer)
    return envelope
