"""`grep`: find lines in the files of the workspace by a regular expression."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from pydantic import BaseModel, ConfigDict, Field

from meetmind.clean_text import clean_bad_chars
from meetmind.errors import ToolError
from meetmind.events import PassageEvidence
from meetmind.tools.envelope import Envelope
from meetmind.tools.files.file_evidence import file_evidence
from meetmind.tools.files.grep_search import FileMatches, LineSearch, SearchOutcome, search_texts
from meetmind.tools.files.text_collection import TextCollection
from meetmind.tools.workbench import Workbench, current_workbench

READING_SECONDS = 0.7
WHOLE_SECONDS = 1.6
MOST_CHARACTERS = 16_000


class GrepArguments(BaseModel):
    """Arguments of `grep`."""

    model_config = ConfigDict(extra="ignore")

    pattern: Annotated[str, Field(min_length=1, max_length=500)] = Field(
        description="Regular expression that is looked for in each line."
    )
    path: Annotated[str, Field(min_length=1, max_length=400)] = Field(
        default=".", description="File or folder to search in, such as notes or @name/notes."
    )
    files: Annotated[str, Field(max_length=300)] = Field(
        default="", description="Only files whose path below the folder fits, such as **/*.md."
    )
    ignore_case: bool = Field(default=False, description="Whether case makes no difference.")
    context: Annotated[int, Field(ge=0, le=5)] = Field(
        default=1, description="How many lines to show before and after each match."
    )


@dataclass(frozen=True, kw_only=True)
class Found:
    """A search with what it passed over."""

    outcome: SearchOutcome
    collection: TextCollection


@tool("grep", args_schema=GrepArguments)
async def grep_tool(
    pattern: str,
    *,
    config: RunnableConfig,
    path: str = ".",
    files: str = "",
    ignore_case: bool = False,
    context: int = 1,
) -> str:
    """Find lines by a regular expression in text files of the workspace or of @name folders."""
    workbench = current_workbench(config)
    search = LineSearch(pattern=pattern, ignore_case=ignore_case, context=context)
    found = await asyncio.to_thread(_search, workbench, search, path, files)
    matching = found.outcome.files
    evidence = _evidence(matching)
    match_count = sum(len(file.matches) for file in matching)
    envelope = Envelope(
        tool="grep",
        status="ok",
        request={"pattern": pattern, "path": path, "files": files},
        data={
            "files": [{"path": file.path, "lines": file.matches} for file in matching],
            "left_out": _left_out(found, len(evidence)),
        },
        evidence=tuple(evidence),
        diagnostics={
            "summary": f"{pattern} ({match_count} in {len(matching)} files)",
            "hidden": found.collection.hidden_count,
        },
    )
    return envelope.to_json()


grep_tool.metadata = {"risk": "low"}


def _search(workbench: Workbench, search: LineSearch, path: str, files: str) -> Found:
    began = time.monotonic()
    collection = TextCollection(
        workspace=workbench.workspace,
        read_folders=workbench.read_folders,
        deadline=began + READING_SECONDS,
    )
    texts: Iterator[tuple[str, str]] = collection.texts(path, files)
    outcome = search_texts(search, texts, began + WHOLE_SECONDS)
    if outcome.is_late and not outcome.files:
        raise ToolError(
            "The search took too long and was stopped. Use a simpler pattern without nested "
            "repetition, or a smaller folder.",
            reason="too_slow",
        )
    return Found(outcome=outcome, collection=collection)


def _evidence(matching: tuple[FileMatches, ...]) -> list[PassageEvidence]:
    """The lines found, a file each, as far as there is room."""
    evidence: list[PassageEvidence] = []
    room = MOST_CHARACTERS
    for file in matching:
        content = clean_bad_chars(_shown(file))
        room -= len(content)
        if room < 0 and evidence:
            break
        numbers = ", ".join(str(number) for number in file.matches)
        noun = "line" if len(file.matches) == 1 else "lines"
        rank = len(evidence) + 1
        evidence.append(file_evidence(file.path, content, locator=f"{noun} {numbers}", rank=rank))
    return evidence


def _shown(file: FileMatches) -> str:
    """Lines with their numbers: `12:` where it matches, `13-` beside it, `--` for a gap."""
    shown: list[str] = []
    previous = file.lines[0][0] - 1
    for number, line in file.lines:
        if number != previous + 1:
            shown.append("--")
        mark = ":" if number in file.matches else "-"
        shown.append(f"{number}{mark} {line}")
        previous = number
    return "\n".join(shown)


def _left_out(found: Found, file_count: int) -> list[str]:
    """What the role must know of what it does not see."""
    left_out = list(found.collection.left_out())
    if found.outcome.is_late:
        left_out.append("Time ran out before all files were searched: name a smaller folder.")
    if found.outcome.is_cut:
        left_out.append("There are more matches: make the pattern or the folder narrower.")
    if file_count < len(found.outcome.files):
        left_out.append("The lines of the last files are not shown: Read them.")
    return left_out
