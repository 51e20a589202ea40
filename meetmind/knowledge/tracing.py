"""What a finished search says about itself: evidence for the answer, a trace for looking closer."""

from meetmind.config.retrieval_settings import RetrievalSettings
from meetmind.database.retrieval import RecalledPassage
from meetmind.events import PassageEvidence, PathScore
from meetmind.knowledge.encodings import clean_text
from meetmind.knowledge.reranking import Candidate
from meetmind.knowledge.table_search import TableSearch
from meetmind.knowledge.wording import Coverage
from meetmind.search_trace import CutBy, SearchTrace, TracedCandidate

EXCERPT_CHARACTERS = 160
NOTHING_COVERED = Coverage(share=0.0, surfaces=())


def evidence_of(
    search: TableSearch, agent_name: str, candidate: Candidate, rank: int
) -> PassageEvidence:
    """The passage with every score and rank that it had on the way."""
    passage = candidate.passage
    coverage = _coverage_of(search, passage)
    return PassageEvidence(
        passage_id=passage.id,
        agent_name=agent_name,
        title=passage.title,
        source=passage.source,
        locator=passage.locator,
        language=passage.language,
        content=passage.content,
        rank=rank,
        coverage=coverage.share,
        matched_terms=coverage.surfaces,
        path_scores=_path_scores(passage),
        fused_score=candidate.fused_score,
        rerank_score=candidate.rerank_score,
    )


def trace_of(
    search: TableSearch, agent_name: str, query: str, settings: RetrievalSettings
) -> SearchTrace:
    """Every candidate of the search with its numbers, and what was cut by which rule."""
    fused_rank_by_id: dict[str, int] = {}
    for rank, candidate in enumerate(search.fused, start=1):
        fused_rank_by_id[candidate.passage.id] = rank
    kept = search.reranked.candidates
    traced: list[TracedCandidate] = []
    for rank, candidate in enumerate(kept, start=1):
        cut_by: CutBy = "" if rank <= settings.rerank_top_n else "answer"
        fused_rank = fused_rank_by_id[candidate.passage.id]
        row = _traced(
            search, agent_name, candidate, fused_rank=fused_rank, reranked_rank=rank, cut_by=cut_by
        )
        traced.append(row)
    kept_ids = {candidate.passage.id for candidate in kept}
    for rank, candidate in enumerate(search.fused, start=1):
        if candidate.passage.id in kept_ids:
            continue
        row = _traced(
            search, agent_name, candidate, fused_rank=rank, reranked_rank=0, cut_by="fusion"
        )
        traced.append(row)
    terms = () if search.wording is None else search.wording.traced_terms()
    return SearchTrace(
        agent_name=agent_name,
        query=clean_text(query),
        language=search.question.language,
        expansion_terms=search.question.expansion_terms,
        settings=settings,
        paths=tuple(search.paths),
        skipped=tuple(search.skipped),
        ranker=search.reranked.ranker,
        ranker_key=search.reranked.ranker_key,
        terms=terms,
        stages=tuple(search.stages),
        candidates=tuple(traced),
    )


def _traced(
    search: TableSearch,
    agent_name: str,
    candidate: Candidate,
    *,
    fused_rank: int,
    reranked_rank: int,
    cut_by: CutBy,
) -> TracedCandidate:
    passage = candidate.passage
    # What the fusion cut is not read word by word: that would cost more than the search.
    coverage = NOTHING_COVERED if cut_by == "fusion" else _coverage_of(search, passage)
    return TracedCandidate(
        passage_id=passage.id,
        agent_name=agent_name,
        title=passage.title,
        source=passage.source,
        locator=passage.locator,
        language=passage.language,
        excerpt=passage.content[:EXCERPT_CHARACTERS],
        path_scores=_path_scores(passage),
        fused_rank=fused_rank,
        fused_score=candidate.fused_score,
        date_factor=candidate.date_factor,
        reranked_rank=reranked_rank,
        rerank_score=candidate.rerank_score,
        rerank_parts=candidate.rerank_parts,
        coverage=coverage.share,
        matched_terms=coverage.surfaces,
        cut_by=cut_by,
    )


def _coverage_of(search: TableSearch, passage: RecalledPassage) -> Coverage:
    if search.wording is None:
        return NOTHING_COVERED
    return search.wording.coverage_of(f"{passage.title}\n{passage.summary}\n{passage.content}")


def _path_scores(passage: RecalledPassage) -> tuple[PathScore, ...]:
    scores: list[PathScore] = []
    for path, rank, score in zip(passage.paths, passage.ranks, passage.scores, strict=True):
        scores.append(PathScore(path=path, rank=rank, score=score))
    return tuple(scores)
