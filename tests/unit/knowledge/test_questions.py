"""Questions and briefs as terms."""

from dataclasses import replace

from meetmind.knowledge.questions import Question, read_question


def counted(question: Question) -> set[str]:
    return {term.surface for term in question.terms if term.parts}


def test_words_that_only_ask_never_count_as_covered() -> None:
    question = read_question("Please design and discuss a plan for refunds. What are the risks?")

    assert counted(question) == {"refunds"}


def test_the_same_holds_in_chinese() -> None:
    question = read_question("请团队设计一个礼品卡的退款方案，讨论风险和测试")

    assert counted(question) == {"礼品", "品卡", "退款"}


def test_task_words_count_where_there_is_nothing_else() -> None:
    assert counted(read_question("Which test data?")) == {"test", "data"}
    assert counted(read_question("测试数据怎么准备")) == {"测试", "数据"}


def test_bigrams_across_two_chinese_words_rank_a_little_and_do_not_count() -> None:
    question = read_question("支付回调超时")
    weight_by_surface = {term.surface: term.weight for term in question.terms}

    assert counted(question) == {"支付", "回调", "超时"}
    assert weight_by_surface["付回"] < weight_by_surface["支付"]


def test_a_brief_of_several_sentences_has_several_parts() -> None:
    question = read_question(
        "Guests should be able to check out in the web shop without any customer account. "
        "Coupons and gift cards stay usable for them during checkout and payment. Thanks!"
    )

    assert question.part_count == 2
    parts_by_surface = {term.surface: term.parts for term in question.terms}
    assert parts_by_surface["guests"] == {0}
    assert parts_by_surface["gift"] == {1}
    assert parts_by_surface["check"] == frozenset() or parts_by_surface["check"] == {0}


def test_chinese_clauses_are_parts_too() -> None:
    question = read_question(
        "欧洲顾客退货退款流程与增值税发票处理，购物车容量上限与库存实时展示规则，登录安全"
    )

    assert question.part_count == 2


def test_expansion_terms_rank_and_never_count() -> None:
    question = read_question("refunds", expansion_terms=("chargeback 退款",))

    assert {term.surface for term in question.terms} == {"refunds", "chargeback", "退款"}
    assert counted(question) == {"refunds"}


def test_a_question_of_stop_words_has_no_terms() -> None:
    assert read_question("What is it, and why?").terms == ()
    assert read_question("").terms == ()


def test_an_endless_question_is_cut() -> None:
    words = " ".join(f"word{number}x" for number in range(5_000))

    assert len(read_question(words).terms) < 2_000


def test_the_models_read_other_names_behind_the_question() -> None:
    question = read_question("海淘卡能退吗")

    assert question.read_text == "海淘卡能退吗"
    named = replace(question, other_names=("gift card", "购物卡"))
    assert named.read_text == "海淘卡能退吗 (gift card, 购物卡)"
