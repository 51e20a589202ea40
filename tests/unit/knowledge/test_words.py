"""Terms of passages and questions."""

import pytest

from meetmind.knowledge.words import detect_language, fold_word, terms_of, tokens_of


def test_latin_words_are_folded_and_stop_words_are_gone() -> None:
    assert terms_of("The orders were cancelled, and their refunds are being paid") == [
        "order",
        "cancel",
        "refund",
        "paid",
    ]


def test_han_text_gives_bigrams_without_grammar() -> None:
    assert terms_of("未支付的订单如何取消") == ["未支", "支付", "订单", "单如", "何取", "取消"]


def test_a_single_han_character_is_a_term() -> None:
    assert terms_of("茶 tea") == ["茶", "tea"]


def test_numbers_lose_their_thousands_separators_and_keep_their_decimals() -> None:
    assert terms_of("9,400 orders, 8.4 %, CPN-4103, 2025-11-11, v1.2.3") == [
        "9400",
        "order",
        "8.4",
        "cpn",
        "4103",
        "2025",
        "11",
        "11",
        "1",
        "2",
        "3",
    ]


def test_full_width_forms_and_spellings_of_one_name_are_one_term() -> None:
    assert terms_of("ＶＡＴ１９") == terms_of("vat19") == ["vat", "19"]
    assert terms_of("双十一") == terms_of("双11")


def test_tokens_know_where_they_stand() -> None:
    text = "pay 支付"
    assert [text[token.start :][:2] for token in tokens_of(text)] == ["pa", "支付"]


@pytest.mark.parametrize(
    "family",
    [
        "refund refunds refunded refunding",
        "size sizes sized sizing",
        "cancel cancels cancelled canceling",
        "ship ships shipped shipping",
        "policy policies",
        "cache caches cached caching",
        "process processes processed processing",
        "retry retries retried retrying",
        "batch batches",
    ],
)
def test_the_forms_of_a_word_are_one_term(family: str) -> None:
    assert len({fold_word(word) for word in family.split()}) == 1


@pytest.mark.parametrize("word", ["status", "string", "need", "speed", "embed", "bus", "press"])
def test_a_word_that_only_looks_inflected_stays(word: str) -> None:
    assert fold_word(word) == word


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("未支付订单多久取消", "zh"),
        ("请检查 payment-service 的 idempotency key 设置", "zh"),
        ("invoices (发票) and VAT for European orders", "en"),
        ("How long are orders kept?", "en"),
        ("", "en"),
        ("12345", "en"),
    ],
)
def test_the_language_is_the_script_of_most_words(text: str, language: str) -> None:
    assert detect_language(text) == language
