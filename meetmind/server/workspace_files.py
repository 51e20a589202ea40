"""The files that a discussion's tools have written, for the person to read."""

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from meetmind.errors import NotFound
from meetmind.tools.path_auth import checked_parts, open_folder, read_plain_file

MOST_FILES = 200
MOST_BYTES = 20_000_000


@dataclass(frozen=True, kw_only=True)
class WorkspaceFile:
    """One file of a workspace; `path` is relative to it, `size` in bytes."""

    path: str
    size: int
    changed_at: datetime


def list_files(workspace: Path) -> list[WorkspaceFile]:
    """The plain files of a workspace, newest first; links are passed over."""
    found = []
    for folder, _, names in os.walk(workspace, followlinks=False):
        for name in names:
            path = Path(folder) / name
            if path.is_symlink() or name.startswith("."):
                continue
            facts = path.stat()
            found.append(
                WorkspaceFile(
                    path=path.relative_to(workspace).as_posix(),
                    size=facts.st_size,
                    changed_at=datetime.fromtimestamp(facts.st_mtime, UTC),
                )
            )
    found.sort(key=lambda file: file.changed_at, reverse=True)
    return found[:MOST_FILES]


def read_file(workspace: Path, path: str) -> bytes:
    """The bytes of one file; raises `NotFound` and, for a forbidden path, `ToolError`."""
    *folders, name = checked_parts(path)
    with open_folder(workspace, tuple(folders), create=False) as folder:
        content = read_plain_file(folder, name, MOST_BYTES)
    if content is None:
        raise NotFound("There is no such file.")
    return content
