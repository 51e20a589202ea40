"""How the closing speaks of files and pages: what they say on a point, and their clashes."""

from meetmind.llm.offline.brought_points import BroughtClash
from meetmind.llm.offline.brought_words import name_of_source
from meetmind.llm.offline.closing import Closing, Outcome
from meetmind.llm.offline.quotes import SaidQuote
from meetmind.llm.offline.room import Room
from meetmind.llm.offline.sentences import opening_of
from meetmind.llm.offline.utterance import written_in

LONGEST_QUESTION = 80
MOST_SAYINGS = 2


def brought_line(room: Room, outcome: Outcome) -> str:
    """What files and pages say on a point that no role's documents decide."""
    slot = "beside_contest" if outcome.contests else "on_point"
    sayings = [_says(room, quote) for quote in outcome.brought_rules[:MOST_SAYINGS]]
    separator = "；" if room.language == "zh" else "; "
    return room.voice.text(
        "brought",
        slot,
        point=room.voice.point(outcome.number),
        question=short_question(outcome),
        says=separator.join(sayings),
    )


def brought_step(room: Room, outcome: Outcome) -> str:
    """To decide whether what a file or a page says shall hold."""
    quote = outcome.brought_rules[0]
    return room.voice.text(
        "brought",
        "step_on_point",
        quote=written_in(room, opening_of(quote.text), quote.passage_id),
        name=name_of_source(room, quote),
        point=room.voice.point_inside(outcome.number),
    )


def brought_clash_lines(room: Room, closing: Closing) -> list[str]:
    """One line for every number of a file or page that a role's document gives otherwise."""
    lines = []
    for outcome in closing.outcomes:
        for clash in outcome.brought_clashes:
            lines.append(_clash_line(room, outcome, clash))
    return lines


def _clash_line(room: Room, outcome: Outcome, clash: BroughtClash) -> str:
    return room.voice.text(
        "brought",
        "clash",
        point=room.voice.point(outcome.number),
        one_says=_says(room, clash.brought),
        name_other=room.voice.name(clash.of_role.agent_name),
        theirs=written_in(room, clash.of_role.text, clash.of_role.passage_id),
        one=clash.found.first_text,
        other=clash.found.second_text,
    )


def brought_clash_steps(room: Room, outcome: Outcome) -> list[str]:
    """To decide which number holds, once for every clash of a point."""
    steps = []
    for clash in outcome.brought_clashes:
        step = room.voice.text(
            "brought",
            "step_clash",
            point=room.voice.point_inside(outcome.number),
            one=clash.found.first_text,
            name_one=name_of_source(room, clash.brought),
            other=clash.found.second_text,
            name_other=room.voice.name(clash.of_role.agent_name),
        )
        steps.append(step)
    return steps


def short_question(outcome: Outcome) -> str:
    """The point's question, cut where it is long."""
    question = outcome.point.question
    if len(question) <= LONGEST_QUESTION:
        return question
    return question[: LONGEST_QUESTION - 1].rstrip() + "…"


def _says(room: Room, quote: SaidQuote) -> str:
    shown = written_in(room, quote.text, quote.passage_id)
    name = name_of_source(room, quote)
    return room.voice.text("brought", f"{quote.agent_name}_says", name=name, quote=shown)
