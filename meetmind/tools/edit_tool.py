"""`Edit`: replace an exact passage in one text file of the session's workspace."""

import asyncio
import re
from bisect import bisect_left
from pathlib import Path
from typing import Annotated

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from pydantic import BaseModel, ConfigDict, Field

from meetmind.clean_text import clean_bad_chars
from meetmind.errors import ToolError
from meetmind.tools.envelope import Envelope
from meetmind.tools.files.file_content import content_at, put_content, sha256_of
from meetmind.tools.files.line_ends import fit_line_ends, with_lf
from meetmind.tools.files.text_files import TextFile, decode_for_change, encode_file
from meetmind.tools.workbench import current_workbench


class EditArguments(BaseModel):
    """Arguments of `Edit`."""

    model_config = ConfigDict(extra="ignore")

    path: Annotated[str, Field(min_length=1, max_length=400)] = Field(
        description="Relative path of the file in the workspace."
    )
    old_string: Annotated[str, Field(min_length=1, max_length=100_000)] = Field(
        description="The passage to replace, exactly as the file has it; it must be unique."
    )
    new_string: Annotated[str, Field(max_length=200_000)] = Field(
        description="What stands there afterwards."
    )
    replace_all: bool = Field(
        default=False, description="Replace every place where old_string stands."
    )
    why: Annotated[str, Field(max_length=1000)] = Field(
        default="", description="Why the change is wanted, in one sentence."
    )


@tool("Edit", args_schema=EditArguments)
async def edit_tool(
    path: str,
    *,
    old_string: str,
    new_string: str,
    config: RunnableConfig,
    replace_all: bool = False,
    why: str = "",
) -> str:
    """Replace a passage in a text file of the workspace, found by its exact words."""
    workbench = current_workbench(config)
    written = await asyncio.to_thread(
        _edit, workbench.workspace, path, old_string, new_string, replace_all
    )
    envelope = Envelope(
        tool="Edit",
        status="ok",
        request={"path": path, "replace_all": replace_all},
        data={"path": path, "bytes": len(written), "sha256": sha256_of(written)},
        diagnostics={"summary": path},
    )
    return envelope.to_json()


edit_tool.metadata = {"risk": "medium"}


def _edit(workspace: Path, path: str, old_string: str, new_string: str, replace_all: bool) -> bytes:
    before = content_at(workspace, path)
    after = content_after_edit(path, before, old_string, new_string, replace_all)
    put_content(workspace, path, after)
    return after


def content_after_edit(
    path: str, before: bytes | None, old_string: str, new_string: str, replace_all: bool
) -> bytes:
    """The bytes of the file after the Edit; what it does not touch stays byte by byte.

    Raises `ToolError` when the passage does not stand there, or not exactly once.
    """
    if before is None:
        raise ToolError(
            f"There is no file {path!r}. Call list_dir to see what there is, or use Write.",
            reason="no_such_file",
        )
    old = decode_for_change(path, before)
    sought, wanted = with_lf(old_string), with_lf(clean_bad_chars(new_string))
    plain = with_lf(old.text)
    found_count = plain.count(sought)
    _refuse_unless_found(path, found_count, sought, wanted, replace_all)
    expected = plain.replace(sought, wanted)
    edited = _edited(old, sought, wanted)
    if with_lf(edited) != expected:
        # A CR before an LF would have become one line end.
        edited = expected.replace("\n", old.line_end)
    return encode_file(path, edited, old)


def _refuse_unless_found(
    path: str, found_count: int, sought: str, wanted: str, replace_all: bool
) -> None:
    if found_count == 0:
        raise ToolError(
            f"old_string stands 0 times in {path!r}. Read the file and copy the passage exactly.",
            reason="not_found",
        )
    if sought == wanted:
        raise ToolError(
            "old_string and new_string are the same, so nothing would change. "
            "Give the new words, or go on.",
            reason="no_change",
        )
    if found_count > 1 and not replace_all:
        raise ToolError(
            f"old_string stands {found_count} times in {path!r}. Give more of the words around "
            "it, so that it is unique, or set replace_all.",
            reason="not_unique",
        )


def _edited(old: TextFile, sought: str, wanted: str) -> str:
    """The file's own text with each passage replaced; positions are found in the text with LF."""
    pairs_at = _places_of_pairs(old.text)
    pieces: list[str] = []
    copied_to = 0
    for place in re.finditer(re.escape(sought), with_lf(old.text)):
        start = place.start() + bisect_left(pairs_at, place.start())
        end = place.end() + bisect_left(pairs_at, place.end())
        pieces.append(old.text[copied_to:start])
        pieces.append(fit_line_ends(old.text[start:end], wanted, old.line_end))
        copied_to = end
    pieces.append(old.text[copied_to:])
    return "".join(pieces)


def _places_of_pairs(text: str) -> list[int]:
    """Where each CRLF stands once it is one character: later positions move by one each."""
    return [pair.start() - index for index, pair in enumerate(re.finditer("\r\n", text))]
