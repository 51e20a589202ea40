"""Puts a file in place or takes it away: whole at every moment, whatever happens between."""

import contextlib
import os
import secrets
import stat

from meetmind import faults
from meetmind.errors import ToolError
from meetmind.tools.path_auth import name_on_disk, plain_file_facts

NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
ORDINARY_MODE = 0o644


def replace_file(folder: int, name: str, content: bytes) -> None:
    """Write a temporary file and rename it, so that a crash leaves the old file as it was.

    The file keeps its mode. Raises `PathRefused` when a link, a folder or a device stands there,
    `ToolError` when the disk does not take it.
    """
    name = name_on_disk(folder, name)
    before = plain_file_facts(folder, name)
    # A name that no tool lists or opens, should a crash leave it behind.
    temporary = f".meetmind-{secrets.token_hex(8)}.part"
    try:
        faults.reach("file.writing", name)
        handle = os.open(temporary, NEW_FILE, ORDINARY_MODE, dir_fd=folder)
        with os.fdopen(handle, "wb") as file:
            if before is not None:
                os.fchmod(file.fileno(), stat.S_IMODE(before.st_mode) & 0o777)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        faults.reach("file.written", name)
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        faults.reach("file.replaced", name)
        os.fsync(folder)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise ToolError(
            f"{name!r} could not be written: {error.strerror}. The old file is as it was.",
            reason="not_written",
        ) from None


def remove_file(folder: int, name: str) -> None:
    """Take a plain file away; nothing happens when there is none."""
    name = name_on_disk(folder, name)
    if plain_file_facts(folder, name) is None:
        return
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)
    os.fsync(folder)
