"""Puts what a speaker has to know into marked sections of a prompt."""

import json
from collections.abc import Iterable, Sequence

from meetmind.agents.run_context import RunContext, Turn, TurnFindings
from meetmind.database.messages import PERSON, MessageRow
from meetmind.events import PassageEvidence, Point, UtteranceEnded
from meetmind.prompts.loader import load_prompt, section

LANGUAGE_NAMES = {"zh": "Chinese", "en": "English"}
RESULT_CHARACTERS = 2000


def memory_section(memory: str) -> str:
    """The owner's personal memory as the first thing in a system prompt; empty without one."""
    if not memory.strip():
        return ""
    return load_prompt("memory_section", memory=memory.strip().replace("</", "<\\/"))


def system_text(context: RunContext, prompt: str) -> str:
    """A speaker's system message: memory first, then who they are and how the team works."""
    parts = [part for part in (memory_section(context.memory), prompt) if part]
    return "\n\n".join(parts)


def situation(
    context: RunContext,
    turn: Turn,
    messages: Sequence[MessageRow],
    utterances: Sequence[UtteranceEnded],
) -> str:
    """The sections that every step of a turn begins with."""
    sections = [
        section("brief", context.brief),
        *_files(context),
        section("question", turn.question),
        _talk(context, messages),
        section("points", json.dumps(_points(utterances), ensure_ascii=False)),
        section("sources", _source_lines(utterances)),
        f'<turn number="{turn.iteration + 1}" of="{context.max_iterations}"/>',
    ]
    return "\n".join(sections)


def _files(context: RunContext) -> list[str]:
    """The files that were attached to the brief, where there are some."""
    if not context.files:
        return []
    return [section("files", "\n".join(context.files))]


def rewrite_situation(context: RunContext, messages: Sequence[MessageRow]) -> str:
    """The sections of the rewrite step: the brief and the talk before it."""
    return section("brief", context.brief) + "\n" + _talk(context, messages)


def _talk(context: RunContext, messages: Sequence[MessageRow]) -> str:
    """What was said, oldest first; the brief of this run stands in a section of its own."""
    lines = []
    number = 0
    for message in messages:
        if message.run_id == context.run_id and message.author == PERSON:
            continue
        number += 1
        lines.append(section("utterance", message.content, by=message.author, turn=str(number)))
    return "<talk>\n" + "\n".join(lines) + "\n</talk>"


def current_points(utterances: Sequence[UtteranceEnded]) -> tuple[Point, ...]:
    """The points of the discussion: the architect's latest word on each, in order of appearance."""
    point_by_id: dict[str, Point] = {}
    for utterance in utterances:
        for point in utterance.points:
            point_by_id[point.id] = point
    return tuple(point_by_id.values())


def _points(utterances: Sequence[UtteranceEnded]) -> list[dict[str, str]]:
    listed = []
    for point in current_points(utterances):
        listed.append({"id": point.id, "question": point.question, "state": point.state})
    return listed


def _source_lines(utterances: Sequence[UtteranceEnded]) -> str:
    """One line a passage that this run has cited so far: `id | title | source`."""
    lines = []
    for passage in earlier_evidence(utterances):
        fields = (passage.passage_id, passage.title, passage.source)
        plain = [" ".join(field.replace("|", "/").split()) for field in fields]
        lines.append(" | ".join(plain))
    return "\n".join(lines)


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


def tool_result_lines(findings: TurnFindings) -> str:
    """The outcome of every call of the turn; what stands among the passages is only named."""
    lines = []
    for call_id, envelope in findings.envelopes:
        text = envelope.summary
        if envelope.data is not None and not envelope.evidence:
            text = json.dumps(envelope.data, ensure_ascii=False)[:RESULT_CHARACTERS]
        lines.append(
            section("result", text, tool=envelope.tool, status=envelope.status, call=call_id)
        )
    return "\n".join(lines)


def earlier_evidence(utterances: Sequence[UtteranceEnded]) -> tuple[PassageEvidence, ...]:
    """The passages that earlier utterances of this run cite, each once."""
    passage_by_id: dict[str, PassageEvidence] = {}
    for utterance in utterances:
        for passage in utterance.evidence:
            passage_by_id[passage.passage_id] = passage
    return tuple(passage_by_id.values())
