"""`Read`: the text of one file of the session's workspace or of a read-only folder."""

import asyncio
from dataclasses import dataclass
from typing import Annotated

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from pydantic import BaseModel, ConfigDict, Field

from meetmind.clean_text import clean_bad_chars
from meetmind.errors import ToolError
from meetmind.tools.envelope import Envelope
from meetmind.tools.files.file_evidence import excerpt_evidence, lines_locator
from meetmind.tools.files.readable_text import MOST_DOCUMENT_BYTES, ReadableText, readable_text
from meetmind.tools.path_auth import Place, open_folder, place_of, read_plain_file
from meetmind.tools.workbench import Workbench, current_workbench

MAX_CHARACTERS = 12_000


class ReadArguments(BaseModel):
    """Arguments of `Read`."""

    model_config = ConfigDict(extra="ignore")

    path: Annotated[str, Field(min_length=1, max_length=400)] = Field(
        description="Path of a file in the workspace, or @name/path in a read-only folder."
    )
    offset: Annotated[int, Field(ge=1, le=10_000_000)] = Field(
        default=1, description="Number of the first line to read, from 1."
    )
    limit: Annotated[int, Field(ge=1, le=2000)] = Field(
        default=400, description="How many lines to read."
    )


@dataclass(frozen=True, kw_only=True)
class Excerpt:
    """Consecutive lines of a text; `first` is the number of the first, from 1."""

    lines: tuple[str, ...]
    first: int

    @property
    def last(self) -> int:
        """The number of the last line."""
        return self.first + len(self.lines) - 1


@tool("Read", args_schema=ReadArguments)
async def read_tool(path: str, config: RunnableConfig, offset: int = 1, limit: int = 400) -> str:
    """Read a file: texts in any usual encoding, and the text of PDF, Word, Excel and slides."""
    workbench = current_workbench(config)
    place, text = await asyncio.to_thread(_read, workbench, path)
    excerpt = _excerpt(path, text, offset, limit)
    evidence = excerpt_evidence(place.path, excerpt.lines, excerpt.first)
    envelope = Envelope(
        tool="Read",
        status="ok",
        request={"path": path, "offset": offset, "limit": limit},
        data={
            "text": "\n".join(excerpt.lines) + ("\n" if _ends_whole(text, excerpt) else ""),
            "from_line": excerpt.first,
            "to_line": excerpt.last,
            "lines": len(text.lines),
            "encoding": text.encoding,
            "line_ends": text.line_ends,
            "notes": text.notes,
        },
        evidence=tuple(evidence),
        diagnostics={
            "summary": f"{place.path}, {lines_locator(excerpt.first, excerpt.last)}"
            f" of {len(text.lines)}"
        },
    )
    return envelope.to_json()


read_tool.metadata = {"risk": "low"}


def _read(workbench: Workbench, path: str) -> tuple[Place, ReadableText]:
    place = place_of(path, workbench.workspace, workbench.read_folders)
    if not place.parts:
        raise ToolError(f"{path!r} is a folder. Call list_dir for it.", reason="no_such_file")
    with open_folder(place.root, place.parts[:-1], create=False) as folder:
        content = read_plain_file(folder, place.parts[-1], MOST_DOCUMENT_BYTES)
    if content is None:
        raise ToolError(
            f"There is no file {path!r}. Call list_dir to see what there is.",
            reason="no_such_file",
        )
    return place, readable_text(place.path, content)


def _excerpt(path: str, text: ReadableText, offset: int, limit: int) -> Excerpt:
    """The lines asked for, as many as there is room for."""
    if offset > max(len(text.lines), 1):
        raise ToolError(
            f"{path!r} has {len(text.lines)} lines. Give an offset within them.",
            reason="past_the_end",
        )
    lines: list[str] = []
    room = MAX_CHARACTERS
    for line in text.lines[offset - 1 : offset - 1 + limit]:
        if lines and len(line) > room:
            break
        cut = clean_bad_chars(line[:MAX_CHARACTERS])
        lines.append(cut)
        room -= len(cut) + 1
    return Excerpt(lines=tuple(lines), first=offset)


def _ends_whole(text: ReadableText, excerpt: Excerpt) -> bool:
    """Whether the excerpt goes to the end of a text that ends with a line end."""
    return text.ends_with_line_end and excerpt.last == len(text.lines) > 0
