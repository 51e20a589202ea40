"""The risks that administrators gave to tools of MCP servers."""

from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row
from psycopg_pool import ConnectionPool


@dataclass(frozen=True, kw_only=True)
class McpToolRiskRow:
    """One decision; `tool` is the server's own name of the tool."""

    server: str
    tool: str
    risk: str
    """low, medium, high or deny."""
    fingerprint: str
    """Of the tool that the decision is about."""
    decided_by: str | None
    decided_at: datetime


SELECT_RISKS = """
select r.server, r.tool, r.risk, r.fingerprint, u.name as decided_by, r.decided_at
from mcp_tool_risks r
left join users u on u.id = r.decided_by
order by r.server, r.tool
"""


def list_mcp_tool_risks(pool: ConnectionPool) -> list[McpToolRiskRow]:
    """Every decision, by server and tool."""
    with pool.connection() as connection:
        cursor = connection.cursor(row_factory=class_row(McpToolRiskRow))
        return cursor.execute(SELECT_RISKS).fetchall()


SELECT_DENIAL = """
select 1
from mcp_tool_risks
where server = %(server)s
and tool = %(tool)s
and risk = 'deny'
"""


def is_mcp_tool_denied(pool: ConnectionPool, *, server: str, tool: str) -> bool:
    """Whether an administrator has denied the tool, whatever it looks like by now."""
    parameters = {"server": server, "tool": tool}
    with pool.connection() as connection:
        return connection.execute(SELECT_DENIAL, parameters).fetchone() is not None


UPSERT_RISK = """
insert into mcp_tool_risks (server, tool, risk, fingerprint, decided_by)
values (%(server)s, %(tool)s, %(risk)s, %(fingerprint)s, %(person_id)s::uuid)
on conflict (server, tool) do update
set risk = excluded.risk,
    fingerprint = excluded.fingerprint,
    decided_by = excluded.decided_by,
    decided_at = clock_timestamp()
"""


def set_mcp_tool_risk(
    pool: ConnectionPool, *, server: str, tool: str, risk: str, fingerprint: str, person_id: str
) -> None:
    """Keep a decision in the place of an earlier one about the same tool."""
    parameters = {
        "server": server,
        "tool": tool,
        "risk": risk,
        "fingerprint": fingerprint,
        "person_id": person_id,
    }
    with pool.connection() as connection:
        connection.execute(UPSERT_RISK, parameters)
