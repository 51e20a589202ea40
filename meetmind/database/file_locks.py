"""Locks on files between processes; the system drops them when a process dies."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from meetmind.errors import EmbeddedServerError

if sys.platform != "win32":
    import fcntl

PAUSE_SECONDS = 0.02


class FileLock:
    """One open lock file; every instance is a party of its own, in one process too."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def take_shared(self) -> None:
        """Hold the lock together with others; the caller knows that nobody holds it alone."""
        fcntl.flock(self._descriptor, fcntl.LOCK_SH)

    def take_alone_now(self) -> bool:
        """Take the lock for this party alone, unless another one holds it."""
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def take_alone(self, seconds: float) -> None:
        """Wait for the lock; raises `EmbeddedServerError` when `seconds` have passed."""
        deadline = time.monotonic() + seconds
        while not self.take_alone_now():
            if time.monotonic() > deadline:
                raise EmbeddedServerError(
                    f"Another start of MeetMind has been holding {self._path} for more than "
                    f"{seconds:.0f} seconds. End that process, then start again."
                )
            time.sleep(PAUSE_SECONDS)

    def release(self) -> None:
        """Give the lock up and close the file."""
        os.close(self._descriptor)


@contextmanager
def held_alone(path: Path, seconds: float) -> Iterator[None]:
    """Hold the lock at `path` for the length of the block."""
    lock = FileLock(path)
    try:
        lock.take_alone(seconds)
        yield
    finally:
        lock.release()
