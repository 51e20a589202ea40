"""A run as a table for the terminal."""

from rich.console import Console

from meetmind.evaluation.evaluation_runs import EvaluationRun
from meetmind.evaluation.run_table import run_table
from tests.support.evaluation_run import FIRST_TIME, SECOND_TIME, measured_run, measured_set


def drawn(run: EvaluationRun, former: EvaluationRun | None, language: str = "en") -> list[str]:
    console = Console(width=200, no_color=True)
    with console.capture() as captured:
        console.print(run_table(run, former, language))
    return captured.get().splitlines()


def line_with(lines: list[str], *words: str) -> str:
    (found,) = [line for line in lines if all(word in line for word in words)]
    return found


def test_every_set_and_stage_has_a_row_with_three_numbers() -> None:
    lines = drawn(measured_run(FIRST_TIME, measured_set("en", 0.8), measured_set("zh", 0.9)), None)

    assert len([line for line in lines if "(20)" in line]) == 8
    row = line_with(lines, "Chinese", "rerank")
    for number in ("0.900", "0.880", "0.860"):
        assert number in row
    assert "+" not in row


def test_a_change_since_the_run_before_has_its_sign() -> None:
    former = measured_run(FIRST_TIME, measured_set("en", 0.8))
    run = measured_run(SECOND_TIME, measured_set("en", 0.75), measured_set("zh", 0.9))
    lines = drawn(run, former)

    assert "0.750 (-0.050)" in line_with(lines, "rerank", "0.750 ")
    assert "(+" not in line_with(lines, "rerank", "0.900 ")


def test_a_stage_that_the_run_before_did_not_have_has_no_change() -> None:
    former = measured_run(FIRST_TIME, measured_set("zh", 0.8))
    lines = drawn(measured_run(SECOND_TIME, measured_set("en", 0.75)), former)

    assert not [line for line in lines if "+0." in line or "(-0." in line]


def test_the_heads_are_in_the_readers_language() -> None:
    run = measured_run(FIRST_TIME, measured_set("zh", 0.9))

    assert "问题集" in "\n".join(drawn(run, None, "zh"))
    assert "阶段" in "\n".join(drawn(run, None, "zh"))
    assert "nDCG@10" in "\n".join(drawn(run, None, "en"))
