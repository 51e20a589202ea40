"""How a quantity is meant in its clause: as a rhythm, a lower or an upper limit, or plainly."""

import re
from typing import Literal

from meetmind.llm.offline.quantities import Quantity

Bound = Literal["every", "at least", "at most", "plain"]

LARGEST_RATIO = 30.0
"""Seconds against days are hardly ever said of the same thing."""
_EQUAL_WITHIN = 0.01
_SOME_HAN = r"[\u3400-\u9fff]{0,4}\s*$"
_EVERY = re.compile(r"\b(?:every|each)\s*$|每隔?\s*$")
_AT_LEAST = re.compile(
    r"\b(?:at least|no less than|minimum of|more than|above|over|older than|longer than)\s*$"
    r"|(?:至少|最少|不少于|不低于|超过|大于)" + _SOME_HAN
)
_AT_MOST = re.compile(
    r"\b(?:at most|up to|no more than|within|maximum of|not exceed|limited to|below|under)\s*$"
    r"|(?:最多|不超过|不得超过|至多|不多于|上限为?|低于|少于|小于)" + _SOME_HAN
)
_ABOUT = re.compile(
    r"\b(?:about|around|roughly|nearly|almost|some|only|approximately)\s*$|[约近仅达]\s*$"
)


def bound_of(clause: str, quantity: Quantity) -> Bound:
    """What the words before a quantity make of it."""
    before = clause[: quantity.start].lower()
    if _EVERY.search(before):
        return "every"
    if _AT_MOST.search(before):
        return "at most"
    if _AT_LEAST.search(before):
        return "at least"
    return "plain"


def is_estimate(clause: str, quantity: Quantity) -> bool:
    """Whether the quantity is only about that much."""
    return _ABOUT.search(clause[: quantity.start].lower()) is not None


def bounds_collide(first: str, one: Quantity, second: str, other: Quantity) -> bool:
    """Whether the values differ, though not beyond all measure, and no reading lets both be true.

    A rhythm is no length, and a lower bound below an upper one leaves room for both.
    """
    smaller, larger = sorted((one.value, other.value))
    if larger - smaller <= _EQUAL_WITHIN * larger or larger > LARGEST_RATIO * smaller:
        return False
    bound_one, bound_other = bound_of(first, one), bound_of(second, other)
    if "every" in (bound_one, bound_other):
        return bound_one == bound_other
    if {bound_one, bound_other} == {"at least", "at most"}:
        lower, upper = (one, other) if bound_one == "at least" else (other, one)
        return lower.value > upper.value
    return True
