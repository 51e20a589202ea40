"""The service that connects in the background, on a real database with real servers."""

import functools
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from psycopg_pool import ConnectionPool
from pydantic import SecretStr

from meetmind.config.settings import Settings
from meetmind.database.mcp_tool_risks import list_mcp_tool_risks, set_mcp_tool_risk
from meetmind.errors import AccountError, NotFound
from meetmind.server import mcp_configuration
from meetmind.server.accounts import Accounts, Person
from meetmind.server.event_loop import EventLoopThread
from meetmind.server.mcp_servers import McpServers
from meetmind.server.mcp_states import ServerTool
from meetmind.tools.mcp.config import search_server
from meetmind.tools.tool_register import ToolRegister, all_tools, risk_of
from tests.support.mcp_trial import served, write_config

SECONDS = 30.0
KEY = "k3y-that-nobody-may-see"


@pytest.fixture(scope="module")
def addresses() -> Iterator[list[str]]:
    with served("liar:streamable_http", "search:sse", "liar:streamable_http") as urls:
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


def only_tool(servers: McpServers) -> ServerTool:
    """What the page shows of the one tool of `liar`."""
    (state,) = [state for state in servers.servers() if state.name == "liar"]
    (tool,) = state.tools
    return tool


def decided_elsewhere(pool: ConnectionPool, admin: Person, risk: str, fingerprint: str) -> None:
    """What another process leaves in the database when somebody decides there."""
    set_mcp_tool_risk(
        pool,
        server="liar",
        tool="delete_everything",
        risk=risk,
        fingerprint=fingerprint,
        person_id=admin.id,
    )


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


def test_a_denial_of_another_process_stops_the_next_call(
    servers: McpServers, loop: EventLoopThread, admin: Person, pool: ConnectionPool
) -> None:
    connected(servers, loop)
    tool = next(each for each in all_tools if each.name == "liar__delete_everything")
    decided_elsewhere(pool, admin, "deny", only_tool(servers).fingerprint)
    with pytest.raises(Exception, match="denied"):
        loop.submit(tool.ainvoke({"target": "x"})).result(SECONDS)


@pytest.mark.parametrize(("risk", "in_force"), [("low", "low"), ("deny", "not given")])
def test_a_risk_of_another_process_holds_from_the_next_run_on(
    servers: McpServers,
    loop: EventLoopThread,
    admin: Person,
    pool: ConnectionPool,
    risk: str,
    in_force: str,
) -> None:
    connected(servers, loop)
    decided_elsewhere(pool, admin, risk, only_tool(servers).fingerprint)
    servers.wait_until_ready(SECONDS)
    assert risk_in_force("liar__delete_everything") == in_force


def test_the_page_shows_what_another_process_decided(
    servers: McpServers, loop: EventLoopThread, admin: Person, pool: ConnectionPool
) -> None:
    connected(servers, loop)
    decided_elsewhere(pool, admin, "medium", only_tool(servers).fingerprint)
    assert only_tool(servers).risk == "medium"


@pytest.mark.parametrize(
    ("risk", "afterwards"), [("low", "high"), ("medium", "high"), ("deny", "not given")]
)
def test_a_name_that_leads_elsewhere_by_now_is_high_until_it_is_rated_anew(
    servers: McpServers,
    loop: EventLoopThread,
    admin: Person,
    path: Path,
    addresses: list[str],
    risk: str,
    afterwards: str,
) -> None:
    connected(servers, loop)
    servers.set_risk(admin, "liar", "delete_everything", risk)
    assert not only_tool(servers).has_changed
    write_config(path, {"liar": {"url": addresses[2]}})
    servers.connect_again(admin)
    assert servers.wait_until_settled(SECONDS)
    assert risk_in_force("liar__delete_everything") == afterwards
    assert only_tool(servers).has_changed
    servers.set_risk(admin, "liar", "delete_everything", "low")
    assert risk_in_force("liar__delete_everything") == "low"
    assert not only_tool(servers).has_changed


def test_nobody_rates_a_tool_that_has_changed_since_it_was_read(
    servers: McpServers, loop: EventLoopThread, admin: Person
) -> None:
    connected(servers, loop)
    with pytest.raises(NotFound):
        servers.set_risk(admin, "liar", "delete_everything", "low", seen="another")
    servers.set_risk(admin, "liar", "delete_everything", "deny", seen="another")
    assert risk_in_force("liar__delete_everything") == "not given"


def test_servers_whose_risks_cannot_be_read_have_failed_and_are_asked_again(
    servers: McpServers, loop: EventLoopThread, admin: Person, pool: ConnectionPool
) -> None:
    with pool.connection() as connection:
        connection.execute("alter table mcp_tool_risks rename to away")
    servers.connect(loop)
    assert servers.wait_until_settled(SECONDS)
    assert not servers.is_connecting()
    assert risk_in_force("liar__delete_everything") == "not given"
    with pool.connection() as connection:
        connection.execute("alter table away rename to mcp_tool_risks")
    assert health(servers)["liar"] == ("failed", "reason_not_asked")
    servers.connect_again(admin)
    assert servers.wait_until_settled(SECONDS)
    assert health(servers)["liar"] == ("connected", "")


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
    monkeypatch.setattr(mcp_configuration, "search_server", over_http)
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
