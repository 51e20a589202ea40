"""The sentence of a table that comes nearest to a brief which none of its passages answers."""

from meetmind.llm.offline.relevance import ranked_coverage, telling_weight
from meetmind.llm.offline.room import Room
from meetmind.llm.offline.sentences import sentences_of
from meetmind.llm.offline.utterance import gap, written_in

LEAST_NEARNESS = 0.6
"""So much weight of the brief's telling words a sentence needs to be called the nearest."""


def nearest_word(room: Room) -> str:
    """One sentence around the nearest quote of my own table; empty where nothing comes near."""
    best_share, best = 0.0, ""
    for passage in room.own_passages:
        for sentence in sentences_of(passage.content):
            if telling_weight(room.question, sentence) < LEAST_NEARNESS:
                continue
            share = ranked_coverage(room.question, sentence, room.rarity)
            if share > best_share:
                best_share, best = share, written_in(room, sentence, passage.passage_id)
    if not best:
        return ""
    return f"{room.voice.say('nearest')}{gap(room)}{best}"
