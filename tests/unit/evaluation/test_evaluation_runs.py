"""Evaluation runs on the disk."""

from pathlib import Path

from meetmind.evaluation.evaluation_runs import RUNS, last_runs, store_run
from tests.support.evaluation_run import (
    FIRST_TIME,
    NO_ANSWER,
    SECOND_TIME,
    measured_run,
    measured_set,
)

FIRST = measured_run(FIRST_TIME, measured_set("en", 0.8))
SECOND = measured_run(
    SECOND_TIME, measured_set("en", 0.9), measured_set("zh", 0.7), no_answer=NO_ANSWER
)


def test_no_run_is_stored_at_first(tmp_path: Path) -> None:
    assert last_runs(tmp_path) == []


def test_a_run_is_read_as_it_was_stored(tmp_path: Path) -> None:
    file = store_run(tmp_path, SECOND)

    assert file == tmp_path / RUNS / "20260302T094510.json"
    assert last_runs(tmp_path) == [SECOND]


def test_the_newest_run_comes_first_and_no_more_than_asked(tmp_path: Path) -> None:
    store_run(tmp_path, SECOND)
    store_run(tmp_path, FIRST)

    assert last_runs(tmp_path) == [SECOND, FIRST]
    assert last_runs(tmp_path, 1) == [SECOND]


def test_a_file_that_is_no_run_is_passed_over(tmp_path: Path) -> None:
    store_run(tmp_path, FIRST)
    for number, content in enumerate((b"", b"{", b"{}", b"\xff\xfe", b'{"at": "yesterday"}')):
        (tmp_path / RUNS / f"2027010{number}T000000.json").write_bytes(content)
    (tmp_path / RUNS / "20280101T000000.json").mkdir()

    assert last_runs(tmp_path) == [FIRST]


def test_a_set_is_found_by_its_name() -> None:
    found = SECOND.set_named("zh")

    assert found is not None
    assert found.name == "zh"
    assert FIRST.set_named("zh") is None
