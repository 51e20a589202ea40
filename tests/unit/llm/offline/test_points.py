"""A brief falls into two to four points in its own words."""

import pytest

from meetmind.llm.offline.points import asked_points, enumerated_items, key_words_of, points_from

BRIEFS = [
    "Let riders cancel a booking.",
    "押金退款",
    "We want riders to book without an account. How long may we keep their data, and what happens "
    "when the payment callback comes twice?",
    "我们想让骑手不登录也能预订。个人信息最多保存多久？支付回调重复到达时怎么办？优惠券能不能叠加？",
    "1. Faster search\n2. Cheaper shipping\n3. Nicer invoices\n4. Fewer mails\n5. Audit log",
    "and on mobile?",
    "?!",
]


@pytest.mark.parametrize("brief", BRIEFS)
def test_every_brief_gets_two_to_four_points(brief: str) -> None:
    points = points_from(brief, "Which rules?", "Which events?")
    assert 2 <= len(points) <= 4
    assert [point.id for point in points] == [f"P{n + 1}" for n in range(len(points))]
    assert all(point.question and point.state == "open" for point in points)
    assert len(asked_points(points, brief)) == len(points)


def test_points_are_the_clauses_of_the_brief() -> None:
    points = points_from(BRIEFS[2], "", "")
    assert [point.question for point in points] == [
        "We want riders to book without an account",
        "How long may we keep their data",
        "What happens when the payment callback comes twice?",
    ]


def test_a_chinese_brief_is_split_too() -> None:
    points = points_from(BRIEFS[3], "", "")
    assert [point.question for point in points] == [
        "我们想让骑手不登录也能预订",
        "个人信息最多保存多久？",
        "支付回调重复到达时怎么办？",
        "优惠券能不能叠加？",
    ]


def test_a_brief_of_one_part_is_asked_for_rules_and_for_events() -> None:
    points = points_from("Gift card balance", "Which rules?", "What happened?")
    assert [point.question for point in points] == ["Which rules?", "What happened?"]
    asked = asked_points(points, "Gift card balance")
    assert [point.wanted for point in asked] == ["rules", "events"]
    assert {point.query for point in asked} == {"Gift card balance"}


def test_a_point_of_few_words_is_looked_for_within_what_stands_before_it() -> None:
    brief = "Build a page about returned teapots. Who pays for the shipping?"
    points = points_from(brief, "", "")
    query = asked_points(points, brief)[1].query
    assert query == "Build a page about returned teapots Who pays for the shipping?"


def test_an_enumeration_is_no_chain_of_clauses() -> None:
    brief = "Which limits, freezes and rehearsals do we need? Who approves a campaign coupon?"
    points = points_from(brief, "", "")
    assert points[0].question == "Which limits, freezes and rehearsals do we need?"


def test_the_items_of_an_enumeration_are_searched_one_by_one() -> None:
    assert enumerated_items("请讨论取消、释放库存、支付回调和退款怎样配合。") == [
        "取消",
        "释放库存",
        "支付回调",
        "退款",
    ]
    assert enumerated_items("我们想改一下购物车和结算页。") == []


@pytest.mark.parametrize(
    ("brief", "key_words"),
    [
        ("Let customers cancel an unpaid order.", "cancel an unpaid order"),
        ("让会员在手机上取消未支付订单，并马上释放库存", "会员、手机、取消未支付订单、释放库存"),
        ("What about it?", "What about it?"),
    ],
)
def test_a_brief_is_called_by_its_telling_words(brief: str, key_words: str) -> None:
    assert key_words_of(brief) == key_words
