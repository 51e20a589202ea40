"""Passages fall into sentences that can be quoted word for word."""

from meetmind.llm.offline.sentences import clauses_of, opening_of, sentences_of


def test_sentences_of_both_languages_are_found() -> None:
    passage = (
        "Refunds take three days at most. Nobody waits longer than 3.5 days.\n"
        "押金在三天之内退还给顾客。超过时限要通知客服主管。"
    )
    assert sentences_of(passage) == (
        "Refunds take three days at most.",
        "Nobody waits longer than 3.5 days.",
        "押金在三天之内退还给顾客。",
        "超过时限要通知客服主管。",
    )


def test_a_line_broken_in_mid_sentence_goes_on() -> None:
    assert sentences_of("The cart page refreshes\nstock every minute.") == (
        "The cart page refreshes stock every minute.",
    )
    assert sentences_of("未支付订单在三十分\n钟后自动取消。") == (
        "未支付订单在三十分钟后自动取消。",
    )


def test_headings_tables_and_code_are_not_quoted() -> None:
    passage = (
        "# Refunds and returns\n\n| a | b |\n|---|---|\n| one cell of it | two |\n\n"
        "```\nselect * from refunds;\n```\n- Every refund is logged with its reason."
    )
    assert sentences_of(passage) == ("Every refund is logged with its reason.",)


def test_an_abbreviation_ends_no_sentence() -> None:
    assert sentences_of("We keep a copy, e.g. The last invoice of the year.") == (
        "We keep a copy, e.g. The last invoice of the year.",
    )


def test_a_number_is_not_cut_at_its_comma() -> None:
    clauses = clauses_of("At most 2,000 orders pass, and the rest waits.")
    assert clauses == ["At most 2,000 orders pass", "and the rest waits"]


def test_the_opening_of_a_long_sentence_is_a_part_of_it() -> None:
    sentence = (
        "The code freeze lasts two days before a campaign, during which only fixes that the lead "
        "of the incident has approved may reach production at all."
    )
    opening = opening_of(sentence)
    assert opening == "The code freeze lasts two days before a campaign"
    assert opening_of("A short sentence, with a comma.") == "A short sentence, with a comma."
