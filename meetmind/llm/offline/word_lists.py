"""The two lists of words that say little: stop words not at all, common words hardly anything."""

from functools import cache
from pathlib import Path

from meetmind.llm.offline.stems import stem

_FOLDER = Path(__file__).parent


def _read(name: str) -> list[str]:
    words: list[str] = []
    for line in (_FOLDER / name).read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            words.extend(line.split())
    return words


@cache
def stop_words() -> frozenset[str]:
    """Words that say nothing about what a text is about."""
    return frozenset(_read("stop_words.txt"))


@cache
def common_words() -> frozenset[str]:
    """Everyday words that may stand in any document, English ones as stems."""
    return frozenset(stem(word) for word in _read("common_words.txt"))
