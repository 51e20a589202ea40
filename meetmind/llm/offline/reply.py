"""A short answer to the colleague who has just objected: both sides once more, and what stands beside."""

from meetmind.events import Stance
from meetmind.llm.offline.clashes import Clash
from meetmind.llm.offline.contradictions import contradiction_between
from meetmind.llm.offline.quoting import SaidQuote, choose_quotes, normalised
from meetmind.llm.offline.room import Room
from meetmind.llm.offline.sentences import sentences_of
from meetmind.llm.offline.turn_order import next_speaker
from meetmind.llm.offline.utterance import Utterance, paragraphs, quoted, written_in
from meetmind.llm.tool_envelopes import PromptPassage


def answer_objection(room: Room) -> Utterance:
    """The reply; it adds the sentence next to mine, since quoting the same again helps nobody."""
    clash = _objection_against_me(room)
    following = next_speaker(room)
    if clash is None:
        return _word_without_objection(room)
    voice = room.voice
    name = voice.name(clash.other_role)
    texts = {"one": clash.other_text, "other": clash.own_text}
    both = voice.say(
        "reply",
        name=name,
        theirs=written_in(room, clash.other_sentence, clash.other_passage_id),
        mine=written_in(room, clash.own_sentence, clash.own_passage_id),
    )
    stance = Stance(
        point_id=room.points[clash.point_number - 1].id,
        stance="object",
        why=voice.say("why_object", **texts),
        resolves_if=voice.say("resolves_if", **texts),
    )
    parts = [both, _what_stands_beside(room, clash), voice.say("reply_open", **texts)]
    return Utterance(
        content=paragraphs(parts),
        next_agent=following.name,
        handover_reason=following.reason,
        stances=(stance,),
        points=room.points if room.me == "architect" else (),
    )


def _objection_against_me(room: Room) -> Clash | None:
    """The pair of quotes in the last utterance of which one is mine and the other contradicts it."""
    last_turn = len(room.talk) - 1
    last = [quote for quote in room.said if quote.turn_index == last_turn]
    mine = [quote for quote in last if quote.agent_name == room.me]
    theirs = [quote for quote in last if quote.agent_name != room.me]
    for own in mine:
        for other in theirs:
            clash = _clash(room, other, own)
            if clash is not None:
                return clash
    return None


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
        point_number=room.point_number(f"{other.text} {own.text}"),
        certain=found.certain,
        was_said=True,
        strength=found.shared,
    )


def _what_stands_beside(room: Room, clash: Clash) -> str:
    """The sentence that follows (or comes before) mine in its passage and has not been quoted yet."""
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
            space = "" if room.language == "zh" else " "
            return room.voice.say("reply_adds") + space + shown
    return ""


def _passage(room: Room, passage_id: str) -> PromptPassage | None:
    for passage in (*room.sections.earlier_evidence, *room.sections.passages):
        if passage.passage_id == passage_id:
            return passage
    return None


def _word_without_objection(room: Room) -> Utterance:
    """Asked again without an objection: a new quote if there is one, else the plain word."""
    quotes = choose_quotes(
        room.own_passages,
        room.points,
        room.queries,
        language=room.language,
        already_said=room.sentences_said(),
        rarity=room.rarity,
    )
    following = next_speaker(room)
    content = room.voice.say("reply_nothing")
    if quotes:
        space = "" if room.language == "zh" else " "
        content = room.voice.say("reply_adds") + space + quoted(room, quotes[0])
    return Utterance(
        content=content,
        next_agent=following.name,
        handover_reason=following.reason,
        points=room.points if room.me == "architect" else (),
    )
