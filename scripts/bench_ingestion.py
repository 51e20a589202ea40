"""How much longer an ingestion takes than the encodes that it cannot do without."""

import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from psycopg_pool import ConnectionPool

from meetmind.config.settings import PROJECT_ROOT, Settings
from meetmind.database.agent_tables import delete_agent_table
from meetmind.database.removal import empty_agent_table
from meetmind.errors import KnowledgeError
from meetmind.knowledge.embedding import Embedder, EncodedText
from meetmind.server.library import Library
from scripts.reach_lines import ReachLines

ROUNDS = 5
PREFIX = "ingest"
AGENT_NAMES = ("architect", "backend", "frontend")
"""Whose seed documents are ingested."""
PATIENCE_SECONDS = 600.0
TEXTS_AT_ONCE = 64


def measure_ingestion(lines: ReachLines, pool: ConnectionPool, settings: Settings) -> None:
    """Print ingest_vs_encode; the encodes run right before and after each ingestion."""
    with ingest_library(pool, settings) as library:
        texts_by_embedder = encoded_texts(pool, library)
        text_count = sum(len(texts) for texts in texts_by_embedder.values())
        encode_seconds = [encode(texts_by_embedder)]
        ingest_seconds: list[float] = []
        ratios: list[float] = []
        for _ in range(ROUNDS):
            ingest_seconds.append(ingest(pool, library))
            encode_seconds.append(encode(texts_by_embedder))
            around = statistics.mean(encode_seconds[-2:])
            ratios.append(around / ingest_seconds[-1])
        passages = sum(role.passages for role in library.overview())
        lines.note(
            f"{passages} passages, {text_count} texts for both models: ingestion "
            f"{statistics.median(ingest_seconds):.1f} s, encodes alone "
            f"{statistics.median(encode_seconds):.1f} s"
        )
        lines.at_least("ingest_vs_encode", statistics.median(ratios), 0.9)


@contextmanager
def ingest_library(pool: ConnectionPool, settings: Settings) -> Iterator[Library]:
    """A library over some of the seed documents, with its models loaded; gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="meetmind-bench-") as folder:
        for agent_name in AGENT_NAMES:
            shutil.copytree(PROJECT_ROOT / "data" / "seed" / agent_name, Path(folder) / agent_name)
        library = Library(
            pool,
            settings.model_copy(update={"pg_table_prefix": PREFIX, "seed_data_path": Path(folder)}),
        )
        problems = library.wait_for_models(PATIENCE_SECONDS)
        if problems:
            raise KnowledgeError(" ".join(problems))
        try:
            yield library
        finally:
            library.close()
            for table_name in library.table_names:
                delete_agent_table(pool, table_name)


def ingest(pool: ConnectionPool, library: Library) -> float:
    """Seconds from the files to everything that a search needs, into empty tables."""
    for table_name in library.table_names:
        empty_agent_table(pool, table_name)
    started = time.perf_counter()
    library.start_ingestion()
    if not library.wait_until_idle(PATIENCE_SECONDS):
        raise KnowledgeError("The ingestion was not done in time.")
    seconds = time.perf_counter() - started
    failures = library.progress().failures
    if failures:
        raise KnowledgeError(" ".join(failures))
    return seconds


def encoded_texts(pool: ConnectionPool, library: Library) -> dict[Embedder, list[str]]:
    """What an ingestion has each model encode, the shortest first."""
    texts_by_embedder: dict[Embedder, list[str]] = {}
    encode_passages = Embedder.encode_passages

    def noted(embedder: Embedder, texts: Sequence[str]) -> list[EncodedText]:
        texts_by_embedder.setdefault(embedder, []).extend(texts)
        return encode_passages(embedder, texts)

    with patch.object(Embedder, "encode_passages", noted):
        ingest(pool, library)
    for texts in texts_by_embedder.values():
        texts.sort(key=len)
    return texts_by_embedder


def encode(texts_by_embedder: Mapping[Embedder, Sequence[str]]) -> float:
    """Seconds of the encodes alone, token vectors included."""
    started = time.perf_counter()
    for embedder, texts in texts_by_embedder.items():
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            embedder.encode_passages(texts[start : start + TEXTS_AT_ONCE])
    return time.perf_counter() - started
