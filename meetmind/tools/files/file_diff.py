"""The unified diff of a text file, which also tells of line ends that change."""

from collections import Counter
from difflib import SequenceMatcher

from meetmind.tools.files.line_ends import body_of, count_ends, end_of, line_opcodes, lines_of

CONTEXT_LINES = 3
NO_END = "\\ No newline at end of file"


def unified_diff(path: str, before: str, after: str) -> str:
    """The diff of two texts with their own line ends; empty when nothing changes."""
    old, new = _shown_lines(before), _shown_lines(after)
    shown: list[str] = []
    for group in _groups(old, new):
        _, from_old, _, from_new, _ = group[0]
        _, _, to_old, _, to_new = group[-1]
        old_range, new_range = _range(from_old, to_old), _range(from_new, to_new)
        shown.append(f"@@ -{old_range} +{new_range} @@")
        for tag, start, end, new_start, new_end in group:
            if tag == "equal":
                shown.extend(_marked(" ", old[start:end]))
            else:
                shown.extend(_marked("-", old[start:end]))
                shown.extend(_marked("+", new[new_start:new_end]))
    note = _note_on_ends(before, after)
    if not shown and not note:
        return ""
    return "\n".join([f"--- {path}", f"+++ {path}", *shown, *note])


def _shown_lines(text: str) -> list[str]:
    """Lines without ends; a last line that has none is told apart by the note below it."""
    shown: list[str] = []
    for line in lines_of(text):
        shown.append(body_of(line) if end_of(line) else f"{line}\n{NO_END}")
    return shown


def _groups(old: list[str], new: list[str]) -> list[list[tuple[str, int, int, int, int]]]:
    # The grouping of difflib, over opcodes that were found in bounded time.
    matcher = SequenceMatcher(None, "", "")
    matcher.opcodes = line_opcodes(old, new)  # type: ignore[attr-defined]  # not in its stub
    groups: list[list[tuple[str, int, int, int, int]]] = []
    for group in matcher.get_grouped_opcodes(CONTEXT_LINES):
        groups.append([tuple(opcode) for opcode in group])  # type: ignore[misc]  # always five
    return groups


def _range(start: int, end: int) -> str:
    """Lines as a unified diff counts them: from 1, and an empty range stands after its line."""
    length = end - start
    first = start + 1 if length else start
    return f"{first}" if length == 1 else f"{first},{length}"


def _marked(mark: str, lines: list[str]) -> list[str]:
    return [mark + line for line in lines]


def _note_on_ends(before: str, after: str) -> list[str]:
    """A line when the file gets line ends that it did not have, or loses a kind of them."""
    old_counts, new_counts = count_ends(before), count_ends(after)
    if not old_counts or not new_counts or set(old_counts) == set(new_counts):
        return []
    return [f"\\ Line ends before: {_listed(old_counts)}; after: {_listed(new_counts)}"]


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
