"""A question in the words of one role's table: weights, guessed spellings and coverage."""

import math
from collections import defaultdict
from collections.abc import Container, Iterable
from dataclasses import dataclass

from meetmind.database.retrieval import FoundTerm, Vocabulary, WordLeg
from meetmind.knowledge.questions import Question, QuestionTerm
from meetmind.knowledge.spelling import is_close_spelling
from meetmind.knowledge.words import tokens_of
from meetmind.search_trace import TracedTerm

GUESS_WEIGHT = 0.6
"""What a word counts that stands in the passage in another spelling or form."""
MOST_GUESSES = 2
MOST_RANKED_TERMS = 60


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A word of the vocabulary that stands for an asked one."""

    term: str
    weight: float
    """1 for the word itself, less for a guess."""


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """How much of a question stands in a passage."""

    share: float
    surfaces: tuple[str, ...]
    """The words as they stand in the passage, lower-cased."""


class Wording:
    """A question against the vocabulary of a table."""

    def __init__(self, question: Question, vocabulary: Vocabulary) -> None:
        self._question = question
        self._vocabulary = vocabulary
        self._idf_by_term: dict[str, float] = {}
        self._answers: dict[str, list[Answer]] = {}
        self._ids: dict[str, int] = {}
        found_by_asked: dict[str, list[FoundTerm]] = defaultdict(list)
        for found in vocabulary.found:
            found_by_asked[found.asked].append(found)
        for term in question.terms:
            self._answer(term, found_by_asked[term.term])

    def leg(self) -> WordLeg:
        """What ranks: the idf-weighted words of the question, the heaviest if there are many."""
        weight_by_id: dict[int, float] = {}
        for term in self._question.terms:
            for answer in self._answers[term.term]:
                weight = term.weight * answer.weight * self._idf_by_term[term.term]
                term_id = self._ids[answer.term]
                weight_by_id[term_id] = max(weight, weight_by_id.get(term_id, 0.0))
        heaviest = sorted(weight_by_id.items(), key=lambda item: -item[1])
        return WordLeg(
            weight_by_term_id=dict(heaviest[:MOST_RANKED_TERMS]),
            average_length=self._vocabulary.average_length,
        )

    def idf_of(self, term: str) -> float:
        """How much a word tells passages apart; most for one that no passage has or nobody asked.

        Read as a whole a text has other words than its clauses: `满3，000元` has the number 3000.
        """
        idf = self._idf_by_term.get(term)
        return self._idf(0) if idf is None else idf

    def traced_terms(self) -> tuple[TracedTerm, ...]:
        """Every asked or added word with what the vocabulary has for it."""
        traced: list[TracedTerm] = []
        for term in self._question.terms:
            answers = self._answers[term.term]
            traced_term = TracedTerm(
                surface=term.surface,
                kind=term.kind,
                weight=term.weight,
                idf=round(self._idf_by_term[term.term], 3),
                answers=tuple(answer.term for answer in answers),
                is_guess=any(answer.weight < 1 for answer in answers),
            )
            traced.append(traced_term)
        return tuple(traced)

    def coverage_of(self, text: str) -> Coverage:
        """The idf-weighted share of the question's words that stand in the text.

        A brief of several sentences is several questions: the part covered best counts.
        """
        surface_by_term: dict[str, str] = {}
        for token in tokens_of(text):
            surface_by_term.setdefault(token.term, token.surface)
        share_by_term = self._shares(surface_by_term)
        best = self._best_share(share_by_term)
        matched = [term for term in self._question.terms if term.term in share_by_term]
        surfaces = self._surfaces(matched, surface_by_term)
        return Coverage(share=round(best, 4), surfaces=tuple(surfaces))

    def _answer(self, term: QuestionTerm, found: list[FoundTerm]) -> None:
        exact = [other for other in found if other.is_exact]
        guesses = [other for other in found if is_close_spelling(term.term, other.term)]
        chosen = exact or guesses[:MOST_GUESSES]
        answers: list[Answer] = []
        for other in chosen:
            answers.append(Answer(term=other.term, weight=1.0 if other.is_exact else GUESS_WEIGHT))
            self._ids[other.term] = other.id
        self._answers[term.term] = answers
        passages = max((other.passages for other in chosen), default=0)
        self._idf_by_term[term.term] = self._idf(passages)

    def _idf(self, passages: int) -> float:
        count = self._vocabulary.passage_count
        return math.log(1 + (count - passages + 0.5) / (passages + 0.5))

    def _best_share(self, share_by_term: dict[str, float]) -> float:
        best = 0.0
        for part in range(self._question.part_count):
            best = max(best, self._share_of_part(part, share_by_term))
        return best

    def _shares(self, present: Container[str]) -> dict[str, float]:
        """For every asked word that is present: 1, or less for a guess."""
        share_by_term: dict[str, float] = {}
        for term in self._question.terms:
            if not term.parts:
                continue
            for answer in self._answers[term.term]:
                if answer.term in present:
                    share_by_term[term.term] = answer.weight
                    break
        return share_by_term

    def _share_of_part(self, part: int, share_by_term: dict[str, float]) -> float:
        asked = 0.0
        covered = 0.0
        for term in self._question.terms:
            if part in term.parts:
                idf = self._idf_by_term[term.term]
                asked += idf
                covered += idf * share_by_term.get(term.term, 0.0)
        return covered / asked if asked > 0 else 0.0

    def _surfaces(
        self, matched: Iterable[QuestionTerm], surface_by_term: dict[str, str]
    ) -> list[str]:
        surfaces: list[str] = []
        for term in matched:
            for answer in self._answers[term.term]:
                surface = surface_by_term.get(answer.term)
                if surface is not None and surface not in surfaces:
                    surfaces.append(surface)
        return surfaces
