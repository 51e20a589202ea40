"""One question on its way through the recall paths of one role's table."""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import psycopg
from psycopg_pool import ConnectionPool

from meetmind.config.retrieval_settings import WORDS_PATH, RetrievalSettings
from meetmind.database.aliases import list_aliases
from meetmind.database.locating import locate_passage
from meetmind.database.retrieval import (
    RecalledPassage,
    VectorLeg,
    WordLeg,
    look_up_terms,
    recall_passages,
)
from meetmind.errors import EmbeddingUnavailable, KnowledgeError
from meetmind.events import PathScore
from meetmind.knowledge.dates import date_factor
from meetmind.knowledge.embedding import Embedder, EmbeddingBusy, EncodedText
from meetmind.knowledge.embedding_models import EmbeddingModels
from meetmind.knowledge.fusion import Ranking, fuse
from meetmind.knowledge.other_names import other_names
from meetmind.knowledge.questions import Question, with_more_words
from meetmind.knowledge.reranking import Candidate, Reranked, Reranker, RerankRequest, rerank
from meetmind.knowledge.wording import Wording
from meetmind.search_trace import SkippedPath, StageTime

READ_WORD_HITS = 5
SMALLEST_COVERAGE = 0.05
ACROSS_SHARE = 0.4
"""Of the passages that are kept after fusion: at most so many places for the other language."""
AS_MEANT = ("cannot_read", "question_unread", "rerank_off", "reranker_missing")
"""Why a path or rung has no say where all is as it should be."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, eq=False)
class RetrievalResources:
    """What the retrievers of an installation share."""

    pool: ConnectionPool
    table_prefix: str
    models: EmbeddingModels
    current_settings: Callable[[], RetrievalSettings]
    ladder: Sequence[Reranker]


class TableSearch:
    """One question on its way through one table; keeps what every stage did."""

    def __init__(
        self,
        question: Question,
        table_name: str,
        resources: RetrievalResources,
        settings: RetrievalSettings,
    ) -> None:
        self.question = question
        self.paths: list[str] = []
        self.skipped: list[SkippedPath] = []
        self.stages: list[StageTime] = []
        self.wording: Wording | None = None
        self.fused: list[Candidate] = []
        self.reranked = Reranked(candidates=(), ranker="", ranker_key="")
        self._table_name = table_name
        self._resources = resources
        self._settings = settings
        self._query_by_key: dict[str, EncodedText] = {}
        self._multilingual_keys: set[str] = set()
        self._words_coverage = 0.0

    @property
    def degraded(self) -> list[str]:
        """Why paths or rungs that should have had a say had none."""
        reasons = [skipped.reason for skipped in self.skipped if skipped.reason not in AS_MEANT]
        return list(dict.fromkeys(reasons))

    def run(self) -> None:
        """Recall, fuse and rerank; raises `KnowledgeError` when no path at all can answer."""
        with self._timed("encode"):
            self._encode_question()
        with self._timed("vocabulary"):
            self.wording = self._read_vocabulary()
        with self._timed("recall"):
            recalled = self._recall()
        with self._timed("fuse"):
            self.fused = self._fuse(recalled)
        with self._timed("rerank"):
            self.reranked = self._rerank()

    def locate(self, passage_id: str) -> list[PathScore]:
        """Where a passage stands on every path, counted over the whole table."""
        self._encode_question()
        self.wording = self._read_vocabulary()
        words = None if self.wording is None else self.wording.leg()
        if words is not None:
            self.paths.append(WORDS_PATH)
        legs = self._vector_legs()
        self.paths.extend(leg.path for leg in legs)
        return locate_passage(
            self._resources.pool,
            self._table_name,
            passage_id,
            words=words,
            vectors=legs,
        )

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        milliseconds = round((time.perf_counter() - started) * 1000, 2)
        self.stages.append(StageTime(stage=stage, milliseconds=milliseconds))

    def _add_other_names(self) -> None:
        """What the question names is looked for by its other names too, in words and meaning."""
        try:
            aliases = list_aliases(self._resources.pool, self._table_name)
        except psycopg.Error as error:
            self._note_failure(WORDS_PATH, "words_failed", error)
            return
        names = other_names(self.question.text, aliases)
        named = replace(self.question, other_names=tuple(names))
        self.question = with_more_words(named, names, "alias")

    def _encode_question(self) -> None:
        """The question by every model that reads its language; a missing model is noted."""
        self._add_other_names()
        for embedder in self._resources.models.searched():
            reason = self._encode_by(embedder)
            if reason:
                self.skipped.append(SkippedPath(name=embedder.key, reason=reason))
        wanted = self._resources.current_settings().embedding_models
        for key in self._resources.models.unknown_keys(wanted):
            self.skipped.append(SkippedPath(name=key, reason="embedding_unavailable"))

    def _encode_by(self, embedder: Embedder) -> str:
        """Why the model has no say, or nothing."""
        try:
            if not embedder.can_read(self.question.read_text):
                return "cannot_read"
            if embedder.state in ("idle", "loading"):
                embedder.start_loading()
                return "embedding_loading"
            self._query_by_key[embedder.key] = embedder.encode_query(self.question.read_text)
            if embedder.reads_chinese:
                self._multilingual_keys.add(embedder.key)
        except EmbeddingBusy:
            return "embedding_busy"
        except EmbeddingUnavailable:
            return "embedding_unavailable"
        if self._table_name in embedder.unfinished_tables:
            return "embedding_unfinished"
        return ""

    def _read_vocabulary(self) -> Wording | None:
        try:
            asked = [term.term for term in self.question.terms]
            guessable = [term for term in asked if term.isascii() and term.isalpha()]
            vocabulary = look_up_terms(self._resources.pool, self._table_name, asked, guessable)
        except psycopg.Error as error:
            self._note_failure(WORDS_PATH, "words_failed", error)
            return None
        return Wording(self.question, vocabulary)

    def _recall(self) -> list[RecalledPassage]:
        """All paths in one statement; where that fails, each alone."""
        words = None if self.wording is None else self.wording.leg()
        vectors = self._vector_legs()
        if words is None and not vectors:
            raise self._nothing_answers()
        try:
            recalled = self._recall_by(words, vectors)
        except psycopg.Error as error:
            logger.warning(
                "%s cannot be searched at once: %s", self._table_name, type(error).__name__
            )
            found = self._recall_one_by_one(words, vectors)
            self._refresh_models()
            return found
        if words is not None:
            self.paths.append(WORDS_PATH)
        self.paths.extend(leg.path for leg in vectors)
        return recalled

    def _refresh_models(self) -> None:
        """Another process may have replaced a model: the next search looks for what is there."""
        try:
            self._resources.models.refresh()
        except psycopg.Error as error:
            logger.warning("The embedding models cannot be listed: %s", type(error).__name__)

    def _vector_legs(self) -> list[VectorLeg]:
        """One leg a model; one more, over the other language, for a model that reads both."""
        own = self.question.language
        other = "en" if own == "zh" else "zh"
        legs: list[VectorLeg] = []
        for key, query in self._query_by_key.items():
            vector = query.vector.tolist()
            if key in self._multilingual_keys:
                legs.append(VectorLeg(key=key, vector=vector, language=own))
                legs.append(VectorLeg(key=key, vector=vector, language=other, is_across=True))
            else:
                legs.append(VectorLeg(key=key, vector=vector))
        return legs

    def _recall_one_by_one(
        self, words: WordLeg | None, vectors: Sequence[VectorLeg]
    ) -> list[RecalledPassage]:
        """What each path finds alone; raises `KnowledgeError` when none can answer."""
        found: list[RecalledPassage] = []
        if words is not None:
            found.extend(self._recall_alone(WORDS_PATH, "words_failed", words, ()))
        for leg in vectors:
            found.extend(self._recall_alone(leg.path, "vectors_failed", None, (leg,)))
        if not self.paths:
            raise self._nothing_answers()
        passage_by_number: dict[int, RecalledPassage] = {}
        for passage in found:
            known = passage_by_number.get(passage.number)
            passage_by_number[passage.number] = _joined(known, passage)
        return list(passage_by_number.values())

    def _recall_alone(
        self, path: str, reason: str, words: WordLeg | None, vectors: Sequence[VectorLeg]
    ) -> list[RecalledPassage]:
        try:
            recalled = self._recall_by(words, vectors)
        except psycopg.Error as error:
            for leg in vectors:
                self._query_by_key.pop(leg.key, None)
            self._note_failure(path, reason, error)
            return []
        self.paths.append(path)
        return recalled

    def _recall_by(
        self, words: WordLeg | None, vectors: Sequence[VectorLeg]
    ) -> list[RecalledPassage]:
        return recall_passages(
            self._resources.pool,
            self._table_name,
            words=words,
            vectors=vectors,
            depth=self._settings.recall_depth,
        )

    def _fuse(self, recalled: Sequence[RecalledPassage]) -> list[Candidate]:
        """Every candidate by its fused score, best first.

        Words that cover little of the question say little about which passage answers it.
        """
        self._words_coverage = self._coverage_by_words(recalled)
        rankings: list[Ranking] = []
        for path in self.paths:
            weight = self._settings.weight_of(path, self.question.language)
            if path == WORDS_PATH:
                weight *= max(self._words_coverage, SMALLEST_COVERAGE)
            rankings.append(Ranking(ids=_ids_on(recalled, path), weight=weight))
        passage_by_id = {passage.id: passage for passage in recalled}
        today = datetime.now(UTC).date()
        candidates: list[Candidate] = []
        for passage_id, score in fuse(rankings).items():
            passage = passage_by_id[passage_id]
            factor = date_factor(passage.dated, today, self._settings.half_life_days)
            candidates.append(
                Candidate(passage=passage, fused_score=score * factor, date_factor=factor)
            )
        candidates.sort(key=lambda candidate: -candidate.fused_score)
        return candidates

    def _coverage_by_words(self, recalled: Sequence[RecalledPassage]) -> float:
        """The largest share of the question that one of the first word hits covers."""
        if self.wording is None:
            return 0.0
        best = 0.0
        for passage in recalled:
            rank = passage.rank_on(WORDS_PATH)
            if rank is not None and rank <= READ_WORD_HITS:
                text = f"{passage.title}\n{passage.summary}\n{passage.content}"
                best = max(best, self.wording.coverage_of(text).share)
        return best

    def _kept(self) -> list[Candidate]:
        """The best after fusion; some places are for passages in another language.

        Few paths find those, so that they would always come last.
        """
        size = max(self._settings.retrieve_top_n, self._settings.rerank_top_n)
        own: list[Candidate] = []
        across: list[Candidate] = []
        for candidate in self.fused:
            if candidate.passage.is_across:
                across.append(candidate)
            else:
                own.append(candidate)
        across_places = min(len(across), round(size * ACROSS_SHARE))
        own_places = min(len(own), size - across_places)
        kept = [*own[:own_places], *across[: size - own_places]]
        kept.sort(key=lambda candidate: -candidate.fused_score)
        return kept

    def _rerank(self) -> Reranked:
        request = RerankRequest(
            question=self.question,
            wording=self.wording,
            query_by_key=self._query_by_key,
            pool=self._resources.pool,
            table_name=self._table_name,
            words_coverage=self._words_coverage,
            models=self._resources.models,
            settings=self._settings,
        )
        reranked = rerank(request, self._kept(), self._resources.ladder)
        self.skipped.extend(reranked.skipped)
        return reranked

    def _note_failure(self, path: str, reason: str, error: psycopg.Error) -> None:
        logger.warning("The path %s of %s failed: %s", path, self._table_name, type(error).__name__)
        self.skipped.append(SkippedPath(name=path, reason=reason))

    def _nothing_answers(self) -> KnowledgeError:
        return KnowledgeError(f"The table {self._table_name} cannot be searched now.")


def _joined(known: RecalledPassage | None, passage: RecalledPassage) -> RecalledPassage:
    """A passage that several paths found when they ran alone."""
    if known is None:
        return passage
    return replace(
        known,
        paths=[*known.paths, *passage.paths],
        ranks=[*known.ranks, *passage.ranks],
        scores=[*known.scores, *passage.scores],
    )


def _ids_on(recalled: Sequence[RecalledPassage], path: str) -> list[str]:
    """What the path found, best first."""
    rank_by_id: dict[str, int] = {}
    for passage in recalled:
        rank = passage.rank_on(path)
        if rank is not None:
            rank_by_id[passage.id] = rank
    return sorted(rank_by_id, key=lambda passage_id: rank_by_id[passage_id])
