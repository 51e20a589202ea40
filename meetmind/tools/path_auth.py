"""Which paths a file tool may touch: only plain names inside the session's workspace.

Paths are walked by directory handles without following links, so that a link that is put in
place between the check and the use leads nowhere.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from meetmind.errors import ToolError

MAX_PARTS = 12
FORBIDDEN_NAMES = {".env", ".git", ".streamlit", ".ssh"}


def checked_parts(path: str) -> tuple[str, ...]:
    """The parts of a relative path; raises `ToolError` with what is wrong with it."""
    if not path.strip() or "\x00" in path:
        raise ToolError("The path is empty or holds a NUL character. Give a plain relative path.")
    if path.startswith(("/", "~")) or "\\" in path or ":" in path:
        raise ToolError("The path must be relative to the workspace, with / between its parts.")
    parts = tuple(part for part in path.split("/") if part not in ("", "."))
    if not parts or len(parts) > MAX_PARTS:
        raise ToolError(f"The path must have 1 to {MAX_PARTS} parts.")
    for part in parts:
        if part == ".." or part.lower() in FORBIDDEN_NAMES or len(part.encode()) > 200:
            raise ToolError(f"The path part {part!r} is not allowed. Stay inside the workspace.")
    return parts


@contextmanager
def open_folder(workspace: Path, parts: tuple[str, ...], *, create: bool) -> Iterator[int]:
    """A handle on the folder `parts` below the workspace; links on the way are refused."""
    workspace.mkdir(parents=True, exist_ok=True)
    handle = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        for part in parts:
            if create:
                _make_folder(handle, part)
            below = _open_below(handle, part)
            os.close(handle)
            handle = below
        yield handle
    finally:
        os.close(handle)


def _make_folder(handle: int, part: str) -> None:
    try:
        os.mkdir(part, 0o755, dir_fd=handle)
    except FileExistsError:
        return


def _open_below(handle: int, part: str) -> int:
    try:
        return os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=handle)
    except FileNotFoundError:
        raise ToolError(f"There is no folder {part!r} in the workspace.") from None
    except OSError:
        raise ToolError(f"{part!r} is not a plain folder of the workspace.") from None


def read_plain_file(folder: int, name: str, limit: int) -> bytes | None:
    """The bytes of a regular, singly linked file; None when there is none.

    Raises `ToolError` for links, devices and files above `limit` bytes.
    """
    try:
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError:
        raise ToolError(f"{name!r} is not a plain file of the workspace.") from None
    with os.fdopen(handle, "rb") as file:
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode) or facts.st_nlink != 1:
            raise ToolError(f"{name!r} is not a plain file of the workspace.")
        if facts.st_size > limit:
            raise ToolError(f"{name!r} is larger than {limit} bytes.")
        return file.read(limit + 1)


def replace_file(folder: int, name: str, content: bytes) -> None:
    """Write by a temporary file and rename, so that the file is whole at every moment."""
    temporary = f".{name[:100]}.{os.getpid()}.part"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    handle = os.open(temporary, flags, 0o644, dir_fd=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        os.unlink(temporary, dir_fd=folder)
        raise
