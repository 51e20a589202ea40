"""What stands in `made.json`: who made a model folder, from what, and how the check went."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from meetmind.knowledge.models.encoder import MADE_FILE
from meetmind.knowledge.models.export_check import ExportCheck

MAKING_VERSION = 2
"""Raised whenever the same source would give other files."""


@dataclass(frozen=True, kw_only=True)
class MadeRecord:
    """The record of one folder; `size_by_file` shows whether a file was lost or cut later."""

    model: str
    source: str
    """The package with its version."""
    version: int
    check: ExportCheck | None
    """None where no export could be made."""
    size_by_file: dict[str, int]


def write_record(folder: Path, model: str, source: str, check: ExportCheck | None) -> None:
    """Write the record of a folder whose other files are all there."""
    record = MadeRecord(
        model=model,
        source=source,
        version=MAKING_VERSION,
        check=check,
        size_by_file=_size_by_file(folder),
    )
    text = json.dumps(asdict(record), indent=2)
    (folder / MADE_FILE).write_text(text + "\n", encoding="utf-8")


def is_made(folder: Path, source: str) -> bool:
    """Whether the folder was made from this source, by this version, and is whole."""
    try:
        record = json.loads((folder / MADE_FILE).read_text(encoding="utf-8"))
        recorded = (record["source"], record["version"], record["size_by_file"])
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return recorded == (source, MAKING_VERSION, _size_by_file(folder))


def _size_by_file(folder: Path) -> dict[str, int]:
    size_by_file: dict[str, int] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != MADE_FILE:
            relative = path.relative_to(folder).as_posix()
            size_by_file[relative] = path.stat().st_size
    return size_by_file
