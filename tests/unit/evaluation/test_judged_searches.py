from meetmind.evaluation.judged_searches import JudgedQuestion, read_marks, score_judged

RANKINGS = {
    ("architect", "refunds"): ["a", "b", "c", "d", "e", "f"],
    ("tester", "退款"): ["x", "y"],
}


def rank(agent_name: str, question: str) -> list[str]:
    return RANKINGS[agent_name, question]


def say_nothing(done: int, total: int) -> None:
    pass


def judged(agent_name: str, question: str, **marks: bool) -> JudgedQuestion:
    return JudgedQuestion(agent_name=agent_name, question=question, is_relevant_by_id=marks)


def test_a_relevant_passage_on_top_scores_one() -> None:
    scores = score_judged([judged("architect", "refunds", a=True)], rank, say_nothing)
    assert scores is not None
    assert (scores.ndcg_at_10, scores.recall_at_5, scores.mrr) == (1.0, 1.0, 1.0)


def test_the_scores_are_the_means_over_the_questions() -> None:
    questions = [judged("architect", "refunds", b=True, f=True), judged("tester", "退款", x=True)]
    scores = score_judged(questions, rank, say_nothing)
    assert scores is not None
    assert scores.questions == 2
    assert scores.recall_at_5 == (0.5 + 1) / 2
    assert scores.mrr == (0.5 + 1) / 2
    assert 0.5 < scores.ndcg_at_10 < 1


def test_a_passage_that_was_not_found_or_not_marked_counts_as_not_relevant() -> None:
    questions = [judged("tester", "退款", nowhere=True, x=False)]
    scores = score_judged(questions, rank, say_nothing)
    assert scores is not None
    assert (scores.ndcg_at_10, scores.recall_at_5, scores.mrr) == (0.0, 0.0, 0.0)


def test_a_question_without_a_relevant_passage_is_left_out() -> None:
    nothing_relevant = judged("tester", "退款", x=False)
    assert score_judged([nothing_relevant], rank, say_nothing) is None
    questions = [nothing_relevant, judged("architect", "refunds", a=True)]
    scores = score_judged(questions, rank, say_nothing)
    assert scores is not None
    assert (scores.questions, scores.mrr) == (1, 1.0)


def test_every_searched_question_is_counted_aloud() -> None:
    told: list[tuple[int, int]] = []
    questions = [judged("architect", "refunds", a=True), judged("tester", "退款", x=True)]
    score_judged(questions, rank, lambda done, total: told.append((done, total)))
    assert told == [(1, 2), (2, 2)]


def test_marks_by_role_and_question_become_judged_questions() -> None:
    questions = read_marks({("tester", "退款"): {"x": False}})
    assert questions == [judged("tester", "退款", x=False)]
