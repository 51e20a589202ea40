"""Why a point is settled or stays open, in one sentence for the list of points."""

from meetmind.llm.offline.brought_words import name_of_source
from meetmind.llm.offline.closing import Outcome
from meetmind.llm.offline.room import Room


def reason_of(room: Room, outcome: Outcome) -> str:
    """The ground on which a point is settled, or what is missing to settle it."""
    voice = room.voice
    if outcome.state == "settled":
        return voice.text("reasons", "settled", name=voice.name(outcome.covering[0].agent_name))
    if outcome.contests:
        contest = outcome.contests[0]
        return voice.text(
            "reasons",
            "contested",
            name_one=voice.name(contest.one.agent_name),
            name_other=voice.name(contest.other.agent_name),
            one=contest.contradiction.first_text,
            other=contest.contradiction.second_text,
        )
    if outcome.brought_clashes:
        clash = outcome.brought_clashes[0]
        return voice.text(
            "reasons",
            "contested",
            name_one=name_of_source(room, clash.brought),
            name_other=voice.name(clash.of_role.agent_name),
            one=clash.found.first_text,
            other=clash.found.second_text,
        )
    has_something = outcome.quotes or outcome.brought
    return voice.text("reasons", "undecided" if has_something else "unanswered")
