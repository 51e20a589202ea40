"""The words of a text that say what it is about, in Chinese and English alike.

A word is either a concept of the glossary (so that 退款 and "refund" are one word), the stem of a
Latin word, or a Han word of at least two characters.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

import rjieba

from meetmind.llm.offline.glossary import COMMON_WEIGHT, load_glossary
from meetmind.llm.offline.stems import stem
from meetmind.llm.offline.word_lists import common_words, stop_words

RELATED_SHARE = 0.4
_LATIN_WORD = re.compile(r"[a-z0-9]+(?:['’][a-z]+)?")
_HAN_RUN = re.compile("[\u3400-\u9fff]+")
_CACHED_TEXTS = 8192


@dataclass(frozen=True, kw_only=True)
class Word:
    """A word of a text; `key` is the same for everything that means the same."""

    key: str
    weight: float
    surface: str

    @property
    def is_common(self) -> bool:
        """Whether the word stands in so many texts that it says little."""
        return self.weight <= COMMON_WEIGHT

    @property
    def is_concept(self) -> bool:
        """Whether the word is one of the glossary, and so the same in both languages."""
        return self.key.startswith("#")


@dataclass(frozen=True, kw_only=True)
class TextWords:
    """The words of a text in order, each once."""

    words: tuple[Word, ...]
    keys: frozenset[str]
    latin_stems: frozenset[str]
    han_text: str

    def has(self, word: Word) -> bool:
        """Whether `word` stands in this text; a Han word counts wherever its characters stand."""
        if word.key in self.keys or word.key in self.latin_stems:
            return True
        return is_chinese(word.key) and word.key in self.han_text


@lru_cache(maxsize=_CACHED_TEXTS)
def words_of(text: str) -> TextWords:
    """The words of `text` that carry meaning: concepts of the glossary first, then what is left."""
    lowered = text.lower()
    found: dict[str, Word] = {}
    rest = _take_concepts(lowered, found)
    for surface in _LATIN_WORD.findall(rest):
        _add_latin_word(surface, found)
    for run in _HAN_RUN.findall(rest):
        _add_han_words(run, found)
    return TextWords(
        words=tuple(found.values()),
        keys=frozenset(found),
        latin_stems=frozenset(stem(token) for token in _LATIN_WORD.findall(lowered)),
        han_text="|".join(_HAN_RUN.findall(lowered)),
    )


def presence(word: Word, told: TextWords) -> float:
    """1 when the word stands in a text, `RELATED_SHARE` when only something close does, else 0."""
    if told.has(word):
        return 1.0
    related = load_glossary().related.get(word.key.removeprefix("#"), ())
    if word.is_concept and any(f"#{name}" in told.keys for name in related):
        return RELATED_SHARE
    return 0.0


def is_chinese(text: str) -> bool:
    """Whether the text is written in Han characters, in part at least."""
    return _HAN_RUN.search(text) is not None


def is_foreign(text: str, language: str) -> bool:
    """Whether a text is in the other one of the two languages, `en` and `zh`."""
    return is_chinese(text) != (language == "zh")


def _take_concepts(text: str, found: dict[str, Word]) -> str:
    """Put the concepts of `text` into `found`; returned is what is left of the text."""
    rest = list(text)
    for place in load_glossary().find(text):
        key = f"#{place.concept.name}"
        surface = text[place.start : place.end]
        found.setdefault(key, Word(key=key, weight=place.concept.weight, surface=surface))
        rest[place.start : place.end] = " " * (place.end - place.start)
    return "".join(rest)


def _add_latin_word(surface: str, found: dict[str, Word]) -> None:
    key = stem(surface)
    if key in stop_words() or surface in stop_words() or len(key) < 2:
        return
    is_common = key.isdigit() or key in common_words()
    weight = COMMON_WEIGHT if is_common else 1.0
    found.setdefault(key, Word(key=key, weight=weight, surface=surface))


def _add_han_words(run: str, found: dict[str, Word]) -> None:
    for surface in rjieba.cut(run):
        if len(surface) >= 2 and surface not in stop_words():
            weight = COMMON_WEIGHT if surface in common_words() else 1.0
            found.setdefault(surface, Word(key=surface, weight=weight, surface=surface))
