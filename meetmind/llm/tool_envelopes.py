"""Reads the JSON envelope that every tool returns back out of a tool message."""

import json
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import ToolMessage


@dataclass(frozen=True, kw_only=True)
class PromptPassage:
    """A passage as a prompt shows it; scores that a prompt does not give are 0.

    What was read of a file or a page belongs to no role: its `agent_name` is empty.
    """

    passage_id: str
    agent_name: str
    title: str
    source: str
    language: str
    coverage: float
    content: str
    locator: str = ""
    rank: int = 0
    matched_terms: tuple[str, ...] = ()

    @property
    def is_of_a_role(self) -> bool:
        """Whether it stands in a role's table; files and pages do not."""
        return bool(self.agent_name)


@dataclass(frozen=True, kw_only=True)
class ToolEnvelope:
    """What a tool returned; any other message has status `error` and its text in `error`."""

    call_id: str
    tool: str
    status: str
    request: dict[str, Any] = field(default_factory=dict)
    data: Any = None
    evidence: tuple[PromptPassage, ...] = ()
    diagnostics: Any = None
    error_code: str = ""
    error: str = ""


def read_envelope(message: ToolMessage) -> ToolEnvelope:
    """The envelope in a tool message, whatever a tool really wrote there."""
    try:
        parsed = json.loads(message.text)
    except json.JSONDecodeError:
        parsed = None
    if not isinstance(parsed, dict) or "status" not in parsed:
        return ToolEnvelope(
            call_id=message.tool_call_id,
            tool=message.name or "",
            status="error",
            error=message.text,
        )
    request = parsed.get("request")
    return ToolEnvelope(
        call_id=message.tool_call_id,
        tool=str(parsed.get("tool") or message.name or ""),
        status=str(parsed["status"]),
        request=request if isinstance(request, dict) else {},
        data=parsed.get("data"),
        evidence=_evidence(parsed.get("evidence")),
        diagnostics=parsed.get("diagnostics"),
        error_code=str(parsed.get("error_code") or ""),
        error=str(parsed.get("error") or ""),
    )


def _evidence(listed: Any) -> tuple[PromptPassage, ...]:
    passages = []
    for entry in listed if isinstance(listed, list) else []:
        if isinstance(entry, dict) and entry.get("passage_id"):
            passages.append(_passage(entry))
    return tuple(passages)


def _passage(entry: dict[str, Any]) -> PromptPassage:
    terms = entry.get("matched_terms")
    return PromptPassage(
        passage_id=str(entry["passage_id"]),
        agent_name=str(entry.get("agent_name", "")),
        title=str(entry.get("title", "")),
        source=str(entry.get("source", "")),
        language=str(entry.get("language", "")),
        coverage=float(entry.get("coverage") or 0.0),
        content=str(entry.get("content", "")),
        locator=str(entry.get("locator", "")),
        rank=int(entry.get("rank") or 0),
        matched_terms=tuple(str(term) for term in terms) if isinstance(terms, list) else (),
    )
