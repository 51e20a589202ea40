"""Words mean the same in both languages, and everyday words weigh little."""

import pytest

from meetmind.llm.offline.stems import stem
from meetmind.llm.offline.words import presence, words_of


def keys_of(text: str) -> set[str]:
    return {word.key for word in words_of(text).words}


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("refunds of gift cards", "礼品卡的退款"),
        ("an unpaid order is cancelled", "未支付订单被取消"),
        ("guest checkout", "游客结算"),
        ("idempotency keys of callbacks", "回调的幂等键"),
        ("roll back a release", "发布回滚"),
    ],
)
def test_the_same_words_are_found_in_both_languages(english: str, chinese: str) -> None:
    assert keys_of(english) == keys_of(chinese)


def test_a_longer_term_is_read_before_a_shorter_one_in_it() -> None:
    assert "#payment" not in keys_of("未支付")
    assert "#cart" not in keys_of("gift card")


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("refunds", "refunded"),
        ("released", "releasing"),
        ("policies", "policy"),
        ("cancellation", "cancelled"),
        ("kept", "keep"),
        ("shipped", "shipping"),
    ],
)
def test_forms_of_a_word_share_a_stem(word: str, other: str) -> None:
    assert stem(word) == stem(other)


def test_stop_words_are_no_words() -> None:
    assert keys_of("what should we do about it") == set()
    assert keys_of("我们应该怎么办") == set()


def test_everyday_words_weigh_little() -> None:
    weight_by_key = {word.key: word.weight for word in words_of("look at the azimuth").words}
    assert weight_by_key["look"] < 1 < weight_by_key[stem("azimuth")] + 0.5


def test_a_close_concept_counts_in_part() -> None:
    asked = words_of("double charge").words[0]
    assert presence(asked, words_of("the idempotency key")) == 0.4
    assert presence(asked, words_of("a double charge")) == 1
    assert presence(asked, words_of("a teapot")) == 0
