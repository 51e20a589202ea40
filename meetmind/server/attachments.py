"""Files that somebody attaches to a brief: which are taken, and under which names."""

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from meetmind.clean_text import clean_bad_chars
from meetmind.server.workspace_files import plain_path, suffix_of, text_of
from meetmind.tools.files.file_replacing import replace_file
from meetmind.tools.path_auth import open_folder

MOST_FILES = 10
"""In one brief."""
MOST_FILE_BYTES = 20_000_000
MOST_BYTES = 50_000_000
"""In one discussion."""
LONGEST_NAME = 120
MEGABYTE = 1_000_000

DOCUMENT_SUFFIXES = (".pdf", ".docx", ".pptx", ".xlsx")
IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
TEXT_SUFFIXES = (
    *(".txt", ".md", ".rst", ".csv", ".tsv", ".log", ".html", ".htm", ".css", ".svg"),
    *(".json", ".jsonl", ".xml", ".yaml", ".yml", ".toml", ".ini", ".sql", ".graphql", ".proto"),
    *(".py", ".js", ".ts", ".tsx", ".jsx", ".vue", ".java", ".kt", ".go", ".rs", ".c", ".h"),
    *(".cpp", ".hpp", ".cs", ".rb", ".php", ".swift", ".scala"),
)
TAKEN_SUFFIXES = (*DOCUMENT_SUFFIXES, *IMAGE_SUFFIXES, *TEXT_SUFFIXES)

# Signs that no system takes in a name, or that a path gives a meaning of its own.
ODD_SIGNS = re.compile(r'[:<>"|?*]')

RefusalReason = Literal["too_many", "too_large", "no_room", "kind", "empty", "no_text", "name"]


@dataclass(frozen=True, kw_only=True)
class Attachment:
    """A file that somebody hands over with a brief."""

    name: str
    content: bytes


@dataclass(frozen=True, kw_only=True)
class AttachmentRefusal:
    """A file that is not taken, and why: `files.refused_<reason>` in the text catalogue."""

    name: str
    reason: RefusalReason
    limit: int = 0
    """Files or megabytes, where the reason is a limit."""


def check_attachments(
    files: Sequence[Attachment], bytes_there: int = 0
) -> tuple[AttachmentRefusal, ...]:
    """What is wrong with the files, each named once; `bytes_there` lie in the discussion already.

    What goes beyond a limit is refused from the end, so that the first files stay good.
    """
    refusals: list[AttachmentRefusal] = []
    taken = 0
    taken_bytes = bytes_there
    for file in files:
        refusal = _own_fault(file)
        if refusal is None and taken == MOST_FILES:
            refusal = AttachmentRefusal(name=file.name, reason="too_many", limit=MOST_FILES)
        if refusal is None and taken_bytes + len(file.content) > MOST_BYTES:
            limit = MOST_BYTES // MEGABYTE
            refusal = AttachmentRefusal(name=file.name, reason="no_room", limit=limit)
        if refusal is not None:
            refusals.append(refusal)
            continue
        taken += 1
        taken_bytes += len(file.content)
    return tuple(refusals)


def _own_fault(file: Attachment) -> AttachmentRefusal | None:
    """What is wrong with a file whatever else is attached."""
    limit = 0
    reason: RefusalReason
    name = safe_name(file.name)
    suffix = suffix_of(file.name)
    if len(file.content) > MOST_FILE_BYTES:
        reason, limit = "too_large", MOST_FILE_BYTES // MEGABYTE
    elif not file.content:
        reason = "empty"
    elif _was_forbidden(file.name) or plain_path(name) is None:
        reason = "name"
    elif suffix not in TAKEN_SUFFIXES:
        reason = "kind"
    elif suffix in TEXT_SUFFIXES and text_of(file.content) is None:
        reason = "no_text"
    else:
        return None
    return AttachmentRefusal(name=file.name, reason=reason, limit=limit)


def _was_forbidden(given: str) -> bool:
    """Whether the name as it was given is one that no file tool may touch, such as `.env`."""
    last_part = PurePosixPath(given.replace("\\", "/")).name
    printable = "".join(letter for letter in last_part if letter.isprintable())
    without_odd_signs = ODD_SIGNS.sub("-", printable).strip(" ~")
    return plain_path(without_odd_signs) is None


def safe_name(given: str) -> str:
    """The name as one plain part of a path: composed, printable, of bounded length."""
    last_part = PurePosixPath(given.replace("\\", "/")).name
    composed = unicodedata.normalize("NFC", clean_bad_chars(last_part))
    printable = "".join(letter for letter in composed if letter.isprintable())
    plain = ODD_SIGNS.sub("-", printable).strip().lstrip(".~@-").strip()
    suffix = PurePosixPath(plain).suffix
    stem = plain.removesuffix(suffix).rstrip(" .")
    while len((stem + suffix).encode()) > LONGEST_NAME and stem:
        stem = stem[:-1]
    return (stem or "file") + suffix


def keep_attachments(workspace: Path, files: Sequence[Attachment]) -> tuple[str, ...]:
    """Write the files into the workspace; the names that they got, in their order."""
    names: list[str] = []
    with open_folder(workspace, (), create=True) as folder:
        for file in files:
            name = free_name(safe_name(file.name), names_there(workspace))
            replace_file(folder, name, file.content)
            names.append(name)
    return tuple(names)


def names_there(workspace: Path) -> set[str]:
    """Every name at the top of a workspace, in small letters."""
    return {path.name.casefold() for path in workspace.iterdir()}


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, with a number where a file of this name, in any case, lies there already."""
    suffix = PurePosixPath(name).suffix
    stem = name.removesuffix(suffix)
    free = name
    number = 2
    while free.casefold() in taken:
        free = f"{stem}-{number}{suffix}"
        number += 1
    return free
