"""Passages in the other language have places of their own on the way to the answer."""

from typing import cast

import pytest

from meetmind.config.retrieval_settings import RetrievalSettings
from meetmind.database.retrieval import RecalledPassage
from meetmind.knowledge.late_rung import _with_a_place_across
from meetmind.knowledge.questions import read_question
from meetmind.knowledge.reranking import Candidate
from meetmind.knowledge.table_search import RetrievalResources, TableSearch


def candidate(number: int, score: float, path: str) -> Candidate:
    passage = RecalledPassage(
        number=number,
        id=f"p{number}",
        content="text",
        title="title",
        summary="",
        source="file.md",
        locator="",
        language="zh" if path == "e5_across" else "en",
        dated="",
        paths=[path],
        ranks=[number],
        scores=[score],
    )
    return Candidate(passage=passage, fused_score=score)


def ids(candidates: list[Candidate]) -> list[str]:
    return [chosen.passage.id for chosen in candidates]


def kept(fused: list[Candidate]) -> list[Candidate]:
    settings = RetrievalSettings(embedding_models=(), rerank_model="", retrieve_top_n=5)
    resources = cast(RetrievalResources, None)
    search = TableSearch(read_question("refund"), "meetmind_tester", resources, settings)
    search.fused = fused
    return search._kept()


OWN = [candidate(number, 1.0 - number / 100, "e5") for number in range(1, 8)]
ACROSS = [candidate(number, 0.1 - number / 1000, "e5_across") for number in range(11, 15)]


def test_two_of_five_places_are_kept_for_the_other_language() -> None:
    assert ids(kept([*OWN, *ACROSS])) == ["p1", "p2", "p3", "p11", "p12"]


@pytest.mark.parametrize(
    ("fused", "expected"),
    [
        (OWN, ["p1", "p2", "p3", "p4", "p5"]),
        ([*OWN[:1], *ACROSS], ["p1", "p11", "p12", "p13", "p14"]),
        ([*OWN, *ACROSS[:1]], ["p1", "p2", "p3", "p4", "p11"]),
    ],
)
def test_places_that_one_side_does_not_need_go_to_the_other(
    fused: list[Candidate], expected: list[str]
) -> None:
    assert ids(kept(fused)) == expected


def test_the_best_one_across_takes_the_last_place_of_the_answer() -> None:
    ranked = [*OWN[:4], ACROSS[1], OWN[4], ACROSS[0]]

    assert ids(_with_a_place_across(ranked, 3)) == ["p1", "p2", "p12", "p3", "p4", "p5", "p11"]


@pytest.mark.parametrize("ranked", [OWN, [ACROSS[0], *OWN]])
def test_an_answer_that_needs_no_place_across_stays_as_it_is(ranked: list[Candidate]) -> None:
    assert _with_a_place_across(ranked, 3) == ranked
