"""`Write`: create or replace one text file in the session's workspace."""

import asyncio
import difflib
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from pydantic import BaseModel, ConfigDict, Field

from meetmind.errors import ToolError
from meetmind.tools.envelope import Envelope
from meetmind.tools.path_auth import checked_parts, open_folder, read_plain_file, replace_file
from meetmind.tools.workbench import current_workbench

MAX_BYTES = 1_000_000


class WriteArguments(BaseModel):
    """Arguments of `Write`."""

    model_config = ConfigDict(extra="ignore")

    path: Annotated[str, Field(min_length=1, max_length=400)] = Field(
        description="Relative path of the file in the workspace, such as summary-refunds.md."
    )
    content: Annotated[str, Field(max_length=400_000)] = Field(
        description="The whole new text of the file."
    )
    why: str = Field(default="", description="Why the file is wanted, in one sentence.")


@tool("Write", args_schema=WriteArguments)
async def write_tool(path: str, content: str, config: RunnableConfig, why: str = "") -> str:
    """Create or replace a text file in the workspace. A person must approve every call."""
    workbench = current_workbench(config)
    written = await asyncio.to_thread(_write, workbench.workspace, path, content)
    envelope = Envelope(
        tool="Write",
        status="ok",
        request={"path": path},
        data={"path": path, "bytes": written, "sha256": content_sha256(content)},
        diagnostics={"summary": f"{path} ({written} bytes)"},
    )
    return envelope.to_json()


write_tool.metadata = {"risk": "high"}


def _write(workspace: Path, path: str, content: str) -> int:
    *folders, name = checked_parts(path)
    encoded = content.encode()
    if len(encoded) > MAX_BYTES:
        raise ToolError(f"The text is larger than {MAX_BYTES} bytes. Write less.")
    with open_folder(workspace, tuple(folders), create=True) as folder:
        replace_file(folder, name, encoded)
    return len(encoded)


def content_sha256(content: str) -> str:
    """The hash that the file has when `content` is written."""
    return hashlib.sha256(content.encode()).hexdigest()


@dataclass(frozen=True, kw_only=True)
class WriteEffect:
    """What a Write would change: hashes before ('' = no file) and after, and the unified diff."""

    sha256_before: str
    sha256_after: str
    diff: str


def write_effect(workspace: Path, path: str, content: str) -> WriteEffect:
    """The effect of a Write on the file as it is now; raises `ToolError` for a bad path."""
    before = _current_bytes(workspace, path)
    text_before = "" if before is None else before.decode("utf-8", errors="replace")
    diff = difflib.unified_diff(
        text_before.splitlines(), content.splitlines(), fromfile=path, tofile=path, lineterm=""
    )
    return WriteEffect(
        sha256_before="" if before is None else hashlib.sha256(before).hexdigest(),
        sha256_after=content_sha256(content),
        diff="\n".join(diff),
    )


def _current_bytes(workspace: Path, path: str) -> bytes | None:
    *folders, name = checked_parts(path)
    if not workspace.joinpath(*folders).is_dir():
        return None
    with open_folder(workspace, tuple(folders), create=False) as folder:
        return read_plain_file(folder, name, MAX_BYTES)
