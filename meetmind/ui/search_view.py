"""Folds the numbers of one search into what is drawn: lines, table rows, moves, why not."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from meetmind.config.retrieval_settings import WORDS_PATH
from meetmind.events import PathScore
from meetmind.search_trace import SearchTrace, TracedCandidate, TracedTerm

FUSION = "fusion"
RERANK = "rerank"
MOST_LINES = 20
ACROSS = "_across"
"""How the path of a model over the passages in the other language ends."""
LATER_REASONS = ("embedding_loading", "embedding_busy", "embedding_unfinished", "reranker_loading")
"""Why a path or rung has no say, where asking again a little later helps."""

Cell = str | int | float | None
Fate = Literal["answered", "below_answer", "below_fusion", "not_found"]
Reach = Literal["within", "below", "no_words", "no_vector"]


@dataclass(frozen=True, kw_only=True)
class StagePlace:
    """Where a passage stood at one stage; no rank where the stage did not have it."""

    stage: str
    rank: int | None
    score: float | None


@dataclass(frozen=True, kw_only=True)
class RankLine:
    """A passage on its way from stage to stage."""

    passage_id: str
    title: str
    answer_rank: int
    """Its place in the answer; 0 for a passage that was cut."""
    places: tuple[StagePlace, ...]


@dataclass(frozen=True, kw_only=True)
class Move:
    """A passage that stands elsewhere in the second of two searches; 0 is below the answer."""

    passage_id: str
    title: str
    rank_before: int
    rank_after: int


@dataclass(frozen=True, kw_only=True)
class PathReach:
    """How far a passage came on one path."""

    path: str
    reach: Reach
    rank: int = 0
    is_within_language: bool = False
    """Whether the rank counts the passages in one language only."""


def stages_of(trace: SearchTrace) -> tuple[str, ...]:
    """The stages in their order: every path, the fusion, the rerank if there was one."""
    stages = [*trace.paths, FUSION]
    if was_reranked(trace):
        stages.append(RERANK)
    return tuple(stages)


def was_reranked(trace: SearchTrace) -> bool:
    """Whether a rung put the candidates in another order than the fusion."""
    return trace.ranker_key != "fused"


def answered(trace: SearchTrace) -> tuple[TracedCandidate, ...]:
    """What the search returned, best first."""
    return tuple(candidate for candidate in trace.candidates if candidate.cut_by == "")


def candidate_of(trace: SearchTrace, passage_id: str) -> TracedCandidate | None:
    """The passage among the candidates; None where no path brought it."""
    for candidate in trace.candidates:
        if candidate.passage_id == passage_id:
            return candidate
    return None


def score_on(candidate: TracedCandidate, path: str) -> PathScore | None:
    """The candidate's rank and score on a path; None where the path did not find it."""
    for path_score in candidate.path_scores:
        if path_score.path == path:
            return path_score
    return None


def rank_lines(trace: SearchTrace, most: int = MOST_LINES) -> tuple[RankLine, ...]:
    """A line for each of the best candidates, best first."""
    stages = stages_of(trace)
    lines: list[RankLine] = []
    for candidate in trace.candidates[:most]:
        places = [_place_at(candidate, stage) for stage in stages]
        line = RankLine(
            passage_id=candidate.passage_id,
            title=candidate.title,
            answer_rank=candidate.reranked_rank if candidate.cut_by == "" else 0,
            places=tuple(places),
        )
        lines.append(line)
    return tuple(lines)


def _place_at(candidate: TracedCandidate, stage: str) -> StagePlace:
    if stage == FUSION:
        return StagePlace(stage=stage, rank=candidate.fused_rank, score=candidate.fused_score)
    if stage == RERANK:
        if candidate.reranked_rank == 0:
            return StagePlace(stage=stage, rank=None, score=None)
        rank = candidate.reranked_rank
        return StagePlace(stage=stage, rank=rank, score=candidate.rerank_score)
    on_path = score_on(candidate, stage)
    if on_path is None:
        return StagePlace(stage=stage, rank=None, score=None)
    return StagePlace(stage=stage, rank=on_path.rank, score=on_path.score)


def table_rows(trace: SearchTrace) -> list[dict[str, Cell]]:
    """Every candidate by column: `rank`, `title`, ..., `rank:<stage>`, `score:<stage>`, `part:..`.

    None stands where a stage did not have the passage or did not look at it.
    """
    stages = stages_of(trace)
    rows: list[dict[str, Cell]] = []
    for candidate in trace.candidates:
        row: dict[str, Cell] = {
            "rank": candidate.reranked_rank or candidate.fused_rank,
            "title": candidate.title,
            "cut": candidate.cut_by,
        }
        for stage in stages:
            place = _place_at(candidate, stage)
            row[f"rank:{stage}"] = place.rank
            row[f"score:{stage}"] = None if place.score is None else round(place.score, 4)
        for part in candidate.rerank_parts:
            row[f"part:{part.name}"] = round(part.value, 3)
        if trace.settings.half_life_days > 0:
            row["date"] = round(candidate.date_factor, 3)
        is_read = candidate.cut_by != FUSION
        row["coverage"] = round(candidate.coverage * 100) if is_read else None
        row["source"] = candidate.source
        row["locator"] = candidate.locator
        row["language"] = candidate.language
        rows.append(row)
    return rows


def columns_of(rows: Sequence[dict[str, Cell]]) -> list[str]:
    """The columns that any row has, each behind the one that it follows in its row."""
    if not rows:
        return []
    longest = max(rows, key=len)
    return list(longest)


def moves_between(before: SearchTrace, after: SearchTrace) -> list[Move]:
    """What stands elsewhere in the second answer, in its order; what left it comes last."""
    rank_before = {candidate.passage_id: candidate.reranked_rank for candidate in answered(before)}
    moves: list[Move] = []
    for candidate in answered(after):
        old_rank = rank_before.pop(candidate.passage_id, 0)
        if old_rank != candidate.reranked_rank:
            moves.append(_move(candidate, old_rank, candidate.reranked_rank))
    for candidate in answered(before):
        if candidate.passage_id in rank_before:
            moves.append(_move(candidate, candidate.reranked_rank, 0))
    return moves


def _move(candidate: TracedCandidate, rank_before: int, rank_after: int) -> Move:
    return Move(
        passage_id=candidate.passage_id,
        title=candidate.title,
        rank_before=rank_before,
        rank_after=rank_after,
    )


def reaches(
    trace: SearchTrace,
    paths: Sequence[str],
    path_scores: Sequence[PathScore],
    passage_language: str,
) -> list[PathReach]:
    """How far a passage came on each path that looks at passages in its language.

    The ranks are counted over the whole table.
    """
    rank_by_path = {path_score.path: path_score.rank for path_score in path_scores}
    reached: list[PathReach] = []
    for path in paths:
        is_across = path.endswith(ACROSS)
        is_divided = is_across or f"{path}{ACROSS}" in paths
        if is_divided and is_across == (passage_language == trace.language):
            continue
        reach = _reach(path, rank_by_path.get(path), trace.settings.recall_depth)
        reached.append(replace(reach, is_within_language=is_divided))
    return reached


def _reach(path: str, rank: int | None, recall_depth: int) -> PathReach:
    if rank is None:
        return PathReach(path=path, reach="no_words" if path == WORDS_PATH else "no_vector")
    return PathReach(path=path, reach="within" if rank <= recall_depth else "below", rank=rank)


def has_reserved_places(trace: SearchTrace) -> bool:
    """Whether places after the fusion went to passages in the other language."""
    return any(has_reserved_place(trace, candidate) for candidate in trace.candidates)


def has_reserved_place(trace: SearchTrace, candidate: TracedCandidate) -> bool:
    """Whether a passage was reranked although the fusion put it below the number that is kept."""
    top = max(trace.settings.retrieve_top_n, trace.settings.rerank_top_n)
    return candidate.reranked_rank > 0 and candidate.fused_rank > top


def fate_of(trace: SearchTrace, passage_id: str) -> Fate:
    """What became of a passage in a search."""
    candidate = candidate_of(trace, passage_id)
    if candidate is None:
        return "not_found"
    if candidate.cut_by == "":
        return "answered"
    if candidate.cut_by == FUSION:
        return "below_fusion"
    return "below_answer"


def words_to_mark(terms: Sequence[TracedTerm], kind: str) -> list[str]:
    """How the words of a kind may stand in a passage: as asked, and as the vocabulary has them."""
    words: list[str] = []
    for term in terms:
        if term.kind == kind and term.answers:
            words.extend([term.surface, *term.answers])
    return list(dict.fromkeys(words))


def can_improve(trace: SearchTrace) -> bool:
    """Whether a path or rung was left out that will have its say a little later."""
    return any(skipped.reason in LATER_REASONS for skipped in trace.skipped)


def milliseconds_of(trace: SearchTrace) -> float:
    """How long all stages took together."""
    return sum(stage.milliseconds for stage in trace.stages)
