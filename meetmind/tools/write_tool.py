"""`Write`: create or replace one text file in the session's workspace."""

import asyncio
from pathlib import Path
from typing import Annotated

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from pydantic import BaseModel, ConfigDict, Field

from meetmind.clean_text import clean_bad_chars
from meetmind.tools.envelope import Envelope
from meetmind.tools.files.file_content import content_at, put_content, sha256_of
from meetmind.tools.files.line_ends import fit_line_ends
from meetmind.tools.files.text_files import NEW_FILE, decode_for_change, encode_file
from meetmind.tools.workbench import current_workbench

BYTE_ORDER_MARK = "\ufeff"


class WriteArguments(BaseModel):
    """Arguments of `Write`."""

    model_config = ConfigDict(extra="ignore")

    path: Annotated[str, Field(min_length=1, max_length=400)] = Field(
        description="Relative path of the file in the workspace, such as summary-refunds.md."
    )
    content: Annotated[str, Field(max_length=400_000)] = Field(
        description="The whole new text of the file."
    )
    why: Annotated[str, Field(max_length=1000)] = Field(
        default="", description="Why the file is wanted, in one sentence."
    )


@tool("Write", args_schema=WriteArguments)
async def write_tool(path: str, content: str, config: RunnableConfig, why: str = "") -> str:
    """Create or replace a text file in the workspace. A person must approve every call."""
    workbench = current_workbench(config)
    written = await asyncio.to_thread(_write, workbench.workspace, path, content)
    envelope = Envelope(
        tool="Write",
        status="ok",
        request={"path": path},
        data={"path": path, "bytes": len(written), "sha256": sha256_of(written)},
        diagnostics={"summary": f"{path} ({len(written)} bytes)"},
    )
    return envelope.to_json()


write_tool.metadata = {"risk": "high"}


def _write(workspace: Path, path: str, content: str) -> bytes:
    before = content_at(workspace, path)
    after = content_after_write(path, before, content)
    put_content(workspace, path, after)
    return after


def content_after_write(path: str, before: bytes | None, content: str) -> bytes:
    """The bytes of the file after the Write; encoding, line ends and BOM of an old file stay.

    Raises `ToolError` when the old file is no text or its encoding cannot hold the new one.
    """
    text = clean_bad_chars(content)
    if not before:
        return encode_file(path, text, NEW_FILE)
    old = decode_for_change(path, before)
    if old.mark:
        text = text.removeprefix(BYTE_ORDER_MARK)
    fitted = fit_line_ends(old.text, text, old.line_end) if old.has_lines else text
    return encode_file(path, fitted, old)
