"""The clauses of a sentence that state a rule, with their words and what they measure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from meetmind.llm.offline.bounds import bound_of, is_estimate
from meetmind.llm.offline.conditions import tells_what_happened
from meetmind.llm.offline.quantities import Quantity, quantities_in
from meetmind.llm.offline.sentences import clauses_of
from meetmind.llm.offline.words import TextWords, Word, words_of

FORBIDS = re.compile(
    r"\b(?:must not|may not|cannot|can not|never|is forbidden|not allowed)\b"
    r"|不得|禁止|不能|不可|不允许|严禁"
)
DEMANDS = re.compile(
    r"\b(?:must|may|can|always|required|is allowed|has to|have to)\b"
    r"|必须|可以|应当|需要|一律|允许"
)
UNIT_WORDS = "#time"
_FEW_WORDS = 2.0


@dataclass(frozen=True, kw_only=True)
class RuleClause:
    """A clause that another document could contradict."""

    text: str
    words: TextWords
    quantities: tuple[Quantity, ...]

    @property
    def subject(self) -> list[Word]:
        """The words apart from bare numbers and from what only names a unit."""
        subject = []
        for word in self.words.words:
            if not word.key.isdigit() and word.key != UNIT_WORDS:
                subject.append(word)
        return subject

    @property
    def set_quantities(self) -> list[Quantity]:
        """The quantities that are set: none of "about 52", no share or count merely observed."""
        demands = DEMANDS.search(self.text.lower()) is not None
        found = []
        for quantity in self.quantities:
            may_be_observed = quantity.kind == "share" or quantity.kind.startswith("count:")
            is_bounded = bound_of(self.text, quantity) != "plain"
            is_set = demands or is_bounded or not may_be_observed
            if is_set and not is_estimate(self.text, quantity):
                found.append(quantity)
        return found

    @property
    def measured_kinds(self) -> set[str]:
        """What kinds of things the clause measures."""
        return {quantity.kind.split(":")[0] for quantity in self.quantities}


def rule_clauses(sentence: str) -> list[str]:
    """The clauses of a sentence that set a quantity."""
    clauses = comparable_clauses(sentence)
    return [clause.text for clause in clauses if clause.set_quantities]


@lru_cache(maxsize=16_384)
def comparable_clauses(sentence: str) -> tuple[RuleClause, ...]:
    """The clauses that state a rule; a short one is read together with the clause before it."""
    if tells_what_happened(sentence):
        return ()
    comparable = []
    before = ""
    for text in clauses_of(sentence):
        is_short = weight_of(words_of(text).words) < _FEW_WORDS
        context = f"{before}, {text}" if is_short and before else text
        quantities = quantities_in(context)
        lowered = text.lower()
        if quantities or FORBIDS.search(lowered) or DEMANDS.search(lowered):
            clause = RuleClause(text=context, words=words_of(context), quantities=quantities)
            comparable.append(clause)
        before = text
    return tuple(comparable)


def weight_of(words: Iterable[Word]) -> float:
    """Everyday and broad words count in full here: two sentences meet in them as well."""
    weight = 0.0
    for word in words:
        is_common_concept = word.is_common and word.is_concept
        weight += word.weight if is_common_concept else 1.0
    return weight
