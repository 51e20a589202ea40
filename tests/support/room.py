"""A room: the real graph and executor over a real database, with a scripted model."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langchain_core.tools import BaseTool
from psycopg_pool import ConnectionPool

from meetmind.config.settings import load_settings
from meetmind.events import DiscussionEvent, LoggedEvent, PassageEvidence, RunEnded, RunWaiting
from meetmind.llm.client import ModelClient
from meetmind.llm.limits import FifoLimiter
from meetmind.llm.retry import RetryPolicy
from meetmind.llm.scripted import ScriptedChatModel, ScriptedStep
from meetmind.llm.server_habits import Endpoint
from meetmind.search_trace import SearchTrace
from meetmind.server.approvals import Approvals
from meetmind.server.discussions import Discussions
from meetmind.server.event_loop import EventLoopThread
from meetmind.server.execution import LocalExecutor
from meetmind.server.models import Models
from meetmind.server.run_parts import ExecutionParts
from meetmind.tools.net_auth import NetAuthority
from meetmind.tools.tool_register import ToolRegister, all_tools
from meetmind.tracing.recorder import SpanRecorder

DEADLINE_SECONDS = 30.0
QUICK_RETRIES = RetryPolicy(first_wait_seconds=0.01, longest_wait_seconds=0.02)


@dataclass(frozen=True, kw_only=True)
class Found:
    """A search result of the stand-in library."""

    passages: tuple[PassageEvidence, ...]
    mode: str = "words, fused"
    degraded: tuple[str, ...] = ()
    traces: tuple[SearchTrace, ...] = ()
    search_ids: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class FixedIntent:
    """What the stand-in classifier says."""

    label: str = "development_requirement"
    score: float = 1.0
    margin: float = 1.0
    rung: str = "rule"


def passage(agent_name: str, number: int = 0, coverage: float = 0.8) -> PassageEvidence:
    return PassageEvidence(
        passage_id=f"{agent_name}_{number:012x}",
        agent_name=agent_name,
        title=f"Handbook of the {agent_name}",
        source=f"{agent_name}.md",
        locator="1",
        language="en",
        content=f"The {agent_name} keeps rule {number}.",
        rank=1,
        coverage=coverage,
    )


@dataclass(kw_only=True)
class Room:
    """Everything a discussion test needs; `reopen` is what a new process would do."""

    pool: ConnectionPool
    database_url: str
    home: Path
    owner_id: str
    models: list[ScriptedChatModel] = field(default_factory=list)
    coverage: float = 0.8
    intent: FixedIntent = field(default_factory=FixedIntent)
    max_iterations: int = 15

    settings: dict[str, str] = field(default_factory=dict)
    """Further settings, as the environment would hold them."""
    tools: list[BaseTool] = field(default_factory=list)
    """Further tools, beside the built-in ones."""
    net: NetAuthority = field(default_factory=NetAuthority)

    def open(self, steps: Sequence[ScriptedStep] = (), **details: Any) -> LocalExecutor:
        model = ScriptedChatModel(steps, **details)
        self.models.append(model)
        return self.open_with(scripted_client(model))

    def open_with(self, client: ModelClient) -> LocalExecutor:
        settings = load_settings(
            {
                "MEETMIND_HOME": str(self.home),
                "MAX_ITERATIONS": str(self.max_iterations),
                **self.settings,
            }
        )
        spans = SpanRecorder(self.pool)
        self.recorders.append(spans)
        parts = ExecutionParts(
            settings=settings,
            pool=self.pool,
            conninfo=self.database_url,
            models=Models(settings, client),
            search=self.search,
            classify=lambda text: self.intent,
            register=lambda: ToolRegister([*all_tools, *self.tools]),
            spans=spans,
            net=self.net,
        )
        executor = LocalExecutor(parts, EventLoopThread())
        self.opened.append(executor)
        return executor

    opened: list[LocalExecutor] = field(default_factory=list)
    recorders: list[SpanRecorder] = field(default_factory=list)

    def close(self) -> None:
        """Close every executor and what it records with."""
        for executor in self.opened:
            executor.close()
        for recorder in self.recorders:
            recorder.close()

    @property
    def approvals(self) -> Approvals:
        return Approvals(self.pool)

    @property
    def workspace(self) -> Path:
        """The folder of the only discussion."""
        (session,) = self.discussions.list_sessions(self.owner_id)
        return self.home / "workspaces" / session.id

    def search(self, agent_name: str | None, query: str, terms: Sequence[str]) -> Found:
        return Found(passages=(passage(agent_name or "backend", coverage=self.coverage),))

    @property
    def discussions(self) -> Discussions:
        return Discussions(self.pool, lambda owner_id, session_id: None)

    def new_session(self) -> str:
        return self.discussions.create_session(self.owner_id, "A discussion")

    def events(self, run_id: str) -> list[DiscussionEvent]:
        logged = self.discussions.events_after(self.owner_id, run_id, 0)
        return [entry.event for entry in logged]

    def wait_for(self, run_id: str, *kinds: type) -> list[DiscussionEvent]:
        """The events up to now, once one of these kinds came last but for nothing."""

        def arrived() -> bool:
            return any(isinstance(event, kinds) for event in self.events(run_id))

        wait_until(arrived)
        return self.events(run_id)

    def wait_for_end(self, run_id: str) -> RunEnded:
        events = self.wait_for(run_id, RunEnded)
        ended = [event for event in events if isinstance(event, RunEnded)]
        assert len(ended) == 1
        return ended[0]

    def wait_until_waiting(self, run_id: str) -> list[str]:
        """The call ids for which the run rests."""
        wait_until(lambda: self.state(run_id) in ("waiting", "failed", "done"))
        assert self.state(run_id) == "waiting", self.events(run_id)[-1]
        resting = [event for event in self.events(run_id) if isinstance(event, RunWaiting)]
        return list(resting[-1].call_ids)

    def state(self, run_id: str) -> str:
        with self.pool.connection() as connection:
            row = connection.execute(
                "select session_id::text from runs where id = %s", [run_id]
            ).fetchone()
        assert row is not None
        runs = self.discussions.list_runs(self.owner_id, row[0])
        return next(run.state for run in runs if run.id == run_id)

    def logged(self, run_id: str) -> list[LoggedEvent]:
        return self.discussions.events_after(self.owner_id, run_id, 0)


def scripted_client(model: ScriptedChatModel) -> ModelClient:
    endpoint = Endpoint(name="scripted", base_url="")
    return ModelClient(
        model,
        name="scripted",
        base_url="",
        offline=False,
        limiter=FifoLimiter(endpoint, 8),
        retry_policy=QUICK_RETRIES,
    )


def wait_until(arrived: Callable[[], bool], seconds: float = DEADLINE_SECONDS) -> None:
    """Poll for a condition until it holds; fail at the deadline."""
    deadline = time.monotonic() + seconds
    while not arrived():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} seconds")
        time.sleep(0.01)
