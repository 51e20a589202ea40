"""The MCP servers of this installation: connecting in the background, their tools, their risks."""

import asyncio
import concurrent.futures
import importlib
import logging
import os
import threading
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from psycopg_pool import ConnectionPool

from meetmind.config.settings import Settings
from meetmind.errors import AccountError, NotFound
from meetmind.server.accounts import Person
from meetmind.server.event_loop import EventLoopThread
from meetmind.server.mcp_configuration import configured_servers
from meetmind.server.mcp_decisions import Decisions, McpDecisions, risks_in_force
from meetmind.server.mcp_states import (
    Checked,
    ServerState,
    faulty_state,
    search_is_off,
    state_of,
)
from meetmind.tools.mcp.config import SEARCH_SERVER, ConfigFault, McpConfig, McpServer
from meetmind.tools.mcp.risks import TOOL_RISKS, ToolRisk

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from meetmind.tools.mcp.client import McpConnection
    from meetmind.tools.mcp.offers import OfferedTool

logger = logging.getLogger(__name__)

CONNECT_SECONDS = 10.0


class McpServers:
    """Connects to the configured servers and hands their tools to the next run."""

    def __init__(
        self,
        pool: ConnectionPool,
        settings: Settings,
        environ: Mapping[str, str] = os.environ,
        seconds: float = CONNECT_SECONDS,
    ) -> None:
        self._stored = McpDecisions(pool)
        self._settings = settings
        self._environ = environ
        self._seconds = seconds
        self._lock = threading.RLock()
        self._refreshing = threading.Lock()
        self._config: McpConfig | None = None
        self._checked: dict[str, Checked] = {}
        self._waiting: set[str] = set()
        self._decisions: Decisions = {}
        self._loop: EventLoopThread | None = None
        self._round = 0
        self._settled = threading.Event()

    @property
    def config_path(self) -> Path:
        """The file that names the servers, whether it is there or not."""
        return self._settings.mcp_config_path

    def connect(self, loop: EventLoopThread) -> None:
        """Begin to ask every server on the loop of the runs; returns at once and never raises."""
        self._loop = loop
        self._begin()

    def connect_again(self, person: Person) -> None:
        """Read the configuration anew and ask every server; raises `AccountError`."""
        _require_admin(person)
        self._begin()

    def is_connecting(self) -> bool:
        """Whether some server has neither answered nor failed yet."""
        with self._lock:
            return bool(self._waiting)

    def file_fault(self) -> ConfigFault | None:
        """What is wrong with the configuration file as a whole."""
        for fault in self._current_config().faults:
            if not fault.server:
                return fault
        return None

    def servers(self) -> list[ServerState]:
        """Every server: those that can be tried, the faulty entries, and the web search."""
        config = self._current_config()
        self.refresh()
        with self._lock:
            states = [self._state_of(server) for server in config.servers]
        for fault in config.faults:
            if fault.server:
                states.append(faulty_state(fault))
        if not any(state.name == SEARCH_SERVER for state in states):
            states.append(search_is_off("no_key"))
        return states

    def refresh(self) -> None:
        """Take over what administrators have decided since, in whichever process; may block."""
        # One at a time, or an older answer of the database could take the place of a newer one.
        with self._refreshing:
            decisions = self._stored.read()
            with self._lock:
                if decisions == self._decisions:
                    return
                self._decisions = decisions
                self._publish()

    def set_risk(
        self, person: Person, server: str, tool: str, risk: str, *, seen: str = ""
    ) -> None:
        """Decide how risky a tool is, from the next run on; a denial also reaches running ones.

        `seen` is the fingerprint of what the person read. Raises `AccountError` for others than
        administrators and `NotFound` for a tool that no server offers, or not as it was read.
        """
        _require_admin(person)
        if risk not in TOOL_RISKS:
            raise ValueError(f"there is no risk {risk}")
        offered = self._offered(server, tool)
        if offered is None:
            raise NotFound("There is no such tool.")
        if seen not in ("", offered.fingerprint) and risk != "deny":
            raise NotFound("The tool is another one by now.")
        self._stored.keep(server, offered, risk, person.id)
        self.refresh()

    def close(self) -> None:
        """Take the tools of all servers off the list."""
        with self._lock:
            self._round += 1
            self._checked.clear()
            self._waiting.clear()
        if self._loop is not None:
            self._hand_out(())

    def wait_until_settled(self, seconds: float) -> bool:
        """Block until every server has answered or failed; False when the time runs out first."""
        return self._settled.wait(seconds)

    def wait_until_ready(self, seconds: float) -> bool:
        """Before a run takes its tools: wait for the servers, then look at the decisions."""
        has_settled = self.wait_until_settled(seconds)
        self.refresh()
        return has_settled

    def _state_of(self, server: McpServer) -> ServerState:
        checked = self._checked.get(server.name)
        return state_of(server, checked, self._decisions, is_waiting=server.name in self._waiting)

    def _begin(self) -> None:
        config = configured_servers(self._settings, self._environ)
        names = {server.name for server in config.servers}
        with self._lock:
            self._round += 1
            self._config = config
            self._waiting = set(names)
            self._settled.clear()
            for gone in self._checked.keys() - names:
                del self._checked[gone]
            current_round = self._round
        if self._loop is not None:
            asking = self._loop.submit(self._ask(config.servers, current_round))
            asking.add_done_callback(_log_failure)

    async def _ask(self, servers: tuple[McpServer, ...], current_round: int) -> None:
        try:
            await self._ask_all(servers, current_round)
        finally:
            self._settle(current_round)

    async def _ask_all(self, servers: tuple[McpServer, ...], current_round: int) -> None:
        # The libraries of the protocol take a second or two to import.
        await asyncio.to_thread(importlib.import_module, "meetmind.tools.mcp.wrapped_tools")
        await asyncio.to_thread(self.refresh)
        from meetmind.tools.mcp.client import init_mcp_tools

        def take(connection: "McpConnection") -> None:
            self._take(connection, current_round)

        await init_mcp_tools(servers, take, seconds=self._seconds)

    def _settle(self, of_round: int) -> None:
        """Every server has answered; those that a fault of ours kept from it count as failed."""
        with self._lock:
            if of_round != self._round:
                return
            for name in self._waiting:
                self._checked.pop(name, None)
            self._waiting.clear()
            self._publish()
            self._settled.set()

    def _take(self, connection: "McpConnection", of_round: int) -> None:
        name = connection.server.name
        with self._lock:
            if of_round != self._round:
                return
            self._waiting.discard(name)
            self._checked[name] = Checked(connection=connection, at=datetime.now(UTC))
            self._publish()

    def _hand_out(self, tools: "Iterable[BaseTool]") -> None:
        """Put these in the place of all tools of servers."""
        # LangChain, which the register brings along, must not keep the first page waiting.
        from meetmind.tools.tool_register import replace_mcp_tools

        replace_mcp_tools(tools)

    def _publish(self) -> None:
        """Put the tools as they stand in force for the next run; the lock is held."""
        if not self._checked:
            self._hand_out(())
            return
        from meetmind.tools.mcp.wrapped_tools import wrapped_tools

        connections = [checked.connection for checked in self._checked.values()]
        risks: dict[tuple[str, str], ToolRisk] = {}
        for connection in connections:
            risks.update(risks_in_force(self._decisions, connection))
        self._hand_out(wrapped_tools(connections, risks, self._stored.is_denied))

    def _offered(self, server: str, tool: str) -> "OfferedTool | None":
        with self._lock:
            checked = self._checked.get(server)
        if checked is None:
            return None
        for offered in checked.connection.tools:
            if offered.remote_name == tool:
                return offered
        return None

    def _current_config(self) -> McpConfig:
        with self._lock:
            if self._config is None:
                self._config = configured_servers(self._settings, self._environ)
                self._waiting = {server.name for server in self._config.servers}
            return self._config


def _require_admin(person: Person) -> None:
    if not person.is_admin:
        raise AccountError("Only an administrator can change what the tools may do.")


def _log_failure(asking: "concurrent.futures.Future[None]") -> None:
    """A fault of ours; its words may quote an address and stay out of the log."""
    if asking.cancelled():
        return
    fault = asking.exception()
    if fault is not None:
        logger.error("Connecting to the MCP servers failed: %s", type(fault).__name__)
