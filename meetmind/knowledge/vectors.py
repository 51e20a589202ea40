"""Fills in the vectors of passages in the background, after their words."""

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from psycopg_pool import ConnectionPool

from meetmind.database.embedding_columns import (
    NewEmbedding,
    PendingPassage,
    count_pending,
    index_vectors,
    pending_passages,
    store_embeddings,
)
from meetmind.errors import EmbeddingUnavailable
from meetmind.knowledge.embedding import Embedder, EncodedText
from meetmind.knowledge.embedding_models import EmbeddingModels

PASSAGES_AT_ONCE = 32
BATCHES_OF_A_BLOCK = 8
"""Passages are sorted by length within a block, so that a batch wastes little on padding."""
LONGEST_EMBEDDED_TEXT = 4_000
LOADING_SECONDS = 300.0

OnPassages = Callable[[str, str, int, int], None]
"""Told the model's name, the table, how many passages are done, and how many there are."""

logger = logging.getLogger(__name__)


def embedded_text(passage: PendingPassage) -> str:
    """What is embedded for a passage: title, summary and content."""
    parts = [passage.title.strip(), passage.summary.strip(), passage.content.strip()]
    text = "\n".join(part for part in parts if part)
    return text[:LONGEST_EMBEDDED_TEXT]


class VectorFilling:
    """One pass over every passage that a model has not seen yet.

    While passages are encoded the next ones are looked at and the last ones stored. Passages that
    a model cannot read are marked as seen.
    """

    def __init__(
        self,
        pool: ConnectionPool,
        table_names: Sequence[str],
        models: EmbeddingModels,
        *,
        on_passages: OnPassages,
        is_stopped: Callable[[], bool],
    ) -> None:
        self._pool = pool
        self._table_names = table_names
        self._models = models
        self._on_passages = on_passages
        self._is_stopped = is_stopped
        self._embedders: Sequence[Embedder] = ()
        self._done = 0
        self._total = 0

    @property
    def total(self) -> int:
        """How many passages this pass has had before it, each once a model."""
        return self._total

    def run(self) -> list[str]:
        """Fill every model in turn; one sentence for each model that cannot be loaded.

        What was done stays.
        """
        embedders = [self._models.embedder(row.name) for row in self._models.rows]
        self._embedders = embedders
        self._count()
        problems: list[str] = []
        # One thread looks at the next passages while another stores the last ones.
        with ThreadPoolExecutor(max_workers=2, thread_name_prefix="meetmind-vectors") as hands:
            for embedder in embedders:
                try:
                    for table_name in self._table_names:
                        self._fill_table(table_name, embedder, hands)
                except EmbeddingUnavailable as error:
                    problems.append(f"{embedder.name}: {error}")
        self._on_passages("", "", self._done, self._total)
        return problems

    def _count(self) -> None:
        """How many passages there are in all: files that are read meanwhile bring more."""
        pending = sum(sum(self._count_pending(embedder).values()) for embedder in self._embedders)
        self._total = self._done + pending

    def _count_pending(self, embedder: Embedder) -> dict[str, int]:
        pending_by_table: dict[str, int] = {}
        for table_name in self._table_names:
            pending = count_pending(self._pool, table_name, embedder.key)
            if pending:
                pending_by_table[table_name] = pending
        embedder.unfinished_tables.update(pending_by_table)
        return pending_by_table

    def _fill_table(self, table_name: str, embedder: Embedder, hands: ThreadPoolExecutor) -> None:
        while not self._is_stopped():
            block = pending_passages(
                self._pool, table_name, embedder.key, PASSAGES_AT_ONCE * BATCHES_OF_A_BLOCK
            )
            if not block:
                languages = ("zh", "en") if embedder.reads_chinese else ("",)
                index_vectors(self._pool, table_name, embedder.key, languages)
                embedder.unfinished_tables.discard(table_name)
                return
            self._count()
            self._fill_block(table_name, embedder, block, hands)

    def _fill_block(
        self,
        table_name: str,
        embedder: Embedder,
        block: Sequence[PendingPassage],
        hands: ThreadPoolExecutor,
    ) -> None:
        """Encode batch by batch; what comes before and after it is done meanwhile."""
        batches: list[Sequence[PendingPassage]] = []
        for start in range(0, len(block), PASSAGES_AT_ONCE):
            batches.append(block[start : start + PASSAGES_AT_ONCE])
        looking = hands.submit(_readable_texts, batches[0], embedder)
        storing: Future[None] | None = None
        for number, passages in enumerate(batches, start=1):
            if self._is_stopped():
                break
            self._on_passages(embedder.name, table_name, self._done, self._total)
            text_by_id = looking.result()
            if number < len(batches):
                looking = hands.submit(_readable_texts, batches[number], embedder)
            encoded_by_id = self._encode(text_by_id, embedder)
            if storing is not None:
                storing.result()
            storing = hands.submit(self._store, table_name, embedder.key, passages, encoded_by_id)
            self._done += len(passages)
        if storing is not None:
            storing.result()

    def _encode(self, text_by_id: Mapping[str, str], embedder: Embedder) -> dict[str, EncodedText]:
        if not text_by_id:
            return {}
        self._wait_for_model(embedder)
        encoded_texts = embedder.encode_passages(list(text_by_id.values()))
        return dict(zip(text_by_id, encoded_texts, strict=True))

    def _store(
        self,
        table_name: str,
        key: str,
        passages: Sequence[PendingPassage],
        encoded_by_id: Mapping[str, EncodedText],
    ) -> None:
        """Compress the token vectors and store the batch; the unread are marked as seen."""
        frame = self._models.frame(key)
        embeddings: list[NewEmbedding] = []
        for passage in passages:
            encoded = encoded_by_id.get(passage.id)
            vector = None
            tokens = None
            if encoded is not None:
                vector = encoded.vector.tolist()
                if frame is not None and len(encoded.tokens):
                    tokens = frame.compress(encoded.tokens, passage.language)
            embeddings.append(NewEmbedding(passage_id=passage.id, vector=vector, tokens=tokens))
        store_embeddings(self._pool, table_name, key, embeddings)

    def _wait_for_model(self, embedder: Embedder) -> None:
        """Wait until the model is loaded, a stop, or far too long."""
        waited = 0.0
        while not embedder.wait_until_loaded(0.5):
            waited += 0.5
            if embedder.state == "failed":
                raise EmbeddingUnavailable(embedder.problem)
            if self._is_stopped() or waited > LOADING_SECONDS:
                raise EmbeddingUnavailable("The embedding model was not loaded in time.")


def _readable_texts(passages: Sequence[PendingPassage], embedder: Embedder) -> dict[str, str]:
    """What is embedded of those passages that the model can read, by their ids."""
    text_by_id: dict[str, str] = {}
    for passage in passages:
        text = embedded_text(passage)
        if embedder.can_read(text):
            text_by_id[passage.id] = text
    return text_by_id
