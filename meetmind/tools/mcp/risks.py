"""How risky a tool of an MCP server is: what an administrator decided, and nothing else."""

from collections.abc import Callable, Mapping
from typing import Literal, get_args

from meetmind.tools.mcp.config import SEARCH_SERVER

ToolRisk = Literal["low", "medium", "high", "deny"]
TOOL_RISKS: tuple[ToolRisk, ...] = get_args(ToolRisk)
RiskTable = Mapping[tuple[str, str], ToolRisk]
"""The decisions, by server and by the server's own name of the tool."""
IsDenied = Callable[[str, str], bool]


def risk_in(table: RiskTable, server_name: str, remote_name: str) -> ToolRisk:
    """The risk of a tool; `deny` gives it to nobody.

    Without a decision it is medium for the web search that comes with MeetMind, else high.
    """
    default: ToolRisk = "medium" if server_name == SEARCH_SERVER else "high"
    return table.get((server_name, remote_name), default)
