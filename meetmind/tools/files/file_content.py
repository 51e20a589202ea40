"""The bytes of one file of the workspace: read, put in place, taken away."""

import hashlib
from pathlib import Path

from meetmind.errors import ToolError
from meetmind.tools.files.file_replacing import remove_file, replace_file
from meetmind.tools.path_auth import NO_SUCH_FOLDER, checked_parts, open_folder, read_plain_file

MAX_BYTES = 1_000_000


def content_at(workspace: Path, path: str) -> bytes | None:
    """The bytes of a file; None when there is none.

    Raises `PathRefused` for a forbidden path and `ToolError` for more than `MAX_BYTES`.
    """
    *folders, name = checked_parts(path)
    try:
        with open_folder(workspace, tuple(folders), create=False) as folder:
            return read_plain_file(folder, name, MAX_BYTES)
    except ToolError as error:
        if error.reason == NO_SUCH_FOLDER:
            return None
        raise


def put_content(workspace: Path, path: str, content: bytes) -> None:
    """Create or replace a file, with the folders on the way; raises `ToolError`."""
    *folders, name = checked_parts(path)
    if len(content) > MAX_BYTES:
        raise ToolError(
            f"The text is larger than {MAX_BYTES} bytes. Write less.", reason="too_large"
        )
    with open_folder(workspace, tuple(folders), create=True) as folder:
        replace_file(folder, name, content)


def take_away(workspace: Path, path: str) -> None:
    """Remove a file; nothing happens when there is none. Raises `ToolError`."""
    *folders, name = checked_parts(path)
    try:
        with open_folder(workspace, tuple(folders), create=False) as folder:
            remove_file(folder, name)
    except ToolError as error:
        if error.reason != NO_SUCH_FOLDER:
            raise


def content_sha256(content: bytes | None) -> str:
    """The hash of what a file holds; '' where there is no file."""
    return "" if content is None else sha256_of(content)


def sha256_of(content: bytes) -> str:
    """The hash under which the ledger knows a file's content."""
    return hashlib.sha256(content).hexdigest()
