"""Compares the vectors of an int8 export with those of torch."""

import gc
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np

from meetmind.knowledge.models.encoder import Encoder
from meetmind.knowledge.models.onnx_encoder import OnnxEncoder
from meetmind.knowledge.models.torch_encoder import TorchEncoder

LOWEST_MEAN_COSINE = 0.97
"""Below this the export loses more in the ranking than its speed is worth."""


@dataclass(frozen=True, kw_only=True)
class ExportCheck:
    """How close the export comes to torch, over `text_count` texts in two scripts."""

    text_count: int
    mean_cosine: float
    lowest_cosine: float

    @property
    def is_passed(self) -> bool:
        """Whether the export may serve."""
        return self.mean_cosine >= LOWEST_MEAN_COSINE


def check_export(export_folder: Path, torch_folder: Path, thread_count: int) -> ExportCheck:
    """Encode the check texts with both; raises `EmbeddingUnavailable` when one cannot be loaded."""
    texts = check_texts()
    by_export = _vectors(OnnxEncoder(export_folder, thread_count), texts)
    by_torch = _vectors(TorchEncoder(torch_folder, thread_count), texts)
    gc.collect()
    cosines = np.sum(by_export * by_torch, axis=1)
    return ExportCheck(
        text_count=len(texts),
        mean_cosine=round(float(cosines.mean()), 4),
        lowest_cosine=round(float(cosines.min()), 4),
    )


def check_texts() -> list[str]:
    """48 passages of the seed documents, half Chinese, half English."""
    resource = files("meetmind.knowledge.models") / "check_texts.txt"
    return resource.read_text(encoding="utf-8").splitlines()


def _vectors(encoder: Encoder, texts: list[str]) -> np.ndarray:
    return encoder.encode(texts, "passage").vectors
