"""The assistant's answer: quotes from all tables, each with the role whose knowledge it is."""

import itertools
from collections.abc import Sequence

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.llm.offline.contradictions import contradiction_between
from meetmind.llm.offline.quotes import Quote
from meetmind.llm.offline.quoting import choose_quotes
from meetmind.llm.offline.room import Room
from meetmind.llm.offline.small_talk import small_talk_of
from meetmind.llm.offline.utterance import paragraphs, quoted

MOST_QUOTES = 5
MOST_QUOTES_A_ROLE = 2


def assistant_answer(room: Room) -> str:
    """Small talk, the quotes that fit best, or the plain word that nothing is known."""
    voice = room.voice
    small_talk = small_talk_of(room.sections.brief)
    if small_talk is not None:
        return voice.text("assistant", small_talk)
    quotes = _quotes(room)
    if not quotes:
        return voice.text("assistant", "nothing")
    lines = []
    for quote in quotes:
        name = voice.name(quote.passage.agent_name)
        line = voice.text("assistant", "line", name=name, quote=quoted(room, quote))
        lines.append(f"- {line}")
    answer = voice.text("assistant", "lead") + "\n" + "\n".join(lines)
    return paragraphs([answer, *_clashes(room, quotes), voice.text("assistant", "honest")])


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
    """The best quotes of every role, the best of all first."""
    quotes: list[Quote] = []
    for name in AGENT_NAMES:
        chosen = choose_quotes(
            room.passages_of(name),
            room.asked,
            language=room.language,
            already_said=(),
            rarity=room.rarity,
        )
        chosen.sort(key=lambda quote: -quote.score)
        quotes.extend(chosen[:MOST_QUOTES_A_ROLE])
    quotes.sort(key=lambda quote: -quote.score)
    return quotes[:MOST_QUOTES]
