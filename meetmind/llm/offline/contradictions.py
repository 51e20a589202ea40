"""Finds where two sentences say different things about the same subject.

Two ways to contradict: another quantity of the same kind, or "must" against "must not". A pair counts
only when the clauses share most of their words, state a rule rather than what happened once, and
name no two conditions that exclude each other (Europe and China, weekday and campaign day).
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from meetmind.llm.offline.conditions import (
    exclude_each_other,
    speak_of_before_and_after,
    tells_what_happened,
)
from meetmind.llm.offline.quantities import Quantity, quantities_in
from meetmind.llm.offline.sentences import clauses_of
from meetmind.llm.offline.stop_words import STOP_WORDS
from meetmind.llm.offline.words import TextWords, Word, is_chinese, words_of

SAME_SUBJECT = 0.6
NEAR_SUBJECT = 0.5
SAME_SUBJECT_FOR_MODALITY = 0.75
LEAST_SHARED_WEIGHT = 2.0
ENOUGH_SHARED_WEIGHT = 3.0
HALF = 0.5
LARGEST_RATIO = 30.0
"""Seconds against days are hardly ever said of the same thing."""
UNIT_WORDS = "#time"
_EQUAL_WITHIN = 0.01
_FEW_WORDS = 2.0
_FORBIDS = re.compile(
    r"\b(?:must not|may not|cannot|can not|never|is forbidden|not allowed)\b|不得|禁止|不能|不可|不允许|严禁"
)
_DEMANDS = re.compile(
    r"\b(?:must|may|can|always|required|is allowed|has to|have to)\b|必须|可以|应当|需要|一律|允许"
)
_ABOUT = re.compile(
    r"\b(?:about|around|roughly|nearly|almost|some|only|approximately)\s*$|[约近仅达]\s*$"
)
_EVERY = re.compile(r"\b(?:every|each)\s*$|每隔?\s*$")
_AT_LEAST = re.compile(
    r"\b(?:at least|no less than|minimum of|more than|above|over|older than|longer than)\s*$"
    r"|(?:至少|最少|不少于|不低于|超过|大于)[\u3400-\u9fff]{0,4}\s*$"
)
_AT_MOST = re.compile(
    r"\b(?:at most|up to|no more than|within|maximum of|not exceed|limited to|below|under)\s*$"
    r"|(?:最多|不超过|不得超过|至多|不多于|上限为?|低于|少于|小于)[\u3400-\u9fff]{0,4}\s*$"
)
Bound = Literal["every", "at least", "at most", "plain"]


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


@dataclass(frozen=True, kw_only=True)
class _Clause:
    text: str
    words: TextWords
    quantities: tuple[Quantity, ...]


@dataclass(frozen=True, kw_only=True)
class _SharedSubject:
    shared: float
    is_same: bool


@lru_cache(maxsize=65_536)
def contradiction_between(first: str, second: str) -> Contradiction | None:
    """The clearest contradiction between two sentences; None where they can stand side by side."""
    best: Contradiction | None = None
    for first_clause in _comparable_clauses(first):
        for second_clause in _comparable_clauses(second):
            found = _between_clauses(first_clause, second_clause)
            if found is not None and (best is None or found.shared > best.shared):
                best = found
    if best is None or exclude_each_other(first, second):
        return None
    return best


def rule_clauses(sentence: str) -> list[str]:
    """The clauses of a sentence that set a quantity, so that another document could contradict them."""
    clauses = _comparable_clauses(sentence)
    return [clause.text for clause in clauses if _rules_among(clause)]


def _rank(contradiction: Contradiction) -> tuple[bool, float]:
    return contradiction.certain, contradiction.shared


@lru_cache(maxsize=16_384)
def _comparable_clauses(sentence: str) -> tuple[_Clause, ...]:
    """The clauses that state a rule; a short one is read together with the clause before it."""
    if tells_what_happened(sentence):
        return ()
    comparable = []
    before = ""
    for text in clauses_of(sentence):
        words = words_of(text)
        weight = _weight(list(words.words))
        context = text if weight >= _FEW_WORDS or not before else f"{before}, {text}"
        clause = _Clause(text=context, words=words_of(context), quantities=quantities_in(context))
        if clause.quantities or _FORBIDS.search(text.lower()) or _DEMANDS.search(text.lower()):
            comparable.append(clause)
        before = text
    return tuple(comparable)


def _between_clauses(first: _Clause, second: _Clause) -> Contradiction | None:
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
            shared=subject.shared,
            certain=subject.is_same,
        )
    if subject.shared >= SAME_SUBJECT_FOR_MODALITY and subject.is_same:
        if not first.quantities and not second.quantities:
            return _opposite_modality(first, second, subject.shared)
    return None


def _shared_subject(first: _Clause, second: _Clause) -> _SharedSubject | None:
    """How much of the poorer clause stands in the richer one; None where it is too little.

    It is the same subject with three telling words in common, or two that are half of the richer
    clause as well; otherwise the subjects are near each other at best.
    """
    shared = _weight([word for word in _subject(first) if second.words.has(word)])
    poorer, richer = sorted((_weight(_subject(first)), _weight(_subject(second))))
    if shared < LEAST_SHARED_WEIGHT or shared < NEAR_SUBJECT * poorer:
        return None
    enough = shared >= ENOUGH_SHARED_WEIGHT or shared >= richer * HALF
    is_same = shared >= SAME_SUBJECT * poorer and enough
    return _SharedSubject(shared=shared / poorer, is_same=is_same)


def _subject(clause: _Clause) -> list[Word]:
    """The words apart from bare numbers and from what only names a unit."""
    return [
        word for word in clause.words.words if not word.key.isdigit() and word.key != UNIT_WORDS
    ]


def _weight(words: list[Word]) -> float:
    """Everyday and broad words count in full here: two sentences meet in them as well."""
    weight = 0.0
    for word in words:
        is_common_concept = word.is_common and word.is_concept
        weight += word.weight if is_common_concept else 1.0
    return weight


def _differing_quantities(first: _Clause, second: _Clause) -> tuple[Quantity, Quantity] | None:
    """Two quantities that differ, each the only one of its kind, in clauses that measure alike."""
    if _kinds(first) != _kinds(second):
        return None
    for one in _rules_among(first):
        others = [other for other in second.quantities if _same_kind(one, other)]
        alike = [own for own in first.quantities if _same_kind(one, own)]
        if len(others) != 1 or len(alike) != 1:
            continue
        other = others[0]
        if other in _rules_among(second) and _bounds_collide(first.text, one, second.text, other):
            return one, other
    return None


def _kinds(clause: _Clause) -> set[str]:
    return {quantity.kind.split(":")[0] for quantity in clause.quantities}


def _rules_among(clause: _Clause) -> list[Quantity]:
    """The quantities that are set: not "about 52", and no share or count that is merely observed."""
    demands = _DEMANDS.search(clause.text.lower()) is not None
    rules = []
    for quantity in clause.quantities:
        before = clause.text[: quantity.start].lower()
        may_be_observed = quantity.kind == "share" or quantity.kind.startswith("count:")
        is_set = demands or not may_be_observed or _bound(clause.text, quantity) != "plain"
        if is_set and not _ABOUT.search(before):
            rules.append(quantity)
    return rules


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
    return bool(nouns - STOP_WORDS)


def _bounds_collide(first: str, one: Quantity, second: str, other: Quantity) -> bool:
    """Whether the values differ, though not beyond all measure, and no reading lets both be true.

    A rhythm is no length, and a lower bound below an upper one leaves room for both.
    """
    smaller, larger = sorted((one.value, other.value))
    if larger - smaller <= _EQUAL_WITHIN * larger or larger > LARGEST_RATIO * smaller:
        return False
    bound_one, bound_other = _bound(first, one), _bound(second, other)
    if "every" in (bound_one, bound_other):
        return bound_one == bound_other
    if {bound_one, bound_other} == {"at least", "at most"}:
        lower, upper = (one, other) if bound_one == "at least" else (other, one)
        return lower.value > upper.value
    return True


def _bound(clause: str, quantity: Quantity) -> Bound:
    before = clause[: quantity.start].lower()
    if _EVERY.search(before):
        return "every"
    if _AT_MOST.search(before):
        return "at most"
    if _AT_LEAST.search(before):
        return "at least"
    return "plain"


def _opposite_modality(first: _Clause, second: _Clause, shared: float) -> Contradiction | None:
    forbidding = (_FORBIDS.search(first.text.lower()), _FORBIDS.search(second.text.lower()))
    if (forbidding[0] is None) == (forbidding[1] is None):
        return None
    other = second if forbidding[0] is not None else first
    demanding = _DEMANDS.search(other.text.lower())
    if demanding is None:
        return None
    forbidden = forbidding[0] or forbidding[1]
    texts = [forbidden.group() if forbidden else "", demanding.group()]
    if forbidding[0] is None:
        texts.reverse()
    return Contradiction(
        kind="modality",
        first_clause=first.text,
        second_clause=second.text,
        first_text=texts[0],
        second_text=texts[1],
        shared=shared,
        certain=True,
    )
