"""A light stemmer: enough to see that "refunds", "refunded" and "refund" are one word."""

from functools import lru_cache

_IRREGULAR = {
    "kept": "keep", "sent": "send", "paid": "pay", "sold": "sell", "held": "hold", "took": "take",
    "taken": "take", "lost": "lose", "built": "build", "made": "make", "wrote": "write",
    "written": "write", "ran": "run", "lasted": "last", "chosen": "choose", "chose": "choose",
    "frozen": "freeze", "cancelled": "cancel", "cancelling": "cancel", "canceled": "cancel",
    "cancellation": "cancel", "cancellations": "cancel", "bought": "buy", "shown": "show",
}  # fmt: skip
_KEPT_ENDINGS = ("ss", "us", "is", "ous")


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The stem of a lower-case Latin word."""
    word = word.split("'", maxsplit=1)[0].split("’", maxsplit=1)[0]
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    singular = _without_plural(word)
    return _without_verb_ending(singular)


def _without_plural(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(_KEPT_ENDINGS):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("shes", "ches", "xes", "zes", "sses")):
        return word[:-2]
    return word[:-1]


def _without_verb_ending(word: str) -> str:
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        if base == word or len(base) < 3 or not any(vowel in base for vowel in "aeiouy"):
            continue
        if base[-1] == base[-2] and base[-1] not in "lsz":
            return base[:-1]
        return _with_silent_e(base)
    return _with_silent_e(word)


def _with_silent_e(word: str) -> str:
    """`release` and `releas(ed)` must meet: the silent e is left out everywhere."""
    if len(word) > 4 and word.endswith("e") and word[-2] not in "aeiou":
        return word[:-1]
    return word
