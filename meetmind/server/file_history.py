"""How a file of a discussion came about: who changed it, when, by whose word, and what differs."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from meetmind.database.file_versions import FileChangeRow
from meetmind.server.workspace_files import plain_path, text_of

MOST_DIFF_CHARACTERS = 200_000
MOST_DIFF_LINES = 4_000
"""Of both sides together; more would keep the page waiting."""


@dataclass(frozen=True, kw_only=True)
class FileChange:
    """One change of a file by an approved call."""

    run_id: str
    call_id: str
    agent_name: str
    tool: str
    changed_at: datetime
    allowed_by: str
    """Who approved the call; empty where the account is gone."""
    diff: str
    """Unified; empty where none was kept."""
    undone_at: datetime | None
    """When it was taken back; None while it holds."""
    undone_by: str


@dataclass(frozen=True, kw_only=True)
class FileHistory:
    """Every change of a file, oldest first, and what differs since the first of them."""

    changes: tuple[FileChange, ...]
    diff_from_first: str
    """From what the file was before the first change to what it is now; empty when unknown."""


def changes_of(rows: Sequence[FileChangeRow], path: str) -> list[FileChangeRow]:
    """The rows for one file, however the calls wrote its path."""
    return [row for row in rows if plain_path(row.path) == path]


def was_attached(rows: Sequence[FileChangeRow]) -> bool:
    """Whether a file lay there before any call changed it; `rows` are its changes."""
    in_force = [row for row in rows if row.undone_at is None]
    return not in_force or in_force[0].target_sha256_before != ""


def change_of(row: FileChangeRow) -> FileChange:
    """A row of the ledger as people see it."""
    return FileChange(
        run_id=row.run_id,
        call_id=row.call_id,
        agent_name=row.agent_name,
        tool=row.tool,
        changed_at=row.changed_at,
        allowed_by=row.allowed_by or "",
        diff=row.preview,
        undone_at=row.undone_at,
        undone_by=row.undone_by or "",
    )


def diff_between(path: str, before: bytes | None, after: bytes) -> str:
    """The unified diff; empty where a side is no text or both are too long to compare."""
    text_before = "" if before is None else text_of(before)
    text_after = text_of(after)
    if text_before is None or text_after is None:
        return ""
    lines_before = text_before.splitlines()
    lines_after = text_after.splitlines()
    characters = len(text_before) + len(text_after)
    lines = len(lines_before) + len(lines_after)
    if characters > MOST_DIFF_CHARACTERS or lines > MOST_DIFF_LINES:
        return ""
    diff_lines = difflib.unified_diff(
        lines_before, lines_after, fromfile=path, tofile=path, lineterm=""
    )
    return "\n".join(diff_lines)
