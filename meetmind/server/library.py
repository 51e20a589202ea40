"""The knowledge of the five roles: what is there, searching it, filling it behind the page."""

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from psycopg_pool import ConnectionPool
from pydantic import TypeAdapter, ValidationError

from meetmind.config.retrieval_settings import RetrievalSettings, default_retrieval_settings
from meetmind.config.roster_names import AGENT_NAMES
from meetmind.config.settings import PROJECT_ROOT, Settings
from meetmind.database import documents as document_rows
from meetmind.database import passages as passage_rows
from meetmind.database.agent_tables import ensure_agent_table, get_table_name
from meetmind.database.documents import DocumentSummary
from meetmind.database.passages import PassageRow
from meetmind.database.retrieval_settings import last_settings, store_settings
from meetmind.errors import EmbeddingUnavailable
from meetmind.knowledge.cross_rung import CrossEncoderRung
from meetmind.knowledge.embedding import Embedder, get_embed_model_dim
from meetmind.knowledge.embedding_models import EmbeddingModels
from meetmind.knowledge.initializer import KnowledgeBase, KnowledgeFolders
from meetmind.knowledge.late_rung import LateInteraction
from meetmind.knowledge.models.cross_encoder import find_cross_encoder
from meetmind.knowledge.models.folders import STANDARD_MODELS, model_folder, model_key
from meetmind.knowledge.rag_retriever import Retrieval, get_retriever, search_all
from meetmind.knowledge.reading import DocumentReader
from meetmind.knowledge.table_search import RetrievalResources
from meetmind.server.ingestion_worker import IngestionParts, IngestionProgress, IngestionWorker

UPLOADS = "uploads"
MAKING_SECONDS = 900

_SETTINGS: TypeAdapter[RetrievalSettings] = TypeAdapter(RetrievalSettings)

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
    """Passages that a search by meaning can find."""


@dataclass(frozen=True, kw_only=True)
class ModelStatus:
    """An embedding model as the app sees it."""

    key: str
    name: str
    state: str
    """`in_force`, `filling` or `leaving`."""
    loading: str
    """`idle`, `loading`, `ready` or `failed`."""
    runtime: str
    problem: str
    seen_passages: int
    all_passages: int


@dataclass(frozen=True, kw_only=True)
class ModelProblem:
    """Why an embedding model cannot be chosen."""

    name: str
    kind: str
    """`missing`: not on this disk; `unreadable`: a folder without a model; `twice`: named twice."""


class Library:
    """The knowledge of an installation; every method may be called from any thread."""

    def __init__(self, pool: ConnectionPool, settings: Settings) -> None:
        self._pool = pool
        self._settings = settings
        self._default_settings = default_retrieval_settings(settings)
        self._chosen_settings: RetrievalSettings | None = None
        self._settings_lock = threading.Lock()
        self.prefix = settings.pg_table_prefix
        self.table_names = [get_table_name(self.prefix, agent) for agent in AGENT_NAMES]
        for table_name in self.table_names:
            ensure_agent_table(pool, table_name)
        self.folders = KnowledgeFolders(
            seeds=settings.seed_data_path,
            uploads=self.uploads,
        )
        self._models = EmbeddingModels(pool, self.table_names, settings.embedding_cache_dir)
        self.resources = RetrievalResources(
            pool=pool,
            table_prefix=self.prefix,
            models=self._models,
            current_settings=self.retrieval_settings,
            ladder=(CrossEncoderRung(settings.embedding_cache_dir), LateInteraction()),
        )
        self._worker = IngestionWorker(
            IngestionParts(
                base=KnowledgeBase(
                    pool=pool, prefix=self.prefix, folders=self.folders, reader=DocumentReader()
                ),
                models=self._models,
                wanted_models=lambda: self.retrieval_settings().embedding_models,
                make_models=self._make_models,
            )
        )

    def overview(self) -> list[RoleKnowledge]:
        """What every role knows, in the order of the roster."""
        keys = [row.key for row in self._models.rows if row.is_searched]
        knowledge: list[RoleKnowledge] = []
        for agent_name, table_name in zip(AGENT_NAMES, self.table_names, strict=True):
            counts = passage_rows.count_passages(self._pool, table_name, keys)
            knowledge.append(
                RoleKnowledge(
                    agent_name=agent_name,
                    documents=document_rows.count_documents(self._pool, table_name),
                    passages=counts.passages,
                    chinese_passages=counts.chinese_passages,
                    english_passages=counts.english_passages,
                    characters=counts.characters,
                    embedded_passages=counts.embedded_passages,
                )
            )
        return knowledge

    def list_documents(self, agent_name: str) -> list[DocumentSummary]:
        """Every document of a role, unreadable and deleted ones too."""
        return document_rows.list_documents(self._pool, self.table_name(agent_name))

    def list_passages(
        self, agent_name: str, source: str | None = None, offset: int = 0, limit: int = 50
    ) -> list[PassageRow]:
        """Passages of a role, or of one of its documents, in the order of the text."""
        wanted = passage_rows.PassageFilter(source=source)
        page = passage_rows.find_passages(
            self._pool, self.table_name(agent_name), wanted, offset=offset, limit=limit
        )
        return list(page.passages)

    def search(self, agent_name: str | None, query: str) -> Retrieval:
        """The best passages of a role, or of all when `agent_name` is None."""
        return self.search_for_role(agent_name, query, ())

    def search_for_role(
        self, agent_name: str | None, query: str, expansion_terms: Sequence[str]
    ) -> Retrieval:
        """As `search`, with more words to look for that count for nothing else."""
        return self.search_with(agent_name, query, None, expansion_terms)

    def search_with(
        self,
        agent_name: str | None,
        query: str,
        settings: RetrievalSettings | None,
        expansion_terms: Sequence[str] = (),
    ) -> Retrieval:
        """A search with other settings than those in force, to try them."""
        if agent_name is None:
            return search_all(query, self.resources, expansion_terms, settings)
        retriever = get_retriever(agent_name, self.resources)
        return retriever.retrieve(query, expansion_terms, settings)

    def retrieval_settings(self) -> RetrievalSettings:
        """What is in force: what was chosen in the app, else what the environment says."""
        if self._chosen_settings is not None:
            return self._chosen_settings
        with self._settings_lock:
            chosen = self._read_settings()
            self._chosen_settings = chosen[0] if chosen else self._default_settings
            return self._chosen_settings

    def default_settings(self) -> RetrievalSettings:
        """What the environment says."""
        return self._default_settings

    def former_settings(self) -> RetrievalSettings:
        """What was in force before; the defaults of the installation if nothing was changed."""
        chosen = self._read_settings()
        return chosen[1] if len(chosen) > 1 else self._default_settings

    def choose_settings(self, chosen: RetrievalSettings, chosen_by: str | None) -> None:
        """Put other settings in force from the next search on; new models fill in behind it."""
        former_models = self.retrieval_settings().embedding_models
        store_settings(self._pool, asdict(chosen), chosen_by)
        with self._settings_lock:
            self._chosen_settings = None
        if chosen.embedding_models != former_models:
            self.start_ingestion()

    def models(self) -> list[ModelStatus]:
        """Every embedding model that the tables have vectors of, with how far each is."""
        statuses: list[ModelStatus] = []
        for row in self._models.rows:
            embedder = self._models.embedder(row.name)
            seen = 0
            total = 0
            for table_name in self.table_names:
                counts = passage_rows.count_passages(self._pool, table_name, [row.key])
                seen += counts.seen_passages
                total += counts.passages
            statuses.append(
                ModelStatus(
                    key=row.key,
                    name=embedder.name,
                    state=row.state,
                    loading=embedder.state,
                    runtime=embedder.runtime,
                    problem=embedder.problem,
                    seen_passages=seen,
                    all_passages=total,
                )
            )
        return statuses

    @property
    def standard_models(self) -> tuple[str, ...]:
        """The models that come with the installation; made on this machine when one is missing."""
        return STANDARD_MODELS

    def check_models(self, model_names: Sequence[str]) -> list[ModelProblem]:
        """What speaks against choosing these embedding models; nothing is loaded or changed."""
        problems: list[ModelProblem] = []
        seen_keys: set[str] = set()
        for name in model_names:
            key = model_key(name)
            kind = "twice" if key in seen_keys else self._fault_of_model(name)
            seen_keys.add(key)
            if kind:
                problems.append(ModelProblem(name=name, kind=kind))
        return problems

    def has_rerank_model(self, model_name: str) -> bool:
        """Whether the cross-encoder of this name lies on this disk."""
        if not model_name:
            return False
        try:
            return find_cross_encoder(model_name, self._settings.embedding_cache_dir) is not None
        except (OSError, RuntimeError, ValueError):
            return False

    def model_names(self) -> dict[str, str]:
        """What the embedding models are called, by the key of their path."""
        names = [*self.retrieval_settings().embedding_models]
        names.extend(row.name for row in self._models.rows)
        return {model_key(name): name.rstrip("/").rsplit("/", 1)[-1] for name in names}

    def progress(self) -> IngestionProgress:
        """How far the background work is."""
        return self._worker.progress

    def start_ingestion(self) -> None:
        """Read what is new or changed and fill in vectors, in the background; once at a time.

        Asked for while it runs, it looks once more when it is done.
        """
        self._worker.start()

    def reset(self, agent_name: str) -> None:
        """Empty a role's table and read its files again; vectors follow in the background."""
        self._worker.reset(agent_name)
        self.start_ingestion()

    def start_anew(self, agent_name: str) -> None:
        """As `reset`, all of it in the background: a page does not wait for the files."""
        get_table_name(self.prefix, agent_name)
        self._worker.start_anew(agent_name)

    def start_loading_model(self) -> None:
        """Load the embedding models in the background, so that the first search has vectors."""
        self._models.start_loading()

    def message_embedder(self) -> Embedder | None:
        """The model for what is said in discussions: in both languages, and loaded already."""
        for embedder in self._models.searched():
            if embedder.state == "ready" and embedder.reads_chinese:
                return embedder
        return None

    def wait_for_models(self, seconds: float) -> list[str]:
        """Wait until every searched model is loaded; one sentence for each that is not."""
        self._models.start_loading()
        problems: list[str] = []
        for embedder in self._models.searched():
            if not embedder.wait_until_loaded(seconds):
                problems.append(embedder.problem or f"{embedder.name} was not loaded in time.")
        return problems

    def wait_until_idle(self, seconds: float) -> bool:
        """Wait for the background work, for the command line and tests; False when it goes on."""
        return self._worker.wait_until_idle(seconds)

    def close(self) -> None:
        """Stop the background work at the next passage."""
        self._worker.close()

    @property
    def uploads(self) -> Path:
        """The folder of the uploaded files, one below it a role."""
        return self._settings.meetmind_home / UPLOADS / self.prefix

    def table_name(self, agent_name: str) -> str:
        """The name of a role's table."""
        return get_table_name(self.prefix, agent_name)

    def _read_settings(self) -> list[RetrievalSettings]:
        chosen: list[RetrievalSettings] = []
        for row in last_settings(self._pool, 2):
            try:
                chosen.append(settings_from_payload(row.settings))
            except ValidationError:
                logger.warning("The retrieval settings %d cannot be read.", row.number)
        return chosen

    def _make_models(self, model_names: tuple[str, ...]) -> list[str]:
        """Make the standard models that are wanted and not there, in a process of its own."""
        missing = [name for name in model_names if self._is_missing_standard(name)]
        if not missing:
            return []
        command = [sys.executable, "-m", "meetmind.knowledge.models.making"]
        folder = str(self._settings.embedding_cache_dir)
        environment = {**os.environ, "EMBEDDING_CACHE_DIR": folder}
        try:
            subprocess.run(
                command,
                cwd=PROJECT_ROOT,
                env=environment,
                check=True,
                capture_output=True,
                timeout=MAKING_SECONDS,
            )
        except (OSError, subprocess.SubprocessError) as error:
            logger.warning("The models could not be made: %s", error)
        return []

    def _fault_of_model(self, model_name: str) -> str:
        if self._is_missing_standard(model_name):
            return ""
        try:
            folder = model_folder(model_name, self._settings.embedding_cache_dir)
        except (EmbeddingUnavailable, OSError, RuntimeError, ValueError):
            # A name need not be possible as a path: too long, or the home of an unknown user.
            return "missing"
        try:
            get_embed_model_dim(folder)
        except EmbeddingUnavailable:
            return "unreadable"
        return ""

    def _is_missing_standard(self, model_name: str) -> bool:
        if model_name not in STANDARD_MODELS:
            return False
        try:
            model_folder(model_name, self._settings.embedding_cache_dir)
        except EmbeddingUnavailable:
            return True
        return False


def settings_from_payload(payload: Mapping[str, Any]) -> RetrievalSettings:
    """The settings that were stored; raises `pydantic.ValidationError` for anything else."""
    return _SETTINGS.validate_python(dict(payload))
