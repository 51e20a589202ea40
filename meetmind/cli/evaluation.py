"""Measures the search from a terminal and prints the table, the run before beside it."""

from collections.abc import Sequence
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

from meetmind.cli.terminal import Terminal
from meetmind.config.settings import Settings
from meetmind.evaluation.evaluate import evaluate
from meetmind.evaluation.evaluation_room import HOME
from meetmind.evaluation.evaluation_runs import EvaluationRun, last_runs
from meetmind.evaluation.run_table import run_table
from meetmind.i18n.translate import Language, has_text, translate

KNOWN_OR_NOT = ", known or not"
"""What `evaluate` puts behind a set whose questions it asks to tell answered from unanswered."""


def show_measured(
    terminal: Terminal, settings: Settings, folders: Sequence[Path], language: Language
) -> None:
    """Measure with a bar that says what is being done, then print every number."""
    former = last_runs(settings.meetmind_home / HOME, 1)
    run = _measured(terminal, settings, folders, language)
    terminal.console.print(run_table(run, former[0] if former else None, language))
    _say_no_answer(terminal, run, language)


def _measured(
    terminal: Terminal, settings: Settings, folders: Sequence[Path], language: Language
) -> EvaluationRun:
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
    )
    with Progress(*columns, console=terminal.console, transient=True) as bar:
        task = bar.add_task(translate("evaluation.step_preparing", language), total=None)

        def show_step(name: str, done: int, total: int) -> None:
            description = step_text(name, language)
            bar.update(task, description=description, completed=done, total=total)

        return evaluate(settings, folders, show_step)


def step_text(name: str, language: Language) -> str:
    """Which questions are being asked, as people read it."""
    set_name = name.removesuffix(KNOWN_OR_NOT)
    key = f"evaluation.name_{set_name}"
    shown = translate(key, language) if has_text(key) else set_name
    if set_name == name:
        return shown
    return translate("evaluation.step_known", language, name=shown)


def _say_no_answer(terminal: Terminal, run: EvaluationRun, language: Language) -> None:
    score = run.no_answer
    if score is None:
        return
    terminal.say(
        translate(
            "evaluation.no_answer_text",
            language,
            answered=score.answered,
            answered_share=f"{100 * score.answered_right:.1f}",
            unanswered=score.unanswered,
            unanswered_share=f"{100 * score.unanswered_right:.1f}",
            mean=f"{100 * score.accuracy:.1f}",
        )
    )
