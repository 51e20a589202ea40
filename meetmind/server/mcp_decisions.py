"""What administrators decided about tools of MCP servers, as the database has it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from psycopg_pool import ConnectionPool

from meetmind.database.mcp_tool_risks import (
    is_mcp_tool_denied,
    list_mcp_tool_risks,
    set_mcp_tool_risk,
)
from meetmind.tools.mcp.risks import RiskDecision, ToolRisk

if TYPE_CHECKING:
    from meetmind.tools.mcp.client import McpConnection
    from meetmind.tools.mcp.offers import OfferedTool

Decisions = Mapping[tuple[str, str], RiskDecision]
"""By server and by the server's own name of the tool."""


class McpDecisions:
    """Reads and keeps decisions; every method blocks on one query."""

    def __init__(self, pool: ConnectionPool) -> None:
        self._pool = pool

    def read(self) -> Decisions:
        """Every decision that is in force now, whichever process took it."""
        decisions: dict[tuple[str, str], RiskDecision] = {}
        for row in list_mcp_tool_risks(self._pool):
            risk = cast("ToolRisk", row.risk)
            decision = RiskDecision(risk=risk, fingerprint=row.fingerprint)
            decisions[(row.server, row.tool)] = decision
        return decisions

    def keep(self, server: str, offered: "OfferedTool", risk: str, person_id: str) -> None:
        """Keep what a person decided about the tool as it is now."""
        set_mcp_tool_risk(
            self._pool,
            server=server,
            tool=offered.remote_name,
            risk=risk,
            fingerprint=offered.fingerprint,
            person_id=person_id,
        )

    def is_denied(self, server: str, tool: str) -> bool:
        """Whether the tool is denied at this moment."""
        return is_mcp_tool_denied(self._pool, server=server, tool=tool)


def risks_in_force(
    decisions: Decisions, connection: "McpConnection"
) -> dict[tuple[str, str], ToolRisk]:
    """The decided risks of a server's tools; one that has changed since counts as high."""
    name = connection.server.name
    risks: dict[tuple[str, str], ToolRisk] = {}
    for offered in connection.tools:
        key = (name, offered.remote_name)
        decision = decisions.get(key)
        if decision is not None:
            risks[key] = decision.risk_now(offered.fingerprint)
    return risks
