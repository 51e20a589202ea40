"""Scores passages against a question with a cross-encoder that lies on this disk."""

import os
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

from meetmind.errors import EmbeddingUnavailable

WEIGHT_FILES = ("model.safetensors", "pytorch_model.bin")
FIRST_BATCH_PAIRS = 2
"""Small, since it only shows how fast this machine is."""
BATCH_PAIRS = 4
MOST_TOKENS = 512

Clock = Callable[[], float]


def find_cross_encoder(model_name: str, cache_dir: Path) -> Path | None:
    """The folder of the model (a path, or a name in the cache), or None without its weights."""
    candidates = [
        Path(model_name).expanduser(),
        cache_dir / model_name,
        cache_dir / model_name.replace("/", "--"),
        cache_dir / model_name.rsplit("/", 1)[-1],
    ]
    for folder in candidates:
        has_weights = any((folder / name).is_file() for name in WEIGHT_FILES)
        if has_weights and (folder / "config.json").is_file():
            return folder
    return None


class CrossEncoderModel:
    """A sequence classifier with one output, such as BAAI/bge-reranker-base; threads take turns."""

    def __init__(self, folder: Path, thread_count: int, clock: Clock = time.monotonic) -> None:
        """Load the model (seconds) and warm it up, without a look at any hub.

        Raises `EmbeddingUnavailable` when it cannot be loaded or has more than one output.
        """
        self.name = folder.name
        self._clock = clock
        self._turn = threading.Lock()
        self._tokenizer, self._model = _load(folder, thread_count)
        if self._model.config.num_labels != 1:
            raise EmbeddingUnavailable(
                f"The model in {folder} gives {self._model.config.num_labels} values for a pair; "
                "a cross-encoder gives one."
            )
        self._longest = min(MOST_TOKENS, self._tokenizer.model_max_length)
        self._scores_of(self._encodings("warm", ["up"]))

    def score(
        self, query: str, passages: Sequence[str], deadline_seconds: float
    ) -> list[float] | None:
        """How well each passage answers the query: sigmoid of the logit, 0 to 1, in their order.

        None when the time would not suffice, which is known after the first small batch, or when
        another thread is at work for that long.
        """
        if not passages:
            return []
        deadline = self._clock() + deadline_seconds
        if not self._turn.acquire(timeout=max(0.0, deadline_seconds)):
            return None
        try:
            return self._score_until(query, passages, deadline)
        finally:
            self._turn.release()

    def _score_until(
        self, query: str, passages: Sequence[str], deadline: float
    ) -> list[float] | None:
        encodings = self._encodings(query, passages)
        by_length = sorted(
            range(len(passages)), key=lambda place: len(encodings[place]["input_ids"])
        )
        score_by_place: dict[int, float] = {}
        tokens_done = 0
        started = self._clock()
        for places in _batches(by_length):
            batch = [encodings[place] for place in places]
            scores = self._scores_of(batch)
            score_by_place.update(zip(places, scores, strict=True))
            tokens_done += _token_count(batch)
            waiting = [encodings[place] for place in by_length[len(score_by_place) :]]
            seconds_a_token = (self._clock() - started) / tokens_done
            if self._clock() + seconds_a_token * _token_count(waiting) > deadline:
                return None
        return [score_by_place[place] for place in range(len(passages))]

    def _encodings(self, query: str, passages: Sequence[str]) -> list[dict[str, list[int]]]:
        encodings: list[dict[str, list[int]]] = []
        for passage in passages:
            encoding = self._tokenizer(
                query, passage, truncation="longest_first", max_length=self._longest
            )
            encodings.append(dict(encoding))
        return encodings

    def _scores_of(self, batch: list[dict[str, list[int]]]) -> list[float]:
        import torch

        inputs = self._tokenizer.pad(batch, return_tensors="pt")
        with torch.inference_mode():
            logits = self._model(**inputs).logits
        scores: list[float] = torch.sigmoid(logits.float()).squeeze(-1).tolist()
        return scores


def _load(folder: Path, thread_count: int) -> tuple[Any, Any]:
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    try:
        import torch
        from safetensors import SafetensorError
        from transformers import AutoModelForSequenceClassification, AutoTokenizer
        from transformers.utils.logging import disable_progress_bar
    except ImportError as error:
        raise EmbeddingUnavailable(f"A cross-encoder needs torch: {error}") from error
    disable_progress_bar()  # type: ignore[no-untyped-call]
    torch.set_num_threads(thread_count)
    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
        model: Any = AutoModelForSequenceClassification.from_pretrained(
            str(folder), local_files_only=True, dtype=torch.float32
        )
    except (
        OSError,
        ImportError,
        ValueError,
        KeyError,
        RuntimeError,
        SafetensorError,
        UnpicklingError,
    ) as error:
        raise EmbeddingUnavailable(
            f"The cross-encoder in {folder} cannot be loaded: {error}"
        ) from error
    return tokenizer, model.eval()


def _batches(places: list[int]) -> list[list[int]]:
    batches = [places[:FIRST_BATCH_PAIRS]]
    for start in range(FIRST_BATCH_PAIRS, len(places), BATCH_PAIRS):
        batches.append(places[start : start + BATCH_PAIRS])
    return batches


def _token_count(batch: list[dict[str, list[int]]]) -> int:
    return sum(len(encoding["input_ids"]) for encoding in batch)
