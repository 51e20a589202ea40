"""The service that connects in the background, on a real database with real servers."""

import functools
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from psycopg_pool import ConnectionPool
from pydantic import SecretStr

from meetmind.config.settings import Settings
from meetmind.database.mcp_tool_risks import list_mcp_tool_risks
from meetmind.errors import AccountError, NotFound
from meetmind.server import mcp_servers
from meetmind.server.accounts import Accounts, Person
from meetmind.server.event_loop import EventLoopThread
from meetmind.server.mcp_servers import McpServers
from meetmind.tools.mcp.config import search_server
from meetmind.tools.tool_register import ToolRegister, all_tools, risk_of
from tests.support.mcp_trial import served, write_config

SECONDS = 30.0
KEY = "k3y-that-nobody-may-see"


@pytest.fixture(scope="module")
def addresses() -> Iterator[list[str]]:
    with served("liar:streamable_http", "search:sse") as urls:
        yield urls


@pytest.fixture
def loop() -> Iterator[EventLoopThread]:
    loop = EventLoopThread()
    yield loop
    loop.stop()


@pytest.fixture
def admin(pool: ConnectionPool) -> Person:
    accounts = Accounts(pool)
    accounts.ensure_first_account()
    return accounts.person_named("admin")


@pytest.fixture
def path(tmp_path: Path, addresses: list[str]) -> Path:
    return write_config(tmp_path / "mcp.json", {"liar": {"url": addresses[0]}})


@pytest.fixture
def servers(pool: ConnectionPool, path: Path) -> Iterator[McpServers]:
    opened = McpServers(pool, Settings(mcp_config_path=path), {}, seconds=SECONDS)
    yield opened
    opened.close()


def connected(servers: McpServers, loop: EventLoopThread) -> McpServers:
    servers.connect(loop)
    assert servers.wait_until_settled(SECONDS)
    return servers


def health(servers: McpServers) -> dict[str, tuple[str, str]]:
    return {state.name: (state.health, state.reason) for state in servers.servers()}


def risk_in_force(name: str) -> str:
    given = ToolRegister(all_tools).given_to(())
    risks = {tool.name: risk_of(tool) for tool in given}
    return risks.get(name, "not given")


def test_before_anybody_asked_a_server_is_connecting(servers: McpServers) -> None:
    assert health(servers)["liar"] == ("connecting", "")
    assert servers.is_connecting()


def test_a_server_that_answers_gives_its_tools_to_the_next_run(
    servers: McpServers, loop: EventLoopThread
) -> None:
    connected(servers, loop)
    assert health(servers) == {"liar": ("connected", ""), "AIsearch": ("off", "off_no_key")}
    assert risk_in_force("liar__delete_everything") == "high"


def test_a_decision_holds_from_the_next_run_on_and_after_a_new_start(
    servers: McpServers, loop: EventLoopThread, admin: Person, pool: ConnectionPool, path: Path
) -> None:
    connected(servers, loop)
    servers.set_risk(admin, "liar", "delete_everything", "medium")
    assert risk_in_force("liar__delete_everything") == "medium"
    later = McpServers(pool, Settings(mcp_config_path=path), {}, seconds=SECONDS)
    connected(later, loop)
    assert risk_in_force("liar__delete_everything") == "medium"
    decided = list_mcp_tool_risks(pool)
    assert [(row.tool, row.risk, row.decided_by) for row in decided] == [
        ("delete_everything", "medium", "admin")
    ]


def test_a_denied_tool_is_given_to_nobody_and_its_running_copy_is_dead(
    servers: McpServers, loop: EventLoopThread, admin: Person
) -> None:
    connected(servers, loop)
    tool = next(each for each in all_tools if each.name == "liar__delete_everything")
    servers.set_risk(admin, "liar", "delete_everything", "deny")
    assert risk_in_force("liar__delete_everything") == "not given"
    with pytest.raises(Exception, match="denied"):
        loop.submit(tool.ainvoke({"target": "x"})).result(SECONDS)
    servers.set_risk(admin, "liar", "delete_everything", "low")
    assert risk_in_force("liar__delete_everything") == "low"


def test_only_administrators_decide_and_only_on_what_there_is(
    servers: McpServers, loop: EventLoopThread, admin: Person
) -> None:
    connected(servers, loop)
    somebody = Person(
        id=admin.id, name="lin", is_admin=False, must_change_password=False, language=None
    )
    with pytest.raises(AccountError):
        servers.set_risk(somebody, "liar", "delete_everything", "low")
    with pytest.raises(AccountError):
        servers.connect_again(somebody)
    with pytest.raises(NotFound):
        servers.set_risk(admin, "liar", "nothing", "low")
    with pytest.raises(ValueError, match="no risk"):
        servers.set_risk(admin, "liar", "delete_everything", "harmless")
    assert risk_in_force("liar__delete_everything") == "high"


def test_connecting_again_reads_the_file_anew(
    servers: McpServers, loop: EventLoopThread, admin: Person, path: Path
) -> None:
    connected(servers, loop)
    path.write_text("{", encoding="utf-8")
    servers.connect_again(admin)
    assert servers.wait_until_settled(SECONDS)
    fault = servers.file_fault()
    assert fault is not None
    assert fault.reason == "no_json"
    assert risk_in_force("liar__delete_everything") == "not given"


def test_a_bad_entry_stands_beside_the_others(
    servers: McpServers, loop: EventLoopThread, path: Path, addresses: list[str]
) -> None:
    write_config(path, {"liar": {"url": addresses[0]}, "Bad": {}, "gone": {"command": "/no/such"}})
    connected(servers, loop)
    states = health(servers)
    assert states["Bad"] == ("failed", "fault_bad_name")
    assert states["gone"] == ("failed", "reason_no_command")
    assert states["liar"] == ("connected", "")


def test_the_search_joins_under_its_own_name(
    pool: ConnectionPool,
    loop: EventLoopThread,
    addresses: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    over_http = functools.partial(search_server, allow_plain_http=True)
    monkeypatch.setattr(mcp_servers, "search_server", over_http)
    settings = Settings(
        mcp_config_path=tmp_path / "none.json",
        baidu_search_mcp_url=addresses[1],
        baidu_search_api_key=SecretStr(KEY),
    )
    servers = connected(McpServers(pool, settings, {}, seconds=SECONDS), loop)
    assert health(servers) == {"AIsearch": ("connected", "")}
    assert risk_in_force("AIsearch") == "medium"
    servers.close()
    assert KEY not in caplog.text


def test_a_search_over_plain_http_is_off_with_a_reason(
    pool: ConnectionPool, tmp_path: Path
) -> None:
    settings = Settings(
        mcp_config_path=tmp_path / "none.json",
        baidu_search_mcp_url="http://search.example/sse",
        baidu_search_api_key=SecretStr(KEY),
    )
    servers = McpServers(pool, settings, {})
    assert health(servers) == {"AIsearch": ("failed", "fault_search_address")}
