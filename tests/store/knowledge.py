"""A role's knowledge for a test: seed files, tables, vectors and searches."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from psycopg_pool import ConnectionPool

from meetmind.config.retrieval_settings import RetrievalSettings
from meetmind.config.roster_names import AGENT_NAMES
from meetmind.database.agent_tables import get_table_name
from meetmind.database.documents import NewDocument
from meetmind.database.ingestion import NewPassage, replace_document
from meetmind.database.passages import PassageFilter, PassageRow, find_passages
from meetmind.knowledge.embedding_models import EmbeddingModels
from meetmind.knowledge.initializer import (
    KnowledgeBase,
    KnowledgeFolders,
    SeedReport,
    generate_doc_id,
    load_seeds_to_pg,
)
from meetmind.knowledge.late_rung import LateInteraction
from meetmind.knowledge.rag_retriever import RAGRetriever
from meetmind.knowledge.reading import DocumentReader
from meetmind.knowledge.reranking import Reranker
from meetmind.knowledge.table_search import RetrievalResources
from meetmind.knowledge.vectors import VectorFilling
from meetmind.knowledge.words import detect_language, terms_of
from tests.store.embedders import FakeModels, WordEmbedder, settings_for

TABLE = "meetmind_backend"
TABLES = (TABLE, "meetmind_tester")
"""Two are enough where models come and go."""
ALL_TABLES = tuple(get_table_name("meetmind", agent_name) for agent_name in AGENT_NAMES)


def write_entries(seeds: Path, name: str, entries: Sequence[tuple[str, str]]) -> None:
    written = [{"title": title, "content": content} for title, content in entries]
    (seeds / "backend").mkdir(exist_ok=True)
    (seeds / "backend" / name).write_text(json.dumps(written), encoding="utf-8")


def base_of(
    pool: ConnectionPool, seeds: Path, prefix: str = "meetmind", uploads: Path | None = None
) -> KnowledgeBase:
    return KnowledgeBase(
        pool=pool,
        prefix=prefix,
        folders=KnowledgeFolders(seeds=seeds, uploads=uploads),
        reader=DocumentReader(),
    )


def load(pool: ConnectionPool, seeds: Path, prefix: str = "meetmind") -> SeedReport:
    base = base_of(pool, seeds, prefix)
    with base.reader:
        return load_seeds_to_pg(base, "backend")


def passages_of(
    pool: ConnectionPool, source: str | None = None, table_name: str = TABLE
) -> list[PassageRow]:
    wanted = PassageFilter(source=source)
    return list(find_passages(pool, table_name, wanted, offset=0, limit=100).passages)


def contents(pool: ConnectionPool, table_name: str = TABLE) -> list[str]:
    return [row.content for row in passages_of(pool, table_name=table_name)]


def terms_with_counts(pool: ConnectionPool) -> dict[str, int]:
    with pool.connection() as connection:
        rows = connection.execute(f"select term, passages from {TABLE}_terms").fetchall()
    return dict(rows)


def count_rows(pool: ConnectionPool, table: str, condition: str = "true") -> int:
    with pool.connection() as connection:
        row = connection.execute(f"select count(*) from {table} where {condition}").fetchone()
    assert row is not None
    return int(row[0])


def new_passage(title: str, content: str, **details: Any) -> NewPassage:
    words = terms_of(f"{title}\n\n{content}")
    return NewPassage(
        id=generate_doc_id("backend", content),
        content=content,
        title=title,
        summary="",
        source=details.pop("source", "rules.json"),
        locator=title,
        language=detect_language(content),
        doc_type="",
        frequency_by_term={word: words.count(word) for word in words},
        **details,
    )


def store(
    pool: ConnectionPool, passages: Sequence[NewPassage], source: str = "rules.json", **more: Any
) -> None:
    document = NewDocument(source=source, origin="seed", sha256="0", **more)
    replace_document(pool, TABLE, document, passages)


@dataclass(kw_only=True)
class Shelf:
    """One role's table with its models, and searches in it."""

    pool: ConnectionPool
    models: EmbeddingModels
    settings: RetrievalSettings
    ladder: tuple[Reranker, ...] = field(default_factory=lambda: (LateInteraction(),))

    @property
    def resources(self) -> RetrievalResources:
        return RetrievalResources(
            pool=self.pool,
            table_prefix="meetmind",
            models=self.models,
            current_settings=lambda: self.settings,
            ladder=self.ladder,
        )

    @property
    def retriever(self) -> RAGRetriever:
        return RAGRetriever("backend", self.resources)


def open_shelf(
    pool: ConnectionPool, cache_dir: Path, *embedders: WordEmbedder, filled: bool = True
) -> Shelf:
    """The tables with these models in force and, unless told otherwise, all vectors."""
    models = FakeModels(pool, TABLES, cache_dir, embedders)
    names = tuple(embedder.model_name for embedder in embedders)
    assert models.choose(names) == []
    if filled:
        fill(pool, models)
    return Shelf(pool=pool, models=models, settings=settings_for(*names))


def fill(pool: ConnectionPool, models: EmbeddingModels) -> list[str]:
    """Vectors for every passage that a model has not seen; what could not be loaded."""
    filling = VectorFilling(
        pool,
        TABLES,
        models,
        on_passages=lambda model, table_name, done, total: None,
        is_stopped=lambda: False,
    )
    return filling.run()
