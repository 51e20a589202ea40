"""How risky a tool of an MCP server is: what an administrator decided, and nothing else."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from meetmind.tools.mcp.config import SEARCH_SERVER

ToolRisk = Literal["low", "medium", "high", "deny"]
TOOL_RISKS: tuple[ToolRisk, ...] = get_args(ToolRisk)
RiskTable = Mapping[tuple[str, str], ToolRisk]
"""The risks in force, by server and by the server's own name of the tool."""
IsDenied = Callable[[str, str], bool]
"""Whether a tool of a server is denied now; may block."""


@dataclass(frozen=True, kw_only=True)
class RiskDecision:
    """What an administrator decided about a tool as it was then."""

    risk: ToolRisk
    fingerprint: str

    def risk_now(self, fingerprint: str) -> ToolRisk:
        """The risk of what has the tool's name now: high for another tool, unless it is denied."""
        if self.risk == "deny" or self.fingerprint == fingerprint:
            return self.risk
        return "high"


def risk_in(table: RiskTable, server_name: str, remote_name: str) -> ToolRisk:
    """The risk of a tool; `deny` gives it to nobody."""
    return table.get((server_name, remote_name), default_risk(server_name))


def default_risk(server_name: str) -> ToolRisk:
    """Without a decision: medium for the web search that comes with MeetMind, else high."""
    return "medium" if server_name == SEARCH_SERVER else "high"
