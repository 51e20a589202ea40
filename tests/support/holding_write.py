"""Lets `Write` stop for good right before or right after its effect, on files of two names."""

import threading
from pathlib import Path

from meetmind.tools import write_tool

HELD_BEFORE = "held_before.md"
HELD_AFTER = "held_after.md"


def held_mark(folder: Path, session_id: str, path: str) -> Path:
    """The file that appears once the `Write` of this discussion holds."""
    return folder / f"{session_id}.{path}"


def hold_writes(folder: Path) -> None:
    """Hold every such `Write` of this process that has not held before, in whatever process."""
    put_content = write_tool.put_content

    def put_and_hold(workspace: Path, path: str, content: bytes) -> None:
        mark = held_mark(folder, workspace.name, path)
        if path not in (HELD_BEFORE, HELD_AFTER) or mark.exists():
            put_content(workspace, path, content)
            return
        if path == HELD_AFTER:
            put_content(workspace, path, content)
        folder.mkdir(exist_ok=True)
        mark.touch()
        threading.Event().wait()

    write_tool.put_content = put_and_hold
