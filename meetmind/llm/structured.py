"""The ladder of ways to obtain a structured answer, and the strict reading of what comes back.

Servers differ in what they support, so every request also carries the schema in its text, and the
answer is read the same way on every rung.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables import Runnable

from meetmind.clean_text import clean_value
from meetmind.llm.cleaning import clean_unfinished

RUNGS = ("json_schema", "json_object", "function_calling", "required_tool", "text")
TOOL_RUNGS = ("function_calling", "required_tool")
LAST_RUNG = RUNGS[-1]

_ANSWER_FORMAT = """

<answer_format>
Answer with one JSON object and nothing else: no fence, no words before or after it.
Write its fields in the order of this JSON schema:
{schema}
</answer_format>"""

_DECODER = json.JSONDecoder(strict=False)
_FENCE = re.compile(r"```(?:json)?\s*(.*?)\s*```", re.DOTALL)
_STRING_BODY = re.compile(r'(?:[^"\\]++|\\u[0-9a-fA-F]{4}|\\[^u])*+')
_MOST_OBJECTS_LOOKED_AT = 20

AskedModel = Runnable[LanguageModelInput, AIMessage]


def rungs_from(rung: str) -> list[str]:
    """This rung and those below it; all of them for an unknown one."""
    start = RUNGS.index(rung) if rung in RUNGS else 0
    return list(RUNGS[start:])


def bound_to_rung(model: BaseChatModel, rung: str, schema: dict[str, Any]) -> AskedModel:
    """The model, set to ask for the schema in the way of this rung."""
    name = str(schema.get("title", "answer"))
    if rung == "json_schema":
        wanted = {"type": "json_schema", "json_schema": {"name": name, "schema": schema}}
        return model.bind(response_format=wanted)
    if rung == "json_object":
        return model.bind(response_format={"type": "json_object"})
    if rung in TOOL_RUNGS:
        tool = {"type": "function", "function": {"name": name, "parameters": schema}}
        choice = name if rung == "function_calling" else "required"
        return model.bind_tools([tool], tool_choice=choice)
    return model


def with_schema(messages: Sequence[BaseMessage], schema: dict[str, Any]) -> list[BaseMessage]:
    """The messages with the schema at the end of the last human one.

    A message of its own would break servers whose templates want speakers to alternate.
    """
    shown = json.dumps(schema, ensure_ascii=False)
    wish = _ANSWER_FORMAT.format(schema=shown)
    asked = list(messages)
    if asked and isinstance(asked[-1], HumanMessage):
        asked[-1] = HumanMessage(content=asked[-1].text + wish)
    else:
        asked.append(HumanMessage(content=wish.strip()))
    return asked


def essential_field(schema: dict[str, Any], streamed_field: str) -> str:
    """The field without which an answer is none: the streamed one, else the first required one."""
    if streamed_field:
        return streamed_field
    required = schema.get("required") or [""]
    return str(required[0])


def read_object(text: str, essential: str) -> dict[str, Any] | None:
    """The JSON object in an answer, complete as it was written; None when there is none.

    It may stand in a fence or between other words, but nothing is added to make it valid. Optional
    fields may be missing or odd: whoever uses them reads them with patience.
    """
    fenced = _FENCE.search(text)
    candidates = [text] if fenced is None else [fenced[1], text]
    for candidate in candidates:
        found = _first_object(candidate, essential)
        if found is not None:
            return found
    return None


def _first_object(text: str, essential: str) -> dict[str, Any] | None:
    position = text.find("{")
    for _ in range(_MOST_OBJECTS_LOOKED_AT):
        if position < 0:
            return None
        try:
            parsed, _ = _DECODER.raw_decode(text, position)
        except (json.JSONDecodeError, RecursionError):
            parsed = None
        if _fits(parsed, essential):
            cleaned: dict[str, Any] = clean_value(parsed)
            return cleaned
        position = text.find("{", position + 1)
    return None


def _fits(parsed: Any, essential: str) -> bool:
    if not isinstance(parsed, dict):
        return False
    words = parsed.get(essential)
    return isinstance(words, str) and bool(words.strip())


def field_so_far(text: str, field: str) -> str:
    """What has arrived of one string field of a JSON object that is still being written."""
    opening = re.search(rf'[{{,]\s*"{re.escape(field)}"\s*:\s*"', text)
    if opening is None:
        return ""
    body = _STRING_BODY.match(text, opening.end())
    raw = body[0] if body is not None else ""
    try:
        words, _ = _DECODER.raw_decode(f'"{raw}"')
    except json.JSONDecodeError:
        return ""
    return clean_unfinished(str(words))


def completed_field(text: str, field: str) -> str:
    """The words of a string field whose closing mark has arrived; empty when it has not."""
    opening = re.search(rf'[{{,]\s*"{re.escape(field)}"\s*:\s*"', text)
    if opening is None:
        return ""
    body = _STRING_BODY.match(text, opening.end())
    is_closed = body is not None and text[body.end() : body.end() + 1] == '"'
    return field_so_far(text, field).strip() if is_closed else ""


def kept_text(text: str, field: str) -> str:
    """What to keep of an answer without a valid object: the field's words if any, else all."""
    words = field_so_far(text, field).strip() if field else ""
    if words:
        return words
    fenced = _FENCE.fullmatch(text.strip())
    return fenced[1] if fenced is not None else text.strip()
