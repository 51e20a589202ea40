"""One evaluation run as a table for the command line, the run before beside it."""

from rich.table import Table

from meetmind.evaluation.evaluation_runs import EvaluationRun
from meetmind.evaluation.set_scores import SetScores, StageScore
from meetmind.i18n.translate import has_text, translate

MEASURES = ("ndcg10", "recall5", "mrr")


def run_table(run: EvaluationRun, former: EvaluationRun | None, language: str) -> Table:
    """A row for each set and stage; in brackets how much it moved since the run before."""
    table = Table(title=translate("evaluation.title", language))
    for column in ("set", "stage"):
        table.add_column(translate(f"evaluation.col_{column}", language))
    for measure in MEASURES:
        table.add_column(translate(f"evaluation.col_{measure}", language), justify="right")
    for scores in run.sets:
        former_scores = None if former is None else former.set_named(scores.name)
        for stage in scores.stages:
            table.add_row(*_cells(scores, stage, former_scores, language))
        table.add_section()
    return table


def _cells(
    scores: SetScores, stage: StageScore, former: SetScores | None, language: str
) -> list[str]:
    name = _worded("evaluation.name_", scores.name, language)
    counted = translate("evaluation.set_with_count", language, name=name, count=scores.questions)
    before = None if former is None else former.stage(stage.stage)
    cells = [counted, _worded("ranker.", stage.stage, language)]
    for measure in MEASURES:
        value: float = getattr(stage, measure)
        cell = f"{value:.3f}"
        if before is not None:
            cell = f"{cell} ({value - getattr(before, measure):+.3f})"
        cells.append(cell)
    return cells


def _worded(prefix: str, name: str, language: str) -> str:
    """The name in the reader's words, where the catalogue has any."""
    key = f"{prefix}{name}"
    return translate(key, language) if has_text(key) else name
