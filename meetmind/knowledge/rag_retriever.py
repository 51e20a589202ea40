"""The way out of the knowledge: a question to one role's table, or to all of them."""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.database.agent_tables import get_table_name
from meetmind.events import PassageEvidence
from meetmind.knowledge.questions import read_question
from meetmind.knowledge.reranking import rerank
from meetmind.knowledge.table_search import RetrievalResources, TableSearch

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
    """The paths and the rung that really ran, such as `words+vectors, fused`."""
    ranker: str
    degraded: tuple[str, ...]
    """Keys of the text catalogue (`degraded.<key>`) for what could not take part."""
    seconds: float

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
        self, query: str, expansion_terms: Sequence[str] = (), top_n: int | None = None
    ) -> Retrieval:
        """The best `top_n` passages for a question or a brief in Chinese or English.

        Never waits for a model to load. Raises `KnowledgeError` when no path at all could answer.
        """
        with self._count_lock:
            self._call_count += 1
        started = time.perf_counter()
        question = read_question(query, expansion_terms)
        search = TableSearch(question, self.table_name, self._resources)
        wanted = self._resources.rerank_top_n if top_n is None else top_n
        candidates = search.run(max(wanted, self._resources.retrieve_top_n))
        reranked = rerank(question, candidates)
        passages: list[PassageEvidence] = []
        for rank, candidate in enumerate(reranked.candidates[:wanted], start=1):
            passages.append(search.evidence(self.agent_name, candidate, rank))
        return Retrieval(
            passages=tuple(passages),
            mode=f"{'+'.join(search.paths)}, {reranked.ranker_key}",
            ranker=reranked.ranker,
            degraded=tuple(search.degraded),
            seconds=time.perf_counter() - started,
        )


@lru_cache(maxsize=64)
def get_retriever(agent_name: str, resources: RetrievalResources) -> RAGRetriever:
    """The retriever of a role, the same one at every call with the same resources."""
    return RAGRetriever(agent_name, resources)


def search_all(
    query: str,
    resources: RetrievalResources,
    expansion_terms: Sequence[str] = (),
    top_n: int | None = None,
) -> Retrieval:
    """The best passages of all five tables, fused by their rank at home.

    Among equal ranks the higher coverage wins; passages that cover less than half of what the best
    one covers come last, so that a role that knows nothing does not push itself in.
    """
    wanted = resources.rerank_top_n if top_n is None else top_n
    found: list[Retrieval] = []
    for agent_name in AGENT_NAMES:
        retriever = get_retriever(agent_name, resources)
        retrieval = retriever.retrieve(query, expansion_terms, wanted)
        found.append(retrieval)
    passages = [passage for retrieval in found for passage in retrieval.passages]
    enough = LEAST_SHARE_OF_BEST * max(
        (retrieval.best_coverage for retrieval in found), default=0.0
    )
    ordered = sorted(
        passages, key=lambda passage: (passage.coverage < enough, passage.rank, -passage.coverage)
    )
    best: list[PassageEvidence] = []
    for rank, passage in enumerate(ordered[:wanted], start=1):
        best.append(replace(passage, rank=rank))
    degraded = [key for retrieval in found for key in retrieval.degraded]
    return Retrieval(
        passages=tuple(best),
        mode=found[0].mode,
        ranker=found[0].ranker,
        degraded=tuple(dict.fromkeys(degraded)),
        seconds=sum(retrieval.seconds for retrieval in found),
    )
