"""Where a role stands on a point, as a stance and as a sentence."""

from dataclasses import dataclass

from meetmind.events import Stance
from meetmind.llm.offline.clashes import Clash
from meetmind.llm.offline.room import Room
from meetmind.llm.offline.utterance import written_in


@dataclass(frozen=True, kw_only=True)
class Position:
    """Where a role stands on one point, and the sentence that says so, if one is needed."""

    stance: Stance
    sentence: str = ""


def clash_position(room: Room, clash: Clash) -> Position:
    """An objection, or a question where it is not certain that both sides mean the same case."""
    voice = room.voice
    slot = "question"
    if clash.certain:
        slot = "object" if clash.was_said else "object_document"
    sentence = voice.say(
        slot,
        name=voice.name(clash.other_role),
        point=voice.point_inside(clash.point_number),
        theirs=written_in(room, clash.other_sentence, clash.other_passage_id),
        mine=written_in(room, clash.own_sentence, clash.own_passage_id),
        one=clash.other_text,
        other=clash.own_text,
    )
    values = {"one": clash.other_text, "other": clash.own_text}
    stance = Stance(
        point_id=room.points[clash.point_number - 1].id,
        stance="object" if clash.certain else "question",
        why=voice.say("why_object", **values) if clash.certain else voice.say("why_question"),
        resolves_if=voice.say("resolves_if", **values) if clash.certain else "",
    )
    return Position(stance=stance, sentence=sentence)
