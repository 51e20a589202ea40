"""Contradictions are found across wordings, and look-alikes are let alone."""

import json
from pathlib import Path

import pytest

from meetmind.llm.offline.contradictions import contradiction_between

PLANTED = Path(__file__).resolve().parents[3] / "data" / "contradictions.json"

TRUE = [
    (
        "Session tokens of the ride app expire after 30 minutes.",
        "The ride app keeps session tokens valid for 8 hours, then the token expires.",
        ("30 minutes", "8 hours"),
    ),
    (
        "A helmet may be borrowed for at most 2 days.",
        "A helmet may be borrowed for up to five days.",
        ("2 days", "five days"),
    ),
    (
        "The map tile server must answer within 200 ms.",
        "The map tile server must answer within 2 seconds.",
        ("200 ms", "2 seconds"),
    ),
    (
        "Every rider may keep at most 4 open reservations.",
        "A rider has at most one open reservation.",
        ("4 open reservations", "one open reservation"),
    ),
    (
        "The position of a bike is sent every 10 seconds.",
        "Bikes must not send their position more often than every 60 seconds.",
        ("10 seconds", "60 seconds"),
    ),
    ("骑行押金在还车后 3 天内退还。", "验收规定骑行押金在还车后 7 天内退还。", ("3 天", "7 天")),
    ("停车照片最多上传 3 张照片。", "停车照片最多可上传 9 张照片。", ("3 张照片", "9 张照片")),
    (
        "头盔定位的上报间隔为每 30 秒一次。",
        "头盔定位的上报间隔不得短于每 5 分钟。",
        ("30 秒", "5 分钟"),
    ),
    ("维修工单的照片必须上传到工单系统。", "维修工单的照片不得上传到工单系统。", ("必须", "不得")),
    (
        "Mechanics must photograph the broken frame.",
        "Mechanics must not photograph the broken frame.",
        ("must", "must not"),
    ),
]

FALSE = [
    # the same quantity
    ("Helmets are cleaned every 3 days.", "Helmets are cleaned every three days in all depots."),
    ("押金 72 小时内退还。", "押金 3 天内退还。"),
    # another subject
    ("Helmets are cleaned every 3 days.", "Invoices are sent every 10 days."),
    ("头盔每 3 天清洗一次。", "发票每 10 天寄送一次。"),
    # another condition
    (
        "Riders in Europe return the bike within 14 days for a refund.",
        "Riders in China return the bike within 7 days for a refund.",
    ),
    ("平日骑行补贴上限为 5 元。", "大促骑行补贴上限为 20 元。"),
    ("微信支付的退款时限为 3 天。", "支付宝的退款时限为 12 天。"),
    # something that happened, no rule
    (
        "The repair of a brake lasts at most 20 minutes.",
        "On 3 May 2026 the repair of a brake took 55 minutes.",
    ),
    ("刹车维修最多 20 分钟。", "2026年5月3日 刹车维修用了 55 分钟。"),
    # a lower and an upper limit leave room for both
    ("A lease lasts at least 3 months.", "A lease lasts at most 12 months."),
    ("押金租期至少 3 个月。", "押金租期最多 12 个月。"),
    # another kind of quantity
    ("A helmet order holds at most 3 helmets.", "A helmet order waits at most 3 days."),
    # a rhythm is no length
    ("The lock sensor reports every 10 seconds.", "The lock sensor report lasts 40 seconds."),
    # estimates and observed shares
    ("Cleaning a helmet costs about 4 euros.", "Cleaning a helmet costs about 9 euros."),
    ("移动端占骑行订单的 93%。", "移动端占骑行订单的 68%。"),
    # before and after a moment
    ("Riders may cancel before the lock opens.", "Riders may not cancel after the lock opens."),
]


@pytest.mark.parametrize(("first", "second", "texts"), TRUE)
def test_a_contradiction_is_found(first: str, second: str, texts: tuple[str, str]) -> None:
    found = contradiction_between(first, second)
    assert found is not None
    assert found.certain
    assert (found.first_text, found.second_text) == texts


@pytest.mark.parametrize(("first", "second"), FALSE)
def test_a_look_alike_is_no_contradiction(first: str, second: str) -> None:
    found = contradiction_between(first, second)
    assert found is None or not found.certain


@pytest.mark.parametrize(("first", "second", "texts"), TRUE)
def test_the_order_of_the_sides_does_not_matter(
    first: str, second: str, texts: tuple[str, str]
) -> None:
    there = contradiction_between(first, second)
    back = contradiction_between(second, first)
    assert (there is None) == (back is None)


@pytest.mark.skipif(not PLANTED.is_file(), reason="the seed documents are not there")
def test_the_planted_contradictions_of_the_seed_documents_are_found() -> None:
    missed = []
    for planted in json.loads(PLANTED.read_text(encoding="utf-8")):
        one, other = (side["sentence"] for side in planted["sides"])
        found = contradiction_between(one, other)
        if found is None or not found.certain:
            missed.append(planted["id"])
    assert missed == []
