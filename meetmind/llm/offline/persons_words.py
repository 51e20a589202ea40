"""What a person said into the discussion, answered with a quote or with the plain word."""

from meetmind.llm.offline.relevance import match, ranked_coverage
from meetmind.llm.offline.room import Room
from meetmind.llm.offline.sentences import sentences_of
from meetmind.llm.offline.utterance import gap, paragraphs, written_in
from meetmind.llm.tool_envelopes import PromptPassage

ASSISTANT = "assistant"
LONGEST_REPEATED = 80


def words_to_look_for(room: Room) -> list[str]:
    """What a person said, as questions to search for."""
    return [said.text for said in room.sections.said if said.text.strip()]


def answers_to_person(room: Room) -> str:
    """One paragraph for everything that the person said since; empty where nobody said anything."""
    return paragraphs([_answer(room, words) for words in words_to_look_for(room)])


def _answer(room: Room, words: str) -> str:
    passages = room.passages if room.me == ASSISTANT else room.own_passages
    sentence, passage_id = _best_sentence(room, words, passages)
    shown = _shortened(words)
    if not sentence:
        slot = "nothing_anywhere" if room.me == ASSISTANT else "nothing"
        return room.voice.text("person", slot, words=shown)
    lead_in = room.voice.text("person", "answer", words=shown)
    return f"{lead_in}{gap(room)}{written_in(room, sentence, passage_id)}"


def _best_sentence(room: Room, words: str, passages: list[PromptPassage]) -> tuple[str, str]:
    best_share, best = 0.0, ("", "")
    for passage in passages:
        if not match(words, f"{passage.title} {passage.content}").is_relevant:
            continue
        for sentence in sentences_of(passage.content):
            share = ranked_coverage(words, sentence, room.rarity)
            if share > best_share:
                best_share, best = share, (sentence, passage.passage_id)
    return best


def _shortened(words: str) -> str:
    one_line = " ".join(words.split()).replace("“", "'").replace("”", "'")
    if len(one_line) <= LONGEST_REPEATED:
        return one_line
    return one_line[: LONGEST_REPEATED - 1].rstrip() + "…"
