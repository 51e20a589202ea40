"""Straightens replies of servers that speak the OpenAI protocol with an accent.

Seen in the wild: tool-call deltas without `index`, all with index 0, with the name or the id
repeated in every delta, without an id at all; arguments as an object; content as a list of blocks;
empty or missing `choices`; `delta: null`; a `message` where a `delta` belongs.
"""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_THOUGHTS = ("thinking", "reasoning", "redacted_thinking")
"""Types of blocks that hold no words for the reader."""


@dataclass(kw_only=True)
class _OpenCall:
    """One tool call that is arriving in pieces."""

    id: str
    name: str = ""
    arguments: str = ""


class DeltaRepair:
    """Repairs the chunks of one stream; remembers its tool calls, so use a new one for each."""

    def __init__(self) -> None:
        self._calls: list[_OpenCall] = []
        self._place_by_index: dict[int, int] = {}
        self._has_words = False
        self._has_refused = False

    @property
    def has_only_refused(self) -> bool:
        """Whether the stream held a refusal in the field for it, and nothing else."""
        return self._has_refused and not self._has_words and not self._calls

    def repaired(self, chunk: Mapping[str, Any]) -> dict[str, Any]:
        """The chunk with at most one choice, a delta in it, and usage that adds up."""
        repaired = {**chunk, "choices": [], "usage": repaired_usage(chunk.get("usage"))}
        for choice in _choices(chunk):
            source = choice.get("delta") or choice.get("message") or {}
            delta = {**source, "content": content_text(source.get("content"))}
            delta["tool_calls"] = self._repaired_calls(source.get("tool_calls"))
            self._has_words = self._has_words or bool(delta["content"])
            self._has_refused = self._has_refused or bool(source.get("refusal"))
            repaired["choices"] = [{**choice, "delta": delta}]
        return repaired

    def _repaired_calls(self, listed: Any) -> list[dict[str, Any]]:
        repaired = []
        for call in listed if isinstance(listed, list) else []:
            if isinstance(call, Mapping):
                repaired.append(self._repaired_call(call))
        return repaired

    def _repaired_call(self, call: Mapping[str, Any]) -> dict[str, Any]:
        """The piece with its true place; id and name stand in one piece of a call only."""
        function = call.get("function") or {}
        name = str(function.get("name") or "")
        call_id = str(call.get("id") or "")
        place = self._place_of(call.get("index"), call_id, name)
        is_new = place == len(self._calls)
        if is_new:
            self._calls.append(_OpenCall(id=call_id or new_call_id()))
        known = self._calls[place]
        more_arguments = arguments_text(function.get("arguments"))
        known.arguments += more_arguments
        is_first_name = bool(name) and not known.name
        if is_first_name:
            known.name = name
        return {
            "index": place,
            "id": known.id if is_new else None,
            "type": "function",
            "function": {"name": name if is_first_name else None, "arguments": more_arguments},
        }

    def _place_of(self, index: Any, call_id: str, name: str) -> int:
        """Which call a piece belongs to; one past the last for a new one."""
        for place, known in enumerate(self._calls):
            if call_id and known.id == call_id:
                return place
        new_place = len(self._calls)
        if isinstance(index, int):
            place = self._place_by_index.get(index, new_place)
        else:
            place = max(new_place - 1, 0)
        if place < new_place and self._begins_another(self._calls[place], call_id, name):
            place = new_place
        if isinstance(index, int):
            self._place_by_index[index] = place
        return place

    def _begins_another(self, known: _OpenCall, call_id: str, name: str) -> bool:
        """A piece with a name begins a new call unless the server merely repeats that name."""
        if not name or not known.name:
            return False
        return bool(call_id) or name != known.name or _is_whole(known.arguments)


def repaired_completion(completion: Mapping[str, Any]) -> dict[str, Any]:
    """A whole reply with at most one choice, plain text and well-formed tool calls."""
    repaired = {**completion, "choices": [], "usage": repaired_usage(completion.get("usage"))}
    for choice in _choices(completion):
        source = choice.get("message") or {}
        message = {**source, "role": "assistant", "content": content_text(source.get("content"))}
        message["tool_calls"] = _whole_calls(source.get("tool_calls"))
        repaired["choices"] = [{**choice, "message": message}]
    return repaired


def _whole_calls(listed: Any) -> list[dict[str, Any]]:
    calls = []
    for call in listed if isinstance(listed, list) else []:
        if not isinstance(call, Mapping):
            continue
        function = call.get("function") or {}
        wanted = {
            "name": str(function.get("name") or ""),
            "arguments": whole_arguments(function.get("arguments")),
        }
        call_id = str(call.get("id") or "") or new_call_id()
        calls.append({"id": call_id, "type": "function", "function": wanted})
    return calls


def content_text(content: Any) -> str:
    """The text of a content field: a string, or the text blocks of a list."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = []
    for block in content:
        if isinstance(block, str):
            texts.append(block)
        elif isinstance(block, Mapping) and _is_spoken(block):
            texts.append(block["text"])
    return "".join(texts)


def _is_spoken(block: Mapping[str, Any]) -> bool:
    return isinstance(block.get("text"), str) and block.get("type") not in _THOUGHTS


def arguments_text(arguments: Any) -> str:
    """Tool arguments as the JSON text that the protocol asks for."""
    if arguments is None:
        return ""
    if isinstance(arguments, str):
        return arguments
    return json.dumps(arguments, ensure_ascii=False)


def whole_arguments(arguments: Any) -> str:
    """All arguments of one call as JSON text; what is no object is made unreadable for good.

    Some servers encode the object twice. Any other value would pass for valid JSON and trip up
    whoever expects names.
    """
    text = arguments_text(arguments).strip()
    if text in ("", "null"):
        return "{}"
    value = _parsed(text)
    if isinstance(value, str):
        text, value = value, _parsed(value)
    if value is not None and not isinstance(value, dict):
        return f"no object: {text}"
    return text


def repaired_usage(usage: Any) -> dict[str, Any] | None:
    """Token counts as whole numbers; None where the server gives none."""
    if not isinstance(usage, Mapping):
        return None
    counts = {}
    for name in ("prompt_tokens", "completion_tokens"):
        value = usage.get(name)
        counts[name] = max(value, 0) if isinstance(value, int) else 0
    return {**counts, "total_tokens": sum(counts.values())}


def new_call_id() -> str:
    """An id for a call that the server gave none."""
    return f"call_{uuid.uuid4().hex[:12]}"


def _choices(reply: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The first choice, if there is one."""
    listed = reply.get("choices")
    if not isinstance(listed, list):
        return []
    return [choice for choice in listed[:1] if isinstance(choice, Mapping)]


def _is_whole(arguments: str) -> bool:
    return _parsed(arguments) is not None


def _parsed(text: str) -> Any:
    """The value of a JSON text; None where it is none."""
    try:
        return json.loads(text, strict=False)
    except (json.JSONDecodeError, RecursionError):
        return None
