"""What a tool read of a file, as evidence that can be cited."""

import hashlib
from collections.abc import Iterator, Sequence

from meetmind.events import PassageEvidence
from meetmind.knowledge.words import detect_language

LONGEST_PIECE = 4_000


def excerpt_evidence(source: str, lines: Sequence[str], first_line: int) -> list[PassageEvidence]:
    """Consecutive lines of a file, the first with this number, in pieces of bounded length."""
    evidence: list[PassageEvidence] = []
    for start, end in _pieces(lines):
        content = "\n".join(lines[start:end])
        if content.strip():
            locator = lines_locator(first_line + start, first_line + end - 1)
            rank = len(evidence) + 1
            evidence.append(file_evidence(source, content, locator=locator, rank=rank))
    return evidence


def _pieces(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where each piece begins and ends; a line that is too long alone is a piece of its own."""
    start, length = 0, 0
    for index, line in enumerate(lines):
        if length and length + len(line) > LONGEST_PIECE:
            yield start, index
            start, length = index, 0
        length += len(line) + 1
    if length:
        yield start, len(lines)


def lines_locator(first: int, last: int) -> str:
    """The place of consecutive lines, such as `lines 1-40`."""
    return f"line {first}" if first == last else f"lines {first}-{last}"


def file_evidence(source: str, content: str, *, locator: str, rank: int) -> PassageEvidence:
    """One excerpt of the file that tools reach as `source`; cut at `LONGEST_PIECE` characters."""
    excerpt = content[:LONGEST_PIECE]
    digest = hashlib.sha256((source + excerpt).encode("utf-8", "replace")).hexdigest()
    return PassageEvidence(
        passage_id=f"file_{digest[:12]}",
        agent_name="",
        title=source.rsplit("/", 1)[-1],
        source=source,
        locator=locator,
        language=detect_language(excerpt),
        content=excerpt,
        rank=rank,
        coverage=1.0,
        kind="file",
    )
