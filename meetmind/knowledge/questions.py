"""A question as terms: what ranks passages, and what counts as covered by a passage."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from meetmind.knowledge.encodings import clean_text
from meetmind.knowledge.sentences import split_sentences
from meetmind.knowledge.stop_words import ASKING_HAN
from meetmind.knowledge.words import (
    HAN_CHARACTER,
    Language,
    Token,
    detect_language,
    is_asking_term,
    is_stop_bigram,
    is_task_term,
    normalise,
    tokens_of,
)
from meetmind.search_trace import TermKind

TOPIC_WEIGHT = 1.0
TASK_WEIGHT = 0.5
ASKING_WEIGHT = 0.3
ACROSS_WORDS_WEIGHT = 0.3
EXPANSION_WEIGHT = 0.5
ALIAS_WEIGHT = 0.8
FEWEST_TERMS_OF_A_PART = 6
LONGEST_QUESTION = 8_000
LONG_WORD = 4
"""A Chinese word of so many characters is made of words."""
CLAUSE_END = re.compile("(?<=[，；])")

# Single Han characters that are grammar when a segmenter leaves them alone.
GRAMMAR_WORDS = frozenset(
    "一不与两个中为也了于人以们会但位低使做先全再几到前加即却又及只可各同后向吗呢和哪在多"
    "大好如对将就岁已年并当很得怎您想所打把按换新日时是更最有本来某次此每比没点然用由的看"
    "着短种第等给而能自至若被要让说请谁跟较达过还这进那都里长问间需非高"
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
    kind: TermKind = "word"
    start: int = -1
    """Where it stands first in the normalised question; -1 for a word that was added."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question that was read."""

    text: str
    language: Language
    terms: tuple[QuestionTerm, ...]
    part_count: int
    expansion_terms: tuple[str, ...] = ()
    other_names: tuple[str, ...] = ()
    """Names that people keep for something that the question names otherwise."""

    @property
    def read_text(self) -> str:
        """What the embedding models read: the question with the other names behind it."""
        if not self.other_names:
            return self.text
        return f"{self.text} ({', '.join(self.other_names)})"


@dataclass(frozen=True, kw_only=True)
class _WeightedToken:
    token: Token
    weight: float

    @property
    def is_topic(self) -> bool:
        return self.weight == TOPIC_WEIGHT


def read_question(text: str, expansion_terms: Iterable[str] = ()) -> Question:
    """The terms of the question; a brief of several sentences has several parts.

    Stop words are gone. Words that only ask ("please design a plan") and bigrams across two Chinese
    words rank a little and never count as covered; expansion terms rank and never count either.
    Words that stand in every brief ("tests", "risks") count only where there is nothing else.
    """
    cut_text = clean_text(text[:LONGEST_QUESTION])
    parts = _parts_of(cut_text)
    tokens_by_part = [_weighted_tokens(part) for part in parts]
    least_weight = TASK_WEIGHT
    if any(weighted.is_topic for tokens in tokens_by_part for weighted in tokens):
        least_weight = TOPIC_WEIGHT
    collected: dict[str, QuestionTerm] = {}
    for number, tokens in enumerate(tokens_by_part):
        for weighted in tokens:
            counts = weighted.weight >= least_weight
            counted_parts = frozenset({number}) if counts else frozenset()
            _collect(collected, weighted.token, weighted.weight, counted_parts)
    question = Question(
        text=cut_text,
        language=detect_language(cut_text),
        terms=tuple(collected.values()),
        part_count=len(parts),
        expansion_terms=tuple(clean_text(term) for term in expansion_terms),
    )
    return with_more_words(question, question.expansion_terms, "expansion")


def with_more_words(question: Question, texts: Iterable[str], kind: TermKind) -> Question:
    """The question with words that rank passages and never count as covered."""
    collected = {term.term: term for term in question.terms}
    factor = ALIAS_WEIGHT if kind == "alias" else EXPANSION_WEIGHT
    for text in texts:
        for weighted in _weighted_tokens(clean_text(text)):
            if weighted.token.term not in collected:
                collected[weighted.token.term] = QuestionTerm(
                    term=weighted.token.term,
                    surface=weighted.token.surface,
                    weight=weighted.weight * factor,
                    parts=frozenset(),
                    kind=kind,
                )
    return replace(question, terms=tuple(collected.values()))


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
        count = sum(1 for weighted in _weighted_tokens(clause) if weighted.is_topic)
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


def _weighted_tokens(text: str) -> list[_WeightedToken]:
    """Every token with what it says about the topic."""
    word_bigrams = _bigrams_within_words(text)
    return [
        _WeightedToken(token=token, weight=_weight_of(token, word_bigrams))
        for token in tokens_of(text)
    ]


def _weight_of(token: Token, word_bigrams: set[int] | None) -> float:
    if is_asking_term(token):
        return ASKING_WEIGHT
    if is_task_term(token):
        return TASK_WEIGHT
    is_bigram = len(token.surface) == 2 and not token.surface.isascii()
    if is_bigram and word_bigrams is not None and token.start not in word_bigrams:
        return ACROSS_WORDS_WEIGHT
    return TOPIC_WEIGHT


def _bigrams_within_words(text: str) -> set[int] | None:
    """Where the bigrams begin that do not reach across two Chinese words; None without Han text."""
    plain = normalise(text)
    if not HAN_CHARACTER.search(plain):
        return None
    import rjieba  # late: takes 0.15 s, needed for Chinese only

    starts: set[int] = set()
    word_before = ""
    # The short words of a long one come before it: 测试, 数据, 测试数据.
    for word, start, end in rjieba.tokenize(plain, "search"):
        if len(word) == 1:
            if _belongs_to(word_before, word):
                starts.add(start - 1)
        elif len(word) < LONG_WORD or starts.isdisjoint(range(start, end)):
            starts.update(range(start, end - 1))
        word_before = word
    return starts


def _belongs_to(word_before: str, character: str) -> bool:
    """Whether a single character names a thing with the word before it, as in `结算|页`."""
    if character in GRAMMAR_WORDS or len(word_before) < 2:
        return False
    return word_before not in ASKING_HAN and not is_stop_bigram(word_before[-2:])
