"""What lies in a folder and below it, seen through directory handles: plain files and folders."""

import os
import stat
import time
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from meetmind.errors import ToolError
from meetmind.tools.files.path_names import is_hidden
from meetmind.tools.path_auth import MAX_PARTS, Place, open_below, open_folder

MOST_ENTRIES_A_FOLDER = 10_000
MOST_ENTRIES_A_WALK = 30_000


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One file or folder; `size` in bytes, 0 for folders."""

    name: str
    is_folder: bool
    size: int


@dataclass(frozen=True, kw_only=True)
class Listing:
    """What a folder shows, by name; `hidden_count` counts secrets, links, devices, odd names."""

    entries: tuple[Entry, ...]
    hidden_count: int
    is_cut: bool


@dataclass(frozen=True, kw_only=True)
class FoundFile:
    """A file on a walk; `folder` is a handle that is open until the walk goes on."""

    folder: int
    parts: tuple[str, ...]
    size: int


def list_folder(folder: int, *, is_root: bool) -> Listing:
    """The plain files and folders that the handle shows, sorted by name."""
    device = os.fstat(folder).st_dev
    entries: list[Entry] = []
    hidden_count = 0
    is_cut = False
    with os.scandir(folder) as found:
        for seen_count, each in enumerate(found):
            if seen_count == MOST_ENTRIES_A_FOLDER:
                is_cut = True
                break
            entry = _entry(each, device)
            if entry is None or (is_root and entry.name.startswith("@")):
                hidden_count += 1
            else:
                entries.append(entry)
    entries.sort(key=lambda entry: entry.name)
    return Listing(entries=tuple(entries), hidden_count=hidden_count, is_cut=is_cut)


def _entry(found: os.DirEntry[str], device: int) -> Entry | None:
    """None for what no tool may show."""
    if is_hidden(found.name):
        return None
    try:
        facts = found.stat(follow_symlinks=False)
    except OSError:
        return None
    if facts.st_dev != device:
        return None
    name = unicodedata.normalize("NFC", found.name)
    if stat.S_ISDIR(facts.st_mode):
        return Entry(name=name, is_folder=True, size=0)
    if stat.S_ISREG(facts.st_mode) and facts.st_nlink == 1:
        return Entry(name=name, is_folder=False, size=facts.st_size)
    return None


class FolderWalk:
    """Goes through every file below a folder, until the deadline; tells what it passed over.

    `deadline` is a time of `time.monotonic()`. Bounded in depth and in how much it looks at.
    """

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline
        self._entries_seen = 0
        self.hidden_count = 0
        self.is_cut = False

    @property
    def is_late(self) -> bool:
        """Whether the time is up; then the walk counts as cut."""
        if time.monotonic() > self._deadline:
            self.is_cut = True
        return self.is_cut

    def files(self, place: Place) -> Iterator[FoundFile]:
        """The files below the place, folder by folder; raises `ToolError` for a missing folder."""
        if not place.parts and not place.root.exists():
            # A workspace into which nothing was written yet.
            return
        with open_folder(place.root, place.parts, create=False) as folder:
            yield from self._files_below(folder, place.parts)

    def _files_below(self, folder: int, parts: tuple[str, ...]) -> Iterator[FoundFile]:
        listing = list_folder(folder, is_root=not parts)
        self.hidden_count += listing.hidden_count
        self._entries_seen += len(listing.entries)
        if listing.is_cut or self._entries_seen > MOST_ENTRIES_A_WALK:
            self.is_cut = True
        for entry in listing.entries:
            if self.is_late:
                return
            below = (*parts, entry.name)
            if not entry.is_folder:
                yield FoundFile(folder=folder, parts=below, size=entry.size)
            elif len(below) < MAX_PARTS:
                yield from self._files_in(folder, below)

    def _files_in(self, folder: int, parts: tuple[str, ...]) -> Iterator[FoundFile]:
        try:
            handle = open_below(folder, parts[-1])
        except ToolError:
            # It was a folder a moment ago and is a link or gone by now.
            self.hidden_count += 1
            return
        try:
            yield from self._files_below(handle, parts)
        finally:
            os.close(handle)
