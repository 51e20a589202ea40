"""What a call would change, before it runs: shown on the approval card and kept in the ledger."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from meetmind.errors import ToolError
from meetmind.tools.edit_tool import EditArguments, content_after_edit
from meetmind.tools.files.file_content import (
    content_at,
    content_sha256,
    put_content,
    sha256_of,
    take_away,
)
from meetmind.tools.files.file_diff import unified_diff
from meetmind.tools.files.text_files import NEW_FILE, decode_file
from meetmind.tools.write_tool import WriteArguments, content_after_write

FILE_TOOLS = ("Write", "Edit")


@dataclass(frozen=True, kw_only=True)
class Effect:
    """Hashes of the target file before and after ('' = no file) and the diff; None for no file."""

    path: str = ""
    sha256_before: str | None = None
    sha256_after: str | None = None
    diff: str = ""


NO_FILE = Effect()


def expected_effect(tool_name: str, arguments: Mapping[str, Any], workspace: Path) -> Effect:
    """The effect on the workspace as it is now; raises `ToolError` when the call does not apply."""
    if tool_name not in FILE_TOOLS:
        return NO_FILE
    path = str(arguments["path"])
    before = content_at(workspace, path)
    after = _content_after(tool_name, arguments, before)
    return Effect(
        path=path,
        sha256_before=content_sha256(before),
        sha256_after=sha256_of(after),
        diff=_diff(path, before, after),
    )


def effect_now(tool_name: str, arguments: Mapping[str, Any], workspace: Path) -> Effect:
    """`expected_effect` for a card that is drawn anew; none where the call cannot be made now."""
    try:
        return expected_effect(tool_name, arguments, workspace)
    except ToolError:
        return NO_FILE


def _content_after(tool_name: str, arguments: Mapping[str, Any], before: bytes | None) -> bytes:
    """As the tool itself reads the arguments: `replace_all: "false"` is false to it."""
    if tool_name == "Write":
        written = WriteArguments.model_validate(dict(arguments))
        return content_after_write(written.path, before, written.content)
    edit = EditArguments.model_validate(dict(arguments))
    return content_after_edit(edit.path, before, edit.old_string, edit.new_string, edit.replace_all)


def _diff(path: str, before: bytes | None, after: bytes) -> str:
    old = decode_file(path, before) if before else NEW_FILE
    new_text = after.removeprefix(old.mark).decode(old.encoding)
    return unified_diff(path, old.text, new_text)


def current_content(workspace: Path, path: str) -> bytes | None:
    """The bytes of a file as it is now; None when there is none. Raises `ToolError`."""
    return content_at(workspace, path)


def current_sha256(workspace: Path, path: str) -> str:
    """The hash of a file as it is now; '' when there is none. Raises `ToolError`."""
    return content_sha256(content_at(workspace, path))


def restore_content(workspace: Path, path: str, content: bytes | None) -> None:
    """Put a file back as it was; None takes it away. Raises `ToolError`, as the tools do."""
    if content is None:
        take_away(workspace, path)
    else:
        put_content(workspace, path, content)
