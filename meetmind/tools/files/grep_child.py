"""The process in which `grep` searches: it compiles and matches, and is killed when it takes long.

It is run as a file of its own, knows nothing of MeetMind, reads one JSON object a line from
standard input (the search, then one text a line) and answers with one JSON object a line.
"""

import contextlib
import json
import signal
import sys
from collections.abc import Iterator
from typing import Any

import regex

MEMORY_LIMIT_BYTES = 600_000_000
LONGEST_LINE_SHOWN = 400
GRACE_SECONDS = 3


def main() -> None:
    """Answer one search."""
    _limit_itself()
    search: dict[str, Any] = json.loads(sys.stdin.readline())
    flags = regex.IGNORECASE if search["ignore_case"] else 0
    try:
        pattern = regex.compile(search["pattern"], flags | regex.VERSION0)
        _search_texts(pattern, search)
    except TimeoutError:
        _answer({"is_late": True})
    except (regex.error, OverflowError, ValueError) as error:
        _answer({"fault": str(error)})
    except (MemoryError, RecursionError):
        _answer({"fault": "it needs too much memory"})


def _search_texts(pattern: regex.Pattern[str], search: dict[str, Any]) -> None:
    left = int(search["most_matches"])
    for line in sys.stdin:
        text: dict[str, Any] = json.loads(line)
        lines = text["text"].split("\n")
        start_by_number: dict[int, int] = {}
        for number, start in _matching_lines(pattern, lines, search["seconds"]):
            if left == 0:
                break
            start_by_number[number] = start
            left -= 1
        if start_by_number:
            _answer({"path": text["path"], **_excerpt(lines, start_by_number, search["context"])})
        if left == 0:
            _answer({"is_cut": True})
            return


def _matching_lines(
    pattern: regex.Pattern[str], lines: list[str], seconds: float
) -> Iterator[tuple[int, int]]:
    """The numbers of the lines that match, from 1, and where in the line the match begins."""
    for number, line in enumerate(lines, start=1):
        match = pattern.search(line, timeout=seconds)
        if match is not None:
            yield number, match.start()


def _excerpt(lines: list[str], start_by_number: dict[int, int], context: int) -> dict[str, Any]:
    """The matching lines with those around them, each once."""
    shown: set[int] = set()
    for number in start_by_number:
        shown.update(range(max(1, number - context), min(len(lines), number + context) + 1))
    shown_lines: list[list[int | str]] = []
    for number in sorted(shown):
        begin = max(0, start_by_number.get(number, 0) - LONGEST_LINE_SHOWN // 2)
        shown_lines.append([number, lines[number - 1][begin : begin + LONGEST_LINE_SHOWN]])
    return {"matches": list(start_by_number), "lines": shown_lines}


def _answer(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def _limit_itself() -> None:
    """Bound memory and time where the platform can; whoever started it kills it anyway."""
    if hasattr(signal, "alarm"):
        signal.alarm(GRACE_SECONDS)
    try:
        import resource
    except ImportError:
        return
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT_BYTES, MEMORY_LIMIT_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main()
