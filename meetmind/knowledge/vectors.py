"""Fills in the vectors of passages in the background, after their words."""

import logging
from collections.abc import Callable, Sequence

from psycopg_pool import ConnectionPool

from meetmind.database.passages import (
    PendingPassage,
    count_pending,
    index_vectors,
    pending_passages,
    store_embeddings,
)
from meetmind.errors import EmbeddingUnavailable
from meetmind.knowledge.embedding import Embedder

PASSAGES_AT_ONCE = 32
LONGEST_EMBEDDED_TEXT = 4_000
LOADING_SECONDS = 300.0

OnPassages = Callable[[str, int, int], None]
"""Told the table, how many passages of all tables are done, and how many there are."""

logger = logging.getLogger(__name__)


def embedded_text(passage: PendingPassage) -> str:
    """What is embedded for a passage: title, summary and content."""
    parts = [passage.title.strip(), passage.summary.strip(), passage.content.strip()]
    text = "\n".join(part for part in parts if part)
    return text[:LONGEST_EMBEDDED_TEXT]


def fill_vectors(
    pool: ConnectionPool,
    table_names: Sequence[str],
    embedder: Embedder,
    *,
    on_passages: OnPassages,
    is_stopped: Callable[[], bool],
) -> None:
    """Embed every passage that the model has not seen; loads the model only if one needs it.

    Passages that it cannot read are marked as seen. Raises `EmbeddingUnavailable` when the model
    cannot be loaded; what was done stays.
    """
    pending_by_table = {}
    for table_name in table_names:
        pending = count_pending(pool, table_name, embedder.name)
        if pending:
            pending_by_table[table_name] = pending
    total = sum(pending_by_table.values())
    embedder.unfinished_tables.update(pending_by_table)
    done = 0
    for table_name in pending_by_table:
        while not is_stopped():
            on_passages(table_name, done, total)
            seen = _fill_some(pool, table_name, embedder, is_stopped)
            if seen == 0:
                index_vectors(pool, table_name)
                embedder.unfinished_tables.discard(table_name)
                break
            done += seen
    on_passages("", done, total)


def _fill_some(
    pool: ConnectionPool, table_name: str, embedder: Embedder, is_stopped: Callable[[], bool]
) -> int:
    """Embed the next passages of a table; returns how many the model has seen."""
    passages = pending_passages(pool, table_name, embedder.name, PASSAGES_AT_ONCE)
    if not passages:
        return 0
    text_by_id: dict[str, str] = {}
    vector_by_id: dict[str, Sequence[float] | None] = {}
    for passage in passages:
        text = embedded_text(passage)
        if embedder.can_read(text):
            text_by_id[passage.id] = text
        else:
            vector_by_id[passage.id] = None
    if text_by_id:
        _wait_for_model(embedder, is_stopped)
        vectors = embedder.encode_passages(list(text_by_id.values()))
        vector_by_id.update(zip(text_by_id.keys(), vectors, strict=True))
    store_embeddings(pool, table_name, embedder.name, vector_by_id)
    return len(passages)


def _wait_for_model(embedder: Embedder, is_stopped: Callable[[], bool]) -> None:
    """Wait until the model is loaded, a stop, or far too long."""
    waited = 0.0
    while not embedder.wait_until_loaded(0.5):
        waited += 0.5
        if embedder.state == "failed":
            raise EmbeddingUnavailable(embedder.problem)
        if is_stopped() or waited > LOADING_SECONDS:
            raise EmbeddingUnavailable("The embedding model was not loaded in time.")
