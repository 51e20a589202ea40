"""How much of a text was said before: shingles of words, and of two Han characters."""

import re
from functools import lru_cache

SHINGLE_WORDS = 3
"""Three words in a row are seldom the same by chance; two often are ("of the", "I agree")."""
CACHED_TEXTS = 512

CITATION = re.compile(r"\[[a-z_]+_[0-9a-f]{12}\]")
_WORD = re.compile(r"[a-z0-9]+(?:['’.,][a-z0-9]+)*|[\u3400-\u9fff]+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_QUOTED = re.compile(r"“[^”]{6,}”|「[^」]{6,}」|\"[^\"]{6,}\"|《[^》]{6,}》|^>.*$", re.MULTILINE)


@lru_cache(maxsize=CACHED_TEXTS)
def shingles(text: str) -> frozenset[str]:
    """Every three words in a row, and every two Han characters in a row; citations are left out."""
    found: set[str] = set()
    latin: list[str] = []
    for run in _WORD.findall(CITATION.sub(" ", text.lower())):
        if _is_han(run):
            found.update(run[place : place + 2] for place in range(len(run) - 1))
        else:
            latin.append(run)
    for place in range(len(latin) - SHINGLE_WORDS + 1):
        found.add(" ".join(latin[place : place + SHINGLE_WORDS]))
    return frozenset(found)


def share_said(text: str, earlier: str) -> float:
    """The share of a text's shingles that stand in an earlier one, 0 to 1."""
    mine = shingles(text)
    if not mine:
        return 0.0
    return len(mine & shingles(earlier)) / len(mine)


@lru_cache(maxsize=CACHED_TEXTS)
def numbers_in(text: str) -> frozenset[str]:
    """Every number as it is written; those inside citations do not count."""
    return frozenset(_NUMBER.findall(CITATION.sub(" ", text)))


def without_quotations(text: str, earlier: str) -> str:
    """A text without what it quotes from an earlier one, so that it counts by its own words."""
    if _QUOTED.search(text) is None:
        return text
    plain_earlier = _plain(earlier)

    def kept(found: re.Match[str]) -> str:
        quoted = _plain(found[0].strip('“”「」"《》> '))
        return " " if quoted and quoted in plain_earlier else found[0]

    return _QUOTED.sub(kept, text)


def _plain(text: str) -> str:
    return "".join(text.lower().split()).rstrip("。.!！?？；;，,…")


def _is_han(run: str) -> bool:
    return run[0] >= "\u3400"
