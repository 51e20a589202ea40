"""`glob`: find files of the workspace by a pattern of their paths."""

import asyncio
import time
from dataclasses import dataclass
from typing import Annotated

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from pydantic import BaseModel, ConfigDict, Field

from meetmind.tools.envelope import Envelope
from meetmind.tools.files.folder_listing import FolderWalk
from meetmind.tools.files.glob_patterns import read_glob
from meetmind.tools.path_auth import place_of
from meetmind.tools.workbench import Workbench, current_workbench

LONGEST_SECONDS = 1.2
MOST_PATHS = 200


class GlobArguments(BaseModel):
    """Arguments of `glob`."""

    model_config = ConfigDict(extra="ignore")

    pattern: Annotated[str, Field(min_length=1, max_length=300)] = Field(
        description="Pattern such as **/*.md, notes/*.{md,txt} or report-202[0-9].*"
    )
    path: Annotated[str, Field(min_length=1, max_length=400)] = Field(
        default=".", description="Folder to search in, such as notes or @name."
    )


@dataclass(frozen=True, kw_only=True)
class Found:
    """The paths that fit, sorted, and what was passed over."""

    paths: tuple[str, ...]
    hidden_count: int
    is_cut: bool


@tool("glob", args_schema=GlobArguments)
async def glob_tool(pattern: str, config: RunnableConfig, path: str = ".") -> str:
    """Find files of the workspace or of @name folders by a pattern; `**` stands for any folders."""
    workbench = current_workbench(config)
    found = await asyncio.to_thread(_find, workbench, pattern, path)
    envelope = Envelope(
        tool="glob",
        status="ok",
        request={"pattern": pattern, "path": path},
        data={"paths": found.paths[:MOST_PATHS], "found": len(found.paths), "cut": found.is_cut},
        diagnostics={
            "summary": f"{pattern} ({len(found.paths)} files)",
            "hidden": found.hidden_count,
        },
    )
    return envelope.to_json()


glob_tool.metadata = {"risk": "low"}


def _find(workbench: Workbench, pattern: str, path: str) -> Found:
    place = place_of(path, workbench.workspace, workbench.read_folders)
    wanted = read_glob(pattern)
    walk = FolderWalk(time.monotonic() + LONGEST_SECONDS)
    paths: list[str] = []
    for file in walk.files(place):
        if wanted.matches(file.parts[len(place.parts) :]):
            paths.append(place.path_of(file.parts))
    paths.sort()
    is_cut = walk.is_cut or len(paths) > MOST_PATHS
    return Found(paths=tuple(paths), hidden_count=walk.hidden_count, is_cut=is_cut)
