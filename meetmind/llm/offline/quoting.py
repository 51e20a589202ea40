"""Chooses which sentences of which passages a role quotes on the points."""

from collections.abc import Iterable, Sequence

from meetmind.llm.offline.conditions import tells_what_happened
from meetmind.llm.offline.points import AskedPoint
from meetmind.llm.offline.quotes import Quote, SentenceKind, kind_of, normalised
from meetmind.llm.offline.relevance import (
    Rarity,
    has_telling_words,
    match,
    ranked_coverage,
    telling_weight,
)
from meetmind.llm.offline.sentences import sentences_of
from meetmind.llm.offline.words import is_foreign
from meetmind.llm.tool_envelopes import PromptPassage

MOST_QUOTES = 4
MOST_QUOTES_A_POINT = 2
LONGEST_QUOTE = 360
LEAST_SENTENCE_WEIGHT = 1.0
"""So much weight of the point's telling words a sentence must hold itself."""
_PASSAGE_SHARE = 0.6
_TITLE_SHARE = 0.4
_NEXT_BEST_SHARE = 0.75
_BONUS: dict[SentenceKind, float] = {"rule": 0.15, "number": 0.12, "dated": 0.05, "plain": 0.0}
_FOREIGN_LEAD = 0.12
"""A quote in the other language is for a point on which it is better than any other by this."""


def choose_quotes(
    passages: Sequence[PromptPassage],
    asked: Sequence[AskedPoint],
    *,
    language: str,
    already_said: Iterable[str],
    rarity: Rarity,
) -> list[Quote]:
    """The best sentences on the points, at most two a point and one a passage.

    A passage that is not relevant to a point gives nothing to it; sentences in `already_said` are
    passed over.
    """
    said = [normalised(text) for text in already_said]
    candidates: list[Quote] = []
    for index, point in enumerate(asked):
        for passage in passages:
            candidates.extend(_candidates(passage, index, point, language, rarity))
    candidates.sort(key=lambda quote: (-quote.score, quote.passage.passage_id, quote.sentence))
    fresh = [quote for quote in candidates if not _was_said(quote.sentence, said)]
    return _spread_over_points(_in_own_language_first(fresh, language), len(asked))


def _in_own_language_first(candidates: Sequence[Quote], language: str) -> list[Quote]:
    """Without the foreign sentences on a point of which another one is as good."""
    best_by_point: dict[int, float] = {}
    for quote in candidates:
        if not is_foreign(quote.sentence, language):
            best = best_by_point.get(quote.point_index, 0.0)
            best_by_point[quote.point_index] = max(best, quote.score)
    kept = []
    for quote in candidates:
        is_better = quote.score > best_by_point.get(quote.point_index, 0.0)
        if is_better or not is_foreign(quote.sentence, language):
            kept.append(quote)
    return kept


def _candidates(
    passage: PromptPassage, index: int, point: AskedPoint, language: str, rarity: Rarity
) -> list[Quote]:
    """The sentences of a relevant passage that share telling words with the point itself."""
    whole_text = f"{passage.title} {passage.content}"
    if not match(point.query, whole_text).is_relevant:
        return []
    on_topic = _PASSAGE_SHARE * ranked_coverage(point.query, whole_text, rarity)
    on_topic += _TITLE_SHARE * ranked_coverage(point.query, passage.title, rarity)
    candidates = []
    for sentence in sentences_of(passage.content):
        if len(sentence) > LONGEST_QUOTE or not _is_wanted(sentence, point):
            continue
        score = on_topic + ranked_coverage(point.query, sentence, rarity) + _bonus(sentence)
        if is_foreign(sentence, language):
            score -= _FOREIGN_LEAD
        quote = Quote(sentence=sentence, passage=passage, point_index=index, score=score)
        candidates.append(quote)
    return candidates


def _is_wanted(sentence: str, point: AskedPoint) -> bool:
    """Whether the sentence speaks of the point, and is of the sort that the point asks for."""
    if point.wanted != "anything":
        if tells_what_happened(sentence) != (point.wanted == "events"):
            return False
    words = point.own_words if has_telling_words(point.own_words) else point.query
    needed = min(LEAST_SENTENCE_WEIGHT, telling_weight(words, words))
    return telling_weight(words, sentence) >= needed


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
