"""Texts as padded batches of token ids, and token vectors as what an encoder gives back."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tokenizers import Encoding, Tokenizer

from meetmind.errors import EmbeddingUnavailable
from meetmind.knowledge.models.encoder import Encoded, FolderFacts, Kind, TextTokens

BATCH_TEXTS = 8
PAD_TOKENS = ("[PAD]", "<pad>")


@dataclass(frozen=True, kw_only=True, eq=False)
class TokenBatch:
    """Some texts of similar length, padded to the longest."""

    positions: tuple[int, ...]
    """Which texts these are."""
    ids: np.ndarray
    """(texts, length) int64."""
    mask: np.ndarray
    """(texts, length) int64: 1 for a token, 0 for padding."""


RunBatch = Callable[[TokenBatch], tuple[np.ndarray, np.ndarray]]
"""Token vectors (texts, length, dimensions) and text vectors (texts, dimensions) of a batch."""


def open_tokenizer(folder: Path, longest: int) -> Tokenizer:
    """The folder's tokenizer, cutting at `longest` tokens; raises `EmbeddingUnavailable`."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    try:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as error:  # tokenizers raises nothing more precise
        raise EmbeddingUnavailable(f"The tokenizer in {folder} cannot be read.") from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(longest)
    return tokenizer


def encode_in_batches(
    texts: Sequence[str], kind: Kind, tokenizer: Tokenizer, facts: FolderFacts, run: RunBatch
) -> Encoded:
    """Tokenize, run batch by batch (short texts first) and put the results in the texts' order."""
    prompt = facts.prompts[kind]
    encodings = tokenizer.encode_batch([prompt + text for text in texts])
    vectors = np.zeros((len(texts), facts.dimensions), np.float32)
    tokens_by_position: dict[int, TextTokens] = {}
    for batch in _batches(encodings, _pad_id(tokenizer)):
        token_vectors, text_vectors = run(batch)
        vectors[list(batch.positions)] = text_vectors
        for row, position in enumerate(batch.positions):
            tokens_by_position[position] = _text_tokens(
                encodings[position], token_vectors[row], texts[position], len(prompt)
            )
    tokens = tuple(tokens_by_position[position] for position in range(len(texts)))
    return Encoded(vectors=unit_length(vectors), tokens=tokens)


def mean_pooled(token_vectors: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The mean over the tokens that are no padding: (texts, dimensions)."""
    weights = mask[:, :, np.newaxis].astype(np.float32)
    summed: np.ndarray = (token_vectors * weights).sum(axis=1)
    pooled: np.ndarray = summed / weights.sum(axis=1)
    return pooled


def unit_length(vectors: np.ndarray) -> np.ndarray:
    """The vectors along the last axis at length 1, float32; a zero vector stays zero."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: np.ndarray = vectors / np.maximum(lengths, 1e-12)
    return scaled.astype(np.float32, copy=False)


def _batches(encodings: Sequence[Encoding], pad_id: int) -> list[TokenBatch]:
    by_length = sorted(range(len(encodings)), key=lambda position: len(encodings[position].ids))
    batches: list[TokenBatch] = []
    for start in range(0, len(by_length), BATCH_TEXTS):
        positions = by_length[start : start + BATCH_TEXTS]
        length = len(encodings[positions[-1]].ids)
        ids = np.full((len(positions), length), pad_id, np.int64)
        mask = np.zeros((len(positions), length), np.int64)
        for row, position in enumerate(positions):
            text_ids = encodings[position].ids
            ids[row, : len(text_ids)] = text_ids
            mask[row, : len(text_ids)] = 1
        batches.append(TokenBatch(positions=tuple(positions), ids=ids, mask=mask))
    return batches


def _pad_id(tokenizer: Tokenizer) -> int:
    for token in PAD_TOKENS:
        token_id: int | None = tokenizer.token_to_id(token)
        if token_id is not None:
            return token_id
    return 0


def _text_tokens(
    encoding: Encoding, token_vectors: np.ndarray, text: str, prompt_length: int
) -> TextTokens:
    kept_rows: list[int] = []
    offsets: list[tuple[int, int]] = []
    for row, (start, end) in enumerate(encoding.offsets):
        if encoding.special_tokens_mask[row] == 1:
            continue
        first = _first_letter(text, max(0, start - prompt_length), end - prompt_length)
        # Nothing is left of a token of the prompt, nor of white space alone.
        if first >= end - prompt_length:
            continue
        kept_rows.append(row)
        offsets.append((first, end - prompt_length))
    return TextTokens(
        vectors=unit_length(token_vectors[kept_rows]),
        offsets=np.array(offsets, np.int32).reshape(-1, 2),
    )


def _first_letter(text: str, start: int, end: int) -> int:
    """Tokens of XLM-R begin with the space before the word."""
    while start < end and text[start].isspace():
        start += 1
    return start
