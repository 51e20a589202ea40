"""The readable text and the title of a fetched page; HTML is read in a process of its own."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from meetmind.clean_text import clean_bad_chars
from meetmind.errors import ToolError
from meetmind.knowledge.encodings import clean_line
from meetmind.knowledge.reading import KEPT_VARIABLES, PACKAGE_PARENT
from meetmind.tools.net_auth import FetchedPage
from meetmind.tools.web.page_encoding import decoded_page
from meetmind.tools.web.page_types import HTML_TYPES

CHILD_MODULE = "meetmind.tools.web.page_text_child"
TIME_LIMIT_SECONDS = 15.0
MEMORY_LIMIT_BYTES = 1_000_000_000
MOST_CHARACTERS = 20_000
LONGEST_TITLE = 200


@dataclass(frozen=True, kw_only=True)
class PageText:
    """What a reader of a page sees."""

    title: str
    """Empty for a page without one."""
    text: str
    """At most `MOST_CHARACTERS`."""
    characters: int
    """Of the whole text, also of what was left out."""


async def readable_text(
    page: FetchedPage,
    *,
    time_limit: float = TIME_LIMIT_SECONDS,
    memory_limit: int = MEMORY_LIMIT_BYTES,
    child: Sequence[str] = ("-m", CHILD_MODULE),
) -> PageText:
    """The text of the page without menus, scripts and what is hidden.

    Raises `ToolError` for a page that is no text, has none, or takes too long or too much memory.
    """
    title, text = "", ""
    if page.content_type in HTML_TYPES:
        command = (sys.executable, *child, str(memory_limit), page.charset)
        title, text = await asyncio.to_thread(_ask_child, command, page.body, time_limit)
    else:
        text = await asyncio.to_thread(decoded_page, page.body, page.charset)
    whole = clean_bad_chars(text).strip()
    if not whole:
        raise ToolError(
            "The page holds no text that could be read; it may be drawn by a script. "
            "Use another page.",
            reason="empty_page",
        )
    return PageText(
        title=clean_line(title, LONGEST_TITLE),
        text=whole[:MOST_CHARACTERS],
        characters=len(whole),
    )


def _ask_child(command: Sequence[str], body: bytes, time_limit: float) -> tuple[str, str]:
    """Title and text from a process that is started for this one page."""
    try:
        ended = subprocess.run(
            command,
            input=body,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=time_limit,
            env=_environment(),
            start_new_session=True,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ToolError(
            "Reading the page took too long. Use another page.", reason="page_too_slow"
        ) from None
    except OSError as error:
        raise ToolError(
            f"No process could be started to read the page ({error}). Go on without it.",
            reason="no_reader",
        ) from None
    return _title_and_text(ended.stdout)


def _title_and_text(answer: bytes) -> tuple[str, str]:
    """What the child wrote; it wrote nothing whole when it died."""
    try:
        said = json.loads(answer)
    except ValueError:
        raise ToolError(
            "The page is too large or too odd to be read. Use another page.",
            reason="unreadable_page",
        ) from None
    if "fault" in said:
        raise ToolError(str(said["fault"]), reason="unreadable_page")
    return str(said["title"]), str(said["text"])


def _environment() -> dict[str, str]:
    """No settings and no secrets."""
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    return {**kept, "PYTHONPATH": str(PACKAGE_PARENT), "PYTHONUTF8": "1"}
