"""Aliases in a question."""

from meetmind.database.aliases import Alias
from meetmind.knowledge.other_names import other_names

ALIASES = (
    Alias(id=1, name="order-service", alias="OMS"),
    Alias(id=2, name="双11", alias="Double 11"),
    Alias(id=3, name="购物车", alias="cart"),
    Alias(id=4, name="C++", alias="cpp"),
)


def test_either_name_brings_the_other() -> None:
    assert other_names("How does the OMS cancel?", ALIASES) == ["order-service"]
    assert other_names("ORDER-SERVICE timeouts", ALIASES) == ["OMS"]


def test_a_latin_name_is_a_whole_word() -> None:
    assert other_names("cartography of rooms", ALIASES) == []
    assert other_names("the cart, please", ALIASES) == ["购物车"]
    assert other_names("打开cart页面", ALIASES) == ["购物车"]


def test_a_chinese_name_stands_anywhere() -> None:
    assert other_names("我的购物车里", ALIASES) == ["cart"]
    assert other_names("双十一之前", ALIASES) == ["Double 11"]


def test_both_names_in_the_question_add_nothing() -> None:
    assert other_names("OMS is the order-service", ALIASES) == []


def test_signs_in_a_name_are_signs() -> None:
    assert other_names("modules in C++ only", ALIASES) == ["cpp"]
    assert other_names("ccc", ALIASES) == []


def test_a_name_that_two_aliases_bring_is_added_once() -> None:
    aliases = (Alias(id=1, name="a1", alias="z"), Alias(id=2, name="a2", alias="z"))

    assert other_names("a1 and a2", aliases) == ["z"]
