"""Cues: what a message opens with, which turns of phrase it holds and how it ends.

They are features of the n-gram rung, which learns from the examples what each of them, and each
pair of them, says about the kind of a message.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

from meetmind.knowledge.words import Language

CUES_FILE = Path(__file__).with_name("intent_cues.toml")
START_LENGTH: Mapping[Language, int] = {"en": 22, "zh": 8}
"""A turn of phrase within so many characters counts as the start of the message."""
CLAUSE_END = re.compile(r"[.,;:!?，。；：！？\n]")
WORD = re.compile(r"[a-z0-9'-]+")
BUSINESS_CUES = {"product_part", "actor", "artefact", "modal", "business"}
SOCIAL_CUES = {"social", "small_talk", "about_you"}

LONGEST_NOUN_PHRASE = 9


@dataclass(frozen=True, kw_only=True)
class CuePatterns:
    """The compiled `intent_cues.toml` for one language."""

    phrases: Mapping[str, re.Pattern[str]]
    lead_in: re.Pattern[str]
    opening_words: Mapping[str, frozenset[str]]
    """English only: the kind of an opening word, to those words."""
    object_nouns: Mapping[str, re.Pattern[str]]
    """English only: the kind of thing a noun names."""
    grammar: Mapping[str, frozenset[str]]
    """English only: the small words around a noun phrase."""


def cues_of(text: str, language: Language) -> list[str]:
    """The cues of a text; `phrase@start` and the like are told apart from `phrase`."""
    lowered = text.strip().lower()
    patterns = cue_patterns(language)
    phrase_cues, places = _phrase_cues(lowered, patterns, START_LENGTH[language])
    if language == "en":
        opening_cues, object_cues = _english_opening(lowered, patterns)
    else:
        opening_cues, object_cues = _chinese_opening(lowered, patterns), []
    shape_cues = _shape_cues(lowered, language)
    flags = sorted({*phrase_cues, *opening_cues, *shape_cues, *_absences(set(phrase_cues))})
    pairs = [f"{first}&{second}" for first, second in combinations(flags, 2)]
    return [*flags, *pairs, *places, *object_cues]


@cache
def cue_patterns(language: Language) -> CuePatterns:
    """Read and compile the cues of a language, once a process."""
    with CUES_FILE.open("rb") as file:
        listed = tomllib.load(file)
    phrases = {}
    for name, alternatives in listed[language].items():
        phrases[name] = _any_of(alternatives, language)
    lead_in = "|".join(listed["openings"][language])
    if language == "zh":
        return CuePatterns(
            phrases=phrases,
            lead_in=re.compile(f"(?:{lead_in})+"),
            opening_words={},
            object_nouns={},
            grammar={},
        )
    object_nouns = {}
    for kind, more_nouns in listed["en_nouns"].items():
        object_nouns[kind] = _any_of([*listed["en"][kind], *more_nouns], "en")
    return CuePatterns(
        phrases=phrases,
        lead_in=re.compile(rf"(?:(?:{lead_in})\b[\s,:;.\-!]*)+"),
        opening_words=_word_sets(listed["en_verbs"]),
        object_nouns=object_nouns,
        grammar=_word_sets(listed["en_grammar"]),
    )


def _word_sets(words_by_name: Mapping[str, Sequence[str]]) -> dict[str, frozenset[str]]:
    return {name: frozenset(words) for name, words in words_by_name.items()}


def _any_of(alternatives: Sequence[str], language: Language) -> re.Pattern[str]:
    either = "|".join(alternatives)
    if language == "en":
        return re.compile(rf"(?<![\w'])(?:{either})(?![\w'])")
    return re.compile(either)


def _phrase_cues(
    lowered: str, patterns: CuePatterns, start_length: int
) -> tuple[list[str], list[str]]:
    """The names of the phrases in the text, and which stand at its start or end a first clause."""
    clause_end = CLAUSE_END.search(lowered)
    end = len(lowered) if clause_end is None else clause_end.start()
    names = []
    places = []
    for name, pattern in patterns.phrases.items():
        matches = list(pattern.finditer(lowered))
        if not matches:
            continue
        names.append(name)
        if matches[0].start() < start_length:
            places.append(f"{name}@start")
        if matches[0].start() <= 2:
            places.append(f"{name}@first")
        if any(match.start() <= end <= match.end() + 1 for match in matches):
            places.append(f"{name}@end")
    return names, places


def _absences(names: set[str]) -> list[str]:
    absences = []
    if not names & BUSINESS_CUES:
        absences.append("no_business")
    if names & SOCIAL_CUES:
        absences.append("any_social")
    if not names:
        absences.append("no_cue")
    return absences


def _shape_cues(lowered: str, language: Language) -> list[str]:
    """How long the message is, and whether it asks or exclaims."""
    cues = []
    if lowered.rstrip(" \"'”’").endswith(("?", "？")):
        cues.append("asks")
    if "!" in lowered or "！" in lowered:
        cues.append("exclaims")
    length = len(WORD.findall(lowered))
    if language == "zh":
        length = len(lowered) // 2
    if length <= 3:
        cues.append("short")
    elif length > 20:
        cues.append("long")
    return cues


def _english_opening(lowered: str, patterns: CuePatterns) -> tuple[list[str], list[str]]:
    """What the message opens with once please, could you and the like are taken off."""
    first_clause = CLAUSE_END.split(lowered)[0]
    words = WORD.findall(_without_lead_in(first_clause, patterns))
    if not words:
        words = WORD.findall(_without_lead_in(lowered, patterns))
    if not words:
        return [], []
    opening = words[0]
    opening_cues = []
    for kind, known_words in patterns.opening_words.items():
        if opening in known_words:
            opening_cues.append(f"opens:{kind}")
    object_cues = [f"opens={opening}"]
    if opening in patterns.grammar["determiners"]:
        object_cues.append("opens:noun")
    noun = _object_of(words, patterns.grammar)
    for kind, nouns in patterns.object_nouns.items():
        if nouns.fullmatch(noun):
            object_cues.append(f"object:{kind}")
    return opening_cues, object_cues


def _object_of(words: list[str], grammar: Mapping[str, frozenset[str]]) -> str:
    """The head of the first noun phrase after the verb: `list` of `make a list of risks`."""
    determiners = grammar["determiners"]
    phrase_ends = grammar["phrase_ends"]
    rest = words if words[0] in determiners else words[1:]
    phrase: list[str] = []
    for word in rest[:LONGEST_NOUN_PHRASE]:
        if word in phrase_ends and phrase:
            break
        if word not in phrase_ends | grammar["particles"] | determiners:
            phrase.append(word)
    if not phrase:
        return ""
    return phrase[-1]


def _chinese_opening(lowered: str, patterns: CuePatterns) -> list[str]:
    """The phrases that the message opens with once 请, 帮我 and the like are taken off."""
    rest = _without_lead_in(lowered, patterns)
    cues = []
    for name, pattern in patterns.phrases.items():
        if pattern.match(rest):
            cues.append(f"opens:{name}")
    return cues


def _without_lead_in(text: str, patterns: CuePatterns) -> str:
    lead_in = patterns.lead_in.match(text)
    if lead_in is None:
        return text
    return text[lead_in.end() :]
