"""The embedding models of an installation: which are searched, which are filled, and the change."""

import logging
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from psycopg_pool import ConnectionPool

from meetmind.database.embedding_columns import count_pending, ensure_columns
from meetmind.database.embedding_models import (
    FILLING,
    IN_FORCE,
    LEAVING,
    EmbeddingModelRow,
    add_embedding_model,
    list_embedding_models,
    set_model_states,
    swap_models,
)
from meetmind.errors import EmbeddingUnavailable
from meetmind.knowledge.embedding import Embedder, get_embed_model_dim
from meetmind.knowledge.late_interaction import TokenFrame
from meetmind.knowledge.models.folders import model_folder, model_key
from meetmind.knowledge.token_frames import fitted_frame, kept_frame

LOADING_SECONDS = 300.0

logger = logging.getLogger(__name__)


class EmbeddingModels:
    """Every model that the tables have columns for; safe to use from several threads at once.

    A new model is filled beside the others and searched when every passage has its vector; only
    then the model that it replaces goes. All of it stands in the database, so that a process that
    dies half way loses nothing.
    """

    def __init__(self, pool: ConnectionPool, table_names: Sequence[str], cache_dir: Path) -> None:
        self._pool = pool
        self._table_names = tuple(table_names)
        self._cache_dir = cache_dir
        self._lock = threading.Lock()
        self._rows: tuple[EmbeddingModelRow, ...] = ()
        self._frame_by_key: dict[str, TokenFrame] = {}
        self._embedder_by_name: dict[str, Embedder] = {}
        self.refresh()

    def refresh(self) -> None:
        """Look again at what the database says: another process may have changed it."""
        rows = tuple(list_embedding_models(self._pool))
        for row in rows:
            for table_name in self._table_names:
                if ensure_columns(self._pool, table_name, row.key, row.dimensions):
                    self.embedder(row.name).unfinished_tables.add(table_name)
        frame_by_key: dict[str, TokenFrame] = {}
        for row in rows:
            if row.token_frame is not None:
                frame_by_key[row.key] = TokenFrame.from_bytes(row.token_frame)
        self._frame_by_key = frame_by_key
        self._rows = rows

    @property
    def rows(self) -> tuple[EmbeddingModelRow, ...]:
        """What the database says about every model."""
        return self._rows

    def searched(self) -> list[Embedder]:
        """The models whose vectors are searched."""
        return [self.embedder(row.name) for row in self._rows if row.is_searched]

    def unknown_keys(self, model_names: Sequence[str]) -> list[str]:
        """The keys of those models that the tables have no columns for: they were never there."""
        known = {row.key for row in self._rows}
        keys = [model_key(name) for name in model_names]
        return [key for key in keys if key not in known]

    def embedder(self, model_name: str) -> Embedder:
        """The model of this name, the same one at every call."""
        with self._lock:
            embedder = self._embedder_by_name.get(model_name)
            if embedder is None:
                key = model_key(model_name)
                embedder = Embedder(key, model_name, self._cache_dir)
                self._embedder_by_name[model_name] = embedder
            return embedder

    def frame(self, key: str) -> TokenFrame | None:
        """How a model's token vectors are stored."""
        return self._frame_by_key.get(key)

    def start_loading(self) -> None:
        """Load every searched model in the background."""
        for embedder in self.searched():
            embedder.start_loading()

    def choose(self, model_names: Sequence[str]) -> list[str]:
        """Make these the models of the installation; one sentence for each that cannot be had.

        New ones begin to fill, those that are no longer wanted stay until the new ones are
        complete. Reads model files and may load a model: not for a page.
        """
        problems: list[str] = []
        wanted: list[str] = []
        for name in model_names:
            try:
                self._add(name)
                wanted.append(name)
            except EmbeddingUnavailable as error:
                problems.append(f"{name}: {error}")
        if wanted:
            self._mark(wanted)
        self.refresh()
        return problems

    def _add(self, model_name: str) -> None:
        key = model_key(model_name)
        if any(row.key == key for row in self._rows):
            return
        folder = model_folder(model_name, self._cache_dir)
        dimensions = get_embed_model_dim(folder)
        frame = kept_frame(folder)
        if frame is None:
            frame = self._fitted_frame(self.embedder(model_name))
        is_first = not any(row.is_searched for row in self._rows)
        model = EmbeddingModelRow(
            key=key,
            name=model_name,
            dimensions=dimensions,
            token_frame=frame.to_bytes(),
            # Words alone would be no better than words with the vectors that are there already.
            state=IN_FORCE if is_first else FILLING,
        )
        add_embedding_model(self._pool, self._table_names, model)

    def _fitted_frame(self, embedder: Embedder) -> TokenFrame:
        if not embedder.wait_until_loaded(LOADING_SECONDS):
            raise EmbeddingUnavailable(embedder.problem or "The model was not loaded in time.")

        def encode(texts: Sequence[str]) -> list[np.ndarray]:
            return [text.tokens for text in embedder.encode_passages(texts)]

        return fitted_frame(embedder.can_read, encode)

    def _mark(self, wanted: Sequence[str]) -> None:
        """Bring the states in line with what is wanted."""
        rows = list_embedding_models(self._pool)
        wanted_keys = {model_key(name) for name in wanted}
        unwanted = [row for row in rows if row.key not in wanted_keys]
        abandoned = [row.key for row in unwanted if row.state == FILLING]
        leaving = [row.key for row in unwanted if row.state == IN_FORCE]
        staying = [row.key for row in rows if row.key in wanted_keys and row.state == LEAVING]
        set_model_states(self._pool, leaving, LEAVING)
        set_model_states(self._pool, staying, IN_FORCE)
        if abandoned:
            swap_models(self._pool, coming=[], going=abandoned)

    def finish_change(self) -> bool:
        """Search the new models once every passage has been seen by all of them; whether it was so.

        The models that they replace go in the same moment.
        """
        rows = list_embedding_models(self._pool)
        coming = [row.key for row in rows if row.state == FILLING]
        going = [row.key for row in rows if row.state == LEAVING]
        if not coming and not going:
            return False
        for key in coming:
            for table_name in self._table_names:
                if count_pending(self._pool, table_name, key) > 0:
                    return False
        swap_models(self._pool, coming=coming, going=going)
        self.refresh()
        return True
