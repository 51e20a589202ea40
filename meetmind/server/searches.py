"""Searches to look at: those of discussions as they were, and new ones with any settings."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from psycopg_pool import ConnectionPool

from meetmind.clean_text import clean_bad_chars
from meetmind.config.retrieval_settings import RetrievalSettings
from meetmind.config.roster_names import AGENT_NAMES
from meetmind.database import searches as search_rows
from meetmind.database.searches import JudgementRow, SearchRow
from meetmind.errors import NotFound
from meetmind.events import PathScore
from meetmind.knowledge.questions import read_question
from meetmind.knowledge.rag_retriever import Retrieval
from meetmind.knowledge.table_search import TableSearch
from meetmind.redaction import redact_text
from meetmind.search_trace import SearchTrace, trace_from_payload, trace_payload
from meetmind.server.library import Library

MOST_LISTED = 200


class Search(Protocol):
    """`Library.search_for_role`."""

    def __call__(
        self, agent_name: str | None, query: str, expansion_terms: Sequence[str]
    ) -> Retrieval:
        """The best passages for a query."""


class RecordedSearch:
    """The search of one run: every one is kept with all its numbers."""

    def __init__(self, pool: ConnectionPool, run_id: str, search: Search) -> None:
        self._pool = pool
        self._run_id = run_id
        self._search = search

    def __call__(
        self, agent_name: str | None, query: str, expansion_terms: Sequence[str]
    ) -> Retrieval:
        """The best passages for a query, and under which ids the numbers are kept."""
        found = self._search(agent_name, query, expansion_terms)
        ids: list[str] = []
        for trace in found.traces:
            search_id = search_rows.store_search(
                self._pool,
                run_id=self._run_id,
                agent_name=trace.agent_name,
                query=trace.query,
                trace=trace_payload(trace),
            )
            if search_id is not None:
                ids.append(search_id)
        return replace(found, search_ids=tuple(ids))


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a passage stands for a question on every path, counted over the whole table."""

    passage_id: str
    path_scores: tuple[PathScore, ...]
    paths: tuple[str, ...]
    """The paths that had a say; one that is missing in `path_scores` has no score for it at all."""


@dataclass(frozen=True, kw_only=True)
class PastSearch:
    """A search of a discussion with its numbers as they were."""

    id: str
    session_id: str
    session_title: str
    searched_at: datetime
    trace: SearchTrace


class Searches:
    """What the Rerank page asks for."""

    def __init__(self, pool: ConnectionPool, library: Library) -> None:
        self._pool = pool
        self._library = library

    def list_searches(self, owner_id: str, session_id: str | None = None) -> list[SearchRow]:
        """The owner's searches, of one discussion or of all, the last one first."""
        return search_rows.list_searches(self._pool, owner_id, session_id, MOST_LISTED)

    def open_past(self, owner_id: str, search_id: str) -> PastSearch:
        """A search of a discussion, when it was made and its numbers; raises `NotFound`."""
        row = search_rows.find_search(self._pool, owner_id, clean_bad_chars(search_id))
        if row is None:
            raise NotFound("There is no such search among yours.")
        return PastSearch(
            id=row.id,
            session_id=row.session_id,
            session_title=row.session_title,
            searched_at=row.searched_at,
            trace=self.open_search(owner_id, row.id),
        )

    def open_search(self, owner_id: str, search_id: str) -> SearchTrace:
        """A search of a discussion with its numbers as they were; raises `NotFound`."""
        payload = search_rows.search_trace(self._pool, owner_id, clean_bad_chars(search_id))
        if payload is None:
            raise NotFound("There is no such search among yours.")
        return trace_from_payload(payload)

    def try_search(
        self,
        agent_names: Sequence[str],
        query: str,
        settings: RetrievalSettings,
        expansion_terms: Sequence[str] = (),
    ) -> list[SearchTrace]:
        """A search of each role's table with any settings; nothing is kept."""
        traces: list[SearchTrace] = []
        for agent_name in agent_names:
            found = self._library.search_with(agent_name, query, settings, expansion_terms)
            traces.extend(found.traces)
        return traces

    def locate(
        self,
        agent_name: str,
        query: str,
        settings: RetrievalSettings,
        passage_id: str,
        expansion_terms: Sequence[str] = (),
    ) -> Place:
        """Where any passage of a role stands for a question, however far down."""
        table_name = self._library.table_name(agent_name)
        safe_query = redact_text(query).text
        question = read_question(safe_query, expansion_terms)
        search = TableSearch(question, table_name, self._library.resources, settings)
        return Place(
            passage_id=passage_id,
            path_scores=tuple(search.locate(passage_id)),
            paths=tuple(search.paths),
        )

    def judge(
        self, owner_id: str, agent_name: str, question: str, passage_id: str, is_relevant: bool
    ) -> None:
        """Mark a passage as answering a question, or as not answering it."""
        judgement = JudgementRow(
            table_name=self._library.table_name(agent_name),
            question=_bare(question),
            passage_id=passage_id,
            is_relevant=is_relevant,
        )
        search_rows.store_judgement(self._pool, owner_id, judgement)

    def forget_judgement(
        self, owner_id: str, agent_name: str, question: str, passage_id: str
    ) -> None:
        """Take a mark back."""
        table_name = self._library.table_name(agent_name)
        search_rows.remove_judgement(self._pool, owner_id, table_name, _bare(question), passage_id)

    def judgements_of(self, owner_id: str, agent_name: str, question: str) -> dict[str, bool]:
        """What the person marked for this question: whether each passage is relevant, by its id."""
        table_name = self._library.table_name(agent_name)
        relevance_by_id: dict[str, bool] = {}
        for judgement in search_rows.list_judgements(self._pool, owner_id):
            if judgement.table_name == table_name and judgement.question == _bare(question):
                relevance_by_id[judgement.passage_id] = judgement.is_relevant
        return relevance_by_id

    def judged_questions(self, owner_id: str) -> dict[tuple[str, str], dict[str, bool]]:
        """Every question that the person judged, by role and text, with the marks."""
        agent_by_table = {self._library.table_name(agent): agent for agent in AGENT_NAMES}
        marks: dict[tuple[str, str], dict[str, bool]] = {}
        for judgement in search_rows.list_judgements(self._pool, owner_id):
            agent_name = agent_by_table.get(judgement.table_name)
            if agent_name is not None:
                of_question = marks.setdefault((agent_name, judgement.question), {})
                of_question[judgement.passage_id] = judgement.is_relevant
        return marks


def _bare(question: str) -> str:
    """The question as it is kept: without secrets, and with single spaces."""
    safe_question = redact_text(clean_bad_chars(question)).text
    return " ".join(safe_question.split())
