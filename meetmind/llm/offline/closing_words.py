"""The words in which the architect closes, for the talk and for the summary alike."""

from collections.abc import Sequence
from dataclasses import replace

from meetmind.events import Point, Stance
from meetmind.llm.offline.brought_closing import (
    brought_clash_lines,
    brought_clash_steps,
    brought_line,
    brought_step,
    short_question,
)
from meetmind.llm.offline.brought_words import lines_of_what_was_said, name_of_source
from meetmind.llm.offline.closing import (
    LEAST_COVERAGE_TO_SETTLE,
    Closing,
    Outcome,
    closing_of,
)
from meetmind.llm.offline.contests import Contest
from meetmind.llm.offline.nearest import nearest_word
from meetmind.llm.offline.opening import nothing_is_known
from meetmind.llm.offline.outcome_reasons import reason_of
from meetmind.llm.offline.quotes import SaidQuote, kind_of
from meetmind.llm.offline.relevance import match
from meetmind.llm.offline.room import Room
from meetmind.llm.offline.rules import rule_clauses
from meetmind.llm.offline.sentences import opening_of
from meetmind.llm.offline.skill_outline import words_on_the_skill
from meetmind.llm.offline.utterance import Utterance, gap, paragraphs, quoted, written_in
from meetmind.llm.offline.words import is_foreign
from meetmind.llm.offline.written_file import WRITE, written_or_not


def close_discussion(room: Room) -> Utterance:
    """The last turn: what is laid down, what is open, next steps, and what became of the file."""
    closing = closing_of(room)
    if closing.nothing_known:
        return nothing_is_known(room)
    voice = room.voice
    lead = voice.text("closing", "lead_few" if room.unheard else "lead")
    rules = rule_lines(room, closing)
    nothing_laid_down = "" if rules else voice.text("closing", "no_rules")
    still_open = open_lines(room, closing)
    parts = [
        f"{lead}{gap(room)}{_own_word(room)}",
        nothing_laid_down or _listed(voice.text("closing", "rules"), rules),
        _listed(voice.text("brought", "lead"), lines_of_what_was_said(room)),
        _listed(voice.text("closing", "open"), still_open),
        _listed(voice.text("closing", "next"), step_lines(room, closing)),
        _last_words(room),
    ]
    points = [_ended(room, outcome) for outcome in closing.outcomes]
    return Utterance(
        content=paragraphs(parts),
        done=True,
        stances=_stances(room, closing),
        points=tuple(points),
    )


def _ended(room: Room, outcome: Outcome) -> Point:
    return replace(outcome.point, state=outcome.state, reason=reason_of(room, outcome))


def _last_words(room: Room) -> str:
    """What became of the file, the skill behind it, and that nothing was reasoned."""
    is_written = any(
        result.tool == WRITE and result.status == "ok" for result in room.sections.tool_results
    )
    on_skill = words_on_the_skill(room, summary_is_written=is_written)
    sentences = [written_or_not(room), on_skill, room.voice.text("closing", "honest")]
    return gap(room).join(sentence for sentence in sentences if sentence)


def rule_lines(room: Room, closing: Closing) -> list[str]:
    """One line a point on which a rule was quoted, whether it settles the point or not."""
    lines = []
    for outcome in closing.outcomes:
        if outcome.rules:
            lines.append(_point_line(room, outcome, "ruled", outcome.rules))
    return lines


def _point_line(room: Room, outcome: Outcome, slot: str, quotes: Sequence[SaidQuote]) -> str:
    shown = [_attributed(room, quote) for quote in quotes]
    separator = "；" if room.language == "zh" else "; "
    return room.voice.text(
        "closing",
        slot,
        point=room.voice.point(outcome.number),
        question=short_question(outcome),
        quotes=separator.join(shown),
    )


def open_lines(room: Room, closing: Closing, slot: str = "contested") -> list[str]:
    """Contradictions, and points on which nothing rules; `open_contested` is the short slot."""
    lines = [contest_line(room, contest, slot) for contest in closing.contests]
    lines.extend(brought_clash_lines(room, closing))
    return [*lines, *_undecided_lines(room, closing)]


def _undecided_lines(room: Room, closing: Closing) -> list[str]:
    """The points that no document decides: rules beside them, facts only, or nothing at all."""
    lines = []
    for outcome in closing.outcomes:
        if outcome.state == "settled" or outcome.brought_clashes:
            continue
        if outcome.brought_rules:
            lines.append(brought_line(room, outcome))
        if outcome.brought_rules or outcome.contests:
            continue
        facts = (*outcome.quotes, *outcome.brought)
        slot = "facts_only" if facts else "unanswered"
        if outcome.rules:
            slot = "undecided"
        lines.append(_point_line(room, outcome, slot, facts))
    return lines


def contest_line(room: Room, contest: Contest, slot: str = "contested") -> str:
    """A contradiction with both quotes and what would settle it."""
    found = contest.contradiction
    return room.voice.text(
        "closing",
        slot,
        point=room.voice.point(contest.point_number),
        one=found.first_text,
        other=found.second_text,
        name_one=room.voice.name(contest.one.agent_name),
        name_other=room.voice.name(contest.other.agent_name),
        theirs=_shown(room, contest.one),
        mine=_shown(room, contest.other),
    )


def step_lines(room: Room, closing: Closing) -> list[str]:
    """Next steps, each with the roles that own it."""
    voice = room.voice
    lines = []
    for contest in closing.contests:
        lines.append(
            voice.text(
                "closing",
                "step_contested",
                name_one=voice.name(contest.one.agent_name),
                name_other=voice.name(contest.other.agent_name),
                one=contest.contradiction.first_text,
                other=contest.contradiction.second_text,
            )
        )
    for outcome in closing.outcomes:
        lines.extend(brought_clash_steps(room, outcome))
        if not outcome.contests and not outcome.brought_clashes:
            lines.append(_step_on(room, outcome))
    return [line for line in lines if line]


def _step_on(room: Room, outcome: Outcome) -> str:
    """What follows from a point that nobody contests; empty where nothing sensible does."""
    voice = room.voice
    point = voice.point_inside(outcome.number)
    if outcome.state == "settled":
        quote = outcome.covering[0]
        name = voice.name(quote.agent_name)
        return voice.text("closing", "step_settled", name=name, quote=_beginning(room, quote))
    if outcome.brought_rules:
        return brought_step(room, outcome)
    if outcome.wanted == "events":
        return ""
    near = [quote for quote in outcome.rules if _may_carry_a_step(outcome, quote)]
    if near:
        shown = _beginning(room, near[0])
        return voice.text("closing", "step_undecided", point=point, quote=shown)
    return voice.text("closing", "step_unanswered", point=point)


def _may_carry_a_step(outcome: Outcome, quote: SaidQuote) -> bool:
    """Whether a quote sets a rule on the point, or speaks of nearly all that the point asks."""
    covered = match(outcome.query, quote.text)
    sets_a_rule = kind_of(quote.text) == "rule" or bool(rule_clauses(quote.text))
    return (sets_a_rule and covered.is_relevant) or covered.coverage >= LEAST_COVERAGE_TO_SETTLE


def _own_word(room: Room) -> str:
    """The architect's own table in its last turn too: a quote that fits, or that there is none."""
    fresh, all_known = room.best_quotes(), room.best_quotes(already_said=())
    own_language = [q for q in (*fresh, *all_known) if not is_foreign(q.sentence, room.language)]
    quotes = own_language or fresh or all_known
    if not quotes:
        return nearest_word(room) or room.voice.text("closing", "own_nothing")
    own_table = room.voice.text("closing", "own_table")
    return f"{own_table}{gap(room)}{quoted(room, quotes[0])}"


def _listed(heading: str, lines: list[str]) -> str:
    if not lines:
        return ""
    return heading + "\n" + "\n".join(f"- {line}" for line in lines)


def _attributed(room: Room, quote: SaidQuote) -> str:
    name = name_of_source(room, quote)
    brackets = f"（{name}）" if room.language == "zh" else f" ({name})"
    return f"{_shown(room, quote)}{brackets}"


def _shown(room: Room, quote: SaidQuote) -> str:
    return written_in(room, quote.text, quote.passage_id)


def _beginning(room: Room, quote: SaidQuote) -> str:
    return written_in(room, opening_of(quote.text), quote.passage_id)


def _stances(room: Room, closing: Closing) -> tuple[Stance, ...]:
    """The architect accepts settled points; contested ones stay a question."""
    stances = []
    for outcome in closing.outcomes:
        if outcome.state == "settled":
            why = room.voice.say("why_agree")
            stances.append(Stance(point_id=outcome.point.id, stance="agree", why=why))
        elif outcome.contests:
            found = outcome.contests[0].contradiction
            values = {"one": found.first_text, "other": found.second_text}
            stances.append(
                Stance(
                    point_id=outcome.point.id,
                    stance="question",
                    why=room.voice.say("why_object", **values),
                    resolves_if=room.voice.say("resolves_if", **values),
                )
            )
    return tuple(stances)
