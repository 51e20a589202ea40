"""The check before any tool call: who may run at once, what is asked about, what is refused."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from langchain_core.tools import BaseTool

from meetmind.events import Risk, Verdict
from meetmind.tools.argument_check import wrong_arguments
from meetmind.tools.ask_person_tool import ASK_PERSON
from meetmind.tools.past_calls import PastCalls, target_of
from meetmind.tools.tool_register import risk_of

MAX_CALLS_A_TURN = 24
MAX_CALLS_A_RUN = 400
MAX_ASKED_A_TURN = 6
"""More cards at once than this nobody reads."""
MAX_ASKED_A_RUN = 40
WEB_FETCH = "web_fetch"
MAX_QUESTIONS_A_RUN = 2
"""More questions than this make the person do the team's work."""


@dataclass(frozen=True, kw_only=True)
class Ruling:
    """What the policy says to one call; `sentence` tells the role what to do instead."""

    verdict: Verdict
    risk: Risk
    code: str = ""
    sentence: str = ""


def arguments_sha256(tool: str, arguments: Mapping[str, Any]) -> str:
    """A hash of the tool and its canonical arguments; `why` says nothing about the effect."""
    effective = {key: value for key, value in arguments.items() if key != "why"}
    canonical = json.dumps([tool, effective], sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(canonical.encode("utf-8", "replace")).hexdigest()


def grant_scope(tool_name: str, arguments: Mapping[str, Any]) -> str:
    """How far "allow for this discussion" reaches: a fetch for one host, other tools as a whole."""
    if tool_name != WEB_FETCH:
        return ""
    try:
        return (urlsplit(str(arguments.get("url", ""))).hostname or "").lower()
    except ValueError:
        return ""


def rule_on_call(
    *, tool: BaseTool | None, tool_name: str, arguments: Mapping[str, Any], past: PastCalls
) -> Ruling:
    """Judge one call by itself and by what the run has asked for before."""
    if tool is None:
        return _refused("unknown_tool", f"There is no tool named {tool_name!r}. Go on without it.")
    risk = risk_of(tool)
    sha256 = arguments_sha256(tool_name, arguments)
    ruling = _ruling_on_repetition(tool_name, arguments, sha256, risk, past)
    if ruling is None:
        ruling = _ruling_on_bounds(risk, past)
    if ruling is not None:
        return ruling
    wrong = wrong_arguments(tool, arguments)
    if wrong:
        return _refused("bad_arguments", f"The arguments do not fit: {wrong}. Correct them.", risk)
    if tool_name == ASK_PERSON:
        ruling = _ruling_on_question(target_of(arguments), risk, past)
        if ruling is not None:
            return ruling
    verdict: Verdict = "allowed" if risk == "low" else "asked"
    return Ruling(verdict=verdict, risk=risk)


def _ruling_on_repetition(
    tool_name: str, arguments: Mapping[str, Any], sha256: str, risk: Risk, past: PastCalls
) -> Ruling | None:
    if past.times_rejected(sha256) >= 2:
        return _refused(
            "rejected_twice",
            "A person rejected this very call twice in this discussion round. Go on without it.",
            risk,
        )
    if past.stands_already(sha256):
        return _refused(
            "same_call_again",
            "You made this very call in this turn already. Use its result or ask something else.",
            risk,
        )
    alike = past.failed_alike(tool_name, target_of(arguments))
    if alike:
        return _refused(
            "failed_twice",
            f"{tool_name} failed twice in the same way in this turn ({alike}). "
            "Do not try it a third time: go on with what you have and say what is missing.",
            risk,
        )
    return None


def _ruling_on_bounds(risk: Risk, past: PastCalls) -> Ruling | None:
    of_this_turn = past.of_this_turn
    if len(of_this_turn) >= MAX_CALLS_A_TURN:
        return _refused(
            "too_many_calls",
            "This turn has used up its tool calls. Speak with what you have.",
            risk,
        )
    if len(past.calls) >= MAX_CALLS_A_RUN:
        return _refused(
            "too_many_calls_a_run",
            "This discussion round has used up its tool calls. Speak with what you have.",
            risk,
        )
    if risk == "low":
        return None
    asked_in_turn = [call for call in of_this_turn if call.was_asked]
    asked_in_run = [call for call in past.calls if call.was_asked]
    if len(asked_in_turn) >= MAX_ASKED_A_TURN or len(asked_in_run) >= MAX_ASKED_A_RUN:
        return _refused(
            "too_many_questions",
            "A person has been asked about enough calls already. Go on without this one.",
            risk,
        )
    return None


def _ruling_on_question(question: str, risk: Risk, past: PastCalls) -> Ruling | None:
    """Few questions, and none of them twice."""
    asked = past.put_to_person(ASK_PERSON)
    if _plain(question) in [_plain(earlier) for earlier in asked]:
        return _refused(
            "asked_before",
            "The person was asked this already in this discussion round. Use that answer.",
            risk,
        )
    if len(asked) >= MAX_QUESTIONS_A_RUN:
        return _refused(
            "asked_enough",
            "The person has been asked enough questions in this discussion round. "
            "Choose the most sensible assumption and say that it is one.",
            risk,
        )
    return None


def _plain(question: str) -> str:
    """A question without what tells nothing: case, spaces and punctuation."""
    return "".join(sign for sign in question.casefold() if sign.isalnum())


def _refused(code: str, sentence: str, risk: Risk = "low") -> Ruling:
    return Ruling(verdict="refused", risk=risk, code=code, sentence=sentence)
