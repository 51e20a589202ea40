"""How much each token of a question says: the idf of the word that it belongs to."""

from dataclasses import dataclass

import numpy as np

from meetmind.knowledge.wording import Wording
from meetmind.knowledge.words import normalise, tokens_of

EMPTY_WORD_WEIGHT = 0.3
"""Tokens of stop words and signs say a little: they carry the question's grammar."""


@dataclass(frozen=True, kw_only=True)
class _Span:
    start: int
    end: int
    weight: float


def token_weights(text: str, offsets: np.ndarray, wording: Wording | None) -> np.ndarray:
    """A weight for each of the question's tokens, (tokens,), all positive.

    `offsets` are (tokens, 2): the characters of `text` that a token stands for. Without the
    table's vocabulary every token weighs the same.
    """
    spans = _weighted_spans(text, wording)
    if not spans:
        return np.ones(len(offsets), dtype=np.float32)
    weights = np.full(len(offsets), EMPTY_WORD_WEIGHT, dtype=np.float32)
    for position, (start, end) in enumerate(offsets.tolist()):
        for span in spans:
            if span.start < end and span.end > start:
                weights[position] = max(weights[position], span.weight)
    return weights


def _weighted_spans(text: str, wording: Wording | None) -> list[_Span]:
    """Where the words with a meaning stand; nothing where normalising moves the characters."""
    if wording is None or len(normalise(text)) != len(text):
        return []
    spans: list[_Span] = []
    for token in tokens_of(text):
        end = token.start + len(token.surface)
        weight = wording.idf_of(token.term)
        spans.append(_Span(start=token.start, end=end, weight=weight))
    return spans
