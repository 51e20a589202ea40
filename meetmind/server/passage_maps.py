"""Maps of the roles' passages on a plane, drawn behind the page and kept while they hold."""

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from psycopg_pool import ConnectionPool

from meetmind.config.retrieval_settings import E5_KEY
from meetmind.database.map_fingerprint import MapFingerprint, map_fingerprint
from meetmind.database.passages import PassageVector, passage_vectors
from meetmind.server.library import Library

if TYPE_CHECKING:
    from meetmind.knowledge.passage_map import Layout

MOST_POINTS = 2_000
CLOSING_SECONDS = 10.0

MapState = Literal["empty", "drawing", "ready", "failed"]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class MapPoint:
    """A passage on the plane."""

    passage_id: str
    title: str
    source: str
    language: str
    x: float
    y: float


@dataclass(frozen=True, kw_only=True)
class PassageMap:
    """The passages of a role on a plane, as far as it is drawn."""

    state: MapState
    points: tuple[MapPoint, ...] = ()
    passages: int = 0
    """How many the role has in all."""
    with_vector: int = 0
    """How many of them could stand on the map; beyond `MOST_POINTS` it shows a sample."""
    trustworthiness: float | None = None
    is_outdated: bool = False
    """A newer one is being drawn."""


@dataclass(frozen=True, kw_only=True)
class _Kept:
    """A finished map and what it was drawn from."""

    model_key: str
    digest: str
    drawn: PassageMap


class PassageMaps:
    """The map of every role; `current` may be called from any thread and never waits."""

    def __init__(self, pool: ConnectionPool, library: Library) -> None:
        self._pool = pool
        self._library = library
        self._lock = threading.Lock()
        self._drawing_lock = threading.Lock()
        self._kept_by_agent: dict[str, _Kept] = {}
        self._thread_by_agent: dict[str, threading.Thread] = {}

    def current(self, agent_name: str) -> PassageMap:
        """The map as it is now; begins to draw it in the background where it is missing or old."""
        key = self._model_key()
        if key is None:
            return PassageMap(state="empty")
        found = map_fingerprint(self._pool, self._library.table_name(agent_name), key)
        if found.with_vector == 0:
            return PassageMap(state="empty", passages=found.passages)
        with self._lock:
            kept = self._kept_by_agent.get(agent_name)
            if kept is not None and (kept.model_key, kept.digest) == (key, found.digest):
                return kept.drawn
            self._start_drawing(agent_name, key, found)
        if kept is None or kept.drawn.state != "ready":
            return PassageMap(state="drawing", passages=found.passages)
        return replace(kept.drawn, is_outdated=True)

    def wait_until_drawn(self, agent_name: str, seconds: float) -> bool:
        """Wait for the drawing that is under way, for tests; False when it goes on."""
        thread = self._thread_by_agent.get(agent_name)
        if thread is None:
            return True
        thread.join(seconds)
        return not thread.is_alive()

    def close(self) -> None:
        """Wait for what is being drawn: it cannot be broken off."""
        for agent_name in list(self._thread_by_agent):
            self.wait_until_drawn(agent_name, CLOSING_SECONDS)

    def _model_key(self) -> str | None:
        """The model that reads both languages, where its vectors are searched, else the first."""
        keys = [row.key for row in self._library.resources.models.rows if row.is_searched]
        if E5_KEY in keys:
            return E5_KEY
        return keys[0] if keys else None

    def _start_drawing(self, agent_name: str, key: str, found: MapFingerprint) -> None:
        thread = self._thread_by_agent.get(agent_name)
        if thread is not None and thread.is_alive():
            return
        thread = threading.Thread(
            target=self._draw, args=(agent_name, key, found), name="meetmind-map", daemon=True
        )
        self._thread_by_agent[agent_name] = thread
        thread.start()

    def _draw(self, agent_name: str, key: str, found: MapFingerprint) -> None:
        try:
            with self._drawing_lock:
                drawn = self._drawn(agent_name, key, found)
        except Exception:  # the end of a thread: nobody else could report it
            logger.exception("The map of %s could not be drawn", agent_name)
            drawn = PassageMap(state="failed", passages=found.passages)
        with self._lock:
            kept = _Kept(model_key=key, digest=found.digest, drawn=drawn)
            self._kept_by_agent[agent_name] = kept

    def _drawn(self, agent_name: str, key: str, found: MapFingerprint) -> PassageMap:
        # Importing scikit-learn takes a second: not at a start, and not on a page's way.
        import numpy as np

        from meetmind.knowledge.passage_map import lay_out

        table_name = self._library.table_name(agent_name)
        # Ids are hashes of the texts: the first of them are an even sample.
        rows = passage_vectors(self._pool, table_name, key, MOST_POINTS)
        if not rows:
            return PassageMap(state="empty", passages=found.passages)
        vectors = np.array([row.vector for row in rows], dtype=np.float32)
        layout = lay_out(vectors)
        return PassageMap(
            state="ready",
            points=_points(rows, layout),
            passages=found.passages,
            with_vector=max(found.with_vector, len(rows)),
            trustworthiness=layout.trustworthiness,
        )


def _points(rows: Sequence[PassageVector], layout: "Layout") -> tuple[MapPoint, ...]:
    points: list[MapPoint] = []
    for row, (x, y) in zip(rows, layout.positions, strict=True):
        points.append(
            MapPoint(
                passage_id=row.id,
                title=row.title,
                source=row.source,
                language=row.language,
                x=float(x),
                y=float(y),
            )
        )
    return tuple(points)
