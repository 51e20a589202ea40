"""The token frame of a model: made with the model, or fitted on sentences of our own."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from meetmind.errors import EmbeddingUnavailable
from meetmind.knowledge.intent_embedding import chosen_examples
from meetmind.knowledge.late_interaction import TokenFrame, fit_frame
from meetmind.knowledge.words import detect_language

FRAME_FILE = "token_frame.npz"

EncodeTokens = Callable[[Sequence[str]], list[np.ndarray]]
"""The tokens (tokens, dimensions) of every text, as of a passage."""


def kept_frame(folder: Path) -> TokenFrame | None:
    """The frame that was made with the model in `folder`; None where there is none."""
    try:
        raw = (folder / FRAME_FILE).read_bytes()
    except FileNotFoundError:
        return None
    try:
        return TokenFrame.from_bytes(raw)
    except (ValueError, KeyError, OSError) as error:
        raise EmbeddingUnavailable(f"{folder / FRAME_FILE} is damaged. Delete it.") from error


def fitted_frame(can_read: Callable[[str], bool], encode: EncodeTokens) -> TokenFrame:
    """A frame from our own example sentences in the languages that the model reads."""
    texts = [example.text for example in chosen_examples() if can_read(example.text)]
    tokens_by_language: dict[str, list[np.ndarray]] = {}
    for text, tokens in zip(texts, encode(texts), strict=True):
        if len(tokens):
            tokens_by_language.setdefault(detect_language(text), []).append(tokens)
    if not tokens_by_language:
        raise EmbeddingUnavailable("The model reads neither English nor Chinese.")
    return fit_frame(tokens_by_language)
