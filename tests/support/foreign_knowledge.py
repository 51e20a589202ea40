"""Documents, searches, memories and evaluations in which every word is hostile."""

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from psycopg_pool import ConnectionPool

from meetmind.database import aliases, memory, searches
from meetmind.database.agent_tables import get_table_name
from meetmind.database.documents import NewDocument
from meetmind.database.embedding_columns import NewEmbedding, store_embeddings
from meetmind.database.embedding_models import IN_FORCE, EmbeddingModelRow, add_embedding_model
from meetmind.database.ingestion import NewPassage, replace_document
from meetmind.database.passage_edits import store_edit
from meetmind.database.removal import delete_passage, mark_document_deleted
from meetmind.database.searches import JudgementRow
from meetmind.evaluation.evaluation_room import HOME
from meetmind.evaluation.evaluation_runs import EvaluationRun, store_run
from meetmind.evaluation.set_scores import SetScores, StageScore
from meetmind.events import PathScore
from meetmind.knowledge.words import terms_of
from meetmind.search_trace import (
    SearchTrace,
    SkippedPath,
    StageTime,
    TracedCandidate,
    TracedTerm,
    trace_payload,
)
from tests.support.foreign_run import ROLE
from tests.support.foreign_texts import hostile_file_name, hostile_line, hostile_text
from tests.support.traces import SETTINGS

TABLE = get_table_name("meetmind", ROLE)
PASSAGE = f"{ROLE}_000000000001"
NEIGHBOUR = f"{ROLE}_000000000002"
DELETED = f"{ROLE}_000000000003"
MAPPED = tuple(f"{ROLE}_0000000001{number:02d}" for number in range(8))


def store_hostile_knowledge(pool: ConnectionPool, owner_id: str) -> None:
    """Documents that were read, that failed and that were deleted, with aliases and edits."""
    passages = [
        passage_of(PASSAGE, "p"),
        passage_of(NEIGHBOUR, "n"),
        passage_of(DELETED, "deleted"),
    ]
    passages += [passage_of(mapped, "m") for mapped in MAPPED]
    _store(pool, "doc", passages)
    _store(pool, "otherdoc", [passage_of(PASSAGE, "o")])
    _store(pool, "deleteddoc", [passage_of(f"{ROLE}_000000000004", "d")])
    _store(pool, "faileddoc", [], status="failed", report=hostile_text("report"))
    mark_document_deleted(pool, TABLE, hostile_line("deleteddoc"))
    store_edit(
        pool,
        TABLE,
        passage_id=f"{ROLE}_00000000000f",
        edited_id=PASSAGE,
        title="",
        content="as it was",
        edited_by=owner_id,
    )
    delete_passage(pool, TABLE, DELETED, owner_id)
    aliases.add_alias(pool, TABLE, hostile_line("aliasname"), hostile_line("alias"), owner_id)


def passage_of(passage_id: str, code: str) -> NewPassage:
    content = f"{hostile_text(f'{code}content')} canary {passage_id}"
    return NewPassage(
        id=passage_id,
        content=content,
        title=hostile_text(f"{code}title"),
        summary=hostile_text(f"{code}summary"),
        source=hostile_line(f"{code}source"),
        locator=hostile_text(f"{code}locator"),
        language="en",
        doc_type=hostile_text(f"{code}type"),
        frequency_by_term=Counter(terms_of(content)),
    )


def _store(pool: ConnectionPool, code: str, passages: list[NewPassage], **more: str) -> None:
    document = NewDocument(
        source=hostile_line(code),
        origin="upload",
        sha256="0" * 64,
        title=hostile_text(f"{code}title"),
        doc_type=hostile_text(f"{code}type"),
        language="en",
        bytes=100,
        **more,  # type: ignore[arg-type] - status and report
    )
    replace_document(pool, TABLE, document, passages)


def store_hostile_map(pool: ConnectionPool, tables: list[str]) -> None:
    """A model with a vector for every passage, so that there is a map."""
    model = EmbeddingModelRow(
        key="toy",
        name="toy",
        dimensions=4,
        token_frame=None,
        state=IN_FORCE,
    )
    add_embedding_model(pool, tables, model)
    embeddings: list[NewEmbedding] = []
    for number, passage_id in enumerate((PASSAGE, NEIGHBOUR, *MAPPED)):
        vector = [1.0, number / 10, (number * 7 % 5) / 5, (number * 3 % 4) / 4]
        embeddings.append(NewEmbedding(passage_id=passage_id, vector=vector, tokens=None))
    store_embeddings(pool, TABLE, "toy", embeddings)


def store_hostile_search(pool: ConnectionPool, owner_id: str, run_id: str) -> str:
    """A search of a discussion, and a judged question; the id of the search."""
    question = hostile_text("judged")
    judgement = JudgementRow(
        table_name=TABLE, question=question, passage_id=PASSAGE, is_relevant=True
    )
    searches.store_judgement(pool, owner_id, judgement)
    trace = hostile_trace()
    search_id = searches.store_search(
        pool, run_id=run_id, agent_name=ROLE, query=trace.query, trace=trace_payload(trace)
    )
    assert search_id is not None
    return search_id


def hostile_trace() -> SearchTrace:
    paths = ("words", hostile_text("tracepath"))
    path_scores = tuple(PathScore(path=path, rank=1, score=0.5) for path in paths)
    candidate = TracedCandidate(
        passage_id=f"{ROLE}_00000000abcd",
        agent_name=ROLE,
        title=hostile_text("trtitle"),
        source=hostile_text("trsource"),
        locator=hostile_text("trlocator"),
        language="en",
        excerpt=hostile_text("trexcerpt"),
        path_scores=path_scores,
        fused_rank=1,
        fused_score=0.03,
        reranked_rank=1,
        rerank_score=0.9,
        coverage=0.5,
        matched_terms=("costs",),
    )
    term = TracedTerm(
        surface=hostile_text("term"),
        kind="word",
        weight=1.0,
        idf=2.0,
        answers=(hostile_text("termanswer"),),
        is_guess=True,
    )
    return SearchTrace(
        agent_name=ROLE,
        query=hostile_text("pastquery"),
        language="en",
        expansion_terms=(hostile_text("pastterm"),),
        settings=SETTINGS,
        paths=paths,
        skipped=(SkippedPath(name=hostile_text("skipname"), reason=hostile_text("skipwhy")),),
        ranker="late",
        ranker_key=hostile_text("ranker"),
        terms=(term,),
        stages=(StageTime(stage="recall", milliseconds=1.0),),
        candidates=(candidate,),
    )


def store_hostile_memory(pool: ConnectionPool, owner_id: str) -> None:
    """Two versions: the one that holds, and an earlier one."""
    memory.insert_version(pool, owner_id, hostile_text("oldmemory"))
    memory.insert_version(pool, owner_id, hostile_text("memory"))


def store_hostile_evaluation(home: Path) -> None:
    """Two runs of the evaluation whose names are hostile."""
    for day, height in ((1, 0.5), (2, 0.7)):
        stages = [
            StageScore(stage=name, ndcg10=height, recall5=height, mrr=height)
            for name in ("words", hostile_text("stage"), "reranked")
        ]
        scores = SetScores(
            name=hostile_text("set"),
            language="en",
            questions=20,
            ranker=hostile_text("setranker"),
            stages=tuple(stages),
            median_ms=40.0,
            p95_ms=90.0,
        )
        run = EvaluationRun(
            at=datetime(2026, 3, day, 8, tzinfo=UTC),
            models=(hostile_text("evalmodel"),),
            sets=(scores,),
        )
        store_run(home / HOME, run)


def write_broken_document(seeds: Path) -> None:
    """A file that cannot be read, whose name is hostile."""
    folder = seeds / ROLE
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{hostile_file_name('broken')}.pdf").write_bytes(b"no document")
