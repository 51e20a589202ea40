"""The way out of the knowledge: a question to one role's table, or to all of them."""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from meetmind.config.retrieval_settings import RetrievalSettings
from meetmind.config.roster_names import AGENT_NAMES
from meetmind.database.agent_tables import get_table_name
from meetmind.events import PassageEvidence
from meetmind.knowledge.questions import read_question
from meetmind.knowledge.table_search import RetrievalResources, TableSearch
from meetmind.knowledge.tracing import evidence_of, trace_of
from meetmind.redaction import redact_text
from meetmind.search_trace import SearchTrace

KNOWN_COVERAGE = 0.24
"""A brief is known to a table when its best passage covers at least this much of it.

Measured over the seed documents on 86 briefs and questions about them and 64 about anything else,
in both languages, from three words to a paragraph: the best coverage over all roles told them apart
in 99 % of cases (known: 0.24 to 1, median 0.6; unknown: 0 to 0.26, median 0.15).
"""
LEAST_SHARE_OF_BEST = 0.5


@dataclass(frozen=True, kw_only=True)
class Retrieval:
    """What a search brought, and how."""

    passages: tuple[PassageEvidence, ...]
    mode: str
    """The paths and the rung that really ran, such as `words+e5, late`."""
    ranker: str
    degraded: tuple[str, ...]
    """Keys of the text catalogue (`degraded.<key>`) for what could not take part."""
    seconds: float
    traces: tuple[SearchTrace, ...] = ()
    """All numbers of the search, one trace a table."""
    search_ids: tuple[str, ...] = ()
    """Under which ids the traces are kept; empty for a search outside a discussion."""

    @property
    def best_coverage(self) -> float:
        """The highest coverage of any passage; see `KNOWN_COVERAGE`."""
        return max((passage.coverage for passage in self.passages), default=0.0)


class RAGRetriever:
    """Searches the table of one role; safe to use from several threads at once."""

    def __init__(self, agent_name: str, resources: RetrievalResources) -> None:
        self.agent_name = agent_name
        self.table_name = get_table_name(resources.table_prefix, agent_name)
        self._resources = resources
        self._count_lock = threading.Lock()
        self._call_count = 0

    @property
    def call_count(self) -> int:
        """How many searches there were since the start or the last `restart`."""
        return self._call_count

    def restart(self) -> None:
        """Count from 0 again."""
        with self._count_lock:
            self._call_count = 0

    def retrieve(
        self,
        query: str,
        expansion_terms: Sequence[str] = (),
        settings: RetrievalSettings | None = None,
    ) -> Retrieval:
        """The best passages for a question or a brief in Chinese or English.

        `settings` are the ones in force unless others are to be tried. Never waits for a model to
        load. Raises `KnowledgeError` when no path at all could answer. A secret in the question is
        masked: neither a vector nor the trace holds it.
        """
        with self._count_lock:
            self._call_count += 1
        started = time.perf_counter()
        in_force = self._resources.current_settings() if settings is None else settings
        safe_query = redact_text(query).text
        safe_terms = [redact_text(term).text for term in expansion_terms]
        question = read_question(safe_query, safe_terms)
        search = TableSearch(question, self.table_name, self._resources, in_force)
        search.run()
        passages: list[PassageEvidence] = []
        best = search.reranked.candidates[: in_force.rerank_top_n]
        for rank, candidate in enumerate(best, start=1):
            passages.append(evidence_of(search, self.agent_name, candidate, rank))
        return Retrieval(
            passages=tuple(passages),
            mode=f"{'+'.join(search.paths)}, {search.reranked.ranker_key}",
            ranker=search.reranked.ranker,
            degraded=tuple(search.degraded),
            seconds=time.perf_counter() - started,
            traces=(trace_of(search, self.agent_name, safe_query, in_force),),
        )


@lru_cache(maxsize=64)
def get_retriever(agent_name: str, resources: RetrievalResources) -> RAGRetriever:
    """The retriever of a role, the same one at every call with the same resources."""
    return RAGRetriever(agent_name, resources)


def search_all(
    query: str,
    resources: RetrievalResources,
    expansion_terms: Sequence[str] = (),
    settings: RetrievalSettings | None = None,
) -> Retrieval:
    """The best passages of all five tables, fused by their rank at home.

    Among equal ranks the higher coverage wins. Passages that cover less than half of what the best
    one covers, and are reranked below half of its score, come last, so that a role that knows
    nothing does not push itself in; one in another language covers nothing and still counts.
    """
    in_force = resources.current_settings() if settings is None else settings
    found: list[Retrieval] = []
    for agent_name in AGENT_NAMES:
        retriever = get_retriever(agent_name, resources)
        found.append(retriever.retrieve(query, expansion_terms, in_force))
    passages = [passage for retrieval in found for passage in retrieval.passages]
    ordered = _best_roles_first(passages)
    best: list[PassageEvidence] = []
    for rank, passage in enumerate(ordered[: in_force.rerank_top_n], start=1):
        best.append(replace(passage, rank=rank))
    degraded = [key for retrieval in found for key in retrieval.degraded]
    traces = [trace for retrieval in found for trace in retrieval.traces]
    return Retrieval(
        passages=tuple(best),
        mode=found[0].mode,
        ranker=found[0].ranker,
        degraded=tuple(dict.fromkeys(degraded)),
        seconds=sum(retrieval.seconds for retrieval in found),
        traces=tuple(traces),
    )


def _best_roles_first(passages: Sequence[PassageEvidence]) -> list[PassageEvidence]:
    """By rank at home, those of roles that know little about the question last."""
    best_coverage = max((passage.coverage for passage in passages), default=0.0)
    best_score = max((passage.rerank_score for passage in passages), default=0.0)

    def place(passage: PassageEvidence) -> tuple[bool, int, float]:
        covers_little = passage.coverage < LEAST_SHARE_OF_BEST * best_coverage
        scores_little = passage.rerank_score <= LEAST_SHARE_OF_BEST * best_score
        return (covers_little and scores_little, passage.rank, -passage.coverage)

    return sorted(passages, key=place)
