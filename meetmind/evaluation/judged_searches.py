"""How well searches rank what a person judged: the same questions under any settings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from meetmind.evaluation.metrics import mean_of, ndcg, recall, reciprocal_rank

NDCG_DEPTH = 10
RECALL_DEPTH = 5

RankPassages = Callable[[str, str], Sequence[str]]
"""The ids of what a search finds for a role and a question, best first."""
CountDone = Callable[[int, int], None]
"""Is told how many of how many questions are searched."""


@dataclass(frozen=True, kw_only=True)
class JudgedQuestion:
    """A question to a role, and whether each passage that somebody marked is relevant."""

    agent_name: str
    question: str
    is_relevant_by_id: Mapping[str, bool]

    @property
    def has_relevant(self) -> bool:
        """Whether anything can be found at all."""
        return any(self.is_relevant_by_id.values())


@dataclass(frozen=True, kw_only=True)
class JudgedScores:
    """The means over all questions that have a relevant passage; each lies between 0 and 1."""

    questions: int
    ndcg_at_10: float
    recall_at_5: float
    mrr: float


def read_marks(
    marks: Mapping[tuple[str, str], Mapping[str, bool]],
) -> list[JudgedQuestion]:
    """The judged questions out of marks by role and question."""
    questions: list[JudgedQuestion] = []
    for (agent_name, question), is_relevant_by_id in marks.items():
        judged = JudgedQuestion(
            agent_name=agent_name, question=question, is_relevant_by_id=is_relevant_by_id
        )
        questions.append(judged)
    return questions


def score_judged(
    questions: Sequence[JudgedQuestion], rank: RankPassages, count_done: CountDone
) -> JudgedScores | None:
    """Search every question that has a relevant passage and measure; None when there is none.

    A passage that nobody marked counts as not relevant. A question whose marks are all "not
    relevant" would score 0 under any settings and is left out.
    """
    answerable = [question for question in questions if question.has_relevant]
    if not answerable:
        return None
    ndcgs: list[float] = []
    recalls: list[float] = []
    reciprocal_ranks: list[float] = []
    for number, question in enumerate(answerable, start=1):
        ranking = rank(question.agent_name, question.question)
        relevance_by_id = {
            passage_id: int(is_relevant)
            for passage_id, is_relevant in question.is_relevant_by_id.items()
        }
        ndcgs.append(ndcg(ranking, relevance_by_id, NDCG_DEPTH))
        recalls.append(recall(ranking, relevance_by_id, RECALL_DEPTH))
        reciprocal_ranks.append(reciprocal_rank(ranking, relevance_by_id))
        count_done(number, len(answerable))
    return JudgedScores(
        questions=len(answerable),
        ndcg_at_10=mean_of(ndcgs),
        recall_at_5=mean_of(recalls),
        mrr=mean_of(reciprocal_ranks),
    )
