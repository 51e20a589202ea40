"""Dates at the head of a document, and what they make of a score."""

from datetime import date

import pytest

from meetmind.knowledge.dates import date_factor, date_of

TODAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Status: 2025-03-04, second edition", "2025-03-04"),
        ("生效日期：2024年7月9日", "2024-07-09"),
        ("Valid from 2024/12/31.", "2024-12-31"),
        ("2023-02-30 never was, 2023-03-01 was", "2023-03-01"),
        ("Order 120250304 and version 2025.13.1", ""),
        ("x" * 700 + " 2025-03-04", ""),
        ("", ""),
    ],
)
def test_the_first_date_at_the_head_is_the_documents(text: str, expected: str) -> None:
    assert date_of(text) == expected


def test_a_passage_counts_half_after_the_half_life() -> None:
    assert date_factor("2026-11-30", TODAY, 365) == 1
    assert date_factor("2025-11-30", TODAY, 365) == pytest.approx(0.5)
    assert date_factor("2024-11-30", TODAY, 365) == pytest.approx(0.25, abs=0.001)


def test_without_a_half_life_or_a_date_nothing_changes() -> None:
    assert date_factor("2001-01-01", TODAY, 0) == 1
    assert date_factor("", TODAY, 365) == 1


def test_a_date_to_come_is_as_good_as_today() -> None:
    assert date_factor("2030-01-01", TODAY, 365) == 1
