from dataclasses import replace

from meetmind.config.retrieval_settings import RetrievalSettings
from meetmind.events import PathScore
from meetmind.search_trace import CutBy, SearchTrace, SkippedPath, TracedCandidate, TracedTerm
from meetmind.ui.rank_lines import LineColours, rank_figure
from meetmind.ui.search_view import (
    PathReach,
    can_improve,
    columns_of,
    fate_of,
    has_reserved_place,
    has_reserved_places,
    moves_between,
    rank_lines,
    reaches,
    stages_of,
    table_rows,
    words_to_mark,
)

COLOURS = LineColours(line="#123456", number="#ffffff")
SETTINGS = RetrievalSettings(
    embedding_models=("e5",), rerank_model="", retrieve_top_n=3, rerank_top_n=2
)


def candidate(
    name: str, fused: int, reranked: int, cut_by: CutBy = "", **ranks: int
) -> TracedCandidate:
    scores = [PathScore(path=path, rank=rank, score=1 / rank) for path, rank in ranks.items()]
    return TracedCandidate(
        passage_id=name,
        agent_name="tester",
        title=f"Title {name}",
        source="rules.md",
        locator="",
        language="en",
        excerpt="",
        path_scores=tuple(scores),
        fused_rank=fused,
        fused_score=1 / (60 + fused),
        reranked_rank=reranked,
        rerank_score=1 / reranked if reranked else 0.0,
        coverage=0.5 if reranked else 0.0,
        cut_by=cut_by,
    )


TRACE = SearchTrace(
    agent_name="tester",
    query="refunds",
    language="en",
    expansion_terms=(),
    settings=SETTINGS,
    paths=("words", "e5"),
    skipped=(),
    ranker="late interaction",
    ranker_key="late",
    terms=(),
    stages=(),
    candidates=(
        candidate("b", 2, 1, words=2, e5=1),
        candidate("a", 1, 2, words=1),
        candidate("c", 3, 3, "answer", e5=2),
        candidate("d", 4, 0, "fusion", e5=3),
    ),
)


def test_the_stages_are_the_paths_the_fusion_and_the_rerank() -> None:
    assert stages_of(TRACE) == ("words", "e5", "fusion", "rerank")


def test_without_a_rung_there_is_no_stage_of_reranking() -> None:
    assert stages_of(replace(TRACE, ranker_key="fused")) == ("words", "e5", "fusion")


def test_a_line_leads_through_every_stage_and_has_no_rank_where_it_was_not_found() -> None:
    lines = rank_lines(TRACE)
    ranks = {line.passage_id: [place.rank for place in line.places] for line in lines}
    assert ranks == {
        "b": [2, 1, 2, 1],
        "a": [1, None, 1, 2],
        "c": [None, 2, 3, 3],
        "d": [None, 3, 4, None],
    }
    assert [line.answer_rank for line in lines] == [1, 2, 0, 0]


def test_the_figure_has_a_line_a_passage_and_answered_ones_come_last_so_that_they_lie_on_top() -> (
    None
):
    names = {"words": "Words", "e5": "E5", "fusion": "Fusion", "rerank": "Rerank"}
    figure = rank_figure(rank_lines(TRACE), names, COLOURS, "not found")
    colours = [trace.line.color for trace in figure.data]
    assert colours[2:] == ["#123456", "#123456"]
    assert "#123456" not in colours[:2]
    assert figure.data[-2].customdata[1] == "E5: not found"


def test_a_title_cannot_put_markup_into_the_figure() -> None:
    line = replace(rank_lines(TRACE)[0], title="<b>%{x}</b> & more")
    names = {"words": "Words", "e5": "E5", "fusion": "Fusion", "rerank": "Rerank"}
    template = rank_figure([line], names, COLOURS, "not found").data[0].hovertemplate
    assert template.startswith("<b>&lt;b&gt;% {x}&lt;/b&gt; &amp; more</b>")


def test_every_candidate_is_a_row_and_what_no_stage_looked_at_is_empty() -> None:
    rows = table_rows(TRACE)
    assert [row["cut"] for row in rows] == ["", "", "answer", "fusion"]
    assert [row["coverage"] for row in rows] == [50, 50, 50, None]
    assert rows[1]["rank:e5"] is None
    assert rows[3]["rank:rerank"] is None
    assert columns_of(rows)[:4] == ["rank", "title", "cut", "rank:words"]


def test_what_moved_is_told_in_the_order_of_the_second_answer() -> None:
    after = replace(
        TRACE,
        candidates=(
            candidate("c", 3, 1),
            candidate("a", 1, 2),
            candidate("b", 2, 3, "answer"),
        ),
    )
    moves = [
        (move.passage_id, move.rank_before, move.rank_after) for move in moves_between(TRACE, after)
    ]
    assert moves == [("c", 0, 1), ("b", 1, 0)]
    assert moves_between(TRACE, TRACE) == []


def test_how_far_a_passage_came_is_told_path_by_path() -> None:
    scores = [PathScore(path="e5", rank=73, score=0.4)]
    assert reaches(TRACE, ("words", "e5", "minilm"), scores, "en") == [
        PathReach(path="words", reach="no_words"),
        PathReach(path="e5", reach="below", rank=73),
        PathReach(path="minilm", reach="no_vector"),
    ]
    deep = replace(TRACE, settings=replace(SETTINGS, recall_depth=73))
    assert reaches(deep, ("e5",), scores, "en") == [PathReach(path="e5", reach="within", rank=73)]


def test_a_path_over_the_other_language_says_nothing_of_a_passage_in_the_same() -> None:
    paths = ("words", "e5", "e5_across")
    own = [PathScore(path="e5", rank=3, score=0.4)]
    assert reaches(TRACE, paths, own, "en")[1:] == [
        PathReach(path="e5", reach="within", rank=3, is_within_language=True)
    ]
    across = [PathScore(path="e5_across", rank=4, score=0.4)]
    assert reaches(TRACE, paths, across, "zh")[1:] == [
        PathReach(path="e5_across", reach="within", rank=4, is_within_language=True)
    ]


def test_places_were_reserved_when_a_passage_from_below_was_reranked() -> None:
    assert not has_reserved_places(TRACE)
    from_below = candidate("f", 9, 3, "answer", e5_across=1)
    assert has_reserved_places(replace(TRACE, candidates=(*TRACE.candidates[:2], from_below)))
    assert has_reserved_place(TRACE, from_below)
    assert not any(has_reserved_place(TRACE, candidate) for candidate in TRACE.candidates)


def test_the_fate_of_a_passage_is_the_rule_that_cut_it() -> None:
    fates = {name: fate_of(TRACE, name) for name in ("b", "c", "d", "elsewhere")}
    assert fates == {
        "b": "answered",
        "c": "below_answer",
        "d": "below_fusion",
        "elsewhere": "not_found",
    }


def test_only_words_that_the_documents_have_are_marked() -> None:
    terms = [
        TracedTerm(surface="refunds", kind="word", weight=1, idf=1, answers=("refund",)),
        TracedTerm(surface="zebra", kind="word", weight=1, idf=1, answers=()),
        TracedTerm(surface="退钱", kind="alias", weight=1, idf=1, answers=("退钱",)),
    ]
    assert words_to_mark(terms, "word") == ["refunds", "refund"]
    assert words_to_mark(terms, "alias") == ["退钱"]


def test_asking_again_helps_only_where_something_is_on_its_way() -> None:
    missing = SkippedPath(name="cross", reason="reranker_missing")
    loading = SkippedPath(name="e5", reason="embedding_loading")
    assert not can_improve(replace(TRACE, skipped=(missing,)))
    assert can_improve(replace(TRACE, skipped=(missing, loading)))
