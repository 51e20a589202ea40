"""Runs the int8 export of an embedding model, without torch."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from meetmind.errors import EmbeddingUnavailable
from meetmind.knowledge.models.encoder import EXPORT, Encoded, Kind, Runtime, read_folder_facts
from meetmind.knowledge.models.token_batches import (
    TokenBatch,
    encode_in_batches,
    mean_pooled,
    open_tokenizer,
)

WARNINGS_AND_WORSE = 3


# Memory is kept between runs (without that, encoding takes twice as long) and grows by what a run
# needs, not by doubling, which many shapes drive to gigabytes.
CPU_PROVIDER = ("CPUExecutionProvider", {"arena_extend_strategy": "kSameAsRequested"})


class OnnxEncoder:
    """An `Encoder` over `onnx/model_int8.onnx` of a folder; the mean of the tokens is the text."""

    runtime: Runtime = "onnx int8"

    def __init__(self, folder: Path, thread_count: int) -> None:
        """Load the export (0.1 to 1 s); raises `EmbeddingUnavailable` when that fails."""
        self._facts = read_folder_facts(folder)
        self.name = self._facts.name
        self.dimensions = self._facts.dimensions
        self.longest = self._facts.longest
        self._tokenizer = open_tokenizer(folder, self.longest)
        try:
            import onnxruntime
        except ImportError as error:
            raise EmbeddingUnavailable("onnxruntime is not installed.") from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = thread_count
        options.log_severity_level = WARNINGS_AND_WORSE
        # Batches have many shapes: a plan kept for each of them is of no use.
        options.enable_mem_pattern = False
        # Threads that spin between two steps take the cores from the pages; on two busy cores
        # they halved the speed as well (77 against 35 texts a second).
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            self._session = onnxruntime.InferenceSession(
                str(folder / EXPORT), options, providers=[CPU_PROVIDER]
            )
        except Exception as error:  # onnxruntime's errors have no base of their own
            raise EmbeddingUnavailable(f"The export in {folder} cannot be loaded.") from error

    def encode(self, texts: Sequence[str], kind: Kind) -> Encoded:
        """See `Encoder.encode`."""
        return encode_in_batches(texts, kind, self._tokenizer, self._facts, self._run)

    def _run(self, batch: TokenBatch) -> tuple[np.ndarray, np.ndarray]:
        inputs = {"input_ids": batch.ids, "attention_mask": batch.mask}
        (token_vectors,) = self._session.run(None, inputs)
        return token_vectors, mean_pooled(token_vectors, batch.mask)
