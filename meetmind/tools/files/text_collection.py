"""Reads the text files at a place until time or room runs out, and counts what it passed over."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from meetmind.errors import ToolError
from meetmind.tools.files.folder_listing import FolderWalk, FoundFile
from meetmind.tools.files.glob_patterns import GlobPattern, read_glob
from meetmind.tools.files.line_ends import with_lf
from meetmind.tools.files.text_files import BYTE_ORDER_MARKS, decode_file
from meetmind.tools.path_auth import (
    Place,
    kind_of,
    name_on_disk,
    open_folder,
    place_of,
    read_plain_file,
)

MOST_BYTES_A_FILE = 1_000_000
MOST_BYTES = 10_000_000
SAMPLE_BYTES = 4_000


class TextCollection:
    """The texts below a folder, or of one file, for a search."""

    def __init__(
        self, *, workspace: Path, read_folders: Mapping[str, Path], deadline: float
    ) -> None:
        self._workspace = workspace
        self._read_folders = read_folders
        self._walk = FolderWalk(deadline)
        self._bytes_left = MOST_BYTES
        self._other_count = 0
        self._large_count = 0

    @property
    def hidden_count(self) -> int:
        """How many names no tool may show."""
        return self._walk.hidden_count

    def texts(self, path: str, files: str) -> Iterator[tuple[str, str]]:
        """Path and text of each file, with LF as line end.

        Raises `ToolError` at once for a bad path or pattern.
        """
        place = place_of(path, self._workspace, self._read_folders)
        pattern = read_glob(files) if files else None
        if _is_file(place):
            return self._text_of_file(place)
        return self._texts_below(place, pattern)

    def _texts_below(self, place: Place, pattern: GlobPattern | None) -> Iterator[tuple[str, str]]:
        for file in self._walk.files(place):
            if pattern is None or _fits(pattern, place, file):
                yield from self._text(place, file)
            if self._bytes_left <= 0:
                self._walk.is_cut = True
                return

    def _text_of_file(self, place: Place) -> Iterator[tuple[str, str]]:
        with open_folder(place.root, place.parts[:-1], create=False) as folder:
            file = FoundFile(folder=folder, parts=place.parts, size=0)
            yield from self._text(place, file)

    def _text(self, place: Place, file: FoundFile) -> Iterator[tuple[str, str]]:
        """The text of a file, if it is one of bounded size."""
        path = place.path_of(file.parts)
        if file.size > MOST_BYTES_A_FILE:
            self._large_count += 1
            return
        try:
            content = read_plain_file(file.folder, file.parts[-1], MOST_BYTES_A_FILE)
            if content is None or _is_binary(content):
                self._other_count += 1
                return
            self._bytes_left -= len(content)
            text = with_lf(decode_file(path, content).text).removesuffix("\n")
        except ToolError:
            self._other_count += 1
            return
        yield path, text

    def left_out(self) -> Iterator[str]:
        """What a role must know about files that were not searched."""
        if self._walk.is_cut:
            yield "Not all files were searched: name a smaller folder."
        if self._other_count:
            yield f"{self._other_count} files are no plain texts: Read them."
        if self._large_count:
            yield f"{self._large_count} files are too large to be searched."


def _is_file(place: Place) -> bool:
    """Whether a plain file stands there, and no folder; raises `ToolError` where nothing does."""
    if not place.parts:
        return False
    with open_folder(place.root, place.parts[:-1], create=False) as folder:
        name = name_on_disk(folder, place.parts[-1])
        kind = kind_of(folder, name)
        if kind == "nothing":
            raise ToolError(
                f"There is no file or folder {place.path!r}. Call list_dir to see what there is.",
                reason="no_such_file",
            )
        return kind == "file"


def _fits(pattern: GlobPattern, place: Place, file: FoundFile) -> bool:
    return pattern.matches(file.parts[len(place.parts) :])


def _is_binary(content: bytes) -> bool:
    """Whether there are zero bytes where a text has none; tells pictures and the like quickly."""
    marks = tuple(mark for mark, _ in BYTE_ORDER_MARKS)
    return b"\x00" in content[:SAMPLE_BYTES] and not content.startswith(marks)
