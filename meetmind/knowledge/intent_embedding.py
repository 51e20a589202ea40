"""The middle rung of the intent ladder: a classifier over embeddings of the examples."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from meetmind.knowledge.intent_examples import EXAMPLE_LANGUAGES, IntentExample, examples_in
from meetmind.knowledge.intent_labels import INTENT_LABELS
from meetmind.knowledge.intent_rungs import Probabilities, by_label

Encoder = Callable[[Sequence[str]], Any]
"""Texts to one vector each, of a model that reads English and Chinese; raises `KnowledgeError`
while it has no model. It is called from several threads."""

EXAMPLES_A_LABEL = 100
"""Examples of a label and language that are embedded: encoding takes longer than learning."""
REGULARISATION = 10.0


class EmbeddingRung:
    """One classifier for both languages, since the encoder puts them into one space."""

    def __init__(self, encoder: Encoder) -> None:
        """Embed the examples and learn from them; raises `KnowledgeError` when the encoder does."""
        from sklearn.linear_model import LogisticRegression

        texts = []
        labels = []
        for example in chosen_examples():
            texts.append(example.text)
            labels.append(example.label)
        self._encoder = encoder
        self._model = LogisticRegression(C=REGULARISATION, max_iter=500)
        self._model.fit(unit_vectors(encoder(texts)), labels)

    def probabilities(self, text: str) -> Probabilities:
        """A probability for each label."""
        vectors = unit_vectors(self._encoder([text]))
        shares = self._model.predict_proba(vectors)[0]
        return by_label(self._model.classes_.tolist(), shares.tolist())


def chosen_examples() -> list[IntentExample]:
    """Examples spread evenly over each label and language."""
    chosen: list[IntentExample] = []
    for language in EXAMPLE_LANGUAGES:
        for label in INTENT_LABELS:
            of_label = [example for example in examples_in(language) if example.label == label]
            step = max(1, len(of_label) // EXAMPLES_A_LABEL)
            chosen.extend(of_label[::step][:EXAMPLES_A_LABEL])
    return chosen


def unit_vectors(vectors: Any) -> np.ndarray:
    """The vectors at length 1, one a row."""
    rows = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit_rows: np.ndarray = rows / np.maximum(lengths, np.finfo(np.float32).tiny)
    return unit_rows
