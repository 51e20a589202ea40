"""Folders of this machine that an administrator opens for the tools to read."""

import os
import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from meetmind.config.settings import PROJECT_ROOT
from meetmind.database.read_folders import ReadFolderRow
from meetmind.errors import EditRefused
from meetmind.tools.files.path_names import is_hidden

MOST_FOLDERS = 20
NAME_PATTERN = re.compile(r"[a-z][a-z0-9_-]{0,29}")
SYSTEM_FOLDERS = (Path("/proc"), Path("/sys"), Path("/dev"), Path("/run"))


@dataclass(frozen=True, kw_only=True)
class ReadFolder:
    """A folder that every discussion may read, as `@name/...`."""

    name: str
    path: str
    """Absolute, links resolved."""
    added_by: str
    """Empty where the account is gone."""
    added_at: datetime
    is_there: bool
    """Whether it is a folder that can be read now."""


def read_folder(row: ReadFolderRow) -> ReadFolder:
    """A row as people see it."""
    return ReadFolder(
        name=row.name,
        path=row.path,
        added_by=row.added_by or "",
        added_at=row.added_at,
        is_there=_can_be_read(Path(row.path)),
    )


def checked_folder_name(name: str) -> str:
    """The name in small letters; raises `EditRefused` (`name`) for one that no path can hold."""
    plain = name.strip().removeprefix("@").lower()
    if NAME_PATTERN.fullmatch(plain) is None:
        raise EditRefused(
            "A name has 1 to 30 of a-z, 0-9, - and _, and begins with a letter.", refusal="name"
        )
    return plain


def checked_folder_path(path: str, home: Path) -> Path:
    """The folder with links resolved; raises `EditRefused` for one that may not be opened.

    Refused is what is no readable folder, what belongs to the system, and what holds MeetMind's
    own data or settings: `home` and the folder with `.env`.
    """
    if "\x00" in path or not Path(path.strip()).is_absolute():
        raise EditRefused("Give the whole path of a folder, from / on.", refusal="not_absolute")
    folder = _resolved(path.strip())
    if folder.parent == folder or any(_lies_in(folder, system) for system in SYSTEM_FOLDERS):
        raise EditRefused("This folder belongs to the system.", refusal="system")
    own_home = home.resolve()
    if _lies_in(folder, own_home) or _lies_in(own_home, folder):
        raise EditRefused("This folder holds MeetMind's own data.", refusal="own")
    if _lies_in(PROJECT_ROOT, folder):
        raise EditRefused("This folder holds MeetMind's own settings.", refusal="own")
    if any(is_hidden(part) for part in folder.parts[1:]):
        raise EditRefused("A folder of this name may hold secrets.", refusal="secret")
    return folder


def _resolved(path: str) -> Path:
    try:
        folder = Path(path).resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        raise _not_a_folder() from None
    if not _can_be_read(folder):
        raise _not_a_folder()
    return folder


def _not_a_folder() -> EditRefused:
    return EditRefused("There is no folder here that MeetMind can read.", refusal="no_folder")


def _can_be_read(folder: Path) -> bool:
    return folder.is_dir() and os.access(folder, os.R_OK | os.X_OK)


def _lies_in(folder: Path, other: Path) -> bool:
    return folder == other or other in folder.parents
