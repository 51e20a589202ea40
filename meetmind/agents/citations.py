"""Citations in an utterance: `[passage_id]`, kept only where a tool returned that very piece."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from meetmind.events import PassageEvidence

CITATION = re.compile(
    r"\[((?:architect|backend|frontend|tester|product_manager|file|page)_[0-9a-f]{12})\]"
)
LINK = re.compile(r"https?://[^\s<>()\[\]\"'，。；、）】]+")
REMOVED_LINK = "[link removed]"


@dataclass(frozen=True, kw_only=True)
class CitedText:
    """An utterance's text with only true citations, and what was taken out."""

    content: str
    cited: tuple[PassageEvidence, ...]
    removed: tuple[str, ...]


def check_citations(
    content: str, evidence: Iterable[PassageEvidence], known_texts: Iterable[str]
) -> CitedText:
    """Take out citations of passages that no tool returned, and links that stand nowhere else.

    `known_texts` are texts in which a link may stand: the brief, what was said, tool results.
    """
    passage_by_id = {passage.passage_id: passage for passage in evidence}
    known_links = _links_in([*known_texts, *(p.content for p in passage_by_id.values())])
    cited: dict[str, PassageEvidence] = {}
    removed: list[str] = []

    def keep_or_drop(match: re.Match[str]) -> str:
        passage = passage_by_id.get(match[1])
        if passage is None:
            removed.append(match[1])
            return ""
        cited[match[1]] = passage
        return match[0]

    def keep_or_replace(match: re.Match[str]) -> str:
        if match[0].rstrip(".,;:!?") in known_links:
            return match[0]
        removed.append(match[0])
        return REMOVED_LINK

    checked = CITATION.sub(keep_or_drop, content)
    checked = LINK.sub(keep_or_replace, checked)
    return CitedText(content=checked, cited=tuple(cited.values()), removed=tuple(removed))


def _links_in(texts: Iterable[str]) -> set[str]:
    links = set()
    for text in texts:
        for link in LINK.findall(text):
            links.add(link.rstrip(".,;:!?"))
    return links
