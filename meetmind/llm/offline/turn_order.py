"""Who speaks next: the role whose knowledge the open point needs, or one that owes an answer."""

import itertools
from dataclasses import dataclass

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.llm.offline.clashes import Clash
from meetmind.llm.offline.room import ARCHITECT, Room

_LATER_POINT_WEIGHT = 0.35
BEFORE_THE_LAST = 2


@dataclass(frozen=True, kw_only=True)
class NextSpeaker:
    """A proposal with its reason in the language of the brief."""

    name: str
    reason: str


def next_speaker(
    room: Room, objection: Clash | None = None, *, has_nothing: bool = False
) -> NextSpeaker:
    """The proposal after this turn.

    `objection` is the one that I have just raised, if any; a role that `has_nothing` gives the
    floor back to the architect while others are still to come and turns are left; once, since the
    architect would only say the same again.
    """
    if room.turns_after_mine < 2:
        return NextSpeaker(name=ARCHITECT, reason=room.voice.say("handover_budget"))
    if objection is not None and _deserves_a_reply(room, objection.other_role):
        reason = room.voice.say(
            "handover_objection",
            name=room.voice.name(objection.other_role),
            point=room.voice.point_inside(objection.point_number),
            one=objection.other_text,
            other=objection.own_text,
        )
        return NextSpeaker(name=objection.other_role, reason=reason)
    turns_needed = len(room.unheard) + 1
    speakers = [utterance.by for utterance in room.talk]
    is_first_silence = speakers.count(ARCHITECT) <= 1
    can_go_back = is_first_silence and room.turns_after_mine > turns_needed
    if has_nothing and room.unheard and can_go_back:
        return NextSpeaker(name=ARCHITECT, reason=room.voice.say("handover_nothing"))
    if room.unheard:
        return _whom_the_point_needs(room)
    return NextSpeaker(name=ARCHITECT, reason=room.voice.say("handover_close"))


def _deserves_a_reply(room: Room, other_role: str) -> bool:
    """Whether there is a turn to spare, and the two have not had their exchange yet.

    A role that has not been heard answers in its ordinary turn, which costs nothing extra.
    """
    if other_role not in room.heard:
        return True
    turns_needed = len(room.unheard) + 1
    return room.turns_after_mine > turns_needed and not _have_met(room, other_role)


def _have_met(room: Room, other_role: str) -> bool:
    """Whether one of us has already answered right after the other one."""
    speakers = [utterance.by for utterance in room.talk]
    seen: set[str] = set()
    for before, after in itertools.pairwise(speakers):
        seen.add(before)
        if after in seen and {before, after} == {room.me, other_role}:
            return True
    return False


def _whom_the_point_needs(room: Room) -> NextSpeaker:
    """The unheard role whose passages reach furthest into the open point; later points count less.

    A role of which nothing at all was found is not left for the end: it speaks before the last
    one, so that somebody can still take up what it cannot answer.
    """
    open_point = open_point_index(room)
    need_by_role = {role: _need(room, role, open_point) for role in room.unheard}
    by_need = sorted(
        _starting_after(room.me, room.unheard), key=lambda role: need_by_role[role], reverse=True
    )
    name = by_need[0]
    if len(by_need) == BEFORE_THE_LAST and need_by_role[by_need[-1]] == 0:
        name = by_need[-1]
    return NextSpeaker(name=name, reason=_reason(room, name, open_point))


def _need(room: Room, role: str, open_point: int) -> float:
    """How much the points need a role: the open one in full, the others in part.

    Whoever has nothing itself has nothing to begin with either, so that all points count alike.
    """
    later_weight = _LATER_POINT_WEIGHT if room.own_passages else 1.0
    need = 0.0
    for index in range(len(room.points)):
        weight = 1.0 if index == open_point else later_weight
        need += weight * room.reach(role, index).share
    return need


def open_point_index(room: Room) -> int:
    """The point on which fewest roles have quoted anything so far, the first among equals."""
    roles_by_point: list[set[str]] = [set() for _ in room.points]
    for quote in room.said:
        roles_by_point[room.point_of(quote)].add(quote.said_by)
    counts = [len(roles) for roles in roles_by_point]
    return counts.index(min(counts)) if counts else 0


def _starting_after(me: str, roles: list[str]) -> list[str]:
    """The roles in the order of the roster, beginning behind me, so that equals take turns."""
    place = AGENT_NAMES.index(me) if me in AGENT_NAMES else 0
    rotated = AGENT_NAMES[place + 1 :] + AGENT_NAMES[: place + 1]
    return [name for name in rotated if name in roles]


def _reason(room: Room, name: str, open_point: int) -> str:
    """The passage that made the choice; else the plain word that none was found."""
    reaches = [room.reach(name, index) for index in range(len(room.points))]
    point_index = open_point
    if not reaches[open_point].title:
        titled = [index for index, reach in enumerate(reaches) if reach.title]
        point_index = max(titled, key=lambda index: reaches[index].share, default=open_point)
    title = reaches[point_index].title
    shown_point = room.voice.point_inside(point_index + 1)
    shown_name = room.voice.name(name)
    if not title:
        return room.voice.say("handover_silent", name=shown_name, point=shown_point)
    slot = "handover_knows" if room.own_passages else "handover_from_silence"
    return room.voice.say(slot, name=shown_name, point=shown_point, title=title)
