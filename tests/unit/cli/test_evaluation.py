"""The command that measures the search, with a measurement that takes no time."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from meetmind.cli import evaluation
from meetmind.cli.commands import app
from meetmind.cli.evaluation import step_text
from meetmind.config.settings import Settings
from meetmind.errors import DatasetUnreadable
from meetmind.evaluation.evaluation_runs import EvaluationRun, store_run
from tests.support.evaluation_run import (
    FIRST_TIME,
    NO_ANSWER,
    SECOND_TIME,
    measured_run,
    measured_set,
)


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The folders that a measurement was asked for."""
    monkeypatch.setenv("MEETMIND_HOME", str(tmp_path))
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    monkeypatch.setenv("COLUMNS", "200")
    folders: list[Path] = []

    def evaluate(
        settings: Settings, given: Sequence[Path], on_step: Callable[[str, int, int], None]
    ) -> EvaluationRun:
        folders.extend(given)
        on_step("en", 1, 2)
        on_step("en, known or not", 2, 2)
        return measured_run(SECOND_TIME, measured_set("en", 0.9), no_answer=NO_ANSWER)

    monkeypatch.setattr(evaluation, "evaluate", evaluate)
    return folders


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["evaluate", *arguments])


def test_the_table_and_the_unanswered_questions_are_printed(asked: list[Path]) -> None:
    result = run()

    assert result.exit_code == 0, result.output
    assert "How well the search finds the answer" in result.output
    assert "0.900" in result.output
    assert "The mean of both shares is 80.0 %" in result.output
    assert "evaluation." not in result.output
    assert asked == []


def test_the_run_before_stands_beside_it(asked: list[Path], tmp_path: Path) -> None:
    store_run(tmp_path / "evaluation", measured_run(FIRST_TIME, measured_set("en", 0.8)))

    assert "0.900 (+0.100)" in run().output


def test_folders_are_measured_too(asked: list[Path], tmp_path: Path) -> None:
    assert run(str(tmp_path / "one"), str(tmp_path / "two")).exit_code == 0
    assert asked == [tmp_path / "one", tmp_path / "two"]


def test_the_terminals_language_is_spoken(
    asked: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")

    assert "检索找到答案的效果" in run().output


def test_a_folder_that_is_no_set_is_one_sentence_with_the_file(
    asked: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> EvaluationRun:
        raise DatasetUnreadable("/x/docs.jsonl, line 3: the id is empty.")

    monkeypatch.setattr(evaluation, "evaluate", refuse)
    result = run("/x")

    assert result.exit_code == 1
    assert "/x/docs.jsonl, line 3: the id is empty." in result.output
    assert "Traceback" not in result.output


def test_the_steps_are_told_in_words() -> None:
    assert step_text("cross_zh", "en") == "Chinese questions, answers in English"
    assert step_text("en, known or not", "en") == "English questions: answered or not"
    assert step_text("cranfield", "zh") == "cranfield"
