"""Late interaction: a question's tokens against the tokens of a passage, kept small in the table.

MaxSim after ColBERT (Khattab and Zaharia 2020): every token of the question looks for the passage's
most similar token. The vectors of a language's tokens share one direction that says nothing but the
language; it is taken away (Mu and Viswanath 2018), what is left is projected onto the axes that
carry most of its variance and stored as bytes.
"""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

KEPT_AXES = 128
FULL_SCALE = 127
LONGEST_PASSAGE = 512
"""Tokens of a passage that are kept."""
SMALLEST_LENGTH = 1e-9
LARGEST_PRODUCT = 262_144
"""Rows times columns times axes that OpenBLAS multiplies in one thread."""


@dataclass(frozen=True, kw_only=True, eq=False)
class TokenFrame:
    """How the token vectors of a model are stored."""

    axes: np.ndarray
    """(dimensions, kept), float32."""
    mean_by_language: Mapping[str, np.ndarray]
    """(dimensions,) each; at least one language."""

    def project(self, tokens: np.ndarray, language: str) -> np.ndarray:
        """Tokens (tokens, dimensions) of a text in this language as unit vectors (tokens, kept)."""
        some_mean = next(iter(self.mean_by_language.values()))
        mean = self.mean_by_language.get(language, some_mean)
        centred = _unit(tokens.astype(np.float32) - mean)
        return _unit(centred @ self.axes)

    def compress(self, tokens: np.ndarray, language: str) -> bytes:
        """The tokens of a passage, a byte an axis."""
        projected = self.project(tokens[:LONGEST_PASSAGE], language)
        return np.round(projected * FULL_SCALE).astype(np.int8).tobytes()

    def to_bytes(self) -> bytes:
        """The frame as it is stored with the model."""
        buffer = io.BytesIO()
        means = {f"mean_{language}": mean for language, mean in self.mean_by_language.items()}
        np.savez(buffer, allow_pickle=False, axes=self.axes, **means)
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, raw: bytes) -> "TokenFrame":
        """The frame that `to_bytes` wrote."""
        with np.load(io.BytesIO(raw), allow_pickle=False) as arrays:
            means: dict[str, np.ndarray] = {}
            for name in arrays.files:
                if name.startswith("mean_"):
                    means[name.removeprefix("mean_")] = arrays[name]
            return cls(axes=arrays["axes"], mean_by_language=means)


def fit_frame(tokens_by_language: Mapping[str, Sequence[np.ndarray]]) -> TokenFrame:
    """The frame for a model, from the tokens (tokens, dimensions) of texts in each language."""
    mean_by_language: dict[str, np.ndarray] = {}
    centred: list[np.ndarray] = []
    for language, texts in tokens_by_language.items():
        if texts:
            rows = np.concatenate(texts).astype(np.float32)
            mean_by_language[language] = rows.mean(axis=0)
            centred.append(_unit(rows - mean_by_language[language]))
    all_rows = np.concatenate(centred)
    _, axes = np.linalg.eigh(all_rows.T @ all_rows)
    strongest_first = np.ascontiguousarray(axes[:, ::-1][:, :KEPT_AXES], dtype=np.float32)
    return TokenFrame(axes=strongest_first, mean_by_language=mean_by_language)


def max_sim(query: np.ndarray, weights: np.ndarray, passages: Sequence[bytes]) -> list[float]:
    """For every passage the weighted mean over the question's tokens of their best match, -1 to 1.

    `query` is (tokens, kept) from `TokenFrame.project`, `weights` is (tokens,) with a positive sum,
    `passages` are from `TokenFrame.compress` and not empty.
    """
    kept = query.shape[1]
    counts = [len(raw) // kept for raw in passages]
    all_tokens = np.frombuffer(b"".join(passages), dtype=np.int8).reshape(-1, kept)
    # The few tokens of the question are scaled instead of the many of the passages.
    scaled_query = np.ascontiguousarray(query.T / FULL_SCALE)
    similarities = _multiplied(all_tokens.astype(np.float32), scaled_query)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    best = np.maximum.reduceat(similarities, starts, axis=0)
    shares = weights / weights.sum()
    scores: list[float] = (best @ shares).tolist()
    return scores


def _multiplied(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """The product, in blocks that are too small for BLAS to share them out among its threads.

    While a model has the cores, those threads wait for one another: 15 ms instead of 2 for 68
    passages on two busy cores; on idle ones the blocks cost less than a millisecond more.
    """
    product = np.empty((len(rows), columns.shape[1]), dtype=np.float32)
    block = max(1, LARGEST_PRODUCT // columns.size)
    for start in range(0, len(rows), block):
        np.matmul(rows[start : start + block], columns, out=product[start : start + block])
    return product


def _unit(rows: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: np.ndarray = rows / np.maximum(lengths, SMALLEST_LENGTH)
    return unit
