"""A role's first turn: what its table holds on the points, and where it stands on what was said."""

from collections.abc import Sequence

from meetmind.events import Stance
from meetmind.llm.offline.clashes import clashes_of
from meetmind.llm.offline.nearest import nearest_word
from meetmind.llm.offline.positions import Position, clash_position
from meetmind.llm.offline.quotes import Quote, SaidQuote
from meetmind.llm.offline.relevance import match
from meetmind.llm.offline.reply import answer_to_objection
from meetmind.llm.offline.room import Room
from meetmind.llm.offline.sentences import opening_of
from meetmind.llm.offline.turn_order import next_speaker
from meetmind.llm.offline.utterance import Utterance, paragraphs, quote_lines, written_in


def contribute(room: Room) -> Utterance:
    """The role's word on the points; without knowledge it says just that."""
    quotes = room.best_quotes()
    clashes = clashes_of(room, quotes)
    answer = answer_to_objection(room)
    if not quotes and not clashes and answer is None:
        return _without_knowledge(room)
    raised = {clash.own_sentence for clash in clashes}
    shown = [quote for quote in quotes if quote.sentence not in raised]
    positions = [clash_position(room, clash) for clash in clashes]
    contested = {clash.point_number for clash in clashes}
    positions.extend(_other_positions(room, quotes, contested))
    stances = [position.stance for position in positions]
    parts: list[str] = []
    if answer is not None:
        parts.extend(answer.paragraphs)
        stances = [answer.stance, *(s for s in stances if s.point_id != answer.stance.point_id)]
    if shown:
        parts.append(room.voice.say("opening") + "\n" + quote_lines(room, shown))
    parts.extend(position.sentence for position in positions)
    objection = next((clash for clash in clashes if clash.certain), None)
    following = next_speaker(room, objection)
    return Utterance(
        content=paragraphs(parts),
        next_agent=following.name,
        handover_reason=following.reason,
        stances=tuple(stances),
    )


def _without_knowledge(room: Room) -> Utterance:
    """Silence said aloud, with the nearest sentence if there is one; it abstains on all points."""
    nearest = nearest_word(room)
    content = nearest or room.voice.say("nothing_all")
    following = next_speaker(room, has_nothing=not nearest)
    why = room.voice.say("why_abstain")
    stances = [Stance(point_id=point.id, stance="abstain", why=why) for point in room.points]
    return Utterance(
        content=content,
        next_agent=following.name,
        handover_reason=following.reason,
        stances=tuple(stances),
    )


def _other_positions(room: Room, quotes: Sequence[Quote], contested: set[int]) -> list[Position]:
    """Agreement or abstention where nothing clashes; one agreement is said aloud."""
    positions: list[Position] = []
    silent: list[int] = []
    said_aloud = bool(contested)
    for index in range(len(room.points)):
        if index + 1 in contested:
            continue
        own = [quote for quote in quotes if quote.point_index == index]
        if not own:
            silent.append(index)
            continue
        claim = _closest_claim(room, index, own)
        if claim is not None:
            positions.append(_agreement(room, index, claim, aloud=not said_aloud))
            said_aloud = True
    return [*positions, *_abstentions(room, silent)]


def _closest_claim(room: Room, point_index: int, own: Sequence[Quote]) -> SaidQuote | None:
    """What others quoted on this point that shares most words with my own quotes."""
    own_text = " ".join(quote.sentence for quote in own)
    best: SaidQuote | None = None
    best_shared = 0.0
    for claim in room.said:
        if claim.agent_name == room.me or room.point_of(claim) != point_index:
            continue
        shared = match(own_text, claim.text).matched_weight
        if shared > best_shared:
            best, best_shared = claim, shared
    return best


def _agreement(room: Room, point_index: int, claim: SaidQuote, *, aloud: bool) -> Position:
    voice = room.voice
    stance = Stance(
        point_id=room.points[point_index].id, stance="agree", why=voice.say("why_agree")
    )
    if not aloud:
        return Position(stance=stance)
    sentence = voice.say(
        "agree",
        name=voice.name(claim.agent_name),
        point=voice.point_inside(point_index + 1),
        theirs=written_in(room, opening_of(claim.text), claim.passage_id),
    )
    return Position(stance=stance, sentence=sentence)


def _abstentions(room: Room, silent: Sequence[int]) -> list[Position]:
    """One sentence for all points on which my table is silent."""
    positions = []
    numbers = room.voice.points_inside([index + 1 for index in silent])
    for place, index in enumerate(silent):
        stance = Stance(
            point_id=room.points[index].id,
            stance="abstain",
            why=room.voice.say("why_abstain"),
        )
        aloud = place == len(silent) - 1
        sentence = room.voice.say("nothing_points", numbers=numbers) if aloud else ""
        positions.append(Position(stance=stance, sentence=sentence))
    return positions
