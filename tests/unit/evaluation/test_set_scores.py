"""Every stage of a search, scored from its trace."""

import math

import pytest

from meetmind.evaluation.set_scores import (
    JudgedQuestion,
    SetScores,
    StageScore,
    rankings_of,
    score_set,
)
from meetmind.search_trace import SearchTrace
from tests.support.evaluation_run import measured_set
from tests.support.traces import candidate, trace_of

SECOND = 1 / math.log2(3)


def question(id_: str, *relevant: str) -> JudgedQuestion:
    return JudgedQuestion(
        id=id_, text=id_, agent_name="backend", relevance_by_id=dict.fromkeys(relevant, 1)
    )


TRACE = trace_of(
    [
        candidate("b", fused_rank=2, reranked_rank=1, places={"words": (2, 3.0), "e5": (1, 0.9)}),
        candidate("a", fused_rank=1, reranked_rank=2, places={"words": (1, 4.0)}),
        candidate("c", fused_rank=3, places={"e5": (2, 0.8)}),
    ],
    paths=("words", "e5"),
    milliseconds=(2.0, 3.0),
)


def scored(traces: dict[str, SearchTrace], *questions: JudgedQuestion) -> SetScores:
    return score_set("en", "en", questions, lambda one: traces[one.id], lambda done, total: None)


def test_every_path_the_fusion_and_the_reranking_have_an_order_of_their_own() -> None:
    assert rankings_of(TRACE) == {
        "words": ["a", "b"],
        "e5": ["b", "c"],
        "fused": ["a", "b", "c"],
        "reranked": ["b", "a"],
    }


def test_a_path_that_had_a_say_and_found_nothing_has_an_empty_order() -> None:
    assert rankings_of(trace_of([], paths=("words",))) == {
        "words": [],
        "fused": [],
        "reranked": [],
    }


def test_each_stage_is_scored_by_its_own_order() -> None:
    scores = scored({"q": TRACE}, question("q", "b"))

    assert [stage.stage for stage in scores.stages] == ["words", "e5", "fused", "reranked"]
    assert scores.stage("words") == StageScore(stage="words", ndcg10=SECOND, recall5=1.0, mrr=0.5)
    assert scores.stage("e5") == StageScore(stage="e5", ndcg10=1.0, recall5=1.0, mrr=1.0)
    assert scores.stage("reranked") == StageScore(
        stage="reranked", ndcg10=1.0, recall5=1.0, mrr=1.0
    )
    assert scores.stage("minilm") is None
    assert scores.best_path.stage == "e5"


def test_a_question_on_which_a_path_had_no_say_counts_nothing_for_it() -> None:
    only_words = trace_of([candidate("b", reranked_rank=1, places={"words": (1, 3.0)})])
    scores = scored({"one": TRACE, "two": only_words}, question("one", "b"), question("two", "b"))
    of_e5 = scores.stage("e5")
    of_words = scores.stage("words")

    assert of_e5 is not None
    assert of_words is not None
    assert of_e5.mrr == 0.5
    assert of_words.mrr == 0.75


def test_recall_counts_the_first_five_and_ndcg_the_first_ten() -> None:
    candidates = []
    for place in range(1, 13):
        candidates.append(candidate(f"p{place}", fused_rank=place, reranked_rank=place))
    scores = scored({"q": trace_of(candidates)}, question("q", "p5", "p6", "p11"))
    reranked = scores.stage("reranked")

    assert reranked is not None
    assert reranked.recall5 == pytest.approx(1 / 3)
    found = 1 / math.log2(6) + 1 / math.log2(7)
    best = 1 + SECOND + 1 / 2
    assert reranked.ndcg10 == pytest.approx(found / best)
    assert reranked.mrr == pytest.approx(1 / 5)


def test_the_time_of_a_question_is_that_of_all_its_stages() -> None:
    traces = {str(number): trace_of(milliseconds=(number, number)) for number in range(1, 102)}
    questions = [question(str(number), "x") for number in range(1, 102)]
    scores = scored(traces, *questions)

    assert scores.median_ms == pytest.approx(102.0)
    assert scores.p95_ms == pytest.approx(192.0)


def test_the_time_of_a_single_question_is_median_and_percentile() -> None:
    scores = scored({"q": TRACE}, question("q", "b"))

    assert (scores.median_ms, scores.p95_ms) == (5.0, 5.0)


def test_the_rung_that_reranked_most_questions_is_named() -> None:
    traces = {
        "one": trace_of(ranker_key="cross"),
        "two": trace_of(ranker_key="late"),
        "three": trace_of(ranker_key="late"),
    }
    scores = scored(traces, *[question(id_, "x") for id_ in traces])

    assert scores.ranker == "late"
    assert scores.questions == 3


def test_every_question_is_told_while_it_goes_on() -> None:
    told: list[tuple[int, int]] = []
    questions = [question("one", "b"), question("two", "b")]
    score_set(
        "en", "en", questions, lambda one: TRACE, lambda done, total: told.append((done, total))
    )

    assert told == [(1, 2), (2, 2)]


def test_the_best_path_is_never_the_fusion_or_the_reranking() -> None:
    assert measured_set("en", 0.8).best_path.stage == "e5"
