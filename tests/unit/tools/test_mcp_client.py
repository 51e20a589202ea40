"""Real MCP servers on this machine, good ones and bad ones."""

import asyncio
import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from langchain_core.tools import BaseTool

from meetmind.errors import ToolError
from meetmind.tools.argument_check import wrong_arguments
from meetmind.tools.envelope import Envelope
from meetmind.tools.mcp.client import McpConnection, init_mcp_tools
from meetmind.tools.mcp.config import McpServer, read_mcp_config, search_server
from meetmind.tools.mcp.wrapped_tools import McpTool, wrapped_tools
from meetmind.tools.tool_register import ToolRegister, risk_of
from tests.support.mcp_trial import served, silent_server, stdio_entry, write_config

KEY = "k3y-that-nobody-may-see"
SECONDS = 30.0
BUILT_IN_LOOKING = {"shadow__Write", "shadow__Read", "shadow__rag_search", "shadow__AIsearch"}


@dataclass
class Trial:
    """Every server connected once, and the tools that came of it."""

    connections: dict[str, McpConnection]
    tools: dict[str, McpTool]

    def call(self, name: str, arguments: dict[str, Any], seconds: float = SECONDS) -> Envelope:
        tool = self.tools[name].model_copy(update={"seconds": seconds})
        return Envelope.model_validate_json(asyncio.run(tool.ainvoke(arguments)))


def connected(servers: list[McpServer], seconds: float = SECONDS) -> list[McpConnection]:
    return asyncio.run(init_mcp_tools(servers, lambda connection: None, seconds=seconds))


def tools_of(connections: list[McpConnection], **risks: Any) -> dict[str, McpTool]:
    table = {("liar", tool): risk for tool, risk in risks.items()}
    wrapped: list[BaseTool] = wrapped_tools(connections, table, lambda server, tool: False)
    return {tool.name: tool for tool in wrapped if isinstance(tool, McpTool)}


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trial]:
    kinds = [
        "honest:streamable_http",
        "shadow:streamable_http",
        "liar:streamable_http",
        "hanging:sse",
        "search:sse",
    ]
    with served(*kinds) as (web, shadow, liar, hanging, search):
        path = write_config(
            tmp_path_factory.mktemp("mcp") / "mcp.json",
            {
                "web": {"url": web, "headers": {"X-Trial": KEY}},
                "shadow": {"url": shadow},
                "liar": {"url": liar},
                "hanging": {"url": hanging, "type": "sse"},
                "dying": stdio_entry("dying"),
                "nobody": {"url": "http://127.0.0.1:9/mcp"},
                "no-command": {"command": "/no/such/command"},
            },
        )
        config = read_mcp_config(path, {})
        asked = [*config.servers, search_server(search, KEY, allow_plain_http=True)]
        connections = connected(asked)
        yield Trial(
            connections={connection.server.name: connection for connection in connections},
            tools=tools_of(connections),
        )


def test_a_call_goes_there_and_back_as_an_envelope(trial: Trial) -> None:
    envelope = trial.call("web__add", {"first": 1, "second": 2})
    assert envelope.status == "ok"
    assert envelope.evidence[0].content == "3"
    assert envelope.evidence[0].source == "mcp:web/add"
    assert envelope.evidence[0].kind == "page"
    assert envelope.evidence[0].passage_id.startswith("page_")


def test_arguments_are_checked_by_the_servers_schema(trial: Trial) -> None:
    assert wrong_arguments(trial.tools["web__add"], {"first": 1, "second": 2}) == ""
    assert "first" in wrong_arguments(trial.tools["web__add"], {"first": "x", "second": 2})


def test_an_error_of_the_server_is_an_error(trial: Trial) -> None:
    envelope = trial.call("web__fails", {})
    assert (envelope.status, envelope.error_code) == ("error", "server_error")
    assert "no such ticket" in str(envelope.error)


def test_pictures_are_named_and_bad_characters_are_gone(trial: Trial) -> None:
    envelope = trial.call("web__picture", {})
    assert envelope.data["not_shown"] == ["image, image/png, 0 kB"]
    assert envelope.evidence[0].content == "a pixel in red"


def test_a_long_text_comes_in_bounded_pieces(trial: Trial) -> None:
    envelope = trial.call("web__long", {})
    assert envelope.data["characters"] == 100_000
    assert [len(piece.content) for piece in envelope.evidence] == [4_000] * 5


def test_the_search_keeps_its_name_and_brings_pages(trial: Trial) -> None:
    envelope = trial.call("AIsearch", {"query": "coupons"})
    assert risk_of(trial.tools["AIsearch"]) == "medium"
    assert [page.source for page in envelope.evidence] == [
        "https://example.org/a?q=1",
        "https://example.org/b",
    ]
    assert KEY not in envelope.to_json()


def test_a_tool_that_is_named_like_a_built_in_one_takes_nobodys_place(trial: Trial) -> None:
    register = ToolRegister(trial.tools.values())
    assert set(trial.tools) >= BUILT_IN_LOOKING
    assert not {"Write", "Read", "rag_search"} & set(trial.tools)
    assert len(register.given_to(())) == len(trial.tools)


def test_what_a_server_says_of_its_own_harmlessness_is_not_believed(trial: Trial) -> None:
    liar = trial.tools["liar__delete_everything"]
    assert risk_of(liar) == "high"
    assert set(liar.metadata or {}) == {"risk", "mcp_server"}


def test_only_the_administrators_table_changes_a_risk(trial: Trial) -> None:
    connections = list(trial.connections.values())
    lowered = tools_of(connections, delete_everything="low")
    assert risk_of(lowered["liar__delete_everything"]) == "low"
    assert "liar__delete_everything" not in tools_of(connections, delete_everything="deny")


def test_a_denial_reaches_a_run_that_has_the_tool_already(trial: Trial) -> None:
    tool = trial.tools["web__add"].model_copy(update={"is_denied": lambda server, name: True})
    with pytest.raises(ToolError, match="denied"):
        asyncio.run(tool.ainvoke({"first": 1, "second": 2}))


def test_a_server_that_hangs_in_a_call_is_given_up(trial: Trial) -> None:
    began = time.monotonic()
    with pytest.raises(ToolError) as told:
        trial.call("hanging__wait", {}, seconds=1.0)
    assert told.value.reason == "timed_out"
    assert time.monotonic() - began < 15


def test_a_server_that_dies_in_a_call_is_told_and_asked_again(trial: Trial) -> None:
    with pytest.raises(ToolError) as told:
        trial.call("dying__die", {})
    assert told.value.reason == "gone"


def test_servers_that_are_not_there_are_named_with_the_reason(trial: Trial) -> None:
    assert trial.connections["nobody"].reason == "unreachable"
    assert trial.connections["no-command"].reason == "no_command"


def test_a_silent_server_costs_the_others_nothing(trial: Trial) -> None:
    arrived: list[tuple[str, str]] = []

    def take(connection: McpConnection) -> None:
        arrived.append((connection.server.name, connection.reason))

    with silent_server() as url:
        silent = McpServer(name="silent", transport="streamable_http", url=url)
        web = trial.connections["web"].server
        asyncio.run(init_mcp_tools([silent, web], take, seconds=3.0))
    assert arrived == [("web", ""), ("silent", "timed_out")]


@pytest.mark.parametrize("path", ["/nothing", "/sse/nothing"])
def test_the_key_stands_in_no_log_and_no_error(
    trial: Trial, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    address = trial.connections["AIsearch"].server.url.partition("/sse")[0]
    wrong = search_server(address + path, KEY, allow_plain_http=True)
    connection = connected([wrong])[0]
    trial.call("AIsearch", {"query": "coupons"})
    assert (connection.reason, connection.what) == ("bad_status", "HTTP 404")
    assert KEY not in caplog.text
    assert KEY not in repr(connection)


def test_a_child_sees_nothing_of_our_environment(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_KEY", KEY)
    text = trial.call("dying__environment", {}).evidence[0].content
    assert "PATH=" in text
    assert "API_KEY" not in text
