"""The body of an answer, decompressed as far as a bound and never further."""

import zlib

from meetmind.errors import ToolError

GZIP_WINDOW_BITS = 31
PLAIN_CODINGS = ("", "identity")
GZIP_CODINGS = ("gzip", "x-gzip")


class PageBody:
    """Collects at most `most_bytes`, counted both as they come and decompressed."""

    def __init__(self, coding: str, most_bytes: int) -> None:
        """Raises `ToolError` for a coding that is not read."""
        if coding not in PLAIN_CODINGS + GZIP_CODINGS:
            raise ToolError(
                f"The page comes in the encoding {coding!r}, which is not read. Use another page.",
                reason="unread_coding",
            )
        is_plain = coding in PLAIN_CODINGS
        self._inflater = None if is_plain else zlib.decompressobj(GZIP_WINDOW_BITS)
        self._room_as_sent = most_bytes
        self._room = most_bytes
        self._pieces: list[bytes] = []
        self.is_cut = False
        """Whether the page goes on beyond what was kept."""

    def take(self, chunk: bytes) -> bool:
        """Keep what fits; False when nothing more is wanted. `ToolError` for damaged bytes."""
        wanted = chunk[: self._room_as_sent]
        self._room_as_sent -= len(wanted)
        # One byte more than there is room for tells whether the page goes on.
        piece = self._inflated(wanted, self._room + 1)
        self._pieces.append(piece[: self._room])
        self.is_cut = len(piece) > self._room or len(wanted) < len(chunk)
        self._room -= len(self._pieces[-1])
        return not self.is_cut

    def content(self) -> bytes:
        """What was kept."""
        return b"".join(self._pieces)

    def _inflated(self, chunk: bytes, most_bytes: int) -> bytes:
        if self._inflater is None:
            return chunk
        try:
            return self._inflater.decompress(chunk, most_bytes)
        except zlib.error:
            raise ToolError(
                "The page came damaged and cannot be unpacked. Use another page.",
                reason="damaged_page",
            ) from None
