"""Runs any sentence-transformers model through torch."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from meetmind.errors import EmbeddingUnavailable
from meetmind.knowledge.models.encoder import Encoded, Kind, Runtime, read_folder_facts
from meetmind.knowledge.models.token_batches import TokenBatch, encode_in_batches, open_tokenizer


class TorchEncoder:
    """An `Encoder` over a sentence-transformers folder; pooling is the folder's own."""

    runtime: Runtime = "torch"

    def __init__(self, folder: Path, thread_count: int) -> None:
        """Import torch and load the model (5 to 20 s), without a look at any hub.

        Raises `EmbeddingUnavailable` when that fails.
        """
        self._facts = read_folder_facts(folder)
        self.name = self._facts.name
        self.dimensions = self._facts.dimensions
        self.longest = self._facts.longest
        self._tokenizer = open_tokenizer(folder, self.longest)
        self._model = _load(folder, thread_count)

    def encode(self, texts: Sequence[str], kind: Kind) -> Encoded:
        """See `Encoder.encode`."""
        return encode_in_batches(texts, kind, self._tokenizer, self._facts, self._run)

    def _run(self, batch: TokenBatch) -> tuple[np.ndarray, np.ndarray]:
        import torch

        features = {
            "input_ids": torch.from_numpy(batch.ids),
            "attention_mask": torch.from_numpy(batch.mask),
        }
        with torch.inference_mode():
            outputs = self._model(features)
        token_vectors: np.ndarray = outputs["token_embeddings"].numpy()
        text_vectors: np.ndarray = outputs["sentence_embedding"].numpy()
        return token_vectors, text_vectors


def _load(folder: Path, thread_count: int) -> Any:
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    try:
        import torch
        from safetensors import SafetensorError
        from sentence_transformers import SentenceTransformer
        from transformers.utils.logging import disable_progress_bar
    except ImportError as error:
        raise EmbeddingUnavailable(f"sentence-transformers is missing: {error}") from error
    disable_progress_bar()  # type: ignore[no-untyped-call]
    torch.set_num_threads(thread_count)
    try:
        return SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    except (OSError, ImportError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise EmbeddingUnavailable(f"The model in {folder} cannot be loaded: {error}") from error
