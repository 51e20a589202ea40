from dataclasses import replace

import pytest

from meetmind.i18n.translate import translate
from meetmind.server.searches import Place
from meetmind.ui import show_rerank_why
from meetmind.ui.show_rerank_why import why_text
from tests.unit.ui.test_search_view import TRACE, candidate


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    def text(key: str, **values: str | int | float) -> str:
        return translate(key, "en", **values)

    monkeypatch.setattr(show_rerank_why, "text", text)


def test_a_place_kept_for_the_other_language_is_told() -> None:
    from_below = candidate("f", 22, 3, "answer", e5_across=1)
    trace = replace(TRACE, candidates=(*TRACE.candidates[:2], from_below))
    place = Place(passage_id="f", paths=(), path_scores=())
    said = why_text(trace, place, "zh")
    assert "place 22, below the best 3; it was reranked all the same" in said
    assert "some places are kept for passages in the other language" in said


def test_a_passage_within_the_kept_places_needs_no_such_words() -> None:
    said = why_text(TRACE, Place(passage_id="c", paths=(), path_scores=()), "en")
    assert said.startswith("The fusion put it at place 3 and the rerank at place 3")
