"""Quotes: sentences chosen from passages, written with their citation, and read back from the talk."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from meetmind.events import Point
from meetmind.llm.offline.conditions import has_date, tells_what_happened
from meetmind.llm.offline.quantities import quantities_in
from meetmind.llm.offline.relevance import (
    Rarity,
    has_telling_words,
    match,
    ranked_coverage,
    telling_weight,
)
from meetmind.llm.offline.sentences import sentences_of
from meetmind.llm.offline.words import is_chinese
from meetmind.llm.prompt_sections import SpokenUtterance
from meetmind.llm.tool_envelopes import PromptPassage

SentenceKind = Literal["rule", "number", "dated", "plain"]

MOST_QUOTES = 4
MOST_QUOTES_A_POINT = 2
LONGEST_QUOTE = 360
_PASSAGE_SHARE = 0.6
_TITLE_SHARE = 0.4
LEAST_SENTENCE_WEIGHT = 1.0
"""So much weight of the point's telling words a sentence must hold itself."""
_NEXT_BEST_SHARE = 0.75
_BONUS: dict[SentenceKind, float] = {"rule": 0.15, "number": 0.12, "dated": 0.05, "plain": 0.0}
_OWN_LANGUAGE_BONUS = 0.12
_RULE = re.compile(
    r"\b(?:must|must not|may not|never|always|at most|at least|no more than|only|required|forbidden|not allowed)\b"
    r"|必须|不得|禁止|不允许|一律|最多|至少|不超过|只能|严禁|不能|应当"
)
_SAID_QUOTE = re.compile(
    r"(?:“(?P<english>[^“”]+)”|「(?P<chinese>[^「」]+)」) ?(?:\([^()]*\)|（[^（）]*）)? ?"
    r"\[(?P<id>(?P<agent>[a-z_]+)_[0-9a-f]{12})\]"
)


@dataclass(frozen=True, kw_only=True)
class Quote:
    """A sentence of a passage, chosen for the point with this place in the list (from 0)."""

    sentence: str
    passage: PromptPassage
    point_index: int
    score: float

    @property
    def kind(self) -> SentenceKind:
        """What sort of sentence it is."""
        return kind_of(self.sentence)


@dataclass(frozen=True, kw_only=True)
class SaidQuote:
    """A quote that stands in the talk: who said it, and whose passage it comes from."""

    said_by: str
    agent_name: str
    passage_id: str
    text: str
    turn_index: int


def kind_of(sentence: str) -> SentenceKind:
    """A rule, a number, something dated, or a plain statement."""
    if tells_what_happened(sentence):
        return "dated" if has_date(sentence) else "number" if quantities_in(sentence) else "plain"
    if _RULE.search(sentence.lower()):
        return "rule"
    return "number" if quantities_in(sentence) else "plain"


def choose_quotes(
    passages: Sequence[PromptPassage],
    points: Sequence[Point],
    queries: Sequence[str],
    *,
    language: str,
    already_said: Iterable[str] = (),
    rarity: Rarity = Rarity(),
) -> list[Quote]:
    """The best sentences on the points, at most two a point and one a passage and point.

    `queries` says for each point what is asked. A passage that is not relevant to a point gives nothing
    to it; sentences in `already_said` are passed over.
    """
    said = [normalised(text) for text in already_said]
    candidates: list[Quote] = []
    for index in range(len(points)):
        for passage in passages:
            point = points[index].question
            candidates.extend(_candidates(passage, index, point, queries[index], language, rarity))
    candidates.sort(key=lambda quote: (-quote.score, quote.passage.passage_id, quote.sentence))
    fresh = [quote for quote in candidates if not _was_said(quote.sentence, said)]
    return _spread_over_points(fresh, len(points))


def _candidates(
    passage: PromptPassage,
    point_index: int,
    point: str,
    query: str,
    language: str,
    rarity: Rarity,
) -> list[Quote]:
    """The sentences of a relevant passage that share a telling word with the point itself."""
    whole = match(query, f"{passage.title} {passage.content}")
    if not whole.is_relevant:
        return []
    asked = point if has_telling_words(point) else query
    needed = min(LEAST_SENTENCE_WEIGHT, telling_weight(asked, asked))
    on_topic = _PASSAGE_SHARE * ranked_coverage(query, f"{passage.title} {passage.content}", rarity)
    on_topic += _TITLE_SHARE * ranked_coverage(query, passage.title, rarity)
    candidates = []
    for sentence in sentences_of(passage.content):
        if len(sentence) > LONGEST_QUOTE or telling_weight(asked, sentence) < needed:
            continue
        score = ranked_coverage(query, sentence, rarity) + on_topic + _bonus(sentence)
        if is_chinese(sentence) == (language == "zh"):
            score += _OWN_LANGUAGE_BONUS
        candidates.append(
            Quote(sentence=sentence, passage=passage, point_index=point_index, score=score)
        )
    return candidates


def _bonus(sentence: str) -> float:
    """What a sentence is worth beside its subject: a rule most, a number much, the past little."""
    bonus = _BONUS[kind_of(sentence)]
    return bonus / 2 if tells_what_happened(sentence) else bonus


def _was_said(sentence: str, said: Sequence[str]) -> bool:
    own = normalised(sentence)
    return any(own in text or text in own for text in said)


def _spread_over_points(candidates: Sequence[Quote], point_count: int) -> list[Quote]:
    """First the best sentence of every point, then the next best ones that are nearly as good."""
    chosen: list[Quote] = []
    for index in range(point_count):
        _take_first(chosen, [quote for quote in candidates if quote.point_index == index])
    best_score = max((quote.score for quote in chosen), default=0.0)
    for quote in candidates:
        if len(chosen) >= MOST_QUOTES:
            break
        of_point = [one for one in chosen if one.point_index == quote.point_index]
        if len(of_point) < MOST_QUOTES_A_POINT and quote.score >= _NEXT_BEST_SHARE * best_score:
            _take_first(chosen, [quote])
    chosen.sort(key=lambda quote: (quote.point_index, -quote.score))
    return chosen


def _take_first(chosen: list[Quote], candidates: Sequence[Quote]) -> None:
    """Add the first candidate that brings a new sentence from a passage not yet quoted."""
    sentences = {quote.sentence for quote in chosen}
    passage_ids = {quote.passage.passage_id for quote in chosen}
    for quote in candidates:
        if quote.sentence not in sentences and quote.passage.passage_id not in passage_ids:
            chosen.append(quote)
            return


def written(text: str, passage_id: str, language: str, foreign_note: str = "") -> str:
    """A quote with its citation; its marks are those that do not stand inside it."""
    trimmed = " ".join(text.split())
    note = foreign_note if is_chinese(trimmed) != (language == "zh") else ""
    space = "" if language == "zh" else " "
    holds_curly_marks = "“" in trimmed or "”" in trimmed
    if language == "zh" or holds_curly_marks:
        return f"「{trimmed}」{note}{space}[{passage_id}]"
    return f"“{trimmed}”{note}{space}[{passage_id}]"


def said_quotes(talk: Sequence[SpokenUtterance]) -> list[SaidQuote]:
    """Every quote in the talk, oldest first."""
    quotes = []
    for turn_index, utterance in enumerate(talk):
        for found in _SAID_QUOTE.finditer(utterance.text):
            quotes.append(
                SaidQuote(
                    said_by=utterance.by,
                    agent_name=found["agent"],
                    passage_id=found["id"],
                    text=found["english"] or found["chinese"],
                    turn_index=turn_index,
                )
            )
    return quotes


def normalised(text: str) -> str:
    """A sentence without white space and closing marks, for comparing."""
    return "".join(text.split()).strip("。.!！?？；;，,").lower()
