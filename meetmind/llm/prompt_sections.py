"""Reads the marked sections of a prompt back, for the models that answer without a server.

Every request carries sections such as `<task>speak</task>` or `<talk>...</talk>`. Foreign text
inside a section has `</` written as `<\\/`, so that the first closing mark really closes it.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from meetmind.events import Point
from meetmind.llm.tool_envelopes import PromptPassage, ToolEnvelope, read_envelope

Task = Literal["rewrite", "look_up", "speak", "answer"]

_OPENING = re.compile(
    r"<(?P<name>task|brief|question|talk|points|heard|turn|passages|tool_results|earlier_evidence)"
    r"(?P<attributes>(?:\s[^<>]*?)?)(?P<closed>/)?>"
)
_ATTRIBUTE = re.compile(r'([a-z_]+)="([^"]*)"')
_YOU = re.compile(r"<you\s([^<>]*?)/?>")
_LANGUAGE = re.compile(r"<language>\s*([a-z]{2})\s*</language>")
_ITEM = re.compile(
    r"<(?P<name>utterance|passage|result)\s(?P<attributes>[^<>]*)>(?P<text>.*?)</(?P=name)>",
    re.DOTALL,
)
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#39;", "'"), ("&amp;", "&"))


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
class PromptSections:
    """Everything that a prompt says, in parts; what is missing is empty, 0 or None."""

    task: Task | None
    you: TeamMember | None
    team: tuple[TeamMember, ...]
    language: str
    brief: str
    question: str
    talk: tuple[SpokenUtterance, ...]
    points: tuple[Point, ...]
    heard: tuple[str, ...]
    turn_number: int
    turn_limit: int
    passages: tuple[PromptPassage, ...]
    tool_results: tuple[ToolResult, ...]
    earlier_evidence: tuple[PromptPassage, ...]
    tool_messages: tuple[ToolEnvelope, ...]
    """The envelopes of this loop's tool messages, oldest first."""
    asked_calls: tuple[AskedCall, ...]
    """The calls of this loop's AI messages, oldest first."""


@dataclass(frozen=True, kw_only=True)
class _Section:
    attributes: dict[str, str]
    text: str


_NO_SECTION = _Section(attributes={}, text="")


def read_sections(messages: Sequence[BaseMessage]) -> PromptSections:
    """The sections of the system message and of the last human message, and the tool loop after it."""
    system_text = "\n".join(
        message.text for message in messages if isinstance(message, SystemMessage)
    )
    asked_at = _place_of_the_task(messages)
    human_text = messages[asked_at].text if asked_at is not None else ""
    loop = messages[asked_at + 1 :] if asked_at is not None else []
    sections = _sections_in(human_text)
    turn = sections.get("turn", _NO_SECTION).attributes
    return PromptSections(
        task=_task(_text_of(sections, "task")),
        you=_you(system_text),
        team=_team(system_text),
        language=_language(system_text + "\n" + human_text),
        brief=_text_of(sections, "brief"),
        question=_text_of(sections, "question"),
        talk=_talk(_raw_text_of(sections, "talk")),
        points=_points(_text_of(sections, "points")),
        heard=_names(_text_of(sections, "heard")),
        turn_number=_whole_number(turn.get("number", "")),
        turn_limit=_whole_number(turn.get("of", "")),
        passages=_passages(_raw_text_of(sections, "passages")),
        tool_results=_tool_results(_raw_text_of(sections, "tool_results")),
        earlier_evidence=_passages(_raw_text_of(sections, "earlier_evidence")),
        tool_messages=_envelopes(loop),
        asked_calls=_asked_calls(loop),
    )


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


def _sections_in(text: str) -> dict[str, _Section]:
    """Section by name, read front to back, so that marks inside a section's text are passed over."""
    section_by_name: dict[str, _Section] = {}
    position = 0
    while opening := _OPENING.search(text, position):
        name = opening["name"]
        position = opening.end()
        inner = ""
        if not opening["closed"]:
            closing = text.find(f"</{name}>", position)
            if closing < 0:
                continue
            inner = text[position:closing]
            position = closing + len(name) + 3
        section = _Section(attributes=_attributes(opening["attributes"]), text=inner)
        section_by_name.setdefault(name, section)
    return section_by_name


def _attributes(text: str) -> dict[str, str]:
    value_by_name = {}
    for name, raw in _ATTRIBUTE.findall(text):
        value = unescaped(raw)
        for entity, character in _ENTITIES:
            value = value.replace(entity, character)
        value_by_name[name] = value
    return value_by_name


def unescaped(text: str) -> str:
    """Foreign text as it was before it was put into a section."""
    return text.replace("<\\/", "</")


def _raw_text_of(sections: dict[str, _Section], name: str) -> str:
    return sections.get(name, _NO_SECTION).text


def _text_of(sections: dict[str, _Section], name: str) -> str:
    return unescaped(_raw_text_of(sections, name)).strip()


def _task(text: str) -> Task | None:
    if text in ("rewrite", "look_up", "speak", "answer"):
        return cast("Task", text)
    return None


def _you(system_text: str) -> TeamMember | None:
    """The last mark counts: the personal memory stands before it and could hold anything."""
    marks = _YOU.findall(system_text)
    if not marks:
        return None
    attributes = _attributes(marks[-1])
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


def _language(text: str) -> str:
    marks: list[str] = _LANGUAGE.findall(text)
    return marks[-1] if marks else "en"


def _talk(text: str) -> tuple[SpokenUtterance, ...]:
    utterances = []
    for item in _ITEM.finditer(text):
        attributes = _attributes(item["attributes"])
        utterance = SpokenUtterance(
            by=attributes.get("by", ""),
            turn=_whole_number(attributes.get("turn", "")),
            text=unescaped(item["text"]).strip(),
        )
        utterances.append(utterance)
    return tuple(utterances)


def _points(text: str) -> tuple[Point, ...]:
    try:
        listed = json.loads(text) if text else []
    except json.JSONDecodeError:
        return ()
    points = []
    for entry in listed if isinstance(listed, list) else []:
        if not isinstance(entry, dict) or not entry.get("id"):
            continue
        state = entry.get("state")
        known_state = state if state in ("open", "settled", "recorded_open") else "open"
        points.append(
            Point(id=str(entry["id"]), question=str(entry.get("question", "")), state=known_state)
        )
    return tuple(points)


def _names(text: str) -> tuple[str, ...]:
    names = [name.strip() for name in re.split(r"[,，、\s]+", text)]
    return tuple(name for name in names if name)


def _passages(text: str) -> tuple[PromptPassage, ...]:
    passages = []
    for item in _ITEM.finditer(text):
        attributes = _attributes(item["attributes"])
        passage = PromptPassage(
            passage_id=attributes.get("id", ""),
            agent_name=attributes.get("agent", ""),
            title=attributes.get("title", ""),
            source=attributes.get("source", ""),
            locator=attributes.get("locator", ""),
            language=attributes.get("language", ""),
            coverage=_number(attributes.get("coverage", "")),
            content=unescaped(item["text"]).strip(),
        )
        passages.append(passage)
    return tuple(passages)


def _tool_results(text: str) -> tuple[ToolResult, ...]:
    results = []
    for item in _ITEM.finditer(text):
        attributes = _attributes(item["attributes"])
        result = ToolResult(
            tool=attributes.get("tool", ""),
            status=attributes.get("status", ""),
            call_id=attributes.get("call", ""),
            text=unescaped(item["text"]).strip(),
        )
        results.append(result)
    return tuple(results)


def _envelopes(loop: Sequence[BaseMessage]) -> tuple[ToolEnvelope, ...]:
    return tuple(read_envelope(message) for message in loop if isinstance(message, ToolMessage))


def _asked_calls(loop: Sequence[BaseMessage]) -> tuple[AskedCall, ...]:
    asked = []
    for message in loop:
        for call in message.tool_calls if isinstance(message, AIMessage) else ():
            asked.append(
                AskedCall(call_id=call["id"] or "", tool=call["name"], arguments=call["args"])
            )
    return tuple(asked)


def _whole_number(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
