"""How pages see an MCP server: where it is, whether it answered, its tools and their risks."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from meetmind.server.mcp_decisions import Decisions
from meetmind.tools.mcp.config import SEARCH_SERVER, ConfigFault, McpServer
from meetmind.tools.mcp.risks import RiskDecision, ToolRisk, default_risk

if TYPE_CHECKING:
    from meetmind.tools.mcp.client import McpConnection
    from meetmind.tools.mcp.offers import LeftOut, OfferedTool

ServerHealth = Literal["connecting", "connected", "failed", "off"]


@dataclass(frozen=True, kw_only=True)
class ServerTool:
    """One tool of a server as administrators see it."""

    name: str
    """How roles call it."""
    remote_name: str
    """How the server calls it: what a decision about its risk is kept under."""
    own_words: str
    risk: ToolRisk
    fingerprint: str
    """What a decision is bound to."""
    is_decided: bool
    """Whether an administrator decided on the risk."""
    has_changed: bool
    """Whether it is another tool than the one that was given a lower risk or denied."""


@dataclass(frozen=True, kw_only=True)
class ServerState:
    """One server as it was found the last time."""

    name: str
    transport: str
    """stdio, streamable_http or sse; empty for an entry that cannot be read."""
    place: str
    """The command or the host; never a whole address."""
    health: ServerHealth
    reason: str = ""
    """A key of the text catalogue, `mcp.<reason>`; empty for a server that answered."""
    what: str = ""
    checked_at: datetime | None = None
    seconds: float = 0.0
    tools: tuple[ServerTool, ...] = ()
    left_out: "tuple[LeftOut, ...]" = ()


@dataclass(frozen=True, kw_only=True)
class Checked:
    """A connection and when it was tried."""

    connection: "McpConnection"
    at: datetime


def state_of(
    server: McpServer, checked: Checked | None, decisions: Decisions, *, is_waiting: bool
) -> ServerState:
    """A configured server by its last connection; while it is asked again the old facts stay."""
    if checked is None:
        return ServerState(
            name=server.name,
            transport=server.transport,
            place=server.place,
            health="connecting" if is_waiting else "failed",
            reason="" if is_waiting else "reason_not_asked",
        )
    connection = checked.connection
    health: ServerHealth = "connected"
    if is_waiting:
        health = "connecting"
    elif connection.reason:
        health = "failed"
    return ServerState(
        name=server.name,
        transport=server.transport,
        place=server.place,
        health=health,
        reason=f"reason_{connection.reason}" if connection.reason else "",
        what=connection.what,
        checked_at=checked.at,
        seconds=connection.seconds,
        tools=_tools_of(connection, decisions),
        left_out=connection.left_out,
    )


def faulty_state(fault: ConfigFault) -> ServerState:
    """An entry of the configuration that cannot be tried."""
    return ServerState(
        name=fault.server,
        transport="",
        place="",
        health="failed",
        reason=f"fault_{fault.reason}",
        what=fault.what,
    )


def search_is_off(reason: str) -> ServerState:
    """The web search, which nobody has set up."""
    return ServerState(
        name=SEARCH_SERVER, transport="sse", place="", health="off", reason=f"off_{reason}"
    )


def _tools_of(connection: "McpConnection", decisions: Decisions) -> tuple[ServerTool, ...]:
    server_name = connection.server.name
    tools: list[ServerTool] = []
    for offered in connection.tools:
        decision = decisions.get((server_name, offered.remote_name))
        tools.append(_tool_of(server_name, offered, decision))
    return tuple(tools)


def _tool_of(server_name: str, offered: "OfferedTool", decision: RiskDecision | None) -> ServerTool:
    risk = default_risk(server_name)
    has_changed = False
    if decision is not None:
        risk = decision.risk_now(offered.fingerprint)
        is_as_rated = decision.fingerprint == offered.fingerprint
        # What was rated as high already is held back as before.
        has_changed = not is_as_rated and decision.risk != "high"
    return ServerTool(
        name=offered.name,
        remote_name=offered.remote_name,
        own_words=offered.own_words,
        risk=risk,
        fingerprint=offered.fingerprint,
        is_decided=decision is not None,
        has_changed=has_changed,
    )
