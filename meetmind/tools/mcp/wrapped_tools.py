"""The tools of MCP servers as roles are given them: our risk, our envelope, their words."""

import asyncio
from collections.abc import Iterable
from typing import Any

from langchain_core.tools import BaseTool
from pydantic import ConfigDict, Field

from meetmind.clean_text import clean_value
from meetmind.errors import ToolError
from meetmind.events import Risk
from meetmind.tools.mcp.client import CALL_SECONDS, McpConnection, call_server
from meetmind.tools.mcp.config import McpServer
from meetmind.tools.mcp.results import envelope_of_result
from meetmind.tools.mcp.risks import IsDenied, RiskTable, risk_in
from meetmind.tools.tool_register import MCP_SERVER


class McpTool(BaseTool):
    """One tool of a server; its risk stands in `metadata`, set by us alone."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    server: McpServer = Field(exclude=True, repr=False)
    remote_name: str
    is_denied: IsDenied = Field(exclude=True, repr=False)
    """Asked before every call, so that a denial also reaches the runs that go on now, wherever it
    was decided."""
    seconds: float = CALL_SECONDS

    def _run(self, /, **arguments: Any) -> str:
        raise NotImplementedError("tools of servers are coroutines")

    async def _arun(self, /, **arguments: Any) -> str:
        if await asyncio.to_thread(self.is_denied, self.server.name, self.remote_name):
            raise ToolError(
                f"An administrator has denied {self.name}. Go on without it.", reason="denied"
            )
        sent = clean_value(arguments)
        result = await call_server(self.server, self.remote_name, sent, self.seconds)
        envelope = envelope_of_result(self.server, self.name, self.remote_name, sent, result)
        return envelope.to_json()


def wrapped_tools(
    connections: Iterable[McpConnection], table: RiskTable, is_denied: IsDenied
) -> list[BaseTool]:
    """The tools of all servers that roles may be given; denied ones are not among them."""
    tools: list[BaseTool] = []
    for connection in connections:
        server = connection.server
        for offered in connection.tools:
            risk = risk_in(table, server.name, offered.remote_name)
            if risk == "deny":
                continue
            tools.append(
                McpTool(
                    name=offered.name,
                    description=offered.description_of(server),
                    args_schema=offered.schema,
                    metadata=_metadata(risk, server),
                    server=server,
                    remote_name=offered.remote_name,
                    is_denied=is_denied,
                )
            )
    return tools


def _metadata(risk: Risk, server: McpServer) -> dict[str, Any]:
    return {"risk": risk, MCP_SERVER: server.name}
