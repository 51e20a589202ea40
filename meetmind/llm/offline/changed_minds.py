"""Says because of what a stance has changed since the role's last word on a point."""

from collections.abc import Sequence
from dataclasses import replace

from meetmind.events import Stance
from meetmind.llm.offline.room import Room

MADE_UP_MINDS = ("agree", "object")


def with_causes(room: Room, stances: Sequence[Stance]) -> tuple[Stance, ...]:
    """The stances; one that leaves an agreement or an objection names what has come up since.

    An objection of which the remedy is still named stays an objection.
    """
    earlier_by_point: dict[str, str] = {}
    for taken in room.sections.stances:
        if taken.agent_name == room.me:
            earlier_by_point[taken.point_id] = taken.stance
    told: list[Stance] = []
    for stance in stances:
        earlier = earlier_by_point.get(stance.point_id, "")
        is_unresolved = earlier == "object" and stance.stance == "question" and stance.resolves_if
        if is_unresolved:
            told.append(replace(stance, stance="object"))
        elif earlier in MADE_UP_MINDS and earlier != stance.stance:
            cause = room.voice.text("reasons", "changed", why=stance.why)
            told.append(replace(stance, changed_because=cause))
        else:
            told.append(stance)
    return tuple(told)
