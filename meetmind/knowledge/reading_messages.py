"""What a reader and its child process send each other: pickled, behind its length."""

import pickle
import struct
from dataclasses import dataclass
from typing import IO

from meetmind.errors import DocumentUnreadable
from meetmind.knowledge.documents import LoadedDocument, Piece

LENGTH = struct.Struct(">Q")


@dataclass(frozen=True, kw_only=True)
class ReadRequest:
    """Read the bytes of a file; also split them where `with_pieces` says so."""

    source: str
    raw: bytes
    with_pieces: bool
    most_seconds: float


@dataclass(frozen=True, kw_only=True)
class ReadAnswer:
    """A document with its passages, or why there is none."""

    document: LoadedDocument | None = None
    pieces: tuple[Piece, ...] = ()
    problem: DocumentUnreadable | None = None
    is_out_of_memory: bool = False
    """Whether the child ends, since what is left of its memory may not do for another."""


def send(stream: IO[bytes], message: object) -> None:
    """Write one message."""
    packed = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(LENGTH.pack(len(packed)))
    stream.write(packed)
    stream.flush()


def receive(stream: IO[bytes]) -> object | None:
    """Read one message; None when the other side is gone."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    packed = stream.read(length)
    if len(packed) < length:
        return None
    message: object = pickle.loads(packed)  # noqa: S301 - our own process wrote it
    return message
