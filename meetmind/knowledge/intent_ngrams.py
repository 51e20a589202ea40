"""The lowest rung of the intent ladder: character n-grams, words and cues of the examples.

It needs no model on disk. A linear support vector machine a language is trained at first use in
about half a second; a softmax over its decision values gives the probabilities.
"""

import re
import threading
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from meetmind.knowledge.intent_cues import cues_of
from meetmind.knowledge.intent_examples import examples_in
from meetmind.knowledge.intent_rules import folded
from meetmind.knowledge.intent_rungs import Probabilities, by_label
from meetmind.knowledge.words import HAN, Language, detect_language

WORD = re.compile(f"[a-z']+|[0-9]+|[{HAN}]|[?!？！]")
CUE_WEIGHT = 0.5
REGULARISATION = 1.0
SHARPNESS = 3.5
"""Decision values are multiplied by it before the softmax: the value with the smallest log loss in
a cross-validation over the examples of both languages."""


class NgramRung:
    """One linear classifier a language; a text goes to that of its language."""

    def __init__(self) -> None:
        self._model_by_language: dict[Language, Any] = {}
        self._lock = threading.Lock()

    def probabilities(self, text: str) -> Probabilities:
        """A probability for each label."""
        model = self.model_for(detect_language(text))
        decision_values = model.decision_function([folded(text)])[0]
        shares = softmax(decision_values * SHARPNESS)
        return by_label(model.classes_.tolist(), shares.tolist())

    def model_for(self, language: Language) -> Any:
        """The trained model of a language; whoever asks first trains it."""
        with self._lock:
            if language not in self._model_by_language:
                self._model_by_language[language] = trained_model(language)
            return self._model_by_language[language]


def trained_model(language: Language) -> Any:
    """A scikit-learn pipeline fitted to all examples of the language."""
    texts = []
    labels = []
    for example in examples_in(language):
        texts.append(folded(example.text))
        labels.append(example.label)
    return untrained_model(language).fit(texts, labels)


def untrained_model(language: Language) -> Any:
    """The scikit-learn pipeline; imports scikit-learn, which takes a second or two."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline, make_union
    from sklearn.svm import LinearSVC

    weigh: Callable[..., Any] = partial(TfidfVectorizer, sublinear_tf=True, min_df=2)
    features = make_union(
        weigh(analyzer="char_wb", ngram_range=(1, 4)),
        weigh(analyzer=words_and_ends),
        weigh(analyzer=partial(cues_of, language=language)),
    )
    features.set_params(transformer_weights={"tfidfvectorizer-3": CUE_WEIGHT})
    return make_pipeline(features, LinearSVC(C=REGULARISATION, random_state=0))


def words_and_ends(text: str) -> list[str]:
    """Words (a Han character is one), pairs of them, how it starts and ends, and its length."""
    words = WORD.findall(text)
    pairs = [f"{first} {second}" for first, second in pairwise(words)]
    ends = [f"length {min(len(words) // 4, 6)}"]
    for count in (1, 2, 3):
        ends.append("starts " + " ".join(words[:count]))
    for count in (1, 2):
        ends.append("ends " + " ".join(words[-count:]))
    return [*words, *pairs, *ends]


def softmax(values: np.ndarray) -> np.ndarray:
    """Shares that add up to 1, larger for larger values."""
    powers: np.ndarray = np.exp(values - values.max())
    shares: np.ndarray = powers / powers.sum()
    return shares
