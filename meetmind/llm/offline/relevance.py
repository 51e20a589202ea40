"""Whether a text speaks of what is asked: the weighted share of the question's words in it."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from meetmind.llm.offline.words import TextWords, Word, presence, words_of

RELEVANT_COVERAGE = 0.34
"""The one threshold: from this share on a passage counts as knowledge on a question."""
LEAST_MATCHED_WEIGHT = 1.5
"""One common word is never enough, and one telling word only for a question of little more."""
MOST_OF_A_QUESTION = 0.75
"""What of a question of very few words has to stand in a passage."""
ENOUGH_MATCHED_WEIGHT = 3.0
"""A long question is answered in part by a passage that shares three telling words with it."""

DOUBTFUL_WEIGHT = 0.9
DOUBTFUL_COVERAGE = 0.3


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
        needed = min(LEAST_MATCHED_WEIGHT, MOST_OF_A_QUESTION * self.asked_weight)
        return self.matched_weight >= needed > 0 and self.coverage >= RELEVANT_COVERAGE

    @property
    def is_doubtful(self) -> bool:
        """Whether the text comes near enough to the question to ask on, without answering it."""
        return self.matched_weight >= DOUBTFUL_WEIGHT and self.coverage >= DOUBTFUL_COVERAGE


@dataclass(frozen=True)
class Rarity:
    """How rare words are among the texts at hand; one that stands in all of them chooses none."""

    texts: tuple[TextWords, ...] = ()
    _known: dict[str, float] = field(default_factory=dict, repr=False)

    def of(self, word: Word) -> float:
        """Near 1 for a word that stands in one text, towards 0 for one that stands in all."""
        if not self.texts:
            return 1.0
        known = self._known.get(word.key)
        if known is None:
            holding = sum(1 for text in self.texts if text.has(word))
            count = len(self.texts)
            known = math.log(1 + count / (1 + holding)) / math.log(1 + count)
            self._known[word.key] = known
        return known


def rarity_among(texts: Iterable[str]) -> Rarity:
    """The rarity of words among these texts."""
    return Rarity(tuple(words_of(text) for text in texts))


def match(question: str, text: str) -> Match:
    """How much of `question` stands in `text`, in whichever of the two languages."""
    asked = words_of(question).words
    told = words_of(text)
    asked_weight = sum(word.weight for word in asked)
    matched_weight = sum(word.weight * presence(word, told) for word in asked)
    coverage = matched_weight / asked_weight if asked_weight > 0 else 0.0
    return Match(coverage=coverage, matched_weight=matched_weight, asked_weight=asked_weight)


def ranked_coverage(question: str, text: str, rarity: Rarity) -> float:
    """Like the coverage of `match`, but rare words count for more: for choosing, no judgement."""
    asked = words_of(question).words
    told = words_of(text)
    weight_by_key: Mapping[str, float] = {word.key: word.weight * rarity.of(word) for word in asked}
    total = sum(weight_by_key.values())
    matched = sum(weight_by_key[word.key] * presence(word, told) for word in asked)
    return matched / total if total > 0 else 0.0


def telling_weight(question: str, text: str) -> float:
    """The weight of the question's words in `text`, common ones left out."""
    told = words_of(text)
    telling = [word for word in words_of(question).words if not word.is_common]
    return sum(word.weight * presence(word, told) for word in telling)


def has_telling_words(text: str) -> bool:
    """Whether any word of `text` says what it is about."""
    return any(not word.is_common for word in words_of(text).words)
