"""The highest rung: a cross-encoder that lies on this disk, within a time budget."""

import logging
import os
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from meetmind.errors import EmbeddingUnavailable
from meetmind.knowledge.models.cross_encoder import CrossEncoderModel, find_cross_encoder
from meetmind.knowledge.reranking import Candidate, RerankRequest, RungUnavailable

logger = logging.getLogger(__name__)


class CrossEncoderRung:
    """Loads the model that the settings name in the background, once, when it is asked first."""

    key = "cross"

    def __init__(self, cache_dir: Path, thread_count: int | None = None) -> None:
        self._cache_dir = cache_dir
        self._thread_count = thread_count or max(1, (os.cpu_count() or 2) // 2)
        self._lock = threading.Lock()
        self._model: CrossEncoderModel | None = None
        self._model_name = ""
        self._loading: threading.Thread | None = None

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model_name.rsplit("/", 1)[-1]

    def rerank(self, request: RerankRequest, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The candidates by the sigmoid of the model's logit.

        Raises `RungUnavailable` when the model is not on this disk, still loading, or too slow for
        the time budget.
        """
        if request.settings.reranking != "auto":
            raise RungUnavailable("rerank_off")
        model = self._ready_model(request.settings.rerank_model)
        passages = [
            f"{candidate.passage.title}\n{candidate.passage.content}" for candidate in candidates
        ]
        budget = request.settings.rerank_seconds
        scores = model.score(request.question.text, passages, budget)
        if scores is None:
            raise RungUnavailable("reranker_slow")
        ranked: list[Candidate] = []
        for candidate, score in zip(candidates, scores, strict=True):
            ranked.append(replace(candidate, rerank_score=score))
        ranked.sort(key=lambda candidate: -candidate.rerank_score)
        return ranked

    def wait_until_loaded(self, seconds: float) -> bool:
        """Wait for the loading that has begun, for tests and measurements."""
        if self._loading is not None:
            self._loading.join(seconds)
        return self._model is not None

    def _ready_model(self, model_name: str) -> CrossEncoderModel:
        with self._lock:
            if model_name == self._model_name:
                if self._model is not None:
                    return self._model
                is_loading = self._loading is not None and self._loading.is_alive()
                raise RungUnavailable("reranker_loading" if is_loading else "reranker_missing")
            self._model_name = model_name
            self._model = None
            folder = find_cross_encoder(model_name, self._cache_dir) if model_name else None
            if folder is None:
                raise RungUnavailable("reranker_missing")
            self._loading = threading.Thread(
                target=self._load, args=(model_name, folder), name="meetmind-reranker", daemon=True
            )
            self._loading.start()
        raise RungUnavailable("reranker_loading")

    def _load(self, model_name: str, folder: Path) -> None:
        try:
            model = CrossEncoderModel(folder, self._thread_count)
        except EmbeddingUnavailable as error:
            logger.warning("The reranker %s cannot be loaded: %s", model_name, error)
            return
        with self._lock:
            if self._model_name == model_name:
                self._model = model
