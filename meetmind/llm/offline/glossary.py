"""The bilingual glossary: which terms of shops and software mean the same."""

import itertools
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from meetmind.llm.offline.stems import stem

_FILE = Path(__file__).with_name("glossary.toml")
_TOKEN = re.compile(r"[a-z0-9]+(?:['’][a-z]+)?")
_JOINT = re.compile(r"[\s\-/]{1,2}")
_LONGEST_ENGLISH_TERM = 3
COMMON_WEIGHT = 0.3
BROAD_WEIGHT = 0.6


@dataclass(frozen=True, kw_only=True)
class Concept:
    """One meaning and its terms; `weight` says how much it tells about a text, up to 1."""

    name: str
    english: tuple[str, ...]
    chinese: tuple[str, ...]
    weight: float


@dataclass(frozen=True, kw_only=True)
class FoundConcept:
    """Where in a text a concept stands."""

    concept: Concept
    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class Glossary:
    """All concepts, by English stems and by Chinese term."""

    by_name: dict[str, Concept]
    related: dict[str, tuple[str, ...]]
    """Names of concepts that are close to a concept, by its name."""
    by_english: dict[str, Concept]
    by_chinese: dict[str, Concept]
    chinese_terms: re.Pattern[str]

    def find(self, text: str) -> list[FoundConcept]:
        """The concepts in lower-case `text` in order; longer terms before shorter ones."""
        found = [*self._find_chinese(text), *self._find_english(text)]
        found.sort(key=lambda place: place.start)
        return found

    def _find_chinese(self, text: str) -> Iterator[FoundConcept]:
        for match in self.chinese_terms.finditer(text):
            concept = self.by_chinese[match.group()]
            yield FoundConcept(concept=concept, start=match.start(), end=match.end())

    def _find_english(self, text: str) -> Iterator[FoundConcept]:
        tokens = list(_TOKEN.finditer(text))
        place = 0
        while place < len(tokens):
            length = self._length_of_term(text, tokens, place)
            if length > 0:
                last = tokens[place + length - 1]
                concept = self.by_english[_english_key(text, tokens[place : place + length])]
                start = tokens[place].start()
                yield FoundConcept(concept=concept, start=start, end=last.end())
            place += max(length, 1)

    def _length_of_term(self, text: str, tokens: list[re.Match[str]], place: int) -> int:
        for length in range(_LONGEST_ENGLISH_TERM, 0, -1):
            run = tokens[place : place + length]
            if len(run) == length and _english_key(text, run) in self.by_english:
                return length
        return 0


@cache
def load_glossary() -> Glossary:
    """The glossary of this package, read once."""
    parsed = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    broad = frozenset(parsed["broad"])
    specific = _concepts(parsed["concepts"], broad)
    common = _concepts(parsed["common"], None)
    by_english: dict[str, Concept] = {}
    by_chinese: dict[str, Concept] = {}
    for concept in specific + common:
        for term in concept.english:
            by_english.setdefault(_stems(term), concept)
        for term in concept.chinese:
            by_chinese.setdefault(term, concept)
    longest_first = sorted(by_chinese, key=len, reverse=True)
    chinese_terms = re.compile("|".join(re.escape(term) for term in longest_first))
    related = {name: tuple(names) for name, names in parsed["related"].items()}
    return Glossary(
        by_name={concept.name: concept for concept in specific + common},
        related=related,
        by_english=by_english,
        by_chinese=by_chinese,
        chinese_terms=chinese_terms,
    )


def _concepts(table: dict[str, Any], broad: frozenset[str] | None) -> list[Concept]:
    """The concepts of a table; without names of broad ones all of them are common."""
    concepts = []
    for name, terms in table.items():
        weight = COMMON_WEIGHT
        if broad is not None:
            weight = BROAD_WEIGHT if name in broad else 1.0
        chinese = tuple(term.lower() for term in terms["zh"])
        concept = Concept(name=name, english=tuple(terms["en"]), chinese=chinese, weight=weight)
        concepts.append(concept)
    return concepts


def _stems(term: str) -> str:
    return " ".join(stem(token) for token in _TOKEN.findall(term.lower()))


def _english_key(text: str, run: list[re.Match[str]]) -> str:
    """The stems of neighbouring tokens; empty where something stands between them."""
    for left, right in itertools.pairwise(run):
        if not _JOINT.fullmatch(text[left.end() : right.start()]):
            return ""
    return " ".join(stem(token.group()) for token in run)
