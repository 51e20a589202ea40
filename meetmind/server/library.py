"""The knowledge of the five roles: what is there, searching it, filling it behind the page."""

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from psycopg_pool import ConnectionPool

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.config.settings import Settings
from meetmind.database import documents as document_rows
from meetmind.database import passages as passage_rows
from meetmind.database.agent_tables import ensure_agent_table, get_table_name
from meetmind.database.documents import DocumentSummary
from meetmind.database.passages import PassageRow
from meetmind.errors import EmbeddingUnavailable
from meetmind.knowledge.embedding import Embedder
from meetmind.knowledge.initializer import (
    SeedFile,
    SeedReport,
    build_agents_tables,
    get_seeds_content,
    reset_agent_db,
)
from meetmind.knowledge.rag_retriever import Retrieval, get_retriever, search_all
from meetmind.knowledge.table_search import RetrievalResources
from meetmind.knowledge.vectors import fill_vectors

IngestionState = Literal["idle", "reading", "embedding", "ready", "failed"]
CLOSING_SECONDS = 10.0

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class RoleKnowledge:
    """How much a role knows."""

    agent_name: str
    documents: int
    passages: int
    chinese_passages: int
    english_passages: int
    characters: int
    embedded_passages: int


@dataclass(frozen=True, kw_only=True)
class IngestionProgress:
    """How far the background work on the knowledge is."""

    state: IngestionState = "idle"
    done: int = 0
    total: int = 0
    current: str = ""
    """The file (while reading) or the role (while embedding) that is at work."""
    failures: tuple[str, ...] = ()
    """One sentence a file that could not be read, and one if vectors are not to be had."""


class Library:
    """The knowledge of an installation; every method may be called from any thread."""

    def __init__(self, pool: ConnectionPool, settings: Settings) -> None:
        self._pool = pool
        self._settings = settings
        self._embedder = Embedder(settings.embedding_model_name, settings.embedding_cache_dir)
        self._resources = RetrievalResources.from_settings(pool, settings, self._embedder)
        self._progress = IngestionProgress()
        self._progress_lock = threading.Lock()
        self._reading = threading.Lock()
        self._worker: threading.Thread | None = None
        self._is_wanted_again = False
        self._worker_lock = threading.Lock()
        self._stop = threading.Event()
        for agent_name in AGENT_NAMES:
            ensure_agent_table(pool, self._table_name(agent_name))

    def overview(self) -> list[RoleKnowledge]:
        """What every role knows, in the order of the roster."""
        knowledge: list[RoleKnowledge] = []
        for agent_name in AGENT_NAMES:
            table_name = self._table_name(agent_name)
            documents = document_rows.list_documents(self._pool, table_name)
            counts = passage_rows.count_passages(self._pool, table_name)
            knowledge.append(
                RoleKnowledge(
                    agent_name=agent_name,
                    documents=sum(1 for document in documents if document.passages),
                    passages=counts.passages,
                    chinese_passages=counts.chinese_passages,
                    english_passages=counts.english_passages,
                    characters=counts.characters,
                    embedded_passages=counts.embedded_passages,
                )
            )
        return knowledge

    def list_documents(self, agent_name: str) -> list[DocumentSummary]:
        """Every document of a role, unreadable ones with their reason."""
        return document_rows.list_documents(self._pool, self._table_name(agent_name))

    def list_passages(
        self, agent_name: str, source: str | None = None, offset: int = 0, limit: int = 50
    ) -> list[PassageRow]:
        """Passages of a role, or of one of its documents, in the order of the text."""
        table_name = self._table_name(agent_name)
        return passage_rows.list_passages(
            self._pool, table_name, source=source, offset=offset, limit=limit
        )

    def search(self, agent_name: str | None, query: str) -> Retrieval:
        """The best passages of a role, or of all when `agent_name` is None."""
        return self.search_for_role(agent_name, query, ())

    def search_for_role(
        self, agent_name: str | None, query: str, expansion_terms: Sequence[str]
    ) -> Retrieval:
        """As `search`, with more words to look for that count for nothing else."""
        if agent_name is None:
            return search_all(query, self._resources, expansion_terms)
        return get_retriever(agent_name, self._resources).retrieve(query, expansion_terms)

    def progress(self) -> IngestionProgress:
        """How far the background work is."""
        return self._progress

    def start_ingestion(self) -> None:
        """Read what is new or changed and fill in vectors, in the background; once at a time.

        Asked for while it runs, it looks once more when it is done.
        """
        with self._worker_lock:
            if self._worker is not None:
                self._is_wanted_again = True
                return
            self._stop.clear()
            self._report(state="reading", done=0, total=0, current="", failures=())
            self._worker = threading.Thread(
                target=self._ingest, name="meetmind-ingestion", daemon=True
            )
            self._worker.start()

    def reset(self, agent_name: str) -> None:
        """Empty a role's table and read its files again; vectors follow in the background."""
        with self._reading:
            reset_agent_db(
                self._pool,
                self._settings.pg_table_prefix,
                agent_name,
                self._settings.seed_data_path,
            )
        self.start_ingestion()

    def start_loading_model(self) -> None:
        """Load the embedding model in the background, so that the first search has vectors."""
        self._embedder.start_loading()

    def wait_until_idle(self, seconds: float) -> bool:
        """Wait for the background work, for the command line and tests; False when it goes on."""
        worker = self._worker
        if worker is None:
            return True
        worker.join(seconds)
        return not worker.is_alive()

    def close(self) -> None:
        """Stop the background work at the next passage."""
        self._stop.set()
        self.wait_until_idle(CLOSING_SECONDS)

    def _table_name(self, agent_name: str) -> str:
        return get_table_name(self._settings.pg_table_prefix, agent_name)

    def _ingest(self) -> None:
        while True:
            final_state = self._ingest_once()
            with self._worker_lock:
                if not self._is_wanted_again or self._stop.is_set():
                    self._worker = None
                    self._report(state=final_state, current="")
                    return
                self._is_wanted_again = False

    def _ingest_once(self) -> IngestionState:
        try:
            self._read_files()
            self._fill_vectors()
        except Exception as error:  # the end of a thread: nobody else could report it
            if not self._stop.is_set():
                logger.exception("The knowledge could not be brought up to date")
            self._report(failures=(str(error),))
            return "failed"
        return "ready"

    def _read_files(self) -> None:
        seed_path = self._settings.seed_data_path
        total = 0
        for agent_name in AGENT_NAMES:
            total += len(get_seeds_content(seed_path, agent_name))
        self._report(state="reading", done=0, total=total, current="", failures=())
        with self._reading:
            report_by_agent = build_agents_tables(
                self._pool, self._settings.pg_table_prefix, seed_path, self._on_file
            )
        self._report(done=total, failures=_all_failures(report_by_agent))

    def _on_file(self, file: SeedFile) -> None:
        current = f"{file.agent_name}/{file.source}"
        self._report(done=self._progress.done + 1, current=current)

    def _fill_vectors(self) -> None:
        table_names = [self._table_name(agent_name) for agent_name in AGENT_NAMES]
        try:
            fill_vectors(
                self._pool,
                table_names,
                self._embedder,
                on_passages=self._on_passages,
                is_stopped=self._stop.is_set,
            )
        except EmbeddingUnavailable as error:
            failures = (*self._progress.failures, f"{self._embedder.name}: {error}")
            self._report(failures=failures)

    def _on_passages(self, table_name: str, done: int, total: int) -> None:
        agent_name = table_name.removeprefix(f"{self._settings.pg_table_prefix}_")
        if total:
            self._report(state="embedding", done=done, total=total, current=agent_name)

    def _report(self, **changes: object) -> None:
        with self._progress_lock:
            self._progress = replace(self._progress, **changes)  # type: ignore[arg-type]


def _all_failures(report_by_agent: dict[str, SeedReport]) -> tuple[str, ...]:
    failures: list[str] = []
    for report in report_by_agent.values():
        failures.extend(report.failures)
    return tuple(failures)
