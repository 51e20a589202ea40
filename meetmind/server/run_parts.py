"""What the executor works with."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from psycopg_pool import ConnectionPool

from meetmind.config.settings import Settings
from meetmind.server.models import Models
from meetmind.server.recall import Recall
from meetmind.server.searches import Search
from meetmind.tools.net_auth import NetAuthority
from meetmind.tools.tool_register import ToolRegister
from meetmind.tracing.recorder import SpanRecorder


@dataclass(frozen=True, kw_only=True)
class ExecutionParts:
    """What the executor works with."""

    settings: Settings
    pool: ConnectionPool
    conninfo: str
    models: Models
    search: Search
    classify: Callable[[str], Any]
    register: Callable[[], ToolRegister]
    """The tools as they are now; a run keeps those with which it began."""
    spans: SpanRecorder
    net: NetAuthority
    wait_for_tools: Callable[[], object] = lambda: None
    """Blocks, within bounds, until servers have said what tools they offer."""
    recall: Recall | None = None
    """Embeds what was said once a pass is over."""


def workspace_of(settings: Settings, session_id: str) -> Path:
    """The folder in which a discussion's tools may write."""
    return settings.meetmind_home / "workspaces" / session_id
