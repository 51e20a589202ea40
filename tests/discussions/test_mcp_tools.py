"""A tool of a foreign server in a real discussion: asked about, run once, told to the role."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from meetmind.events import ToolFinished, ToolRequested
from meetmind.llm.scripted import calls
from meetmind.tools.mcp.client import init_mcp_tools
from meetmind.tools.mcp.config import McpServer
from meetmind.tools.mcp.risks import ToolRisk
from meetmind.tools.mcp.wrapped_tools import wrapped_tools
from tests.support.mcp_trial import served
from tests.support.room import Room

DELETE = "liar__delete_everything"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served("liar:streamable_http") as (url,):
        yield url


def start(room: Room, address: str, arguments: dict[str, Any], risk: ToolRisk | None = None) -> str:
    """A run in which the architect calls the server's tool."""
    server = McpServer(name="liar", transport="streamable_http", url=address)
    connections = asyncio.run(init_mcp_tools([server], lambda connection: None))
    table = {} if risk is None else {("liar", "delete_everything"): risk}
    room.tools = wrapped_tools(connections, table, lambda server, tool: False)
    room.max_iterations = 2
    executor = room.open([calls((DELETE, arguments), task="look_up", role="architect")])
    return executor.start_run(room.owner_id, room.new_session(), "Clean up")


def requested(room: Room, run_id: str) -> list[tuple[str, str, str]]:
    events = [event for event in room.events(run_id) if isinstance(event, ToolRequested)]
    return [(event.risk, event.verdict, event.code) for event in events if event.tool == DELETE]


def results(room: Room, run_id: str) -> list[str]:
    """How the calls of the server's tool ended."""
    events = room.events(run_id)
    call_ids = set()
    for event in events:
        if isinstance(event, ToolRequested) and event.tool == DELETE:
            call_ids.add(event.call_id)
    finished = [event for event in events if isinstance(event, ToolFinished)]
    return [event.status for event in finished if event.call_id in call_ids]


def test_a_call_waits_for_a_person_whatever_the_server_says_of_itself(
    room: Room, address: str
) -> None:
    run_id = start(room, address, {"target": "all"})
    call_ids = room.wait_until_waiting(run_id)
    assert requested(room, run_id) == [("high", "asked", "")]
    assert results(room, run_id) == []
    room.opened[0].decide(room.owner_id, run_id, call_ids[0], "approved")
    room.wait_for_end(run_id)
    assert results(room, run_id) == ["ok"]


def test_a_tool_that_an_administrator_rated_low_runs_at_once(room: Room, address: str) -> None:
    run_id = start(room, address, {"target": "all"}, "low")
    room.wait_for_end(run_id)
    assert requested(room, run_id) == [("low", "allowed", "")]
    assert results(room, run_id) == ["ok"]


def test_a_denied_tool_is_unknown_to_the_role(room: Room, address: str) -> None:
    run_id = start(room, address, {"target": "all"}, "deny")
    room.wait_for_end(run_id)
    assert requested(room, run_id) == [("low", "refused", "unknown_tool")]


def test_arguments_that_do_not_fit_the_servers_schema_are_refused(room: Room, address: str) -> None:
    run_id = start(room, address, {"target": 7})
    room.wait_for_end(run_id)
    assert requested(room, run_id) == [("high", "refused", "bad_arguments")]
