"""What a call would change, before it runs: shown on the approval card and kept in the ledger."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from meetmind.tools.write_tool import write_effect

WRITE = "Write"


@dataclass(frozen=True, kw_only=True)
class Effect:
    """Hashes of the target file before and after ('' = no file) and the diff; None for no file."""

    sha256_before: str | None = None
    sha256_after: str | None = None
    diff: str = ""


NO_FILE = Effect()


def expected_effect(tool_name: str, arguments: Mapping[str, Any], workspace: Path) -> Effect:
    """The effect on the workspace as it is now; raises `ToolError` for a forbidden path."""
    if tool_name != WRITE:
        return NO_FILE
    effect = write_effect(workspace, str(arguments["path"]), str(arguments["content"]))
    return Effect(
        sha256_before=effect.sha256_before,
        sha256_after=effect.sha256_after,
        diff=effect.diff,
    )
