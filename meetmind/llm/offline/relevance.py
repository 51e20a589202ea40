"""Whether a text speaks of what is asked: the weighted share of the question's words in it."""

from dataclasses import dataclass

from meetmind.llm.offline.words import words_of

RELEVANT_COVERAGE = 0.34
"""The one threshold: from this share on a passage counts as knowledge on a question."""
LEAST_MATCHED_WEIGHT = 1.6
"""One common word is never enough, and one telling word only for a question of little more."""
ENOUGH_MATCHED_WEIGHT = 3.0
"""A long question is answered in part by a passage that shares three telling words with it."""


@dataclass(frozen=True, kw_only=True)
class Match:
    """How much of a question stands in a text."""

    coverage: float
    matched_weight: float
    asked_weight: float

    @property
    def is_relevant(self) -> bool:
        """Whether the text counts as knowledge on the question."""
        if self.matched_weight >= ENOUGH_MATCHED_WEIGHT:
            return True
        needed = min(LEAST_MATCHED_WEIGHT, self.asked_weight)
        return self.matched_weight >= needed > 0 and self.coverage >= RELEVANT_COVERAGE


def match(question: str, text: str) -> Match:
    """How much of `question` stands in `text`, in whichever of the two languages."""
    asked = words_of(question).words
    told = words_of(text)
    asked_weight = sum(word.weight for word in asked)
    matched_weight = sum(word.weight for word in asked if told.has(word))
    coverage = matched_weight / asked_weight if asked_weight > 0 else 0.0
    return Match(coverage=coverage, matched_weight=matched_weight, asked_weight=asked_weight)


def telling_matches(question: str, text: str) -> int:
    """How many of the question's words that say something stand in `text`."""
    told = words_of(text)
    telling = [word for word in words_of(question).words if not word.is_common]
    return sum(1 for word in telling if told.has(word))


def has_telling_words(text: str) -> bool:
    """Whether any word of `text` says what it is about."""
    return any(not word.is_common for word in words_of(text).words)
