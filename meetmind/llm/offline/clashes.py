"""Where my own passages collide with what others quoted, or with other roles' documents."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from meetmind.llm.offline.contradictions import Contradiction, contradiction_between
from meetmind.llm.offline.quotes import Quote
from meetmind.llm.offline.relevance import match
from meetmind.llm.offline.room import Room
from meetmind.llm.offline.sentences import sentences_of
from meetmind.llm.tool_envelopes import PromptPassage

MOST_CLASHES = 2
LEAST_SHARE_ASKED = 0.3
"""So much of a clashing clause that nobody has quoted must be what the brief asks about."""
LEAST_WEIGHT_ASKED = 0.9


@dataclass(frozen=True, kw_only=True)
class Clash:
    """Two sentences of two roles that do not go together."""

    other_role: str
    other_sentence: str
    other_passage_id: str
    other_text: str
    """The words in which they differ, on the other side ..."""
    own_sentence: str
    own_passage_id: str
    own_text: str
    """... and on mine."""
    point_number: int
    certain: bool
    """False where both may speak of different cases: a question, no objection."""
    was_said: bool
    """Whether the other role's passage was quoted in the talk already."""
    own_clause: str
    """The part of my sentence that clashes."""
    strength: float


@dataclass(frozen=True, kw_only=True)
class _Claim:
    role: str
    sentence: str
    passage_id: str
    was_said: bool


def clashes_of(room: Room, own_quotes: Sequence[Quote]) -> list[Clash]:
    """The clashes to raise now, the clearest first; each pair of passages once."""
    clashes = []
    for claim in _claims(room):
        for passage in room.own_passages:
            clash = _clearest(room, claim, passage)
            if clash is None or _was_raised(room, clash):
                continue
            if _is_to_the_point(room, clash, own_quotes):
                clashes.append(clash)
    clashes.sort(key=lambda clash: (not clash.certain, not clash.was_said, -clash.strength))
    return _once_a_pair(clashes)[:MOST_CLASHES]


def _claims(room: Room) -> Iterable[_Claim]:
    """What others quoted, what else stands in those passages, and their documents at hand."""
    quoted: set[str] = set()
    for quote in room.said:
        if quote.agent_name != room.me and quote.text not in quoted:
            quoted.add(quote.text)
            yield _Claim(
                role=quote.agent_name,
                sentence=quote.text,
                passage_id=quote.passage_id,
                was_said=True,
            )
    cited_ids = {quote.passage_id for quote in room.said}
    for passage in (*room.sections.earlier_evidence, *room.passages):
        if passage.agent_name == room.me or not passage.is_of_a_role:
            continue
        for sentence in sentences_of(passage.content):
            if sentence not in quoted:
                yield _Claim(
                    role=passage.agent_name,
                    sentence=sentence,
                    passage_id=passage.passage_id,
                    was_said=passage.passage_id in cited_ids,
                )


def _clearest(room: Room, claim: _Claim, passage: PromptPassage) -> Clash | None:
    best: Clash | None = None
    for sentence in sentences_of(passage.content):
        found = contradiction_between(claim.sentence, sentence)
        if found is None or (best is not None and _strength(found) <= best.strength):
            continue
        best = Clash(
            other_role=claim.role,
            other_sentence=claim.sentence,
            other_passage_id=claim.passage_id,
            other_text=found.first_text,
            own_sentence=sentence,
            own_passage_id=passage.passage_id,
            own_text=found.second_text,
            point_number=room.point_index(f"{claim.sentence} {sentence}") + 1,
            certain=found.certain,
            was_said=claim.was_said,
            own_clause=found.second_clause,
            strength=_strength(found),
        )
    return best


def _strength(contradiction: Contradiction) -> float:
    return contradiction.shared + (1.0 if contradiction.certain else 0.0)


def _is_to_the_point(room: Room, clash: Clash, own_quotes: Sequence[Quote]) -> bool:
    """A clash counts when one side was quoted, or when my sentence speaks of the brief."""
    said = {quote.text for quote in room.said}
    if clash.other_sentence in said or clash.own_sentence in said:
        return True
    if clash.own_sentence in {quote.sentence for quote in own_quotes}:
        return True
    share = match(clash.own_clause, room.question)
    return share.coverage >= LEAST_SHARE_ASKED and share.matched_weight >= LEAST_WEIGHT_ASKED


def _was_raised(room: Room, clash: Clash) -> bool:
    """Whether one utterance of this run has cited both passages already."""
    wanted = {clash.other_passage_id, clash.own_passage_id}
    for turn_index in range(len(room.talk)):
        cited = {quote.passage_id for quote in room.said if quote.turn_index == turn_index}
        if wanted <= cited:
            return True
    return False


def _once_a_pair(clashes: Sequence[Clash]) -> list[Clash]:
    """The first clash of every pair of passages, and of every pair of differing texts."""
    seen: set[tuple[str, str]] = set()
    kept = []
    for clash in clashes:
        passages = (clash.other_passage_id, clash.own_passage_id)
        texts = (clash.other_text, clash.own_text)
        if passages not in seen and texts not in seen:
            kept.append(clash)
        seen.update((passages, texts))
    return kept
