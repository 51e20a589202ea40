"""A tiny meeting room: plays a whole discussion with the offline model on passages in memory.

It does what the graph does (look up, speak, hand over), with a plain word search instead of the
real retrieval and with prompts written by hand.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage, ToolMessage

from meetmind.agents.schemas import ModelOutput
from meetmind.agents.situation import current_points
from meetmind.agents.stances import on_known_points, stance_lines
from meetmind.config.roster_names import AGENT_NAMES
from meetmind.events import UtteranceEnded
from meetmind.llm.offline.model import answer
from meetmind.llm.offline.words import words_of
from meetmind.llm.tool_envelopes import PromptPassage
from meetmind.prompts.loader import section
from meetmind.tools.skills import load_skill

TITLES = {
    "architect": "Architect",
    "backend": "Backend engineer",
    "frontend": "Frontend engineer",
    "tester": "Tester",
    "product_manager": "Product manager",
    "assistant": "Assistant",
}
TOOLS = ["rag_search", "Read", "list_dir", "skill", "web_fetch"]
PASSAGES_A_SEARCH = 5
MOST_ROUNDS = 6


@dataclass(frozen=True, kw_only=True)
class Spoken:
    """One utterance with what led to it."""

    role: str
    output: dict[str, Any]
    passages: tuple[PromptPassage, ...]
    cited: tuple[PromptPassage, ...]
    written: tuple[dict[str, Any], ...]

    @property
    def content(self) -> str:
        return str(self.output["content"])


@dataclass(kw_only=True)
class Meeting:
    """A discussion of one brief; `decision` is what the person does with a Write."""

    passages: Sequence[PromptPassage]
    brief: str
    language: str = "en"
    decision: str = "ok"
    turn_limit: int = 15
    utterances: list[Spoken] = field(default_factory=list)
    earlier_talk: tuple[tuple[str, str], ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    """The attached files: text by path."""
    pages: Mapping[str, str] = field(default_factory=dict)
    """The pages that can be had: text by address."""
    said: Mapping[int, str] = field(default_factory=dict)
    """What the person says before the turn with this place, from 0."""
    answer_to_question: str = ""
    """What the person answers to a role's question; nobody can ask where it is empty."""
    fetch_decision: str = "ok"
    """What becomes of a wish for a page; the reason stands behind a colon: `rejected: private`."""

    def __post_init__(self) -> None:
        self.words_by_id = {
            passage.passage_id: words_of(f"{passage.title} {passage.content}")
            for passage in self.passages
        }
        self.question = self._rewritten()["rewritten_query"]
        self.read_calls: list[tuple[str, str, dict[str, Any]]] = []

    @property
    def order(self) -> list[str]:
        return [utterance.role for utterance in self.utterances]

    def play(self) -> "Meeting":
        role = "architect"
        while len(self.utterances) < self.turn_limit:
            spoken = self._turn(role)
            self.utterances.append(spoken)
            if spoken.output["done"]:
                break
            role = spoken.output["next_agent"]
            assert role in AGENT_NAMES
        return self

    def ask_assistant(self) -> str:
        passages, _, results = self._look_up("assistant")
        messages = self._messages("assistant", "answer", self._found(passages, results))
        return answer(messages).text

    def _rewritten(self) -> dict[str, Any]:
        human = f"<task>rewrite</task>{section('brief', self.brief)}{self._talk()}"
        system = f"<language>{self.language}</language>"
        message = answer([SystemMessage(content=system), HumanMessage(content=human)])
        rewritten: dict[str, Any] = json.loads(message.text)
        return rewritten

    def _turn(self, role: str) -> Spoken:
        passages, written, results = self._look_up(role)
        message = answer(self._messages(role, "speak", self._found(passages, results)))
        output = json.loads(message.text)
        known = {passage.passage_id: passage for passage in (*self._earlier_evidence(), *passages)}
        cited = tuple(p for i, p in known.items() if f"[{i}]" in output["content"])
        return Spoken(
            role=role,
            output=output,
            passages=tuple(passages),
            cited=cited,
            written=tuple(written),
        )

    def _look_up(
        self, role: str
    ) -> tuple[list[PromptPassage], list[dict[str, Any]], list[tuple[str, str, str]]]:
        messages = self._messages(role, "look_up", "")
        found: dict[str, PromptPassage] = {}
        written = []
        results = []
        tools = TOOLS + (["Write"] if role == "architect" else [])
        tools += ["ask_person"] if self.answer_to_question else []
        for _ in range(MOST_ROUNDS):
            asked = answer(messages, tools)
            messages.append(asked)
            if not asked.tool_calls:
                break
            for call in asked.tool_calls:
                if call["name"] == "Write":
                    written.append(call["args"])
                    results.append(("Write", self.decision, call["args"]["path"]))
                    evidence: list[PromptPassage] = []
                elif call["name"] == "rag_search":
                    evidence = self._search(role, **call["args"])
                    results.append(("rag_search", "ok", call["args"]["query"]))
                elif call["name"] == "ask_person":
                    told = json.dumps({"answer": self.answer_to_question}, ensure_ascii=False)
                    evidence = []
                    results.append(("ask_person", "ok", told))
                    self.read_calls.append((role, call["name"], call["args"]))
                else:
                    evidence, status, text = self._read_something(call["name"], call["args"])
                    results.append((call["name"], status, text))
                    self.read_calls.append((role, call["name"], call["args"]))
                for passage in evidence:
                    known = found.get(passage.passage_id)
                    if known is None or known.coverage < passage.coverage:
                        found[passage.passage_id] = passage
                data = results[-1][2] if call["name"] == "ask_person" else ""
                messages.append(_tool_message(call, evidence, results[-1][1], data))
        best_first = sorted(found.values(), key=lambda passage: -passage.coverage)
        return best_first, written, results

    def _read_something(
        self, tool: str, arguments: Mapping[str, str]
    ) -> tuple[list[PromptPassage], str, str]:
        """Evidence, status and text of a call that reads a folder, a file, a page or a skill."""
        if tool == "list_dir":
            return [], "ok", json.dumps(sorted(self.files))
        if tool == "skill":
            skill = load_skill(arguments["name"], self.language)
            return [material("file", skill.source, skill.text, skill.name)], "ok", skill.name
        if tool == "Read":
            path = arguments["path"]
            if path not in self.files:
                return [], "error", f"There is no file {path!r}. Look with list_dir."
            return [material("file", path, self.files[path])], "ok", path
        status, _, reason = self.fetch_decision.partition(": ")
        if status != "ok":
            return [], status, reason
        url = arguments["url"]
        return [material("page", url, self.pages[url], "Some page")], "ok", url

    def _search(self, role: str, query: str, scope: str = "own") -> list[PromptPassage]:
        """The best passages of one table, or of all tables by their rank at home."""
        if scope == "own" and role != "assistant":
            return [passage for _, passage in self._ranked(role, query)]
        ranked = [pair for name in AGENT_NAMES for pair in self._ranked(name, query)]
        enough = max((passage.coverage for _, passage in ranked), default=0.0) / 2
        ranked.sort(key=lambda pair: (pair[1].coverage < enough, pair[0], -pair[1].coverage))
        return [passage for _, passage in ranked[:PASSAGES_A_SEARCH]]

    def _ranked(self, role: str, query: str) -> list[tuple[int, PromptPassage]]:
        """Rank and passage by the idf-weighted share of the query's words."""
        asked = words_of(query).words
        idf = {word.key: self._idf(word) for word in asked}
        total = sum(idf.values())
        scored = []
        for passage in self.passages:
            if passage.agent_name != role:
                continue
            told = self.words_by_id[passage.passage_id]
            matched = sum(idf[word.key] for word in asked if told.has(word))
            if matched:
                scored.append(replace(passage, coverage=matched / total))
        scored.sort(key=lambda passage: (-passage.coverage, passage.passage_id))
        return list(enumerate(scored[:PASSAGES_A_SEARCH], start=1))

    def _idf(self, word: Any) -> float:
        holding = sum(1 for told in self.words_by_id.values() if told.has(word))
        return math.log(1 + len(self.words_by_id) / (1 + holding))

    def _messages(self, role: str, task: str, found: str) -> list[BaseMessage]:
        team = "\n".join(f"{name} | {TITLES[name]} | something" for name in AGENT_NAMES)
        system = (
            f'You are one of a team.\n<you name="{role}" title="{TITLES[role]}"/>\n'
            f"<team>\n{team}\n</team>\n<language>{self.language}</language>"
        )
        points: list[dict[str, str]] = []
        for utterance in self.utterances:
            points = utterance.output["points"] or points
        heard = [name for name in AGENT_NAMES if name in self.order]
        human = "\n".join(
            [
                f"<task>{task}</task>",
                section("brief", self.brief),
                section("question", self.question),
                self._talk(),
                section("points", json.dumps(points, ensure_ascii=False)),
                section("stances", stance_lines(self.as_events())),
                self._person_said(),
                section("sources", self._source_lines()),
                section("files", "\n".join(self.files)),
                f"<heard>{', '.join(heard)}</heard>",
                f'<turn number="{len(self.utterances) + 1}" of="{self.turn_limit}"/>',
                found,
            ]
        )
        return [SystemMessage(content=system), HumanMessage(content=human)]

    def as_events(self) -> list[UtteranceEnded]:
        """The utterances as they would stand in the log."""
        events: list[UtteranceEnded] = []
        for place, spoken in enumerate(self.utterances):
            output = ModelOutput.model_validate(spoken.output)
            points = (*current_points(events), *output.point_values())
            events.append(
                UtteranceEnded(
                    utterance_id=f"run.{place}.{spoken.role}",
                    agent_name=spoken.role,
                    iteration=place,
                    content=output.content,
                    next_agent=output.next_agent,
                    done=output.done,
                    used_rag=1,
                    knows_something=bool(spoken.passages),
                    stances=on_known_points(output.stance_values(), points),
                    points=output.point_values(),
                    cited_ids=tuple(passage.passage_id for passage in spoken.cited),
                    answers_person=place in self.said,
                )
            )
        return events

    def _person_said(self) -> str:
        words = self.said.get(len(self.utterances), "")
        told = section("words", words, to="") if words else ""
        return f"<person_said>\n{told}\n</person_said>"

    def _talk(self) -> str:
        spoken = [*self.earlier_talk, *((u.role, u.content) for u in self.utterances)]
        lines = []
        for number, (by, text) in enumerate(spoken, start=1):
            lines.append(section("utterance", text, by=by, turn=str(number)))
        return "<talk>\n" + "\n".join(lines) + "\n</talk>"

    def _found(
        self, passages: Iterable[PromptPassage], results: Iterable[tuple[str, str, str]]
    ) -> str:
        shown = "\n".join(
            section("result", text, tool=tool, status=status, call="c")
            for tool, status, text in results
        )
        return (
            f"<passages>\n{_passage_lines(passages)}\n</passages>\n"
            f"<tool_results>\n{shown}\n</tool_results>\n"
            f"<earlier_evidence>\n{_passage_lines(self._earlier_evidence())}\n</earlier_evidence>"
        )

    def _source_lines(self) -> str:
        cited = self._earlier_evidence()
        return "\n".join(f"{item.passage_id} | {item.title} | {item.source}" for item in cited)

    def _earlier_evidence(self) -> list[PromptPassage]:
        cited = {}
        for utterance in self.utterances:
            for passage in utterance.cited:
                cited[passage.passage_id] = passage
        return list(cited.values())


def material(kind: str, source: str, text: str, title: str = "") -> PromptPassage:
    """A file or a page as it stands in a tool's evidence."""
    digest = hashlib.sha256(f"{source}{text}".encode()).hexdigest()
    return PromptPassage(
        passage_id=f"{kind}_{digest[:12]}",
        agent_name="",
        title=title or source,
        source=source,
        language="en" if text.isascii() else "zh",
        coverage=1.0,
        content=text,
    )


def _passage_lines(passages: Iterable[PromptPassage]) -> str:
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


def _tool_message(
    call: Any, evidence: Sequence[PromptPassage], status: str, data: str = ""
) -> ToolMessage:
    listed = []
    for passage in evidence:
        listed.append(
            {
                "passage_id": passage.passage_id,
                "agent_name": passage.agent_name,
                "title": passage.title,
                "source": passage.source,
                "language": passage.language,
                "content": passage.content,
                "coverage": passage.coverage,
            }
        )
    envelope = {"tool": call["name"], "status": status, "request": call["args"], "evidence": listed}
    if data:
        envelope["data"] = json.loads(data)
    return ToolMessage(
        content=json.dumps(envelope, ensure_ascii=False), tool_call_id=call["id"], name=call["name"]
    )
