"""Finds where two sentences say different things about the same subject.

Two ways to contradict: another quantity of the same kind, or "must" against "must not". A pair
counts only when the clauses share most of their words, state a rule rather than what happened once,
and name no two conditions that exclude each other (Europe and China, weekday and campaign day).
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from meetmind.llm.offline.bounds import bounds_collide
from meetmind.llm.offline.conditions import exclude_each_other, speak_of_before_and_after
from meetmind.llm.offline.quantities import Quantity
from meetmind.llm.offline.rules import (
    DEMANDS,
    FORBIDS,
    RuleClause,
    comparable_clauses,
    weight_of,
)
from meetmind.llm.offline.word_lists import stop_words
from meetmind.llm.offline.words import is_chinese

SAME_SUBJECT = 0.6
NEAR_SUBJECT = 0.5
SAME_SUBJECT_FOR_MODALITY = 0.75
LEAST_SHARED_WEIGHT = 2.0
ENOUGH_SHARED_WEIGHT = 3.0
HALF = 0.5


@dataclass(frozen=True, kw_only=True)
class Contradiction:
    """Two clauses that cannot both hold; the texts are what differs, word for word."""

    kind: Literal["quantity", "modality"]
    first_clause: str
    second_clause: str
    first_text: str
    second_text: str
    shared: float
    """Share of the smaller clause's words that stand in the other one, 0 to 1."""
    certain: bool
    """False where the subjects are only near each other: worth a question, not an objection."""

    @property
    def clarity(self) -> tuple[bool, float]:
        """For choosing the clearest of several."""
        return self.certain, self.shared


@dataclass(frozen=True, kw_only=True)
class _SharedSubject:
    share: float
    is_same: bool


@lru_cache(maxsize=65_536)
def contradiction_between(first: str, second: str) -> Contradiction | None:
    """The clearest contradiction between two sentences; None where they can stand side by side."""
    found: list[Contradiction] = []
    for first_clause in comparable_clauses(first):
        for second_clause in comparable_clauses(second):
            contradiction = _between_clauses(first_clause, second_clause)
            if contradiction is not None:
                found.append(contradiction)
    if not found or exclude_each_other(first, second):
        return None
    return max(found, key=lambda contradiction: contradiction.clarity)


def differing_numbers(first: str, second: str) -> Contradiction | None:
    """Two numbers on one subject that cannot both hold, also where clauses measure more besides.

    Enough to ask which holds, too little to object: it is never `certain`.
    """
    if exclude_each_other(first, second):
        return None
    for one in comparable_clauses(first):
        for other in comparable_clauses(second):
            subject = _shared_subject(one, other)
            if subject is None or speak_of_before_and_after(one.text, other.text):
                continue
            differing = _pair_that_differs(one, other)
            if differing is not None:
                return Contradiction(
                    kind="quantity",
                    first_clause=one.text,
                    second_clause=other.text,
                    first_text=differing[0].text,
                    second_text=differing[1].text,
                    shared=subject.share,
                    certain=False,
                )
    return None


def _between_clauses(first: RuleClause, second: RuleClause) -> Contradiction | None:
    subject = _shared_subject(first, second)
    if subject is None or speak_of_before_and_after(first.text, second.text):
        return None
    differing = _differing_quantities(first, second)
    if differing is not None:
        return Contradiction(
            kind="quantity",
            first_clause=first.text,
            second_clause=second.text,
            first_text=differing[0].text,
            second_text=differing[1].text,
            shared=subject.share,
            certain=subject.is_same,
        )
    if subject.is_same and subject.share >= SAME_SUBJECT_FOR_MODALITY:
        if not first.quantities and not second.quantities:
            return _opposite_modality(first, second, subject.share)
    return None


def _shared_subject(first: RuleClause, second: RuleClause) -> _SharedSubject | None:
    """How much of the poorer clause stands in the richer one; None where it is too little.

    It is the same subject with three telling words in common, or two that are half of the richer
    clause as well; otherwise the subjects are near each other at best.
    """
    shared = weight_of(word for word in first.subject if second.words.has(word))
    poorer, richer = sorted((weight_of(first.subject), weight_of(second.subject)))
    if shared < LEAST_SHARED_WEIGHT or shared < NEAR_SUBJECT * poorer:
        return None
    is_enough = shared >= ENOUGH_SHARED_WEIGHT or shared >= richer * HALF
    is_same = is_enough and shared >= SAME_SUBJECT * poorer
    return _SharedSubject(share=shared / poorer, is_same=is_same)


def _differing_quantities(
    first: RuleClause, second: RuleClause
) -> tuple[Quantity, Quantity] | None:
    """Two quantities that differ, in clauses that measure alike."""
    if first.measured_kinds != second.measured_kinds:
        return None
    return _pair_that_differs(first, second)


def _pair_that_differs(first: RuleClause, second: RuleClause) -> tuple[Quantity, Quantity] | None:
    """Two quantities that differ, each the only one of its kind."""
    for one in first.set_quantities:
        others = [other for other in second.quantities if _same_kind(one, other)]
        alike = [own for own in first.quantities if _same_kind(one, own)]
        if len(others) != 1 or len(alike) != 1 or others[0] not in second.set_quantities:
            continue
        if bounds_collide(first.text, one, second.text, others[0]):
            return one, others[0]
    return None


def _same_kind(one: Quantity, other: Quantity) -> bool:
    if one.kind.startswith("count:") and other.kind.startswith("count:"):
        return _same_thing(one.kind.removeprefix("count:"), other.kind.removeprefix("count:"))
    return one.kind == other.kind


def _same_thing(one: str, other: str) -> bool:
    """Whether both count the same: a noun in common, or Chinese words that begin alike."""
    if is_chinese(one) and is_chinese(other):
        shorter, longer = sorted((one, other), key=len)
        return longer.startswith(shorter)
    nouns = set(one.split()) & set(other.split())
    return bool(nouns - stop_words())


def _opposite_modality(first: RuleClause, second: RuleClause, share: float) -> Contradiction | None:
    """One clause forbids what the other one demands or allows."""
    first_forbids = FORBIDS.search(first.text.lower())
    second_forbids = FORBIDS.search(second.text.lower())
    if first_forbids is not None and second_forbids is None:
        differing = (first_forbids, DEMANDS.search(second.text.lower()))
    elif first_forbids is None and second_forbids is not None:
        differing = (second_forbids, DEMANDS.search(first.text.lower()))
    else:
        return None
    forbidden, demanded = differing
    if demanded is None:
        return None
    texts = [forbidden.group(), demanded.group()]
    if first_forbids is None:
        texts.reverse()
    return Contradiction(
        kind="modality",
        first_clause=first.text,
        second_clause=second.text,
        first_text=texts[0],
        second_text=texts[1],
        shared=share,
        certain=True,
    )
