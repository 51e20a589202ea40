"""Answers by rule: a pure function of roster, passages and marked phrases in a prompt.

Marked phrases are obeyed, which a real model must never do; so they also stand in for a model that
falls for an injected order:

    [[call: Write path=notes.md content="two words"]]   ask for a tool while looking things up
    [[next: tester]]                                     hand over to this role
    [[object: P1]]                                       object on this point
    [[object: P1 without remedy]]                        object and name nothing to resolve it
    [[agree: P1 because new figures]]                    agree, and say what changed your mind
    [[first_opinions]]                                   ask for first opinions
    [[thanks]]                                           be polite and say nothing else
    [[leave_open: P1 nobody has the figures]]            record a point as open, with the reason
    [[say: any words]]                                   say this as well
    [[done]]                                             ask for the end

`[[@tester object: P1]]` is for one role alone, wherever it stands. Without a name, phrases in the
brief are for the first speaker, those in the latest utterance for the next one, and those in a
passage, a file or a page for whoever found it. A model that obeys everything it reads takes the
nameless phrases of every text for its own: of memory, tool results and tool descriptions too.
"""

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, ToolCall

from meetmind.events import Point
from meetmind.llm.prompt_sections import PromptSections
from meetmind.llm.tool_envelopes import PromptPassage

LEADER = "architect"
SEARCH = "rag_search"
QUOTED_PASSAGES = 2
QUOTED_CHARACTERS = 160

_PHRASE = re.compile(
    r"\[\[(?:@(?P<role>\w+)\s+)?(?P<verb>[a-z_]+)(?:\s*:\s*(?P<argument>.*?))?\s*\]\]", re.DOTALL
)
_THANKS = {"en": "Thank you all, great work.", "zh": "谢谢大家，说得很好。"}
_NOTHING = {"en": "My knowledge holds nothing on this.", "zh": "我的资料里没有相关内容。"}


@dataclass(frozen=True, kw_only=True)
class Phrase:
    """One marked phrase; `role` is empty when it is for whoever reads it."""

    role: str
    verb: str
    argument: str


def rule_answer(
    sections: PromptSections, tool_names: Sequence[str], also_obeyed: Sequence[str] = ()
) -> AIMessage:
    """The answer to a request, for every task of the prompt contract.

    `also_obeyed` are further texts whose phrases count.
    """
    phrases = obeyed_phrases(sections, also_obeyed)
    if sections.task == "look_up":
        return _look_up(sections, tool_names, phrases)
    if sections.task == "speak":
        return _as_json(_turn(sections, phrases))
    if sections.task == "rewrite":
        return _as_json({"rewritten_query": sections.brief, "expansion_terms": []})
    if sections.task == "compact":
        return AIMessage(content=_summary(sections))
    return AIMessage(content=_words(sections, phrases))


def phrases_in(text: str) -> list[Phrase]:
    """The marked phrases of a text, in order."""
    phrases = []
    for found in _PHRASE.finditer(text):
        phrase = Phrase(
            role=found["role"] or "", verb=found["verb"], argument=(found["argument"] or "").strip()
        )
        phrases.append(phrase)
    return phrases


def obeyed_phrases(sections: PromptSections, also_obeyed: Sequence[str] = ()) -> list[Phrase]:
    """The phrases that are for this speaker, in the order of brief, talk, passages and the rest."""
    obeyed: list[Phrase] = []
    for text, is_for_reader in _readable(sections, also_obeyed):
        for phrase in phrases_in(text):
            is_named = bool(phrase.role) and phrase.role == _name(sections)
            is_for_me = is_named or (is_for_reader and not phrase.role)
            if is_for_me and phrase not in obeyed:
                obeyed.append(phrase)
    return obeyed


def _readable(sections: PromptSections, also_obeyed: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Every text of the prompt, and whether its nameless phrases are for this speaker."""
    yield sections.brief, not sections.heard and sections.turn_number <= 1
    last = len(sections.talk) - 1
    for place, utterance in enumerate(sections.talk):
        yield utterance.text, place == last and utterance.by in sections.heard
    for passage in _found_passages(sections):
        yield passage.content, True
    for text in also_obeyed:
        yield text, True


def _found_passages(sections: PromptSections) -> Iterator[PromptPassage]:
    yield from sections.passages
    for envelope in sections.tool_messages:
        yield from envelope.evidence


def _name(sections: PromptSections) -> str:
    return sections.you.name if sections.you is not None else ""


def _as_json(value: dict[str, Any]) -> AIMessage:
    return AIMessage(content=json.dumps(value, ensure_ascii=False))


def _look_up(
    sections: PromptSections, tool_names: Sequence[str], phrases: Sequence[Phrase]
) -> AIMessage:
    """One search, then the calls that phrases ask for, then the end of the loop."""
    wanted: list[tuple[str, dict[str, Any]]] = []
    has_searched = any(call.tool == SEARCH for call in sections.asked_calls)
    if SEARCH in tool_names and not has_searched:
        wanted.append((SEARCH, {"query": sections.question or sections.brief}))
    else:
        wanted.extend(_calls_left(sections, phrases))
    calls = []
    for number, (tool, arguments) in enumerate(wanted, start=len(sections.asked_calls)):
        calls.append(ToolCall(name=tool, args=arguments, id=f"call_{number}", type="tool_call"))
    return AIMessage(content="" if calls else "Looked up.", tool_calls=calls)


def _calls_left(
    sections: PromptSections, phrases: Sequence[Phrase]
) -> list[tuple[str, dict[str, Any]]]:
    asked = [(call.tool, call.arguments) for call in sections.asked_calls]
    left: list[tuple[str, dict[str, Any]]] = []
    for phrase in phrases:
        call = _call_in(phrase)
        if call is not None and call not in asked and call not in left:
            left.append(call)
    return left


def _call_in(phrase: Phrase) -> tuple[str, dict[str, Any]] | None:
    """Tool and arguments of `call: Tool name=value ...`; values are JSON where they can be.

    None for another verb, and where a quotation mark is not closed.
    """
    if phrase.verb != "call" or not phrase.argument:
        return None
    try:
        tool, *pairs = shlex.split(phrase.argument)
    except ValueError:
        return None
    arguments = {}
    for pair in pairs:
        name, _, text = pair.partition("=")
        arguments[name] = _value(text)
    return tool, arguments


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _turn(sections: PromptSections, phrases: Sequence[Phrase]) -> dict[str, Any]:
    done = _is_done(sections, phrases)
    return {
        "content": _words(sections, phrases),
        "next_agent": "" if done else _next_agent(sections, phrases),
        "done": done,
        "handover_reason": "" if done else "It is next on the roster.",
        "stances": _stances(sections, phrases),
        "points": _points(sections, phrases, done),
        "first_opinions": any(phrase.verb == "first_opinions" for phrase in phrases),
    }


def _words(sections: PromptSections, phrases: Sequence[Phrase]) -> str:
    """Quotes of the first passages, and what phrases ask to be said; or only politeness."""
    if any(phrase.verb == "thanks" for phrase in phrases):
        return _THANKS.get(sections.language, _THANKS["en"])
    parts = []
    for passage in sections.passages[:QUOTED_PASSAGES]:
        quote = _PHRASE.sub("", passage.content)[:QUOTED_CHARACTERS].strip()
        parts.append(f"{quote} [{passage.passage_id}]")
    if not parts:
        parts.append(_NOTHING.get(sections.language, _NOTHING["en"]))
    for phrase in phrases:
        if phrase.verb == "say":
            parts.append(phrase.argument)
    return "\n".join(parts)


def _summary(sections: PromptSections) -> str:
    """The summary before, and a line an utterance; phrases in them are not said again."""
    lines = [sections.summary] if sections.summary else []
    for utterance in sections.talk:
        lines.append(f"- {utterance.by}: {utterance.text[:QUOTED_CHARACTERS]}")
    return _PHRASE.sub("", "\n".join(lines)).strip()


def _is_done(sections: PromptSections, phrases: Sequence[Phrase]) -> bool:
    """Asked for, or the leader speaks and everybody has been heard."""
    if any(phrase.verb == "done" for phrase in phrases):
        return True
    is_time = not _unheard(sections) or sections.budget_percent > 0
    return _name(sections) == LEADER and is_time and bool(sections.heard)


def _unheard(sections: PromptSections) -> list[str]:
    known = {*sections.heard, _name(sections)}
    return [member.name for member in sections.team if member.name not in known]


def _next_agent(sections: PromptSections, phrases: Sequence[Phrase]) -> str:
    for phrase in phrases:
        if phrase.verb == "next":
            return phrase.argument
    unheard = _unheard(sections)
    return unheard[0] if unheard else LEADER


def _stances(sections: PromptSections, phrases: Sequence[Phrase]) -> list[dict[str, str]]:
    """Agreement on every point, but for those on which phrases ask for a stance."""
    asked: dict[str, dict[str, str]] = {}
    for phrase in phrases:
        if phrase.verb in ("object", "agree") and phrase.argument:
            point_id, _, rest = phrase.argument.partition(" ")
            asked[point_id] = _asked_stance(phrase.verb, point_id, rest)
    stances = []
    for point in sections.points:
        if point.id not in asked:
            stances.append({"point_id": point.id, "stance": "agree", "why": "Nothing against it."})
    return [*stances, *asked.values()]


def _asked_stance(verb: str, point_id: str, rest: str) -> dict[str, str]:
    stance = {"point_id": point_id, "stance": verb, "why": "A marked phrase says so."}
    if verb == "object" and rest != "without remedy":
        stance["resolves_if"] = "The phrase is taken out."
    if rest.startswith("because "):
        stance["changed_because"] = rest.removeprefix("because ")
    return stance


def _points(
    sections: PromptSections, phrases: Sequence[Phrase], done: bool
) -> list[dict[str, str]]:
    """The leader opens with one point, the question itself, and settles all at the end."""
    if _name(sections) != LEADER:
        return []
    reason_by_id: dict[str, str] = {}
    for phrase in phrases:
        if phrase.verb == "leave_open":
            point_id, _, reason = phrase.argument.partition(" ")
            reason_by_id[point_id] = reason
    points = []
    for point in sections.points or (_whole_question(sections),):
        state, reason = ("settled", "Everybody was heard.") if done else (point.state, point.reason)
        if point.id in reason_by_id:
            state, reason = "recorded_open", reason_by_id[point.id]
        entry = {"id": point.id, "question": point.question, "state": state, "reason": reason}
        points.append(entry)
    return points


def _whole_question(sections: PromptSections) -> Point:
    return Point(id="P1", question=sections.question or sections.brief)
