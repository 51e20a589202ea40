"""A role's first turn: what its table holds on the points, and where it stands on what was said."""

from collections.abc import Sequence

from meetmind.events import Stance
from meetmind.llm.offline.clashes import clashes_of
from meetmind.llm.offline.contests import Contest, contests_of
from meetmind.llm.offline.contradictions import contradiction_between
from meetmind.llm.offline.nearest import nearest_word
from meetmind.llm.offline.positions import Position, clash_position
from meetmind.llm.offline.quotes import Quote, SaidQuote
from meetmind.llm.offline.relevance import match
from meetmind.llm.offline.reply import answer_to_objection
from meetmind.llm.offline.room import Room
from meetmind.llm.offline.sentences import opening_of, sentences_of
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
    """Agreement or abstention where nothing clashes; one agreement is said aloud.

    On a point where two documents stand against each other already, nobody agrees any more.
    """
    positions: list[Position] = []
    silent: list[int] = []
    said_aloud = bool(contested)
    contests = contests_of(room)
    contest_by_point = {contest.point_number: contest for contest in reversed(contests)}
    for index in range(len(room.points)):
        if index + 1 in contested:
            continue
        own = [quote for quote in quotes if quote.point_index == index]
        if not own:
            silent.append(index)
            continue
        earlier = contest_by_point.get(index + 1)
        if earlier is not None:
            is_fresh = earlier.one.turn_index == len(room.talk) - 1
            positions.append(_reference(room, index, earlier, aloud=is_fresh and not said_aloud))
            said_aloud = said_aloud or is_fresh
            continue
        claim = _closest_claim(room, index, own, contests)
        if claim is not None:
            positions.append(_agreement(room, index, claim, aloud=not said_aloud))
            said_aloud = True
    return [*positions, *_abstentions(room, silent)]


def _closest_claim(
    room: Room, point_index: int, own: Sequence[Quote], contests: Sequence[Contest]
) -> SaidQuote | None:
    """What others quoted on this point, uncontested, that shares most words with my own quotes."""
    own_text = " ".join(quote.sentence for quote in own)
    best: SaidQuote | None = None
    best_shared = 0.0
    for claim in room.said:
        if claim.agent_name == room.me or room.point_of(claim) != point_index:
            continue
        shared = match(own_text, claim.text).matched_weight
        if shared > best_shared and _can_be_agreed_to(room, claim, contests):
            best, best_shared = claim, shared
    return best


def _can_be_agreed_to(room: Room, claim: SaidQuote, contests: Sequence[Contest]) -> bool:
    """Whether nobody contests a claim and none of my own sentences speaks against it.

    My own are those that I have found, and those that anybody has quoted from my table.
    """
    if claim.is_nearest or any(contest.concerns(claim) for contest in contests):
        return False
    mine = [quote.text for quote in room.said if quote.agent_name == room.me]
    for passage in room.own_passages:
        mine.extend(sentences_of(passage.content))
    return all(contradiction_between(claim.text, sentence) is None for sentence in mine)


def _reference(room: Room, point_index: int, contest: Contest, *, aloud: bool) -> Position:
    """No side is taken in an objection that stands already; whose passage is in it keeps to it."""
    voice = room.voice
    found = contest.contradiction
    values = {"one": found.first_text, "other": found.second_text}
    is_mine = room.me in (contest.one.agent_name, contest.other.agent_name)
    stance = Stance(
        point_id=room.points[point_index].id,
        stance="object" if is_mine else "question",
        why=voice.say("why_object", **values),
        resolves_if=voice.say("resolves_if", **values),
    )
    sentence = voice.say(
        "refers",
        point=voice.point_inside(point_index + 1),
        name_one=voice.name(contest.one.agent_name),
        name_other=voice.name(contest.other.agent_name),
        **values,
    )
    return Position(stance=stance, sentence=sentence if aloud else "")


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
