"""One question on its way through the recall paths of one role's table."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace

import psycopg
from psycopg_pool import ConnectionPool

from meetmind.config.settings import Settings
from meetmind.database.retrieval import (
    RecalledPassage,
    look_up_terms,
    recall_by_vector,
    recall_passages,
)
from meetmind.errors import EmbeddingUnavailable, KnowledgeError
from meetmind.events import PassageEvidence
from meetmind.knowledge.embedding import Embedder, EmbeddingBusy
from meetmind.knowledge.fusion import Ranking, fuse
from meetmind.knowledge.questions import Question
from meetmind.knowledge.reranking import Candidate
from meetmind.knowledge.wording import Wording

WORDS = "words"
VECTORS = "vectors"
PATH_WEIGHTS = {WORDS: 1.0, VECTORS: 1.0}

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, eq=False)
class RetrievalResources:
    """What the retrievers of an installation share."""

    pool: ConnectionPool
    table_prefix: str
    embedder: Embedder
    recall_depth: int = 50
    retrieve_top_n: int = 20
    rerank_top_n: int = 5

    @classmethod
    def from_settings(
        cls, pool: ConnectionPool, settings: Settings, embedder: Embedder
    ) -> "RetrievalResources":
        """The resources that the settings name."""
        return cls(
            pool=pool,
            table_prefix=settings.pg_table_prefix,
            embedder=embedder,
            recall_depth=settings.recall_depth,
            retrieve_top_n=settings.retrieve_top_n,
            rerank_top_n=settings.rerank_top_n,
        )


class TableSearch:
    """One question on its way through the paths of one table."""

    def __init__(self, question: Question, table_name: str, resources: RetrievalResources) -> None:
        self.paths: list[str] = []
        self.degraded: list[str] = []
        self._question = question
        self._table_name = table_name
        self._resources = resources
        self._wording: Wording | None = None

    def run(self, most_candidates: int) -> list[Candidate]:
        """The fused candidates of every path that answered, best first."""
        vector = self._query_vector()
        self._wording = self._read_vocabulary()
        recalled = self._recall(vector)
        rankings = [_ranking(recalled, path) for path in self.paths]
        score_by_id = fuse(rankings)
        passage_by_id = {passage.id: passage for passage in recalled}
        candidates: list[Candidate] = []
        for passage_id, score in score_by_id.items():
            candidate = Candidate(passage=passage_by_id[passage_id], fused_score=score)
            candidates.append(candidate)
        return candidates[:most_candidates]

    def evidence(self, agent_name: str, candidate: Candidate, rank: int) -> PassageEvidence:
        """The passage with every score and rank that it had on the way."""
        passage = candidate.passage
        share = 0.0
        matched_terms: tuple[str, ...] = ()
        if self._wording is not None:
            text = f"{passage.title}\n{passage.summary}\n{passage.content}"
            coverage = self._wording.coverage_of(text)
            share, matched_terms = coverage.share, coverage.surfaces
        return PassageEvidence(
            passage_id=passage.id,
            agent_name=agent_name,
            title=passage.title,
            source=passage.source,
            locator=passage.locator,
            language=passage.language,
            content=passage.content,
            rank=rank,
            coverage=share,
            matched_terms=matched_terms,
            bm25_rank=passage.bm25_rank,
            bm25_score=passage.bm25_score,
            vector_rank=passage.vector_rank,
            vector_score=passage.vector_score,
            fused_score=candidate.fused_score,
            rerank_score=candidate.rerank_score,
        )

    def _query_vector(self) -> list[float] | None:
        """The question's vector where the model reads its language; a missing model is noted."""
        embedder = self._resources.embedder
        try:
            if not embedder.can_read(self._question.text):
                return None
            if embedder.state in ("idle", "loading"):
                embedder.start_loading()
                self.degraded.append("embedding_loading")
                return None
            vector = embedder.encode_query(self._question.text)
        except EmbeddingBusy:
            self.degraded.append("embedding_busy")
            return None
        except EmbeddingUnavailable:
            self.degraded.append("embedding_unavailable")
            return None
        if self._table_name in embedder.unfinished_tables:
            self.degraded.append("embedding_unfinished")
        return vector

    def _read_vocabulary(self) -> Wording | None:
        asked = [term.term for term in self._question.terms]
        guessable = [term for term in asked if term.isascii() and term.isalpha()]
        try:
            vocabulary = look_up_terms(self._resources.pool, self._table_name, asked, guessable)
        except psycopg.Error as error:
            logger.warning(
                "The words of %s cannot be read: %s", self._table_name, type(error).__name__
            )
            self.degraded.append("words_failed")
            return None
        return Wording(self._question, vocabulary)

    def _recall(self, vector: list[float] | None) -> list[RecalledPassage]:
        """Both paths in one statement; where that fails, each alone."""
        if self._wording is None:
            return self._recall_one_by_one(vector)
        try:
            recalled = self._recall_words(self._wording, vector)
        except psycopg.Error as error:
            logger.warning(
                "%s cannot be searched at once: %s", self._table_name, type(error).__name__
            )
            return self._recall_one_by_one(vector)
        self.paths.append(WORDS)
        if vector is not None:
            self.paths.append(VECTORS)
        return recalled

    def _recall_one_by_one(self, vector: list[float] | None) -> list[RecalledPassage]:
        """What each path finds alone; raises `KnowledgeError` when none can answer."""
        by_words = self._recall_words_alone()
        by_vector = self._recall_vectors_alone(vector)
        if not self.paths:
            raise KnowledgeError(f"The table {self._table_name} cannot be searched now.")
        passage_by_id = {passage.id: passage for passage in by_words}
        for passage in by_vector:
            known = passage_by_id.get(passage.id)
            passage_by_id[passage.id] = _joined(known, passage)
        return list(passage_by_id.values())

    def _recall_words_alone(self) -> list[RecalledPassage]:
        if self._wording is None:
            return []
        try:
            recalled = self._recall_words(self._wording, None)
        except psycopg.Error:
            self.degraded.append("words_failed")
            return []
        self.paths.append(WORDS)
        return recalled

    def _recall_vectors_alone(self, vector: list[float] | None) -> list[RecalledPassage]:
        if vector is None:
            return []
        depth = self._resources.recall_depth
        try:
            recalled = recall_by_vector(self._resources.pool, self._table_name, vector, depth)
        except psycopg.Error:
            self.degraded.append("vectors_failed")
            return []
        self.paths.append(VECTORS)
        return recalled

    def _recall_words(self, wording: Wording, vector: list[float] | None) -> list[RecalledPassage]:
        return recall_passages(
            self._resources.pool,
            self._table_name,
            weight_by_term_id=wording.weight_by_term_id,
            average_length=wording.average_length,
            vector=vector,
            depth=self._resources.recall_depth,
        )


def _joined(known: RecalledPassage | None, passage: RecalledPassage) -> RecalledPassage:
    """A passage that both paths found when they ran alone."""
    if known is None:
        return passage
    return replace(known, vector_rank=passage.vector_rank, vector_score=passage.vector_score)


def _ranking(recalled: Iterable[RecalledPassage], path: str) -> Ranking:
    rank_by_id: dict[str, int] = {}
    for passage in recalled:
        rank = passage.bm25_rank if path == WORDS else passage.vector_rank
        if rank is not None:
            rank_by_id[passage.id] = rank
    ids = sorted(rank_by_id, key=lambda passage_id: rank_by_id[passage_id])
    return Ranking(ids=ids, weight=PATH_WEIGHTS[path])
