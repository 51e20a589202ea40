"""A question as terms: what ranks passages, and what counts as covered by a passage."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from meetmind.knowledge.splitters import split_sentences
from meetmind.knowledge.stop_words import ASKING_HAN
from meetmind.knowledge.words import (
    Language,
    Token,
    detect_language,
    is_asking_term,
    is_stop_bigram,
    normalise,
    tokens_of,
)

ASKING_WEIGHT = 0.3
ACROSS_WORDS_WEIGHT = 0.3
EXPANSION_WEIGHT = 0.5
FEWEST_TERMS_OF_A_PART = 5
LONGEST_QUESTION = 8_000

CLAUSE_END = re.compile("(?<=[，；])")

# Single Han characters that are grammar when a segmenter leaves them alone.
GRAMMAR_WORDS = frozenset(
    "一不与两个中为也了于人以们会但位低使做先全再几到前加即却又及只可各同后向吗呢和哪在多大好如"
    "对将就岁已年并当很得怎您想所打把按换新日时是更最有本来某次此每比没点然用由的看着短种第等给"
    "而能自至若被要让说请谁跟较达过还这进那都里长问间需非高"
)


@dataclass(frozen=True, kw_only=True)
class QuestionTerm:
    """A term of a question."""

    term: str
    surface: str
    weight: float
    """How much the term says when passages are ranked."""
    parts: frozenset[int]
    """The parts of the question in which the term counts for coverage; none for an empty word."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question that was read."""

    text: str
    language: Language
    terms: tuple[QuestionTerm, ...]
    part_count: int


def read_question(text: str, expansion_terms: Iterable[str] = ()) -> Question:
    """The terms of the question; a brief of several sentences has several parts.

    Stop words are gone. Words that only ask ("please design a plan") and bigrams across two Chinese
    words rank a little and never count as covered; expansion terms rank and never count either.
    """
    cut_text = text[:LONGEST_QUESTION]
    collected: dict[str, QuestionTerm] = {}
    parts = _parts_of(cut_text)
    for number, part in enumerate(parts):
        for token, weight, counts in _weighted_tokens(part):
            _collect(collected, token, weight, frozenset({number}) if counts else frozenset())
    for expansion in expansion_terms:
        for token, weight, _ in _weighted_tokens(expansion):
            if token.term not in collected:
                _collect(collected, token, weight * EXPANSION_WEIGHT, frozenset())
    return Question(
        text=text,
        language=detect_language(cut_text),
        terms=tuple(collected.values()),
        part_count=len(parts),
    )


def _collect(
    collected: dict[str, QuestionTerm], token: Token, weight: float, parts: frozenset[int]
) -> None:
    before = collected.get(token.term)
    if before is not None:
        weight = max(weight, before.weight)
        parts = parts | before.parts
    collected[token.term] = QuestionTerm(
        term=token.term, surface=token.surface, weight=weight, parts=parts
    )


def _parts_of(text: str) -> list[str]:
    """The clauses of the text in groups that have terms enough to be a question of their own."""
    parts: list[str] = []
    counts: list[int] = []
    for clause in _clauses(text):
        count = sum(1 for _, _, is_counted in _weighted_tokens(clause) if is_counted)
        if parts and counts[-1] < FEWEST_TERMS_OF_A_PART:
            parts[-1] = f"{parts[-1]}\n{clause}"
            counts[-1] += count
        else:
            parts.append(clause)
            counts.append(count)
    if len(parts) > 1 and counts[-1] < FEWEST_TERMS_OF_A_PART:
        rest = parts.pop()
        parts[-1] = f"{parts[-1]}\n{rest}"
    return parts


def _clauses(text: str) -> Iterator[str]:
    """Sentences, and in Chinese the clauses between commas, which are as long as sentences."""
    for sentence in split_sentences(text):
        yield from CLAUSE_END.split(sentence)


def _weighted_tokens(text: str) -> list[tuple[Token, float, bool]]:
    """Every token with its weight and whether it counts for coverage."""
    word_bigrams = _bigrams_within_words(text)
    weighted: list[tuple[Token, float, bool]] = []
    for token in tokens_of(text):
        is_bigram = len(token.surface) == 2 and not token.surface.isascii()
        if is_asking_term(token):
            weighted.append((token, ASKING_WEIGHT, False))
        elif is_bigram and word_bigrams is not None and token.start not in word_bigrams:
            weighted.append((token, ACROSS_WORDS_WEIGHT, False))
        else:
            weighted.append((token, 1.0, True))
    return weighted


def _bigrams_within_words(text: str) -> set[int] | None:
    """Where the bigrams begin that do not reach across two Chinese words; None without Han text."""
    plain = normalise(text)
    if detect_language(plain) != "zh" and plain.isascii():
        return None
    import rjieba  # late: takes 0.15 s, needed for Chinese only

    starts: set[int] = set()
    position = 0
    word_before = ""
    for word in rjieba.cut(plain):
        if len(word) == 1 and _belongs_to(word_before, word):
            starts.add(position - 1)
        for offset in range(len(word) - 1):
            starts.add(position + offset)
        position += len(word)
        word_before = word
    return starts


def _belongs_to(word_before: str, character: str) -> bool:
    """Whether a single character names something together with the word before it, as in `结算|页`."""
    if character in GRAMMAR_WORDS or len(word_before) < 2:
        return False
    return word_before not in ASKING_HAN and not is_stop_bigram(word_before[-2:])
