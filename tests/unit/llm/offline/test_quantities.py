"""Quantities are read in both languages and brought to a base unit."""

import pytest

from meetmind.llm.offline.quantities import quantities_in

HOUR = 3600
DAY = 24 * HOUR


@pytest.mark.parametrize(
    ("clause", "kind", "value"),
    [
        ("kept for 72 hours", "duration", 72 * HOUR),
        ("a 7-day window", "duration", 7 * DAY),
        ("两周内完成", "duration", 14 * DAY),
        ("保留 180 天", "duration", 180 * DAY),
        ("answers within 250 ms", "duration", 0.25),
        ("超时为 5 秒", "duration", 5),
        ("at most 12.5 percent", "share", 12.5),
        ("不超过 3 个百分点", "share", 3),
        ("赔付 1.2 万元", "yuan", 12_000),
        ("up to €25", "euro", 25),
        ("最多 3 张优惠券", "count:优惠券", 3),
        ("at most one coupon", "count:coupon", 1),
        ("within three working days", "working days", 3),
        ("a file of 8 MB", "bytes", 8e6),
    ],
)
def test_a_quantity_is_read(clause: str, kind: str, value: float) -> None:
    found = quantities_in(clause)
    assert [(quantity.kind, quantity.value) for quantity in found] == [(kind, value)]
    assert found[0].text in clause


@pytest.mark.parametrize(
    "clause",
    [
        "decided on 11 November 2025",
        "2025年11月11日 决定",
        "between 10:00 and 16:00",
        "the table `lot_42 items`",
        "error PAY-4061 is shown",
        "the 95th percentile",
        "版本 2026-03",
    ],
)
def test_dates_and_names_measure_nothing(clause: str) -> None:
    assert quantities_in(clause) == ()
