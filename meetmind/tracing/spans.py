"""What a span is: one piece of work of a run, with its beginning and its end."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

SpanKind = Literal[
    "graph_node",
    "context",
    "model_call",
    "tool_call",
    "guard",
    "postprocess",
    "retrieval",
    "approval",
]


@dataclass(frozen=True, kw_only=True)
class Span:
    """One piece of work of a run."""

    run_id: str
    kind: SpanKind
    name: str
    """What did the work: a tool, a node, a model."""
    utterance_id: str = ""
    call_id: str = ""
    status: str = ""
    """How it ended, such as `ok`, `refused` or `rejected`."""
    began_at: datetime
    ended_at: datetime
    details: Mapping[str, Any] = field(default_factory=dict)
    """JSON values; secrets are masked before they are stored."""
