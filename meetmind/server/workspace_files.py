"""The files of one discussion's folder: which there are, what they hold, all of them as a zip."""

import codecs
import io
import os
import stat
import zipfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from meetmind.errors import DocumentUnreadable, NotFound, ToolError
from meetmind.knowledge.encodings import decode_text
from meetmind.tools.path_auth import NO_SUCH_FOLDER, checked_parts, open_folder, read_plain_file

MOST_FILES = 200
MOST_BYTES = 20_000_000
MOST_ZIP_BYTES = 50_000_000
ZIP_MODE = (stat.S_IFREG | 0o644) << 16
UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, kw_only=True)
class WorkspaceFile:
    """A file of a workspace; `path` is relative to it, `size` in bytes."""

    path: str
    size: int
    changed_at: datetime


def list_files(workspace: Path) -> list[WorkspaceFile]:
    """The files of a workspace, newest first, at most `MOST_FILES`.

    Links, devices, what begins with a dot and what no tool may touch are passed over.
    """
    found: list[WorkspaceFile] = []
    for folder, _, names in os.walk(workspace, followlinks=False):
        for name in names:
            file = _file_at(workspace, Path(folder) / name)
            if file is not None:
                found.append(file)
    found.sort(key=lambda file: file.changed_at, reverse=True)
    return found[:MOST_FILES]


def _file_at(workspace: Path, path: Path) -> WorkspaceFile | None:
    try:
        facts = path.lstat()
    except FileNotFoundError:
        return None
    if path.name.startswith(".") or not stat.S_ISREG(facts.st_mode) or facts.st_nlink != 1:
        return None
    plain = plain_path(path.relative_to(workspace).as_posix())
    if plain is None:
        return None
    return WorkspaceFile(
        path=plain,
        size=facts.st_size,
        changed_at=datetime.fromtimestamp(facts.st_mtime, UTC),
    )


def plain_path(path: str) -> str | None:
    """The path as it is listed, so that `./a//b.md` is `a/b.md`; None where no tool may go."""
    try:
        return "/".join(checked_parts(path))
    except ToolError:
        return None


def read_file(workspace: Path, path: str) -> bytes:
    """The bytes of one file; raises `NotFound` and, for a forbidden path, `ToolError`."""
    *folders, name = checked_parts(path)
    try:
        with open_folder(workspace, tuple(folders), create=False) as folder:
            content = read_plain_file(folder, name, MOST_BYTES)
    except ToolError as error:
        if error.reason != NO_SUCH_FOLDER:
            raise
        content = None
    if content is None:
        raise NotFound("There is no such file.")
    return content


def zip_of(workspace: Path) -> bytes:
    """Every listed file in one archive; raises `ToolError` beyond `MOST_ZIP_BYTES`."""
    files = list_files(workspace)
    if sum(file.size for file in files) > MOST_ZIP_BYTES:
        raise ToolError("The files are too large for one archive.", reason="too_large")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(files, key=lambda file: file.path):
            _add_to_zip(archive, workspace, file)
    return packed.getvalue()


def _add_to_zip(archive: zipfile.ZipFile, workspace: Path, file: WorkspaceFile) -> None:
    try:
        content = read_file(workspace, file.path)
    except (NotFound, ToolError):
        # It was there when the files were listed; somebody has taken it away meanwhile.
        return
    entry = zipfile.ZipInfo(file.path, file.changed_at.timetuple()[:6])
    entry.external_attr = ZIP_MODE
    archive.writestr(entry, content, zipfile.ZIP_DEFLATED)


def text_of(content: bytes) -> str | None:
    """The text of a file, hidden characters included; None when it is no text.

    What is neither UTF-8 nor UTF-16 is read in an old encoding where one is recognised.
    """
    encoding = "utf-16" if content.startswith(UTF16_MARKS) else "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        return _old_text(content)
    return None if "\x00" in text else text


def _old_text(content: bytes) -> str | None:
    try:
        return decode_text(content)
    except DocumentUnreadable:
        return None


def suffix_of(name: str) -> str:
    """The ending of a name in small letters, dot included."""
    return PurePosixPath(name).suffix.lower()
