"""What every rung of the intent ladder gives: a probability for each label."""

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

from meetmind.knowledge.intent_labels import INTENT_LABELS, IntentLabel

RungName = Literal["rule", "nli", "embedding", "n-grams"]
Probabilities = Mapping[IntentLabel, float]


class IntentRung(Protocol):
    """A classifier that is loaded and ready; safe to call from several threads."""

    def probabilities(self, text: str) -> Probabilities:
        """A probability for each of the four labels; they add up to 1."""


def by_label(labels: Sequence[IntentLabel], shares: Sequence[float]) -> Probabilities:
    """The shares by label, 0 for a label that is not among them."""
    share_by_label: dict[IntentLabel, float] = dict.fromkeys(INTENT_LABELS, 0.0)
    for label, share in zip(labels, shares, strict=True):
        share_by_label[label] = float(share)
    return share_by_label
