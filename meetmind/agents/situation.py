"""Puts what a speaker has to know into marked sections of a prompt."""

import json
from collections.abc import Iterable, Sequence

from meetmind.agents.prompt_room import (
    EARLIER_EVIDENCE_SHARE,
    PASSAGES_SHARE,
    RESULTS_SHARE,
    SOURCES_SHARE,
)
from meetmind.agents.run_context import (
    PersonWords,
    RecalledMessage,
    RunContext,
    ShownTalk,
    Turn,
    TurnFindings,
)
from meetmind.agents.stances import stance_lines
from meetmind.database.messages import PERSON, MessageRow
from meetmind.events import PassageEvidence, Point, UtteranceEnded
from meetmind.prompts.loader import harmless, load_prompt, section

LANGUAGE_NAMES = {"zh": "Chinese", "en": "English"}
RESULT_CHARACTERS = 2000


def memory_section(memory: str) -> str:
    """The owner's personal memory as the first thing in a system prompt; empty without one."""
    if not memory.strip():
        return ""
    return load_prompt("memory_section", memory=harmless(memory.strip()))


def system_text(context: RunContext, prompt: str) -> str:
    """A speaker's system message: memory first, then who they are and how the team works."""
    parts = [part for part in (memory_section(context.memory), prompt) if part]
    return "\n\n".join(parts)


def situation(
    context: RunContext,
    turn: Turn,
    shown: ShownTalk,
    utterances: Sequence[UtteranceEnded],
    said: Sequence[PersonWords] = (),
) -> str:
    """The sections that every step of a turn begins with; `said` is what it has to answer."""
    sections = [
        section("brief", context.brief),
        *_files(context),
        section("question", turn.question),
        *_earlier_talk(shown),
        _talk(context, shown.messages, said),
        *_person_said(said),
        section("points", json.dumps(_points(context, utterances), ensure_ascii=False)),
        *_stances(utterances),
        section("sources", _source_lines(context, utterances)),
        f'<turn number="{turn.iteration + 1}" of="{turn.limit or context.max_iterations}"/>',
        *_budget(turn),
    ]
    return "\n".join(sections)


def _files(context: RunContext) -> list[str]:
    """The files that were attached to the brief, where there are some."""
    if not context.files:
        return []
    return [section("files", "\n".join(context.files))]


def rewrite_situation(context: RunContext, shown: ShownTalk) -> str:
    """The sections of the rewrite step: the brief and the talk before it."""
    sections = [
        section("brief", context.brief),
        *_earlier_talk(shown),
        _talk(context, shown.messages),
    ]
    return "\n".join(sections)


def _earlier_talk(shown: ShownTalk) -> list[str]:
    """What stands for the talk before the boundary: the summary, then what was recalled of it."""
    sections = []
    if shown.summary.strip():
        sections.append(section("summary", shown.summary.strip()))
    if shown.recalled:
        sections.append(_recalled(shown.recalled))
    return sections


def _recalled(recalled: Sequence[RecalledMessage]) -> str:
    """Numbered and scored; the attributes say that this is for reference alone."""
    lines = []
    for number, message in enumerate(recalled, start=1):
        lines.append(
            section(
                "earlier",
                message.content,
                number=str(number),
                by=message.author,
                score=f"{message.score:.2f}",
            )
        )
    joined = "\n".join(lines)
    return f'<recalled use="reference" complete="no">\n{joined}\n</recalled>'


def _person_said(said: Sequence[PersonWords]) -> list[str]:
    if not said:
        return []
    lines = []
    for words in said:
        lines.append(section("words", words.text, to=words.to_agent))
    joined = "\n".join(lines)
    return [f"<person_said>\n{joined}\n</person_said>"]


def _talk(
    context: RunContext, messages: Sequence[MessageRow], said: Sequence[PersonWords] = ()
) -> str:
    """What was said, oldest first, without what stands in a section of its own.

    These are the brief of this run and the words that wait for an answer.
    """
    waiting_ids = {words.message_id for words in said}
    lines = []
    number = 0
    for message in messages:
        if message.id in waiting_ids or _is_the_brief(context, message):
            continue
        number += 1
        lines.append(section("utterance", message.content, by=message.author, turn=str(number)))
    return "<talk>\n" + "\n".join(lines) + "\n</talk>"


def _budget(turn: Turn) -> list[str]:
    """What every speaker is told once the end of the budget is in sight."""
    if turn.budget is None:
        return []
    percent = str(turn.budget.percent)
    told = load_prompt("budget", percent=percent, kind=turn.budget.kind)
    return [section("budget", told, used=percent, kind=turn.budget.kind)]


def _is_the_brief(context: RunContext, message: MessageRow) -> bool:
    is_of_the_person = message.run_id == context.run_id and message.author == PERSON
    return is_of_the_person and message.content == context.brief


def current_points(
    utterances: Sequence[UtteranceEnded], carried: Sequence[Point] = ()
) -> tuple[Point, ...]:
    """The points of the discussion: the architect's latest word on each, in order of appearance.

    `carried` are those that the run before left open.
    """
    point_by_id = {point.id: point for point in carried}
    for utterance in utterances:
        for point in utterance.points:
            point_by_id[point.id] = point
    return tuple(point_by_id.values())


def _points(context: RunContext, utterances: Sequence[UtteranceEnded]) -> list[dict[str, str]]:
    listed = []
    for point in current_points(utterances, context.carried_points):
        entry = {"id": point.id, "question": point.question, "state": point.state}
        if point.reason:
            entry["reason"] = point.reason
        listed.append(entry)
    return listed


def _stances(utterances: Sequence[UtteranceEnded]) -> list[str]:
    """Who stands where, once somebody has said so."""
    lines = stance_lines(utterances)
    return [section("stances", lines)] if lines else []


def _source_lines(context: RunContext, utterances: Sequence[UtteranceEnded]) -> str:
    """One line a passage that this run has cited lately: `id | title | source`."""
    lines = []
    for passage in earlier_evidence(utterances):
        fields = (passage.passage_id, passage.title, passage.source)
        plain = [" ".join(field.replace("|", "/").split()) for field in fields]
        lines.append(" | ".join(plain))
    newest = context.talk.room.fitting(reversed(lines), SOURCES_SHARE, str)
    return "\n".join(reversed(newest))


def passage_lines(passages: Iterable[PassageEvidence]) -> str:
    """Passages as a prompt shows them."""
    lines = []
    for passage in passages:
        lines.append(
            section(
                "passage",
                passage.content,
                id=passage.passage_id,
                agent=passage.agent_name,
                title=passage.title,
                source=passage.source,
                coverage=f"{passage.coverage:.2f}",
                language=passage.language,
            )
        )
    return "\n".join(lines)


def found_passages(context: RunContext, findings: TurnFindings) -> str:
    """What the turn found, as a prompt shows it: the best first, as far as there is room."""
    found = findings.passages
    return passage_lines(context.talk.room.fitting_passages(found, PASSAGES_SHARE))


def cited_passages(context: RunContext, utterances: Sequence[UtteranceEnded]) -> str:
    """What the run has cited, oldest first; where there is no room for all, the newest."""
    newest_first = reversed(earlier_evidence(utterances))
    kept = context.talk.room.fitting_passages(newest_first, EARLIER_EVIDENCE_SHARE)
    return passage_lines(reversed(kept))


def tool_result_lines(context: RunContext, findings: TurnFindings) -> str:
    """The outcome of every call of the turn; what stands among the passages is only named.

    So is what there is no room for.
    """
    room = context.talk.room
    left = room.share(RESULTS_SHARE)
    lines = []
    for call_id, envelope in findings.envelopes:
        text = envelope.summary
        if envelope.data is not None and not envelope.evidence:
            whole = json.dumps(envelope.data, ensure_ascii=False)[:RESULT_CHARACTERS]
            cost = room.count(whole)
            if cost <= left:
                text = whole
                left -= cost
        lines.append(
            section("result", text, tool=envelope.tool, status=envelope.status, call=call_id)
        )
    return "\n".join(lines)


def earlier_evidence(utterances: Sequence[UtteranceEnded]) -> tuple[PassageEvidence, ...]:
    """The passages that earlier utterances of this run cite, each once, by their last citing."""
    passage_by_id: dict[str, PassageEvidence] = {}
    for utterance in utterances:
        for passage in utterance.evidence:
            passage_by_id.pop(passage.passage_id, None)
            passage_by_id[passage.passage_id] = passage
    return tuple(passage_by_id.values())
