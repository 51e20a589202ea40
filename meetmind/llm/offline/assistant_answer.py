"""The assistant's answer: quotes from all tables, each with the role whose knowledge it is."""

import itertools
from collections.abc import Sequence

from meetmind.llm.offline.answering import answering_quotes
from meetmind.llm.offline.brought_words import what_was_brought
from meetmind.llm.offline.contradictions import contradiction_between
from meetmind.llm.offline.quotes import Quote
from meetmind.llm.offline.room import Room
from meetmind.llm.offline.small_talk import small_talk_of
from meetmind.llm.offline.utterance import paragraphs, quoted
from meetmind.llm.offline.words import is_foreign

MOST_QUOTES = 5
MOST_QUOTES_A_ROLE = 2
MOST_CONTRADICTING = 2
LEAST_SHARE_OF_BEST = 0.7
"""A quote that answers much less of the question than the best one only distracts."""


def assistant_answer(room: Room) -> str:
    """Small talk; else files and pages, then the quotes that fit best or that nothing is known."""
    voice = room.voice
    small_talk = small_talk_of(room.sections.brief)
    if small_talk is not None:
        return voice.text("assistant", small_talk)
    quotes = _quotes(room)
    brought = what_was_brought(room)
    if not quotes:
        return paragraphs([brought, voice.text("assistant", "nothing")])
    lines = []
    for quote in quotes:
        name = voice.name(quote.passage.agent_name)
        line = voice.text("assistant", "line", name=name, quote=quoted(room, quote))
        lines.append(f"- {line}")
    answer = voice.text("assistant", "lead") + "\n" + "\n".join(lines)
    return paragraphs([brought, answer, *_clashes(room, quotes), voice.text("assistant", "honest")])


def _clashes(room: Room, quotes: Sequence[Quote]) -> list[str]:
    """A sentence for every two of the quotes that contradict each other."""
    sentences = []
    for one, other in itertools.combinations(quotes, 2):
        found = contradiction_between(one.sentence, other.sentence)
        same_role = one.passage.agent_name == other.passage.agent_name
        if found is None or not found.certain or same_role:
            continue
        sentence = room.voice.text(
            "assistant",
            "clash",
            name_one=room.voice.name(one.passage.agent_name),
            name_other=room.voice.name(other.passage.agent_name),
            one=found.first_text,
            other=found.second_text,
        )
        sentences.append(sentence)
    return sentences


def _quotes(room: Room) -> Sequence[Quote]:
    """The best quotes of every role, the best of all first, with what contradicts them beside.

    A sentence counts for what it says itself of the question's words, far less for its passage.
    """
    candidates = answering_quotes(room)
    best = max((quote.score for quote in candidates), default=0.0)
    near = [quote for quote in candidates if quote.score >= LEAST_SHARE_OF_BEST * best]
    chosen: list[Quote] = []
    for quote in _in_own_language(near, room.language):
        of_role = [one for one in chosen if one.passage.agent_name == quote.passage.agent_name]
        is_new = quote.passage.passage_id not in {one.passage.passage_id for one in chosen}
        if is_new and len(of_role) < MOST_QUOTES_A_ROLE and len(chosen) < MOST_QUOTES:
            chosen.append(quote)
    return [*chosen, *_contradicting(chosen, candidates)]


def _in_own_language(near: Sequence[Quote], language: str) -> Sequence[Quote]:
    """Without the foreign sentences, unless the best of all is one."""
    if not near or is_foreign(near[0].sentence, language):
        return near
    return [quote for quote in near if not is_foreign(quote.sentence, language)]


def _contradicting(chosen: Sequence[Quote], candidates: Sequence[Quote]) -> list[Quote]:
    """The sentences that were found as well and do not go together with a chosen one."""
    found: list[Quote] = []
    for quote in candidates:
        if quote in chosen or len(found) == MOST_CONTRADICTING:
            continue
        for one in chosen:
            contradiction = contradiction_between(one.sentence, quote.sentence)
            other_role = one.passage.agent_name != quote.passage.agent_name
            if other_role and contradiction is not None and contradiction.certain:
                found.append(quote)
                break
    return found
