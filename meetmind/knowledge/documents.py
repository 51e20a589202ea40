"""What a document is between its file and its passages."""

from dataclasses import dataclass
from typing import Literal

from meetmind.i18n.document_notes import Note

BlockKind = Literal["text", "table", "code"]


@dataclass(frozen=True, kw_only=True)
class Block:
    """A paragraph, list, table or piece of code; a table's first two lines are its header."""

    kind: BlockKind
    text: str
    page: int = 0
    """The page on which the block begins, from 1; 0 where the format has no pages."""


@dataclass(frozen=True, kw_only=True)
class Section:
    """What stands under one heading."""

    heading: str
    blocks: tuple[Block, ...]
    title: str = ""
    """A title of its own that replaces document title and heading."""
    summary: str = ""
    doc_type: str = ""
    stands_alone: bool = False
    """Whether the section is never merged with its neighbour."""


@dataclass(frozen=True, kw_only=True)
class LoadedDocument:
    """A document that was read, with what was left out and why."""

    source: str
    title: str
    doc_type: str
    sections: tuple[Section, ...]
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A passage before it gets its id: a part of a document that makes sense alone."""

    title: str
    summary: str
    content: str
    locator: str
    doc_type: str
