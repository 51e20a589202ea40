"""Reads the marked sections of a prompt back, for the models that answer without a server.

Every request carries sections such as `<task>speak</task>` or `<talk>...</talk>`. Foreign text
inside a section has `</` written as `<\\/`, so that the first closing mark really closes it.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from meetmind.events import Point, PointState
from meetmind.llm.section_marks import (
    NOTHING,
    MarkedText,
    attributes_in,
    items_in,
    sections_in,
    unescaped,
)
from meetmind.llm.tool_envelopes import PromptPassage, ToolEnvelope, read_envelope

Task = Literal["rewrite", "look_up", "speak", "answer", "compact"]

_YOU = re.compile(r"<you\s([^<>]*?)/?>")
_LANGUAGE = re.compile(r"<language>\s*([a-z]{2})\s*</language>")
_BETWEEN_NAMES = re.compile(r"[,，、\s]+")


@dataclass(frozen=True, kw_only=True)
class TeamMember:
    """One line of the team section; `you` has an empty `answers_for`."""

    name: str
    title: str
    answers_for: str = ""


@dataclass(frozen=True, kw_only=True)
class SpokenUtterance:
    """What was said before: `by` is a role or `person`; `turn` is 0 where the prompt gives none."""

    by: str
    turn: int
    text: str


@dataclass(frozen=True, kw_only=True)
class RecalledPassage:
    """A piece of the talk before the summary's end that fits the question, for reference."""

    by: str
    score: float
    text: str


@dataclass(frozen=True, kw_only=True)
class PersonSaid:
    """What the person said into the discussion and this turn has to answer."""

    to: str
    """The role that was asked; empty for whoever speaks next."""
    text: str


@dataclass(frozen=True, kw_only=True)
class ToolResult:
    """The short outcome of one tool call of the turn, as the speak step is told."""

    tool: str
    status: str
    call_id: str
    text: str


@dataclass(frozen=True, kw_only=True)
class AskedCall:
    """A tool call that the model made earlier in the same loop."""

    call_id: str
    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class CitedSource:
    """One line of the sources section: a passage that an utterance of this run has cited."""

    passage_id: str
    title: str
    source: str


@dataclass(frozen=True, kw_only=True)
class TakenStance:
    """One line of the stances section: where a role stands on a point."""

    point_id: str
    agent_name: str
    stance: str
    why: str


@dataclass(frozen=True, kw_only=True)
class PromptSections:
    """Everything that a prompt says, in parts; what is missing is empty, 0 or None."""

    task: Task | None
    you: TeamMember | None
    team: tuple[TeamMember, ...]
    language: str
    brief: str
    question: str
    summary: str
    """What stands for the talk before `talk`."""
    recalled: tuple[RecalledPassage, ...]
    talk: tuple[SpokenUtterance, ...]
    said: tuple[PersonSaid, ...]
    points: tuple[Point, ...]
    stances: tuple[TakenStance, ...]
    """Who stands where so far."""
    guard: str
    """What a rule found, in sentences for this speaker."""
    heard: tuple[str, ...]
    """The roles that have spoken in this run."""
    turn_number: int
    turn_limit: int
    budget_percent: int = 0
    """How much of the budget is used once its end is in sight; 0 before."""
    passages: tuple[PromptPassage, ...]
    tool_results: tuple[ToolResult, ...]
    earlier_evidence: tuple[PromptPassage, ...]
    sources: tuple[CitedSource, ...]
    """What the utterances of this run have cited; every step of a turn is told."""
    files: tuple[str, ...]
    """The names of the files that are attached to the brief, as `Read` takes them."""
    length_tokens: int
    """How long a summary may be; 0 where none is asked for."""
    tool_messages: tuple[ToolEnvelope, ...]
    """The envelopes of this loop's tool messages, oldest first."""
    asked_calls: tuple[AskedCall, ...]
    """The calls of this loop's AI messages, oldest first."""


def read_sections(messages: Sequence[BaseMessage]) -> PromptSections:
    """The sections of the system message and of the task, and the tool loop behind the task."""
    system_text = _system_text(messages)
    place = _place_of_the_task(messages)
    human_text = messages[place].text if place is not None else ""
    loop = messages[place + 1 :] if place is not None else []
    sections = sections_in(human_text)

    def named(name: str) -> MarkedText:
        return sections.get(name, NOTHING)

    return PromptSections(
        task=_task(named("task").plain),
        you=_you(system_text),
        team=_team(system_text),
        language=_language(system_text),
        brief=named("brief").plain,
        question=named("question").plain,
        summary=named("summary").plain,
        recalled=_recalled(named("recalled")),
        talk=_talk(named("talk")),
        said=_said(named("person_said")),
        points=_points(named("points").plain),
        stances=_stances(named("stances").plain),
        guard=named("guard").plain,
        heard=_names(named("heard").plain),
        turn_number=_whole_number(named("turn").attribute("number")),
        turn_limit=_whole_number(named("turn").attribute("of")),
        budget_percent=_whole_number(named("budget").attribute("used")),
        passages=_passages(named("passages")),
        tool_results=_tool_results(named("tool_results")),
        earlier_evidence=_passages(named("earlier_evidence")),
        sources=_sources(named("sources").plain),
        files=_lines(named("files").plain),
        length_tokens=_whole_number(named("length").attribute("tokens")),
        tool_messages=_envelopes(loop),
        asked_calls=_asked_calls(loop),
    )


def _system_text(messages: Sequence[BaseMessage]) -> str:
    texts = [message.text for message in messages if isinstance(message, SystemMessage)]
    return "\n".join(texts)


def _place_of_the_task(messages: Sequence[BaseMessage]) -> int | None:
    """The last human message that carries a task; else the last human message at all."""
    last_human: int | None = None
    for place in range(len(messages) - 1, -1, -1):
        if not isinstance(messages[place], HumanMessage):
            continue
        if "<task>" in messages[place].text:
            return place
        if last_human is None:
            last_human = place
    return last_human


def _task(text: str) -> Task | None:
    if text in ("rewrite", "look_up", "speak", "answer", "compact"):
        return cast("Task", text)
    return None


def _you(system_text: str) -> TeamMember | None:
    """The last mark counts: the personal memory stands before it and could hold anything."""
    marks = _YOU.findall(system_text)
    if not marks:
        return None
    attributes = attributes_in(marks[-1])
    name = attributes.get("name", "")
    return TeamMember(name=name, title=attributes.get("title", name))


def _team(system_text: str) -> tuple[TeamMember, ...]:
    end = system_text.rfind("</team>")
    start = system_text.rfind("<team>", 0, max(end, 0))
    if start < 0:
        return ()
    members = []
    for line in system_text[start + len("<team>") : end].splitlines():
        parts = [unescaped(part).strip() for part in line.split("|", maxsplit=2)]
        if len(parts) == 3:
            members.append(TeamMember(name=parts[0], title=parts[1], answers_for=parts[2]))
    return tuple(members)


def _language(system_text: str) -> str:
    marks: list[str] = _LANGUAGE.findall(system_text)
    return marks[-1] if marks else "en"


def _talk(section: MarkedText) -> tuple[SpokenUtterance, ...]:
    utterances = []
    for item in items_in(section.text):
        turn = _whole_number(item.attribute("turn"))
        utterances.append(SpokenUtterance(by=item.attribute("by"), turn=turn, text=item.plain))
    return tuple(utterances)


def _recalled(section: MarkedText) -> tuple[RecalledPassage, ...]:
    recalled = []
    for item in items_in(section.text):
        score = _number(item.attribute("score"))
        recalled.append(RecalledPassage(by=item.attribute("by"), score=score, text=item.plain))
    return tuple(recalled)


def _said(section: MarkedText) -> tuple[PersonSaid, ...]:
    said = []
    for item in items_in(section.text):
        said.append(PersonSaid(to=item.attribute("to"), text=item.plain))
    return tuple(said)


def _points(text: str) -> tuple[Point, ...]:
    try:
        listed = json.loads(text) if text else []
    except json.JSONDecodeError:
        return ()
    points = []
    for entry in listed if isinstance(listed, list) else []:
        if isinstance(entry, dict) and entry.get("id"):
            points.append(_point(entry))
    return tuple(points)


def _point(entry: dict[str, Any]) -> Point:
    state: PointState = "open"
    if entry.get("state") in ("settled", "recorded_open"):
        state = entry["state"]
    return Point(
        id=str(entry["id"]),
        question=str(entry.get("question", "")),
        state=state,
        reason=str(entry.get("reason", "")),
    )


def _stances(text: str) -> tuple[TakenStance, ...]:
    stances = []
    for line in text.splitlines():
        parts = [part.strip() for part in line.split("|", maxsplit=4)]
        if len(parts) >= 4:
            point_id, agent_name, stance, why = parts[:4]
            stances.append(
                TakenStance(point_id=point_id, agent_name=agent_name, stance=stance, why=why)
            )
    return tuple(stances)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for name in _BETWEEN_NAMES.split(text) if name)


def _passages(section: MarkedText) -> tuple[PromptPassage, ...]:
    passages = []
    for item in items_in(section.text):
        passage = PromptPassage(
            passage_id=item.attribute("id"),
            agent_name=item.attribute("agent"),
            title=item.attribute("title"),
            source=item.attribute("source"),
            locator=item.attribute("locator"),
            language=item.attribute("language"),
            coverage=_number(item.attribute("coverage")),
            content=item.plain,
        )
        passages.append(passage)
    return tuple(passages)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _sources(text: str) -> tuple[CitedSource, ...]:
    sources = []
    for line in text.splitlines():
        parts = [part.strip() for part in line.split(" | ", maxsplit=2)]
        if len(parts) == 3:
            sources.append(CitedSource(passage_id=parts[0], title=parts[1], source=parts[2]))
    return tuple(sources)


def _tool_results(section: MarkedText) -> tuple[ToolResult, ...]:
    results = []
    for item in items_in(section.text):
        result = ToolResult(
            tool=item.attribute("tool"),
            status=item.attribute("status"),
            call_id=item.attribute("call"),
            text=item.plain,
        )
        results.append(result)
    return tuple(results)


def _envelopes(loop: Sequence[BaseMessage]) -> tuple[ToolEnvelope, ...]:
    return tuple(read_envelope(message) for message in loop if isinstance(message, ToolMessage))


def _asked_calls(loop: Sequence[BaseMessage]) -> tuple[AskedCall, ...]:
    asked = []
    for message in loop:
        if not isinstance(message, AIMessage):
            continue
        for call in message.tool_calls:
            call_id = call["id"] or ""
            asked.append(AskedCall(call_id=call_id, tool=call["name"], arguments=call["args"]))
    return tuple(asked)


def _whole_number(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
