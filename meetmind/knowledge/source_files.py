"""The files of a role's knowledge: those of its seed folder and those that people uploaded."""

import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from meetmind.knowledge.document_faults import unreadable
from meetmind.knowledge.encodings import clean_text

SEED_ORIGIN = "seed"
UPLOAD_ORIGIN = "upload"
LONGEST_NAME = 120

Origin = Literal["seed", "upload"]


@dataclass(frozen=True, kw_only=True)
class SeedFile:
    """A file of a role's knowledge."""

    agent_name: str
    source: str
    """Its path below the role's folder; what people see and citations name."""
    path: Path
    origin: Origin = "seed"


def get_seeds_content(seed_path: Path, agent_name: str) -> list[SeedFile]:
    """The files of a role: everything in its folder, or `<role>_seeds.json` where there is none."""
    folder = seed_path / agent_name
    if folder.is_dir():
        return _files_below(folder, agent_name, "seed")
    single = seed_path / f"{agent_name}_seeds.json"
    if not single.is_file():
        return []
    return [SeedFile(agent_name=agent_name, source=single.name, path=single)]


def uploaded_files(upload_path: Path, agent_name: str) -> list[SeedFile]:
    """The files that people uploaded for a role."""
    folder = upload_path / agent_name
    return _files_below(folder, agent_name, "upload") if folder.is_dir() else []


def _files_below(folder: Path, agent_name: str, origin: Origin) -> list[SeedFile]:
    files: list[SeedFile] = []
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        is_hidden = any(part.startswith((".", "~$")) for part in relative.parts)
        if path.is_file() and not is_hidden:
            source = clean_text(os.fsencode(relative.as_posix()).decode("utf-8", "replace"))
            files.append(SeedFile(agent_name=agent_name, source=source, path=path, origin=origin))
    return files


def upload_name(given: str) -> str:
    """The name under which an upload is kept: one part, no leading dot, of bounded length.

    Raises `DocumentUnreadable` when nothing of it is left.
    """
    last_part = PurePosixPath(given.replace("\\", "/")).name
    printable = "".join(character for character in clean_text(last_part) if character.isprintable())
    name = printable.strip().lstrip(".~").strip()
    suffix = PurePosixPath(name).suffix
    stem = name.removesuffix(suffix)
    while len((stem + suffix).encode("utf-8")) > LONGEST_NAME and stem:
        stem = stem[:-1]
    if not stem:
        raise unreadable("no_usable_name")
    return stem + suffix


def keep_upload(upload_path: Path, agent_name: str, name: str, raw: bytes) -> SeedFile:
    """Store an uploaded file in place of one of the same name; it is there whole or not at all."""
    folder = upload_path / agent_name
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    scratch = folder / f".{name}.part"
    scratch.write_bytes(raw)
    scratch.replace(path)
    return SeedFile(agent_name=agent_name, source=name, path=path, origin="upload")


def remove_upload(upload_path: Path, agent_name: str, source: str) -> None:
    """Remove an uploaded file; does nothing when it is gone already or lies elsewhere."""
    folder = upload_path / agent_name
    path = folder / source
    if path.parent == folder and path.is_file():
        path.unlink()


def read_bytes(path: Path) -> bytes:
    """The bytes of a file; raises `DocumentUnreadable` with the system's reason."""
    try:
        return path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise unreadable("not_opened", fault=reason) from None
