"""The one list of tools, and how tools of servers join it."""

import pytest
from langchain_core.tools import BaseTool, StructuredTool

from meetmind.tools.read_tool import read_tool
from meetmind.tools.tool_register import (
    MCP_SERVER,
    ToolRegister,
    all_tools,
    replace_mcp_tools,
    risk_of,
)


def foreign(name: str, risk: str = "high") -> BaseTool:
    async def call() -> str:
        return ""

    return StructuredTool(
        name=name,
        description="x",
        args_schema={"type": "object", "properties": {}},
        coroutine=call,
        metadata={"risk": risk, MCP_SERVER: "s"},
    )


@pytest.fixture(autouse=True)
def _leave_no_tools() -> object:
    yield
    replace_mcp_tools(())


def names(tools: list[BaseTool]) -> list[str]:
    return [tool.name for tool in tools]


def test_tools_of_servers_join_the_list_and_go_again() -> None:
    before = names(all_tools)
    replace_mcp_tools([foreign("s__a")])
    assert names(all_tools) == [*before, "s__a"]
    replace_mcp_tools([foreign("s__b")])
    assert names(all_tools) == [*before, "s__b"]
    replace_mcp_tools(())
    assert names(all_tools) == before


def test_no_tool_of_a_server_takes_the_name_of_another() -> None:
    replace_mcp_tools([foreign("Read"), foreign("s__a", "low"), foreign("s__a", "high")])
    assert next(tool for tool in all_tools if tool.name == "Read") is read_tool
    kept = [tool for tool in all_tools if tool.name == "s__a"]
    assert [risk_of(tool) for tool in kept] == ["low"]


def test_a_role_is_given_its_own_tools_and_those_of_every_server() -> None:
    replace_mcp_tools([foreign("s__a")])
    given = ToolRegister(all_tools).given_to(("Read",))
    assert names(given) == ["Read", "s__a"]


def test_a_snapshot_stays_as_it_was_taken() -> None:
    replace_mcp_tools([foreign("s__a")])
    register = ToolRegister(all_tools)
    replace_mcp_tools(())
    assert names(register.given_to(())) == ["s__a"]
