"""Which paths a file tool may touch: plain files inside the workspace or a read-only folder.

Paths are walked by directory handles without following links, so that a link that is put in
place between the check and the use leads nowhere.
"""

import os
import stat
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from meetmind.errors import PathRefused, ToolError
from meetmind.tools.files.path_names import checked_name

MAX_PARTS = 12
OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
NO_SUCH_FOLDER = "no_such_folder"


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a path of a tool leads: a root folder, the parts below it, and what is allowed there.

    `prefix` stands before the parts in the path as tools take it: nothing for the workspace,
    `@name/` for a read-only folder.
    """

    root: Path
    parts: tuple[str, ...]
    prefix: str
    writable: bool

    @property
    def path(self) -> str:
        """The path as the tools take it."""
        return self.path_of(self.parts)

    def path_of(self, parts: tuple[str, ...]) -> str:
        """The path of other parts below the same root."""
        return (self.prefix + "/".join(parts)).rstrip("/") or "."


def place_of(path: str, workspace: Path, read_folders: Mapping[str, Path]) -> Place:
    """Where the path of a reading tool leads; "." and "@name" are the roots themselves.

    Raises `PathRefused` with what to do instead.
    """
    if not path.startswith("@"):
        parts = () if path.strip() in (".", "./") else checked_parts(path)
        return Place(root=workspace, parts=parts, prefix="", writable=True)
    name, _, below = path[1:].partition("/")
    if name not in read_folders:
        raise PathRefused(
            f"There is no read-only folder '@{name}'. Call list_dir with '.' to see what there is.",
            reason="no_such_read_folder",
        )
    parts = () if below.strip() in ("", ".", "./") else checked_parts(below)
    return Place(root=read_folders[name], parts=parts, prefix=f"@{name}/", writable=False)


def checked_parts(path: str) -> tuple[str, ...]:
    """The parts of a path of the workspace, in NFC; raises `PathRefused` for any other path."""
    if not path.strip() or "\x00" in path:
        raise PathRefused(
            "The path is empty or holds a NUL character. Give a plain relative path.",
            reason="odd_characters",
        )
    raw_parts = [part for part in path.split("/") if part not in ("", ".")]
    if raw_parts and raw_parts[0].startswith("@"):
        raise PathRefused(
            "Folders that begin with @ can only be read. Give a path of the workspace.",
            reason="read_only",
        )
    if path.startswith(("/", "~")) or "\\" in path or ":" in path:
        raise PathRefused(
            "The path must be relative to the workspace, with / between its parts.",
            reason="outside",
        )
    if not raw_parts or len(raw_parts) > MAX_PARTS:
        raise PathRefused(
            f"The path must have 1 to {MAX_PARTS} parts. Give a shorter one.", reason="too_deep"
        )
    return tuple(checked_name(part) for part in raw_parts)


@contextmanager
def open_folder(root: Path, parts: tuple[str, ...], *, create: bool) -> Iterator[int]:
    """A handle on the folder `parts` below the root; links and mount points on the way are refused.

    Raises `ToolError` with the reason `no_such_folder` when it is not there.
    """
    handle = _open_root(root, create=create)
    try:
        for part in parts:
            if create:
                _make_folder(handle, part)
            below = open_below(handle, part)
            os.close(handle)
            handle = below
        yield handle
    finally:
        os.close(handle)


def _open_root(root: Path, *, create: bool) -> int:
    if create:
        root.mkdir(parents=True, exist_ok=True)
    try:
        return os.open(root, OPEN_FOLDER)
    except FileNotFoundError:
        raise ToolError("The folder is empty as yet.", reason=NO_SUCH_FOLDER) from None
    except OSError:
        raise PathRefused("The folder cannot be opened.", reason="not_plain") from None


def _make_folder(handle: int, part: str) -> None:
    name = name_on_disk(handle, part)
    try:
        os.mkdir(name, 0o755, dir_fd=handle)
    except FileExistsError:
        return
    except OSError as error:
        raise ToolError(
            f"The folder {part!r} could not be made: {error.strerror}. Give another path.",
            reason="not_written",
        ) from None


def open_below(folder: int, part: str) -> int:
    """A handle on a folder in a folder, which the caller closes; no link, no mount point."""
    name = name_on_disk(folder, part)
    try:
        handle = os.open(name, OPEN_FOLDER, dir_fd=folder)
    except FileNotFoundError:
        raise ToolError(
            f"There is no folder {part!r}. Call list_dir to see what there is.",
            reason=NO_SUCH_FOLDER,
        ) from None
    except OSError:
        raise PathRefused(f"{part!r} is not a plain folder.", reason="not_plain") from None
    if os.fstat(handle).st_dev != os.fstat(folder).st_dev:
        os.close(handle)
        raise PathRefused(f"{part!r} is not a plain folder.", reason="not_plain")
    return handle


def name_on_disk(folder: int, name: str) -> str:
    """How a name is spelt in the folder: files from macOS may have decomposed letters."""
    if name.isascii() or _facts(folder, name) is not None:
        return name
    for found in os.listdir(folder):
        if unicodedata.normalize("NFC", found) == name:
            return found
    return name


def plain_file_facts(folder: int, name: str) -> os.stat_result | None:
    """What the file system says of a regular, singly linked file; None when nothing is there.

    Raises `PathRefused` for links, folders, devices and what lies on another file system.
    """
    facts = _facts(folder, name)
    if facts is not None:
        _refuse_unless_plain(facts, folder, name)
    return facts


def kind_of(folder: int, name: str) -> Literal["nothing", "folder", "file"]:
    """What stands under a name; raises `PathRefused` for links, devices and the like."""
    facts = _facts(folder, name)
    if facts is None:
        return "nothing"
    if stat.S_ISDIR(facts.st_mode):
        return "folder"
    _refuse_unless_plain(facts, folder, name)
    return "file"


def read_plain_file(folder: int, name: str, limit: int) -> bytes | None:
    """The bytes of a regular, singly linked file; None when there is none.

    Raises `PathRefused` for links and devices, `ToolError` for files above `limit` bytes.
    """
    name = name_on_disk(folder, name)
    # Looked at before it is opened, because opening alone can make a device do something.
    if plain_file_facts(folder, name) is None:
        return None
    try:
        handle = os.open(name, OPEN_FILE, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError:
        raise _not_plain(name) from None
    try:
        _refuse_unless_plain(os.fstat(handle), folder, name)
        with os.fdopen(handle, "rb", closefd=False) as file:
            content = file.read(limit + 1)
    finally:
        os.close(handle)
    if len(content) > limit:
        raise ToolError(
            f"{name!r} is larger than {limit} bytes. Go on without it.", reason="too_large"
        )
    return content


def _facts(folder: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return None


def _refuse_unless_plain(facts: os.stat_result, folder: int, name: str) -> None:
    is_plain = stat.S_ISREG(facts.st_mode) and facts.st_nlink == 1
    if not is_plain or facts.st_dev != os.fstat(folder).st_dev:
        raise _not_plain(name)


def _not_plain(name: str) -> PathRefused:
    return PathRefused(
        f"{name!r} is not a plain file. Call list_dir to see what there is.", reason="not_plain"
    )
