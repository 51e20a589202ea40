"""The check before any tool call: who may run at once, what is asked about, what is refused."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.tools import BaseTool
from pydantic import BaseModel, ValidationError

from meetmind.events import Risk, Verdict
from meetmind.tools.tool_register import risk_of

MAX_CALLS_A_TURN = 24


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


def rule_on_call(
    *,
    tool: BaseTool | None,
    tool_name: str,
    arguments: Mapping[str, Any],
    earlier_hashes: Sequence[str],
) -> Ruling:
    """Judge one call; `earlier_hashes` are the `arguments_sha256` of this turn's earlier calls."""
    if tool is None:
        return _refused("unknown_tool", f"There is no tool named {tool_name!r}. Go on without it.")
    risk = risk_of(tool)
    wrong = _wrong_arguments(tool, arguments)
    if wrong:
        return _refused("bad_arguments", f"The arguments do not fit: {wrong}. Correct them.", risk)
    if arguments_sha256(tool_name, arguments) in earlier_hashes:
        return _refused(
            "same_call_again",
            "You made this very call in this turn already. Use its result or ask something else.",
            risk,
        )
    if len(earlier_hashes) >= MAX_CALLS_A_TURN:
        return _refused(
            "too_many_calls",
            "This turn has used up its tool calls. Speak with what you have.",
            risk,
        )
    verdict: Verdict = "allowed" if risk == "low" else "asked"
    return Ruling(verdict=verdict, risk=risk)


def _refused(code: str, sentence: str, risk: Risk = "low") -> Ruling:
    return Ruling(verdict="refused", risk=risk, code=code, sentence=sentence)


def _wrong_arguments(tool: BaseTool, arguments: Mapping[str, Any]) -> str:
    schema = tool.args_schema
    if not isinstance(schema, type) or not issubclass(schema, BaseModel):
        return ""
    try:
        schema.model_validate(dict(arguments))
    except ValidationError as error:
        faults = error.errors(include_input=False, include_url=False)
        return "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in faults)
    return ""
