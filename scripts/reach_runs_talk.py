"""A long discussion to measure with: every turn finds something new and says something new."""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolCall

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.events import PassageEvidence
from meetmind.llm.prompt_sections import PromptSections, read_sections
from meetmind.llm.scripted import ScriptedChatModel, ScriptedStep
from tests.support.room import Found, Room

SYLLABLES = ("ba", "co", "di", "fu", "ge", "ha", "ki", "lo", "mu", "ne", "po", "ra", "si", "tu")
VOCABULARY = 3000
PASSAGES_A_SEARCH = 5
PASSAGE_WORDS = 120


class LongTalkModel(ScriptedChatModel):
    """One search a turn, then so many new words with a citation; closes only when asked to.

    It remembers no request, so that memory can be measured beside it.
    """

    utterance_words: int = 45
    closes_after: int = 1000
    """The architect closes at its first turn from this one on, counted from 1."""

    def _next_step(self, messages: Sequence[BaseMessage], options: dict[str, Any]) -> ScriptedStep:
        sections = read_sections(messages)
        if sections.task == "rewrite":
            answer = {"rewritten_query": sections.brief, "expansion_terms": []}
            return ScriptedStep(message=AIMessage(content=json.dumps(answer)))
        if sections.task == "look_up":
            return ScriptedStep(message=_look_up(sections))
        return ScriptedStep(message=AIMessage(content=self._spoken(sections)))

    def _spoken(self, sections: PromptSections) -> str:
        me = "" if sections.you is None else sections.you.name
        turn = sections.turn_number
        is_closing = me == AGENT_NAMES[0] and turn >= self.closes_after
        state = "settled" if is_closing else "open"
        points = [
            {
                "id": f"P{n}",
                "question": f"What holds for part {n}?",
                "state": state,
                "reason": "said",
            }
            for n in (1, 2)
        ]
        cited = f" [{sections.passages[0].passage_id}]" if sections.passages else ""
        following = AGENT_NAMES[(AGENT_NAMES.index(me) + 1) % len(AGENT_NAMES)] if me else ""
        answer = {
            "content": new_words(f"{me} {turn}", self.utterance_words) + cited,
            "next_agent": following,
            "done": is_closing,
            "handover_reason": "the next part is theirs",
            "stances": [
                {"point_id": "P1", "stance": "agree", "why": "it fits", "changed_because": "news"}
            ],
            "points": points if me == AGENT_NAMES[0] else [],
        }
        return json.dumps(answer)


def _look_up(sections: PromptSections) -> AIMessage:
    if sections.asked_calls:
        return AIMessage(content="Looked up.")
    query = f"part {sections.turn_number} of {sections.brief[:40]}"
    call = ToolCall(name="rag_search", args={"query": query}, id="call_0", type="tool_call")
    return AIMessage(content="", tool_calls=[call])


def new_words(seed: str, count: int) -> str:
    """So many made-up words that no other seed gives in this order."""
    chance = random.Random(seed)
    words = []
    for _ in range(count):
        number = chance.randrange(VOCABULARY)
        word = "".join(SYLLABLES[number // 14**place % 14] for place in range(3))
        words.append(word)
    return " ".join(words)


@dataclass(kw_only=True)
class MeasuringRoom(Room):
    """A room whose searches always find passages that nobody has seen before."""

    searches: int = field(default=0)

    def search(self, agent_name: str | None, query: str, terms: Sequence[str]) -> Found:
        self.searches += 1
        passages = []
        for rank in range(1, PASSAGES_A_SEARCH + 1):
            seed = f"{self.searches} {rank}"
            name = agent_name or AGENT_NAMES[0]
            passages.append(
                PassageEvidence(
                    passage_id=f"{name}_{self.searches * 10 + rank:012x}",
                    agent_name=name,
                    title=f"Handbook {seed}",
                    source=f"{name}.md",
                    locator="1",
                    language="en",
                    content=new_words(seed, PASSAGE_WORDS),
                    rank=rank,
                    coverage=0.8,
                )
            )
        return Found(passages=tuple(passages))
