"""A passage is knowledge on a question only when it shares enough of what the question asks."""

from meetmind.llm.offline.relevance import RELEVANT_COVERAGE, match, ranked_coverage, rarity_among


def test_one_common_word_is_never_enough() -> None:
    found = match(
        "When is the page of the choir printed?", "The page shows the cart of a customer."
    )
    assert found.matched_weight > 0
    assert not found.is_relevant


def test_one_word_of_many_is_not_enough() -> None:
    question = "How do we book flights and hotels and pay for the trip of the sales people?"
    assert not match(question, "A customer pays with a gift card.").is_relevant


def test_a_passage_that_shares_the_subject_is_relevant() -> None:
    question = "How long does a refund to a gift card take?"
    found = match(question, "A refund goes back to the gift card within a day.")
    assert found.coverage >= RELEVANT_COVERAGE
    assert found.is_relevant


def test_a_chinese_question_finds_an_english_passage() -> None:
    text = "An unpaid order is cancelled and the stock is released."
    assert match("未支付订单多久取消？", text).is_relevant


def test_a_question_of_one_telling_word_needs_just_that() -> None:
    assert match("refunds", "Refunds take three days.").is_relevant
    assert not match("refunds", "Invoices take three days.").is_relevant


def test_an_empty_question_makes_nothing_relevant() -> None:
    assert not match("", "Refunds take three days.").is_relevant
    assert not match("what should we do", "Refunds take three days.").is_relevant


def test_rare_words_choose_among_passages_that_all_share_the_subject() -> None:
    texts = [
        "A refund to a card takes 5 days.",
        "A refund to a voucher takes 2 days, as the azimuth says.",
        "A refund by bank transfer takes 9 days.",
    ]
    rarity = rarity_among(texts)
    question = "refund azimuth"
    shares = [ranked_coverage(question, text, rarity) for text in texts]
    assert max(shares) == shares[1]
    assert shares[0] < 0.5
