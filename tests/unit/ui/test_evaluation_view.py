"""Two evaluation runs side by side, and the figure of them."""

import pytest

from meetmind.ui.evaluation_figure import evaluation_figure
from meetmind.ui.evaluation_view import (
    Verdict,
    change_colour,
    change_text,
    set_views,
    stage_names,
    verdict_of,
)
from tests.support.evaluation_run import (
    FIRST_TIME,
    SECOND_TIME,
    STAGES,
    measured_run,
    measured_set,
)

FORMER = measured_run(
    FIRST_TIME, measured_set("en", 0.8), measured_set("zh", 0.9), measured_set("own", 0.7)
)
RUN = measured_run(
    SECOND_TIME,
    measured_set("en", 0.85),
    measured_set("zh", 0.88),
    measured_set("own", 0.704),
    measured_set("new", 0.5),
)
STAGE_TEXTS = {stage: stage for stage in STAGES}
SET_TEXTS = {"en": "English, <all>", "zh": "zh", "own": "own", "new": "new"}


def test_a_run_alone_has_no_changes() -> None:
    for view in set_views(RUN, None):
        assert not view.is_comparable
        assert view.median_ms.change is None
        assert [stage.mrr.change for stage in view.stages] == [None] * len(STAGES)


def test_each_stage_is_compared_with_itself() -> None:
    english = set_views(RUN, FORMER)[0]

    assert [stage.stage for stage in english.stages] == list(STAGES)
    assert [stage.ndcg10.change for stage in english.stages] == pytest.approx([0.05] * 4)
    assert english.last_stage is not None
    assert english.last_stage.stage == "reranked"


def test_sets_are_counted_as_better_worse_and_the_same_and_new_ones_not_at_all() -> None:
    verdict = verdict_of(set_views(RUN, FORMER))

    assert verdict == Verdict(better=1, worse=1, same=1)
    assert verdict.compared == 3


@pytest.mark.parametrize(
    ("better", "worse", "same", "kind"),
    [(2, 0, 1, "better"), (0, 1, 3, "worse"), (3, 1, 0, "mixed"), (0, 0, 2, "same")],
)
def test_the_verdict_is_one_word(better: int, worse: int, same: int, kind: str) -> None:
    assert Verdict(better=better, worse=worse, same=same).kind == kind


def test_a_set_of_another_size_is_not_compared() -> None:
    former = measured_run(FIRST_TIME, measured_set("en", 0.8, questions=5))
    (view,) = set_views(measured_run(SECOND_TIME, measured_set("en", 0.9)), former)

    assert view.former_questions == 5
    assert view.median_ms.before is None
    assert verdict_of([view]).compared == 0


@pytest.mark.parametrize(
    ("change", "shown", "colour"),
    [
        (0.0123, "▲\u00a0+0.012", "green"),
        (-0.5, "▼\u00a0−0.500", "red"),
        (0.0001, "=\u00a00.000", "gray"),
        (-0.0001, "=\u00a00.000", "gray"),
    ],
)
def test_a_change_has_an_arrow_a_sign_and_a_colour(change: float, shown: str, colour: str) -> None:
    assert change_text(change) == shown
    assert change_colour(change) == colour


def test_no_change_is_no_text() -> None:
    assert change_text(None) == ""


def test_the_fusion_and_the_reranking_come_last() -> None:
    assert stage_names(set_views(RUN, FORMER)) == STAGES
    assert stage_names(()) == ()


def test_the_figure_has_marks_for_every_stage_and_hollow_ones_for_the_former_run() -> None:
    figure = evaluation_figure(set_views(RUN, FORMER), "ndcg10", SET_TEXTS, STAGE_TEXTS, "before")
    name_and_values = {trace.name: list(trace.x) for trace in figure.data}

    assert list(name_and_values) == [*STAGES, "before"]
    assert name_and_values["reranked"] == [0.5, 0.704, 0.88, 0.85]
    assert name_and_values["before"] == [0.7, 0.9, 0.8]
    assert figure.layout.yaxis.ticktext == ("new", "own", "zh", "English,<br>&lt;all&gt;")


def test_every_stage_looks_different() -> None:
    figure = evaluation_figure(set_views(RUN, None), "mrr", SET_TEXTS, STAGE_TEXTS, "before")
    looks = {(trace.marker.color, trace.marker.symbol) for trace in figure.data}
    shapes = {trace.marker.symbol for trace in figure.data}

    assert len(looks) == len(STAGES)
    assert len(shapes) == len(STAGES)
