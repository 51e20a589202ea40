"""Searches texts for a regular expression in a child process that is killed at a deadline."""

import json
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from meetmind.errors import ToolError

CHILD_FILE = Path(__file__).with_name("grep_child.py")
MOST_MATCHES = 100
LONGEST_SEARCH_SECONDS = 1.5


@dataclass(frozen=True, kw_only=True)
class LineSearch:
    """What to look for; `context` lines are shown before and after each match."""

    pattern: str
    ignore_case: bool
    context: int


@dataclass(frozen=True, kw_only=True)
class FileMatches:
    """The lines of one file that match, and the lines to show, each with its number from 1."""

    path: str
    matches: tuple[int, ...]
    lines: tuple[tuple[int, str], ...]


@dataclass(frozen=True, kw_only=True)
class SearchOutcome:
    """What was found; `is_late` when time ran out first, `is_cut` after `MOST_MATCHES`."""

    files: tuple[FileMatches, ...]
    is_late: bool
    is_cut: bool


def search_texts(
    search: LineSearch, texts: Iterable[tuple[str, str]], deadline: float
) -> SearchOutcome:
    """Search texts, each with its path, until the deadline (a time of `time.monotonic()`).

    Raises `ToolError` for a pattern that is no regular expression.
    """
    with subprocess.Popen(
        # Isolated: it sees no settings, no secrets and no code of the working directory.
        [sys.executable, "-I", "-X", "utf8", str(CHILD_FILE)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={},
        start_new_session=True,
    ) as child:
        try:
            # The child starts up while the texts are read.
            request = _request(search, texts)
            left = min(LONGEST_SEARCH_SECONDS, deadline - time.monotonic())
            answers, _ = child.communicate(request, timeout=max(left, 0.1))
            is_late = False
        except subprocess.TimeoutExpired:
            child.kill()
            answers, _ = child.communicate()
            is_late = True
        finally:
            child.kill()
    return _outcome(answers, is_late or child.returncode != 0)


def _request(search: LineSearch, texts: Iterable[tuple[str, str]]) -> bytes:
    head = {
        "pattern": search.pattern,
        "ignore_case": search.ignore_case,
        "context": search.context,
        "most_matches": MOST_MATCHES,
        "seconds": LONGEST_SEARCH_SECONDS,
    }
    lines = [json.dumps(head)]
    for path, text in texts:
        lines.append(json.dumps({"path": path, "text": text}, ensure_ascii=False))
    return ("\n".join(lines) + "\n").encode()


def _outcome(answers: bytes, is_late: bool) -> SearchOutcome:
    files: list[FileMatches] = []
    is_cut = False
    # What follows the last line end was cut off by the kill.
    for line in answers.decode().split("\n")[:-1]:
        answer = json.loads(line)
        if "fault" in answer:
            raise ToolError(
                f"The pattern is no regular expression that can be used: {answer['fault']}. "
                "Correct it, or put a backslash before special signs.",
                reason="bad_pattern",
            )
        is_cut = is_cut or "is_cut" in answer
        is_late = is_late or "is_late" in answer
        if "path" in answer:
            shown = tuple((number, text) for number, text in answer["lines"])
            matches = tuple(answer["matches"])
            files.append(FileMatches(path=answer["path"], matches=matches, lines=shown))
    return SearchOutcome(files=tuple(files), is_late=is_late, is_cut=is_cut)
