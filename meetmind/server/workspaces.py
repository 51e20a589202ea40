"""What roles can see and change of this machine's files, as people see and steer it."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from psycopg_pool import ConnectionPool

from meetmind.clean_text import clean_bad_chars
from meetmind.database import file_versions, sessions
from meetmind.database import read_folders as folder_rows
from meetmind.database.file_versions import FileChangeRow, FileVersion
from meetmind.errors import EditRefused, NotFound
from meetmind.server import workspace_files
from meetmind.server.accounts import Person
from meetmind.server.attachments import (
    Attachment,
    AttachmentRefusal,
    check_attachments,
    keep_attachments,
)
from meetmind.server.file_history import (
    FileHistory,
    change_of,
    changes_of,
    diff_between,
    was_attached,
)
from meetmind.server.read_folders import (
    MOST_FOLDERS,
    ReadFolder,
    checked_folder_name,
    checked_folder_path,
    read_folder,
)
from meetmind.server.undoing import take_back
from meetmind.server.workspace_files import WorkspaceFile, plain_path


@dataclass(frozen=True, kw_only=True)
class DiscussionFile:
    """A file of a discussion; `path` is relative to its folder, `size` in bytes."""

    path: str
    size: int
    changed_at: datetime
    was_attached: bool
    """Whether a person attached it; otherwise a role wrote it."""
    changes: int
    """How many approved calls changed it and were not taken back."""
    undone: int
    """How many changes of it were taken back."""


@dataclass(frozen=True, kw_only=True)
class AttachOutcome:
    """The names of the files that were kept, or why none was."""

    names: tuple[str, ...] = ()
    refusals: tuple[AttachmentRefusal, ...] = ()


class Workspaces:
    """The folders of all discussions, below `home`, and what else of the machine may be read."""

    def __init__(self, pool: ConnectionPool, home: Path) -> None:
        self._pool = pool
        self._home = home
        self._attaching = threading.Lock()

    def list_files(self, owner_id: str, session_id: str) -> list[DiscussionFile]:
        """The files of a discussion, newest first; raises `NotFound`."""
        workspace = self._own_workspace(owner_id, session_id)
        files = workspace_files.list_files(workspace)
        if not files:
            return []
        rows = file_versions.list_changes(self._pool, owner_id=owner_id, session_id=session_id)
        return [_discussion_file(file, changes_of(rows, file.path)) for file in files]

    def attached_names(self, owner_id: str, session_id: str) -> list[str]:
        """The files that people attached and that still lie there, newest first."""
        files = self.list_files(owner_id, session_id)
        return [file.path for file in files if file.was_attached]

    def read_file(self, owner_id: str, session_id: str, path: str) -> bytes:
        """One file; raises `NotFound` and, for a forbidden path, `ToolError`."""
        return workspace_files.read_file(self._own_workspace(owner_id, session_id), path)

    def zip_bytes(self, owner_id: str, session_id: str) -> bytes:
        """All files in one archive; raises `NotFound` and, beyond 50 MB, `ToolError`."""
        return workspace_files.zip_of(self._own_workspace(owner_id, session_id))

    def changes(self, owner_id: str, session_id: str, path: str) -> FileHistory:
        """Every change of a file by an approved call; raises as `read_file` does."""
        content = self.read_file(owner_id, session_id, path)
        plain = plain_path(path) or path
        rows = file_versions.list_changes(self._pool, owner_id=owner_id, session_id=session_id)
        own_rows = changes_of(rows, plain)
        first = self._first_version(owner_id, own_rows)
        diff = "" if first is None else diff_between(plain, first.content, content)
        changes = tuple(change_of(row) for row in own_rows)
        return FileHistory(changes=changes, diff_from_first=diff)

    def _first_version(self, owner_id: str, rows: Sequence[FileChangeRow]) -> FileVersion | None:
        if not rows:
            return None
        return file_versions.get_version(
            self._pool, owner_id=owner_id, run_id=rows[0].run_id, call_id=rows[0].call_id
        )

    def attach(self, owner_id: str, session_id: str, files: Sequence[Attachment]) -> AttachOutcome:
        """Lay files into a discussion's folder: all of them, or none with the reasons.

        A name that is taken gets a number. Raises `NotFound`.
        """
        workspace = self._own_workspace(owner_id, session_id)
        with self._attaching:
            there = workspace_files.list_files(workspace)
            refusals = check_attachments(files, sum(file.size for file in there))
            if refusals:
                return AttachOutcome(refusals=refusals)
            return AttachOutcome(names=keep_attachments(workspace, files))

    def take_attached_away(self, owner_id: str, session_id: str, names: Sequence[str]) -> None:
        """Remove files that were attached to a brief which then was not taken."""
        workspace = self._own_workspace(owner_id, session_id)
        for name in names:
            if "/" not in name and plain_path(name) == name:
                (workspace / name).unlink(missing_ok=True)

    def version_before(self, owner_id: str, run_id: str, call_id: str) -> FileVersion:
        """What the file held before an approved call changed it; raises `NotFound`."""
        version = file_versions.get_version(
            self._pool, owner_id=owner_id, run_id=run_id, call_id=call_id
        )
        if version is None:
            raise NotFound("Nothing was kept of what the file held before.")
        return version

    def undo(self, owner_id: str, run_id: str, call_id: str) -> None:
        """Give a file back what it held before an approved call changed it.

        Raises `NotFound`, and `UndoRefused` whose `details["reason"]` is `nothing_kept`,
        `already_undone`, `at_work` or `changed`; then nothing has changed.
        """
        change = file_versions.get_change(
            self._pool, owner_id=owner_id, run_id=run_id, call_id=call_id
        )
        if change is None:
            raise NotFound("This call changed no file.")
        take_back(self._pool, self._workspace(change.session_id), change, owner_id)

    def read_folders(self) -> list[ReadFolder]:
        """The folders that every discussion may read, by name."""
        return [read_folder(row) for row in folder_rows.list_folders(self._pool)]

    def add_read_folder(self, person: Person, name: str, path: str) -> ReadFolder:
        """Open a folder for reading as `@name/...`.

        Raises `EditRefused` whose `refusal` is `not_admin`, `name`, `name_taken`, `too_many`,
        `not_absolute`, `no_folder`, `system`, `own` or `secret`.
        """
        _require_admin(person)
        folder_name = checked_folder_name(name)
        folder = checked_folder_path(path, self._home)
        if len(folder_rows.list_folders(self._pool)) >= MOST_FOLDERS:
            raise EditRefused(
                f"At most {MOST_FOLDERS} folders can be open.",
                refusal="too_many",
                limit=MOST_FOLDERS,
            )
        added = folder_rows.add_folder(
            self._pool, name=folder_name, path=str(folder), person_id=person.id
        )
        if not added:
            raise EditRefused(
                f"Another folder is called {folder_name}.", refusal="name_taken", name=folder_name
            )
        by_name = {opened.name: opened for opened in self.read_folders()}
        return by_name[folder_name]

    def remove_read_folder(self, person: Person, name: str) -> None:
        """Close a folder; its files stay. Raises `EditRefused` (`not_admin`) and `NotFound`."""
        _require_admin(person)
        if not folder_rows.remove_folder(self._pool, clean_bad_chars(name)):
            raise NotFound("There is no folder of this name.")

    def _own_workspace(self, owner_id: str, session_id: str) -> Path:
        cleaned = clean_bad_chars(session_id)
        if not sessions.list_sessions(self._pool, owner_id=owner_id, session_id=cleaned):
            raise NotFound("There is no such discussion.")
        return self._workspace(cleaned)

    def _workspace(self, session_id: str) -> Path:
        return self._home / "workspaces" / session_id


def _require_admin(person: Person) -> None:
    if not person.is_admin:
        raise EditRefused("Only an administrator can change this.", refusal="not_admin")


def _discussion_file(file: WorkspaceFile, rows: Sequence[FileChangeRow]) -> DiscussionFile:
    undone = sum(row.undone_at is not None for row in rows)
    return DiscussionFile(
        path=file.path,
        size=file.size,
        changed_at=file.changed_at,
        was_attached=was_attached(rows),
        changes=len(rows) - undone,
        undone=undone,
    )
