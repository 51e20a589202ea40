"""The rung of late interaction: cosines, MaxSim and BM25 as one sum, fair to both languages.

A multilingual model finds every text of the question's own language a little nearer than the same
text in another one. So a cosine or a MaxSim counts by how far it stands out from what a few
passages of its own language (the cohort) score for the same question; score normalisation with a
cohort is usual in speaker verification (T-norm, Auckenthaler et al. 2000).
"""

import logging
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import psycopg

from meetmind.config.retrieval_settings import WORDS_PATH
from meetmind.database.retrieval import (
    RecalledPassage,
    VectorLeg,
    cohort_numbers,
    seen_passages,
)
from meetmind.knowledge.embedding import EncodedText
from meetmind.knowledge.late_interaction import max_sim
from meetmind.knowledge.reranking import Candidate, RerankRequest, RungUnavailable
from meetmind.knowledge.token_weights import token_weights
from meetmind.search_trace import ScorePart

COSINE = "cosine"
TOKENS = "tokens"
OWN_LANGUAGE = "own_language"
OFF = "fused"
LANGUAGES = ("en", "zh")
COHORT_SIZE = 24
SMALLEST_COHORT = 6
SMALL_COHORT_SECONDS = 5.0
"""After so long a cohort that is not full is looked up again."""
MEANING_WEIGHT = 0.5
"""Of the cosine and of MaxSim."""
MOST_WORDS_WEIGHT = 2.0
"""Of BM25 when the words of one passage cover the whole question; it falls with the square."""
OWN_LANGUAGE_WEIGHT = 0.4
USUAL_SUM = 3.0
"""The sum that is shown as a score of one half."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class _Reading:
    """What one model says about the passages that it has seen, by their numbers."""

    cosine_by_number: dict[int, float]
    similarity_by_number: dict[int, float]


class LateInteraction:
    """Ranks by the token vectors that were kept from ingestion; takes a few milliseconds."""

    name = "late interaction"
    key = "late"

    def __init__(self) -> None:
        self._cohorts: dict[tuple[str, str, str], _Cohort] = {}
        self._kept_tokens: dict[tuple[str, str], dict[int, bytes]] = {}
        """The token vectors of the cohorts, by table and model: every search needs them."""

    def rerank(self, request: RerankRequest, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The candidates by the sum of their scores.

        Raises `RungUnavailable` when no model that reads the question has token vectors here, or
        when they cannot be read.
        """
        if request.settings.reranking == OFF:
            raise RungUnavailable("rerank_off")
        if not candidates:
            return []
        if not request.query_by_key:
            raise RungUnavailable("question_unread")
        try:
            standing = self._standing(request, candidates)
        except psycopg.Error as error:
            logger.warning("Token vectors cannot be read: %s", type(error).__name__)
            raise RungUnavailable("tokens_failed") from None
        if standing is None:
            raise RungUnavailable("no_token_vectors")
        words_weight = MOST_WORDS_WEIGHT * request.words_coverage**2
        words = _scaled_words(candidates)
        ranked: list[Candidate] = []
        for position, candidate in enumerate(candidates):
            is_own = candidate.passage.language == request.question.language
            parts = (
                ScorePart(name=COSINE, value=standing.cosines[position], weight=MEANING_WEIGHT),
                ScorePart(
                    name=TOKENS, value=standing.similarities[position], weight=MEANING_WEIGHT
                ),
                ScorePart(name=WORDS_PATH, value=words[position], weight=words_weight),
                ScorePart(name=OWN_LANGUAGE, value=float(is_own), weight=OWN_LANGUAGE_WEIGHT),
            )
            ranked.append(_with_parts(candidate, parts))
        ranked.sort(key=lambda candidate: -candidate.rerank_score)
        return _with_a_place_across(ranked, request.settings.rerank_top_n)

    def _standing(
        self, request: RerankRequest, candidates: Sequence[Candidate]
    ) -> "_Standing | None":
        """How far every candidate stands out, the mean over the models that have seen it."""
        passages = [candidate.passage for candidate in candidates]
        cosines: list[list[float | None]] = []
        similarities: list[list[float | None]] = []
        for key, query in request.query_by_key.items():
            cohort = self._cohort(request, key)
            reading = self._read(request, key, query, passages, cohort)
            if reading is not None and not _is_there(cohort, reading):
                # The table was emptied and filled again.
                self._forget_cohort(request, key)
                cohort = self._cohort(request, key)
                reading = self._read(request, key, query, passages, cohort)
            if reading is None:
                continue
            cosines.append(_above_cohort(passages, reading.cosine_by_number, cohort))
            similarities.append(_above_cohort(passages, reading.similarity_by_number, cohort))
        if not cosines:
            return None
        return _Standing(cosines=_means(cosines), similarities=_means(similarities))

    def _cohort(self, request: RerankRequest, key: str) -> dict[str, list[int]]:
        """The numbers of a few passages in each language; now and then again while it is small."""
        numbers_by_language: dict[str, list[int]] = {}
        for language in LANGUAGES:
            place = (request.table_name, key, language)
            cohort = self._cohorts.get(place)
            if cohort is None or not cohort.is_current():
                numbers = cohort_numbers(
                    request.pool, request.table_name, key, language, COHORT_SIZE
                )
                cohort = _Cohort(numbers=numbers, looked_up_at=time.monotonic())
                self._cohorts[place] = cohort
            numbers_by_language[language] = cohort.numbers
        return numbers_by_language

    def _forget_cohort(self, request: RerankRequest, key: str) -> None:
        for language in LANGUAGES:
            self._cohorts.pop((request.table_name, key, language), None)
        self._kept_tokens.pop((request.table_name, key), None)

    def _read(
        self,
        request: RerankRequest,
        key: str,
        query: EncodedText,
        passages: Sequence[RecalledPassage],
        cohort: dict[str, list[int]],
    ) -> "_Reading | None":
        """What a model says about passages and cohort; None where it has seen none of them."""
        frame = request.models.frame(key)
        if frame is None or len(query.tokens) == 0:
            return None
        numbers = _numbers(passages, cohort)
        kept = self._kept_tokens.get((request.table_name, key), {})
        leg = VectorLeg(key=key, vector=query.vector.tolist())
        seen = seen_passages(request.pool, request.table_name, leg, numbers, kept.keys())
        if not seen:
            return None
        tokens_by_number: dict[int, bytes] = {}
        for passage in seen:
            tokens_by_number[passage.number] = kept.get(passage.number, passage.tokens)
        self._keep_tokens(request, key, cohort, tokens_by_number)
        weights = token_weights(request.question.read_text, query.offsets, request.wording)
        projected = frame.project(query.tokens, request.question.language)
        similarities = max_sim(projected, weights, list(tokens_by_number.values()))
        return _Reading(
            cosine_by_number={passage.number: passage.cosine for passage in seen},
            similarity_by_number=dict(zip(tokens_by_number, similarities, strict=True)),
        )

    def _keep_tokens(
        self,
        request: RerankRequest,
        key: str,
        cohort: dict[str, list[int]],
        tokens_by_number: dict[int, bytes],
    ) -> None:
        kept: dict[int, bytes] = {}
        for numbers in cohort.values():
            for number in numbers:
                if number in tokens_by_number:
                    kept[number] = tokens_by_number[number]
        self._kept_tokens[request.table_name, key] = kept


@dataclass(frozen=True, kw_only=True)
class _Cohort:
    """Some passages of a table in one language, by their numbers."""

    numbers: list[int]
    looked_up_at: float

    def is_current(self) -> bool:
        """Whether it need not be looked up again, for which the whole table must be read.

        A table that is being filled, or that has no passages in the language, has a small one.
        """
        if len(self.numbers) == COHORT_SIZE:
            return True
        return time.monotonic() - self.looked_up_at < SMALL_COHORT_SECONDS


@dataclass(frozen=True, kw_only=True)
class _Standing:
    """How far every candidate stands out from the cohort, in standard deviations."""

    cosines: list[float]
    similarities: list[float]


def _numbers(passages: Sequence[RecalledPassage], cohort: dict[str, list[int]]) -> list[int]:
    """The numbers of the passages and of the cohort, each once."""
    numbers = [passage.number for passage in passages]
    for of_language in cohort.values():
        numbers.extend(of_language)
    return list(dict.fromkeys(numbers))


def _is_there(cohort: dict[str, list[int]], reading: _Reading) -> bool:
    """Whether every passage of the cohort still stands in the table."""
    for numbers in cohort.values():
        if not reading.cosine_by_number.keys() >= set(numbers):
            return False
    return True


def _above_cohort(
    passages: Sequence[RecalledPassage],
    score_by_number: dict[int, float],
    cohort: dict[str, list[int]],
) -> list[float | None]:
    """Every passage's score in standard deviations above the cohort of its language."""
    all_numbers = [number for numbers in cohort.values() for number in numbers]
    above: list[float | None] = []
    for passage in passages:
        score = score_by_number.get(passage.number)
        numbers = cohort.get(passage.language, [])
        if len(numbers) < SMALLEST_COHORT:
            numbers = all_numbers
        background = [score_by_number[number] for number in numbers if number in score_by_number]
        above.append(_standard_score(score, background))
    return above


def _standard_score(score: float | None, background: Sequence[float]) -> float | None:
    if score is None:
        return None
    if len(background) < 2:
        return score
    spread = float(np.std(background))
    return (score - float(np.mean(background))) / max(spread, 1e-6)


def _means(scores_by_model: Sequence[Sequence[float | None]]) -> list[float]:
    """The mean over the models that have seen a passage; 0 for one that none has seen."""
    means: list[float] = []
    for scores in zip(*scores_by_model, strict=True):
        known = [score for score in scores if score is not None]
        means.append(sum(known) / len(known) if known else 0.0)
    return means


def _scaled_words(candidates: Sequence[Candidate]) -> list[float]:
    """BM25 on 0..1 within the search; 0 for a candidate that the words did not find."""
    scores: list[float] = []
    for candidate in candidates:
        score = candidate.passage.score_on(WORDS_PATH)
        scores.append(0.0 if score is None else score)
    lowest, highest = min(scores), max(scores)
    if highest <= lowest:
        return [0.0] * len(scores)
    return [(score - lowest) / (highest - lowest) for score in scores]


def _with_parts(candidate: Candidate, parts: tuple[ScorePart, ...]) -> Candidate:
    """The candidate with its sum, squeezed into 0..1, and what the sum is made of."""
    total = sum(part.weight * part.value for part in parts)
    score = 1 / (1 + math.exp(USUAL_SUM - total))
    rounded = tuple(replace(part, value=round(part.value, 4)) for part in parts)
    return replace(candidate, rerank_score=score, rerank_parts=rounded)


def _with_a_place_across(ranked: Sequence[Candidate], answer_size: int) -> list[Candidate]:
    """The best passage in the other language has the last place of the answer, or a better one."""
    answer = list(ranked[:answer_size])
    rest = list(ranked[answer_size:])
    if answer_size < 2 or any(candidate.passage.is_across for candidate in answer):
        return list(ranked)
    for position, candidate in enumerate(rest):
        if candidate.passage.is_across:
            rest.pop(position)
            return [*answer[:-1], candidate, answer[-1], *rest]
    return list(ranked)
