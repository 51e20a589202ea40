"""Slips and other forms of words."""

import pytest

from meetmind.knowledge.spelling import is_close_spelling


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        ("paymnet", "payment"),
        ("invetory", "inventory"),
        ("refunnd", "refund"),
        ("idempotancy", "idempotency"),
        ("authorization", "authorisation"),
        ("wechatpay", "wechat"),
    ],
)
def test_a_slip_is_understood(asked: str, known: str) -> None:
    assert is_close_spelling(asked, known)


@pytest.mark.parametrize(
    ("asked", "known"),
    [("marker", "market"), ("rocket", "pocket"), ("mars", "mark"), ("whale", "scale"), ("a", "b")],
)
def test_another_word_is_another_word(asked: str, known: str) -> None:
    assert not is_close_spelling(asked, known)
