"""A short answer to the colleague who has just objected: both sides, and what stands beside."""

from collections.abc import Sequence
from dataclasses import dataclass

from meetmind.events import Stance
from meetmind.llm.offline.clashes import Clash
from meetmind.llm.offline.contradictions import contradiction_between
from meetmind.llm.offline.nearest import nearest_word
from meetmind.llm.offline.quotes import SaidQuote, normalised
from meetmind.llm.offline.room import ARCHITECT, Room
from meetmind.llm.offline.sentences import sentences_of
from meetmind.llm.offline.turn_order import next_speaker
from meetmind.llm.offline.utterance import Utterance, gap, paragraphs, quoted, written_in
from meetmind.llm.tool_envelopes import PromptPassage


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What I say to an objection, and my stance on its point."""

    paragraphs: tuple[str, ...]
    stance: Stance


def reply(room: Room) -> Utterance:
    """A turn of somebody who has spoken before: an answer, or a word on the points."""
    answer = answer_to_objection(room)
    if answer is None:
        return _word_without_objection(room)
    following = next_speaker(room)
    return Utterance(
        content=paragraphs(answer.paragraphs),
        next_agent=following.name,
        handover_reason=following.reason,
        stances=(answer.stance,),
        points=room.points if room.me == ARCHITECT else (),
    )


def answer_to_objection(room: Room) -> Answer | None:
    """The answer to what the last speaker set against my table; None where there was no objection.

    It adds the sentence next to mine, since quoting the same again helps nobody.
    """
    clash = _objection_against_me(room)
    if clash is None:
        return None
    voice = room.voice
    texts = {"one": clash.other_text, "other": clash.own_text}
    both = voice.say(
        "reply",
        name=voice.name(clash.other_role),
        theirs=written_in(room, clash.other_sentence, clash.other_passage_id),
        mine=written_in(room, clash.own_sentence, clash.own_passage_id),
    )
    stance = Stance(
        point_id=room.points[clash.point_number - 1].id,
        stance="object",
        why=voice.say("why_object", **texts),
        resolves_if=voice.say("resolves_if", **texts),
    )
    beside = _what_stands_beside(room, clash)
    return Answer(paragraphs=(both, beside, voice.say("reply_open", **texts)), stance=stance)


def _objection_against_me(room: Room) -> Clash | None:
    """The latest two quotes of one utterance of which one is mine and the other contradicts it.

    What I have answered already, by quoting both myself, is over.
    """
    for turn_index in range(len(room.talk) - 1, -1, -1):
        quotes = [quote for quote in room.said if quote.turn_index == turn_index]
        if room.talk[turn_index].by == room.me:
            continue
        clash = _clash_among(room, quotes)
        if clash is not None and not _is_answered(room, clash):
            return clash
    return None


def _clash_among(room: Room, quotes: Sequence[SaidQuote]) -> Clash | None:
    mine = [quote for quote in quotes if quote.agent_name == room.me]
    theirs = [quote for quote in quotes if quote.agent_name != room.me]
    for own in mine:
        for other in theirs:
            clash = _clash(room, other, own)
            if clash is not None and clash.certain:
                return clash
    return None


def _is_answered(room: Room, clash: Clash) -> bool:
    """Whether an utterance of mine sets the two passages against each other."""
    wanted = {clash.own_passage_id, clash.other_passage_id}
    for turn_index, utterance in enumerate(room.talk):
        cited = {quote.passage_id for quote in room.said if quote.turn_index == turn_index}
        if utterance.by == room.me and wanted <= cited:
            return True
    return False


def _clash(room: Room, other: SaidQuote, own: SaidQuote) -> Clash | None:
    found = contradiction_between(other.text, own.text)
    if found is None:
        return None
    return Clash(
        other_role=other.agent_name,
        other_sentence=other.text,
        other_passage_id=other.passage_id,
        other_text=found.first_text,
        own_sentence=own.text,
        own_passage_id=own.passage_id,
        own_text=found.second_text,
        point_number=room.point_index(f"{other.text} {own.text}") + 1,
        certain=found.certain,
        was_said=True,
        own_clause=found.second_clause,
        strength=found.shared,
    )


def _what_stands_beside(room: Room, clash: Clash) -> str:
    """The sentence after (or before) mine in its passage that has not been quoted yet."""
    passage = _passage(room, clash.own_passage_id)
    if passage is None:
        return ""
    said = {normalised(text) for text in room.sentences_said()}
    sentences = list(sentences_of(passage.content))
    own = normalised(clash.own_sentence)
    place = next((i for i, text in enumerate(sentences) if own in normalised(text)), -1)
    neighbours = [*sentences[place + 1 :], *reversed(sentences[: max(place, 0)])]
    for sentence in neighbours:
        if normalised(sentence) not in said:
            shown = written_in(room, sentence, passage.passage_id)
            return f"{room.voice.say('reply_adds')}{gap(room)}{shown}"
    return ""


def _passage(room: Room, passage_id: str) -> PromptPassage | None:
    for passage in (*room.sections.earlier_evidence, *room.sections.passages):
        if passage.passage_id == passage_id:
            return passage
    return None


def _word_without_objection(room: Room) -> Utterance:
    """Asked again without an objection: a quote on the points, else the plain word."""
    quotes = room.best_quotes() or room.best_quotes(already_said=())
    following = next_speaker(room)
    content = nearest_word(room) or room.voice.say("nothing_all")
    if quotes:
        content = f"{room.voice.say('goes_on')}{gap(room)}{quoted(room, quotes[0])}"
    return Utterance(
        content=content,
        next_agent=following.name,
        handover_reason=following.reason,
        points=room.points if room.me == ARCHITECT else (),
    )
