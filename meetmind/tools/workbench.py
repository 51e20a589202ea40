"""What a tool call finds on its bench: who calls, what it may search, read, change and fetch."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from langchain_core.runnables import RunnableConfig

from meetmind.errors import ToolError
from meetmind.events import PassageEvidence
from meetmind.tools.net_auth import NetAuthority


class SearchResult(Protocol):
    """What a search of the knowledge returns."""

    @property
    def passages(self) -> tuple[PassageEvidence, ...]:
        """The best passages, best first."""

    @property
    def mode(self) -> str:
        """The recall paths and the ranker that really ran."""

    @property
    def degraded(self) -> tuple[str, ...]:
        """What could not take part, and why."""

    @property
    def search_ids(self) -> tuple[str, ...]:
        """Under which ids the numbers of the search are kept."""


class KnowledgeSearch(Protocol):
    """Searches a role's table, or every table when `agent_name` is None."""

    def __call__(
        self, agent_name: str | None, query: str, expansion_terms: Sequence[str]
    ) -> SearchResult:
        """The best passages for a query; blocks, so async code calls it in a thread."""


@dataclass(frozen=True, kw_only=True)
class Workbench:
    """Handed to every tool in `config["configurable"]["workbench"]`; never stored anywhere."""

    agent_name: str
    """The calling role; the assistant searches all tables."""
    search: KnowledgeSearch
    search_slots: asyncio.Semaphore
    """Bounds how many searches block a thread at once."""
    expansion_terms: tuple[str, ...]
    workspace: Path
    """The session's folder; file tools stay inside it."""
    read_folders: Mapping[str, Path] = field(default_factory=dict)
    """Folders that an administrator opened for reading, by the name in `@name/...`."""
    language: str = "en"
    """The language of the brief."""
    net: NetAuthority = field(default_factory=NetAuthority)
    """The only way to web pages."""


def current_workbench(config: RunnableConfig) -> Workbench:
    """The bench of this call; raises `ToolError` outside a turn."""
    workbench = config.get("configurable", {}).get("workbench")
    if not isinstance(workbench, Workbench):
        raise ToolError("This tool works only inside a discussion.")
    return workbench
