"""Gives a file back what it held before an approved call changed it."""

from pathlib import Path

from psycopg_pool import ConnectionPool

from meetmind.database import file_versions
from meetmind.database.file_versions import FileChangeRow, FileVersion, UndoClaim
from meetmind.errors import NotFound, ToolError, UndoRefused
from meetmind.server.workspace_files import plain_path, read_file
from meetmind.tools.files.file_content import content_sha256


def take_back(pool: ConnectionPool, workspace: Path, change: FileChangeRow, owner_id: str) -> None:
    """Restore the file and mark the change as taken back, both or neither.

    Raises `UndoRefused` whose `details["reason"]` is `nothing_kept`, `already_undone`, `at_work` or
    `changed`.
    """
    # LangChain, which the tools bring along, must not keep pages waiting that only show files.
    from meetmind.tools.effects import restore_content

    version = _kept_version(pool, change, owner_id)
    with file_versions.undo_claim(pool, change, owner_id) as claim:
        _refuse_unless_safe(workspace, change, claim)
        restore_content(workspace, change.path, version.content)


def _kept_version(pool: ConnectionPool, change: FileChangeRow, owner_id: str) -> FileVersion:
    version = file_versions.get_version(
        pool, owner_id=owner_id, run_id=change.run_id, call_id=change.call_id
    )
    if version is None or content_sha256(version.content) != change.target_sha256_before:
        raise UndoRefused(
            "What the file held before was not kept, so the change cannot be taken back.",
            reason="nothing_kept",
        )
    return version


def _refuse_unless_safe(workspace: Path, change: FileChangeRow, claim: UndoClaim) -> None:
    if not claim.is_ours:
        raise UndoRefused("This change was taken back already.", reason="already_undone")
    if plain_path(change.path) in [plain_path(path) for path in claim.paths_at_work]:
        raise UndoRefused(
            "A call that changes this file is approved and not done yet. Let it finish or stop the "
            "discussion, then take this back.",
            reason="at_work",
        )
    content = _content_now(workspace, change.path)
    if content_sha256(content) != change.target_sha256_after:
        raise UndoRefused(
            "The file has changed since, so taking this back would lose the later change. Download "
            "the version before instead.",
            reason="changed",
        )


def _content_now(workspace: Path, path: str) -> bytes | None:
    try:
        return read_file(workspace, path)
    except (NotFound, ToolError):
        return None
