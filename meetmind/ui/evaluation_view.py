"""One evaluation run with another beside it: what the Evaluation page draws, as plain values."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from meetmind.evaluation.evaluation_runs import EvaluationRun
from meetmind.evaluation.set_scores import FUSED, RERANKED, SetScores, StageScore

MEASURES = ("ndcg10", "recall5", "mrr")
SMALL_CHANGE = 0.005
"""A set counts as better or worse when nDCG@10 moved by more."""
SHOWN_CHANGE = 0.0005
"""Less is 0.000 with the three places that are shown."""
LAST_STAGES = (FUSED, RERANKED)
NO_BREAK = "\u00a0"

VerdictKind = Literal["better", "worse", "mixed", "same"]


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A number, and what it was in the run before where that measured the same."""

    now: float
    before: float | None

    @property
    def change(self) -> float | None:
        """How much it moved; None where there is nothing to compare with."""
        return None if self.before is None else self.now - self.before


@dataclass(frozen=True, kw_only=True)
class StageView:
    """A stage of the search in one set."""

    stage: str
    ndcg10: Measured
    recall5: Measured
    mrr: Measured

    def measured(self, measure: str) -> Measured:
        """The number of one of `MEASURES`."""
        value: Measured = getattr(self, measure)
        return value


@dataclass(frozen=True, kw_only=True)
class SetView:
    """A set of questions in both runs."""

    name: str
    questions: int
    former_questions: int | None
    """None where the run before did not measure this set, or there is none."""
    ranker: str
    stages: tuple[StageView, ...]
    """The paths as they were measured, then the fusion and the reranking."""
    median_ms: Measured
    p95_ms: Measured

    @property
    def is_comparable(self) -> bool:
        """Whether both runs asked the same number of questions: others give other numbers."""
        return self.former_questions == self.questions

    @property
    def last_stage(self) -> StageView | None:
        """The order in which passages are answered."""
        return self.stages[-1] if self.stages else None


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """How many sets did better, worse and alike, by nDCG@10 of the last stage."""

    better: int
    worse: int
    same: int

    @property
    def compared(self) -> int:
        """How many sets both runs measured."""
        return self.better + self.worse + self.same

    @property
    def kind(self) -> VerdictKind:
        """The answer in a word; `mixed`: some better, some worse."""
        if self.better > 0 and self.worse > 0:
            return "mixed"
        if self.better > 0:
            return "better"
        return "worse" if self.worse > 0 else "same"


def set_views(run: EvaluationRun, former: EvaluationRun | None) -> tuple[SetView, ...]:
    """Every set of the run with the former run beside it."""
    views: list[SetView] = []
    for scores in run.sets:
        former_scores = None if former is None else former.set_named(scores.name)
        views.append(_set_view(scores, former_scores))
    return tuple(views)


def verdict_of(views: Sequence[SetView]) -> Verdict:
    """Whether it is getting better, counted over the sets that can be compared."""
    better = 0
    worse = 0
    same = 0
    for view in views:
        change = None if view.last_stage is None else view.last_stage.ndcg10.change
        if change is None:
            continue
        if change > SMALL_CHANGE:
            better += 1
        elif change < -SMALL_CHANGE:
            worse += 1
        else:
            same += 1
    return Verdict(better=better, worse=worse, same=same)


def stage_names(views: Sequence[SetView]) -> tuple[str, ...]:
    """The stages of all sets, each once, the fusion and the reranking last."""
    names: dict[str, None] = {}
    for view in views:
        for stage in view.stages:
            names[stage.stage] = None
    paths = [name for name in names if name not in LAST_STAGES]
    last = [name for name in LAST_STAGES if name in names]
    return (*paths, *last)


def change_text(change: float | None) -> str:
    """A change with arrow and sign on one line, such as `▲ +0.012`; nothing without one."""
    if change is None:
        return ""
    if abs(change) < SHOWN_CHANGE:
        return f"={NO_BREAK}0.000"
    arrow = "▲" if change > 0 else "▼"
    return f"{arrow}{NO_BREAK}{change:+.3f}".replace("-", "−")


def change_colour(change: float) -> str:
    """The colour of a change as the page's Markdown names it."""
    if abs(change) < SHOWN_CHANGE:
        return "gray"
    return "green" if change > 0 else "red"


def _set_view(scores: SetScores, former: SetScores | None) -> SetView:
    comparable = former
    if former is not None and former.questions != scores.questions:
        comparable = None
    stages: list[StageView] = []
    for stage in _in_order(scores.stages):
        before = None if comparable is None else comparable.stage(stage.stage)
        stages.append(
            StageView(
                stage=stage.stage,
                ndcg10=_measured(stage, before, "ndcg10"),
                recall5=_measured(stage, before, "recall5"),
                mrr=_measured(stage, before, "mrr"),
            )
        )
    return SetView(
        name=scores.name,
        questions=scores.questions,
        former_questions=None if former is None else former.questions,
        ranker=scores.ranker,
        stages=tuple(stages),
        median_ms=_measured(scores, comparable, "median_ms"),
        p95_ms=_measured(scores, comparable, "p95_ms"),
    )


def _in_order(stages: Sequence[StageScore]) -> list[StageScore]:
    paths = [stage for stage in stages if stage.stage not in LAST_STAGES]
    last = [stage for stage in stages if stage.stage in LAST_STAGES]
    last.sort(key=lambda stage: LAST_STAGES.index(stage.stage))
    return [*paths, *last]


def _measured(
    now: StageScore | SetScores, before: StageScore | SetScores | None, name: str
) -> Measured:
    return Measured(
        now=getattr(now, name), before=None if before is None else getattr(before, name)
    )
