"""Takes out of a brief what only points to files, pages or the kind of document that is wanted."""

import re

from meetmind.llm.offline.brought import FILE_NAME, LINK, LINK_END, SAYS_ATTACHED
from meetmind.llm.offline.relevance import telling_weight
from meetmind.llm.offline.skill_wishes import without_wish

LEAST_WEIGHT = 0.9
"""A clause with less weight of telling words beside a reference asks nothing of its own."""
_CLAUSE_END = re.compile(r"(?<=[。！？；，;!?,\n])|(?<=\.)(?=\s|$)")
_PLACE = "\ufffc"
"""Stands for an address while clauses are cut: addresses hold signs that end clauses."""
_POINTING = re.compile(
    r"\b(?:see|read|look|compare|files?|pages?|details?|notes?|links?|here|below|documents?)\b"
    r"|另见|参见|详见|请看|请读|参考|参阅|查看|文件|网页|链接|文档|资料|这里|见",
    re.IGNORECASE,
)
_CHINESE = re.compile("[\u3400-\u9fff]")


def without_references(brief: str) -> str:
    """What a brief asks, without clauses such as "see this page" or "write an ADR on it".

    An address in a clause that asks something becomes "it"; where nothing else stands in a brief,
    it is left as it is.
    """
    with_places = LINK.sub(_place_for, brief)
    clauses = _CLAUSE_END.split(with_places)
    kept = "".join(clause for clause in clauses if not _only_points(clause)).strip()
    if not any(character.isalnum() for character in kept):
        return brief
    return kept.replace(_PLACE, "它" if _CHINESE.search(brief) else "it")


def _place_for(link: re.Match[str]) -> str:
    """The sign for an address, with the punctuation behind it."""
    address = link[0].rstrip(LINK_END + ")")
    return _PLACE + link[0][len(address) :]


def _only_points(clause: str) -> bool:
    """Whether nothing is asked in a clause beside what it points to."""
    remaining = without_wish(clause).replace(_PLACE, " ")
    for pointer in (FILE_NAME, SAYS_ATTACHED):
        remaining = pointer.sub(" ", remaining)
    if remaining == clause:
        return False
    own_words = _POINTING.sub(" ", remaining)
    return telling_weight(own_words, own_words) < LEAST_WEIGHT
