"""Terms of a text: Latin words, numbers and Han bigrams, for passages and questions alike."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from meetmind.knowledge.stop_words import (
    ASKING_HAN,
    ASKING_WORDS,
    GRAMMAR_CHARACTERS,
    STOP_HAN,
    STOP_WORDS,
    TASK_HAN,
    TASK_WORDS,
)

Language = Literal["zh", "en"]

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
HAN_CHARACTER = re.compile(f"[{HAN}]")
LATIN_WORD = re.compile(f"[^\\W\\d_{HAN}]+")
TOKEN = re.compile(f"(?P<number>\\d+(?:[.,]\\d+)*)|(?P<word>[^\\W\\d_{HAN}]+)|(?P<han>[{HAN}]+)")
SOFT_HYPHEN = "\u00ad"
THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
LONGEST_TERM = 64
# Sales days that are written with digits as often as with characters.
SPELLINGS = (("双十一", "双11"), ("双十二", "双12"))
VOWEL = re.compile("[aeiouy]")
SHORT_STEM = re.compile("[^aeiou][aeiouy][^aeiou]")


@dataclass(frozen=True, kw_only=True)
class Token:
    """A term together with the characters that it was made from, lower-cased."""

    term: str
    surface: str
    start: int
    """Where the surface begins in the normalised text."""


def detect_language(text: str) -> Language:
    """`zh` when the text has more Han characters than Latin words, else `en`."""
    han_characters = len(HAN_CHARACTER.findall(text))
    latin_words = len(LATIN_WORD.findall(text))
    return "zh" if han_characters > latin_words else "en"


def han_share(text: str) -> float:
    """The share of Han characters among the letters of the text, 0 to 1."""
    han_characters = len(HAN_CHARACTER.findall(text))
    letters = sum(len(word) for word in LATIN_WORD.findall(text))
    if han_characters + letters == 0:
        return 0.0
    return han_characters / (han_characters + letters)


def normalise(text: str) -> str:
    """Full-width forms become plain ones, everything is lower-cased, one name has one spelling."""
    plain = unicodedata.normalize("NFKC", text)
    plain = plain.replace(SOFT_HYPHEN, "").lower()
    for spelling, usual in SPELLINGS:
        plain = plain.replace(spelling, usual)
    return plain


def tokens_of(text: str) -> Iterator[Token]:
    """Every term of the text in order, stop words left out.

    Latin words are folded to their stem, numbers lose their thousands separators, a run of Han
    characters gives its bigrams (a run of one gives that character).
    """
    for match in TOKEN.finditer(normalise(text)):
        surface = match.group()
        if match.lastgroup == "han":
            yield from _han_tokens(surface, match.start())
        elif match.lastgroup == "number":
            yield from _number_tokens(surface, match.start())
        elif len(surface) > 1 and surface not in STOP_WORDS:
            stem = fold_word(surface)[:LONGEST_TERM]
            yield Token(term=stem, surface=surface, start=match.start())


def terms_of(text: str) -> list[str]:
    """The terms of the text in order, repeated as often as they stand there."""
    return [token.term for token in tokens_of(text)]


def _han_tokens(run: str, start: int) -> Iterator[Token]:
    if len(run) == 1:
        if run not in GRAMMAR_CHARACTERS:
            yield Token(term=run, surface=run, start=start)
        return
    for offset in range(len(run) - 1):
        bigram = run[offset : offset + 2]
        if not is_stop_bigram(bigram):
            yield Token(term=bigram, surface=bigram, start=start + offset)


def _number_tokens(surface: str, start: int) -> Iterator[Token]:
    """`9,400` is one number and so is `8.4`; anything else falls into its parts."""
    whole = THOUSANDS.fullmatch(surface) or re.fullmatch(r"\d+(?:\.\d+)?", surface)
    if whole:
        term = surface.replace(",", "")[:LONGEST_TERM]
        yield Token(term=term, surface=surface, start=start)
        return
    for part in re.finditer(r"\d+", surface):
        term = part.group()[:LONGEST_TERM]
        yield Token(term=term, surface=part.group(), start=start + part.start())


def is_stop_bigram(bigram: str) -> bool:
    """Whether two Han characters are grammar rather than topic."""
    if bigram in STOP_HAN:
        return True
    return bigram[0] in GRAMMAR_CHARACTERS or bigram[1] in GRAMMAR_CHARACTERS


def is_asking_term(token: Token) -> bool:
    """Whether a term of a question only says that something is asked."""
    return token.surface in ASKING_WORDS or token.surface in ASKING_HAN


def is_task_term(token: Token) -> bool:
    """Whether a term of a question stands in every brief, whatever it is about."""
    return token.surface in TASK_WORDS or token.surface in TASK_HAN


@lru_cache(maxsize=50_000)
def fold_word(word: str) -> str:
    """A light stem, so that `refund`, `refunds` and `refunded` are one term.

    Plural folding after Harman (1991), then -ed and -ing where a vowel remains before them.
    Words that are not plain ASCII letters stay as they are.
    """
    if len(word) < 4 or not word.isascii():
        return word
    singular = _fold_plural(word)
    return _fold_ending(singular)


def _fold_plural(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _fold_ending(word: str) -> str:
    stem = _without_verb_ending(word)
    if stem.endswith("ll") and len(stem) > 5:
        stem = stem[:-1]
    if stem.endswith("e") and len(stem) > 4:
        stem = stem[:-1]
    return stem


def _without_verb_ending(word: str) -> str:
    """`shipped` gives `ship`, `rated` gives `rate`, `string` stays."""
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    for ending in ("ing", "ed"):
        if word.endswith(ending):
            return _verb_stem(word, word.removesuffix(ending))
    return word


def _verb_stem(word: str, stem: str) -> str:
    if len(stem) < 3 or not VOWEL.search(stem):
        return word
    doubled = stem[-1] == stem[-2]
    if len(stem) == 3:
        if SHORT_STEM.fullmatch(stem):
            return stem if stem[-1] in "wxy" else stem + "e"
        return stem if doubled else word
    if doubled and stem[-1] not in "lsz":
        return stem[:-1]
    return stem
