"""What kind of message a text is: two rules first, then the best classifier that is at hand."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from meetmind.clean_text import clean_bad_chars
from meetmind.errors import KnowledgeError
from meetmind.knowledge.intent_embedding import EmbeddingRung, Encoder
from meetmind.knowledge.intent_labels import IntentLabel
from meetmind.knowledge.intent_ngrams import NgramRung
from meetmind.knowledge.intent_nli import NliRung, weights_folder
from meetmind.knowledge.intent_rules import label_by_rule
from meetmind.knowledge.intent_rungs import IntentRung, Probabilities, RungName

LONGEST_TEXT = 4_000
"""Characters that are looked at; a longer brief has shown by then what it is."""
WARM_UP_TEXTS = ("How long is a quote valid?", "报价的有效期是多久？")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Intent:
    """What kind of message a text is, and which rung of the ladder said so."""

    label: IntentLabel
    score: float
    """The probability of the label, 0 to 1."""
    margin: float
    """How far the label is ahead of the next one, 0 to 1."""
    rung: RungName


@dataclass(frozen=True, kw_only=True)
class Step:
    """A rung that may be climbed, and how it is loaded."""

    name: RungName
    load: Callable[[], IntentRung]


class IntentClassifier:
    """Zero-shot inference when its weights are on disk, else embeddings, else n-grams.

    Nothing is loaded before the first `classify` (or `warm_up`), and then once. A rung that turns
    out to be unusable is logged and left for the next one down. Safe to share between threads.
    """

    def __init__(
        self, *, model_name: str, model_folder: Path, encoder: Encoder | None = None
    ) -> None:
        """`model_name` is looked for under `model_folder`; `encoder` must read Chinese too."""
        self._steps = _ladder(weights_folder(model_name, model_folder), encoder)
        self._lock = threading.Lock()
        self._loaded: IntentRung | None = None

    def classify(self, text: str) -> Intent:
        """The most probable label of a text; certain (score and margin 1) where a rule decides."""
        beginning = clean_bad_chars(text[:LONGEST_TEXT])
        label = label_by_rule(beginning)
        if label is not None:
            return Intent(label=label, score=1.0, margin=1.0, rung="rule")
        name, probabilities = self._ask(beginning)
        return _most_probable(name, probabilities)

    def warm_up(self) -> None:
        """Load what the first message of either language would wait for."""
        for text in WARM_UP_TEXTS:
            self._ask(text)

    def _ask(self, text: str) -> tuple[RungName, Probabilities]:
        while True:
            step, rung = self._usable_rung()
            try:
                return step.name, rung.probabilities(text)
            except KnowledgeError as error:
                self._step_down(step, error)

    def _usable_rung(self) -> tuple[Step, IntentRung]:
        """The highest rung that loads; the lowest one always does."""
        with self._lock:
            while self._loaded is None:
                try:
                    self._loaded = self._steps[0].load()
                except KnowledgeError as error:
                    self._leave_first_step(error)
            return self._steps[0], self._loaded

    def _step_down(self, failed: Step, error: KnowledgeError) -> None:
        with self._lock:
            if self._steps[0] is failed:
                self._leave_first_step(error)

    def _leave_first_step(self, error: KnowledgeError) -> None:
        if len(self._steps) == 1:
            raise error
        logger.warning("Intents are recognised without %s: %s", self._steps[0].name, error)
        self._steps = self._steps[1:]
        self._loaded = None


def _ladder(nli_folder: Path | None, encoder: Encoder | None) -> tuple[Step, ...]:
    """The rungs that can be tried here, the best one first."""
    steps: list[Step] = []
    if nli_folder is not None:
        steps.append(Step(name="nli", load=lambda: NliRung(nli_folder)))
    if encoder is not None:
        steps.append(Step(name="embedding", load=lambda: EmbeddingRung(encoder)))
    steps.append(Step(name="n-grams", load=NgramRung))
    return tuple(steps)


def _most_probable(rung: RungName, probabilities: Probabilities) -> Intent:
    by_share = sorted(probabilities, key=probabilities.__getitem__, reverse=True)
    best, second = by_share[0], by_share[1]
    score = probabilities[best]
    return Intent(label=best, score=score, margin=score - probabilities[second], rung=rung)
