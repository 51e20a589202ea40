"""`Read`: the text of one file of the session's workspace."""

import asyncio
from pathlib import Path
from typing import Annotated

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from pydantic import BaseModel, ConfigDict, Field

from meetmind.errors import ToolError
from meetmind.tools.envelope import Envelope
from meetmind.tools.path_auth import checked_parts, open_folder, read_plain_file
from meetmind.tools.workbench import current_workbench

MAX_BYTES = 1_000_000
MAX_CHARACTERS = 20_000


class ReadArguments(BaseModel):
    """Arguments of `Read`."""

    model_config = ConfigDict(extra="ignore")

    path: Annotated[str, Field(min_length=1, max_length=400)] = Field(
        description="Relative path of a file in the workspace."
    )


@tool("Read", args_schema=ReadArguments)
async def read_tool(path: str, config: RunnableConfig) -> str:
    """Read a text file of the workspace (files that this discussion wrote lie there)."""
    workbench = current_workbench(config)
    text = await asyncio.to_thread(_read, workbench.workspace, path)
    envelope = Envelope(
        tool="Read",
        status="ok",
        request={"path": path},
        data={"text": text[:MAX_CHARACTERS], "characters": len(text)},
        diagnostics={"summary": path},
    )
    return envelope.to_json()


read_tool.metadata = {"risk": "low"}


def _read(workspace: Path, path: str) -> str:
    *folders, name = checked_parts(path)
    with open_folder(workspace, tuple(folders), create=False) as folder:
        content = read_plain_file(folder, name, MAX_BYTES)
    if content is None:
        raise ToolError(f"There is no file {path!r} in the workspace.")
    try:
        return content.decode("utf-8-sig").replace("\x00", "")
    except UnicodeDecodeError:
        raise ToolError(f"{path!r} is not a text in UTF-8.") from None
