"""Numbers for citations: the first passage that a discussion cites is 1, in every turn alike."""

from collections.abc import Iterable, Mapping, Sequence

from meetmind.events import PassageEvidence
from meetmind.ui.run_view import RunView, Utterance
from meetmind.ui.safe_text import CITATION_PATTERN

OPEN_CITATION = "["


def passages_of(views: Iterable[RunView]) -> dict[str, PassageEvidence]:
    """Every passage that a tool returned in these runs, by id."""
    passage_by_id: dict[str, PassageEvidence] = {}
    for view in views:
        for utterance in view.utterances:
            for passage in passages_of_turn(utterance):
                passage_by_id.setdefault(passage.passage_id, passage)
    return passage_by_id


def passages_of_turn(utterance: Utterance) -> list[PassageEvidence]:
    """What the tools of one turn returned, in their order."""
    found: list[PassageEvidence] = []
    for step in utterance.steps:
        found.extend(step.evidence)
    if utterance.ended is not None:
        found.extend(utterance.ended.evidence)
    return found


def number_citations(
    views: Iterable[RunView], passage_by_id: Mapping[str, PassageEvidence]
) -> dict[str, int]:
    """The number of each cited passage; an id that no tool returned has none."""
    number_by_id: dict[str, int] = {}
    for view in views:
        for utterance in view.utterances:
            for passage_id in cited_ids(utterance.words):
                if passage_id in passage_by_id and passage_id not in number_by_id:
                    number_by_id[passage_id] = len(number_by_id) + 1
    return number_by_id


def cited_ids(words: str) -> Sequence[str]:
    """The passage ids in a text, each once, in order."""
    return list(dict.fromkeys(CITATION_PATTERN.findall(words)))


def without_open_citation(words: str) -> str:
    """Words that are still arriving, without a citation of which only the beginning is there."""
    start = words.rfind(OPEN_CITATION)
    if start == -1 or "]" in words[start:] or len(words) - start > 40:
        return words
    return words[:start]
