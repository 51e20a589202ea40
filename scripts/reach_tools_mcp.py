"""`mcp_servers`: real servers of the `mcp` package over three transports, good and bad ones."""

import asyncio
import logging
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROJECT_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(PROJECT_ROOT), str(PROJECT_ROOT / "scripts")]

from reach_lines import ReachLines  # noqa: E402 - the paths above come first
from reach_room import fresh_database  # noqa: E402

from meetmind.config.environment import load_environment  # noqa: E402
from meetmind.config.settings import Settings  # noqa: E402
from meetmind.database.connection import get_pg_pool  # noqa: E402
from meetmind.errors import ToolError  # noqa: E402
from meetmind.server.event_loop import EventLoopThread  # noqa: E402
from meetmind.server.mcp_servers import McpServers  # noqa: E402
from meetmind.tools.argument_check import wrong_arguments  # noqa: E402
from meetmind.tools.envelope import Envelope  # noqa: E402
from meetmind.tools.mcp.client import McpConnection, init_mcp_tools  # noqa: E402
from meetmind.tools.mcp.config import McpServer, read_mcp_config, search_server  # noqa: E402
from meetmind.tools.mcp.wrapped_tools import McpTool, wrapped_tools  # noqa: E402
from meetmind.tools.tool_register import all_tools, risk_of  # noqa: E402
from tests.support.mcp_trial import served, silent_server, stdio_entry, write_config  # noqa: E402

KEY = "k3y-that-nobody-may-see"
KINDS = ("honest", "shadow", "liar", "hanging", "dying")
SHORT = {"stdio": "stdio", "streamable_http": "http", "sse": "sse"}
CONNECT_SECONDS = 20.0
CALL_SECONDS = 20.0
PATIENCE_SECONDS = 6.0
"""For a call that hangs; a child process may take four seconds more to end."""


@dataclass(kw_only=True)
class Trial:
    """Every server after one attempt to reach it, and what came when."""

    connections: dict[str, McpConnection] = field(default_factory=dict)
    tools: dict[str, McpTool] = field(default_factory=dict)
    arrived: list[str] = field(default_factory=list)
    log: list[str] = field(default_factory=list)

    def take(self, connection: McpConnection) -> None:
        self.arrived.append(connection.server.name)
        self.connections[connection.server.name] = connection

    def call(self, name: str, arguments: dict[str, Any], seconds: float = CALL_SECONDS) -> Envelope:
        tool = self.tools[name].model_copy(update={"seconds": seconds})
        return Envelope.model_validate_json(asyncio.run(tool.ainvoke(arguments)))

    def fault_of(self, name: str, arguments: dict[str, Any], seconds: float) -> str:
        """The reason of a call that must fail."""
        try:
            self.call(name, arguments, seconds)
        except ToolError as error:
            return error.reason
        return ""


class Recorder(logging.Handler):
    """Keeps every line that anything logs."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__(logging.DEBUG)
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(self.format(record))


def measure(lines: ReachLines) -> None:
    """Reach every server once, then try each case and name it."""
    load_environment()
    trial = Trial()
    recorder = Recorder(trial.log)
    root = logging.getLogger()
    root.addHandler(recorder)
    root.setLevel(logging.DEBUG)
    try:
        with ExitStack() as stack:
            servers = servers_on_this_machine(stack)
            asyncio.run(init_mcp_tools(servers, trial.take, seconds=CONNECT_SECONDS))
            trial.tools = wrapped(trial, {})
            cases = all_cases(trial)
            passed = 0
            for name, holds in cases:
                is_good = holds()
                passed += is_good
                lines.note(f"mcp_servers: {'ok   ' if is_good else 'SHORT'} {name}")
    finally:
        root.removeHandler(recorder)
        root.setLevel(logging.WARNING)
    lines.all_of("mcp_servers", passed, len(cases))


def servers_on_this_machine(stack: ExitStack) -> list[McpServer]:
    """Five kinds over three transports, servers that are silent or not there, and the search."""
    entries: dict[str, Any] = {}
    for kind in KINDS:
        entries[f"{kind}-stdio"] = stdio_entry(kind)
        for transport in ("streamable_http", "sse"):
            # A process each: one of them dies in the middle.
            (url,) = stack.enter_context(served(f"{kind}:{transport}"))
            entries[f"{kind}-{SHORT[transport]}"] = {"url": url, "type": transport}
    silent_url = stack.enter_context(silent_server())
    entries["silent-http"] = {"url": silent_url}
    entries["silent-sse"] = {"url": silent_url, "type": "sse"}
    entries["silent-stdio"] = stdio_entry("silent")
    entries["noise-stdio"] = stdio_entry("noise")
    entries["nobody"] = {"url": "http://127.0.0.1:9/mcp"}
    entries["no-command"] = {"command": "/no/such/command"}
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    config = read_mcp_config(write_config(folder / "mcp.json", entries), {})
    (search_url,) = stack.enter_context(served("search:sse"))
    return [*config.servers, search_server(search_url, KEY, allow_plain_http=True)]


def wrapped(trial: Trial, table: dict[tuple[str, str], Any]) -> dict[str, McpTool]:
    tools = wrapped_tools(trial.connections.values(), table, lambda server, tool: False)
    return {tool.name: tool for tool in tools if isinstance(tool, McpTool)}


def all_cases(trial: Trial) -> list[tuple[str, Callable[[], bool]]]:
    """Every case with its name; those that watch the log come last."""
    cases: list[tuple[str, Callable[[], bool]]] = []
    for transport in SHORT.values():
        cases += cases_of_transport(trial, transport)
    silent = [name for name in trial.connections if name.startswith(("silent", "noise"))]
    for name in silent:
        cases.append((f"{name} is given up in time", lambda name=name: gives_up(trial, name)))
    cases += [
        ("silent ones arrive last and hold nobody up", lambda: arrive_last(trial, silent)),
        ("a closed port is named", lambda: reason(trial, "nobody") == "unreachable"),
        ("a missing command is named", lambda: reason(trial, "no-command") == "no_command"),
        ("AIsearch keeps its name, medium, with pages", lambda: search_works(trial)),
        ("AIsearch wants a query", lambda: bool(wrong_arguments(trial.tools["AIsearch"], {}))),
        ("a denied tool is given to nobody", lambda: denial_works(trial)),
        ("connecting holds no start up", start_is_not_held_up),
        ("the key stands in no log line", lambda: not any(KEY in line for line in trial.log)),
    ]
    return cases


def cases_of_transport(trial: Trial, transport: str) -> list[tuple[str, Callable[[], bool]]]:
    return [
        (f"{transport}: an honest server answers", lambda: adds(trial, transport)),
        (f"{transport}: no built-in tool is shadowed", lambda: shadows_nobody(trial, transport)),
        (f"{transport}: lying annotations change no risk", lambda: stays_high(trial, transport)),
        (f"{transport}: a call that hangs ends", lambda: hanging_ends(trial, transport)),
        (
            f"{transport}: a server that dies in a call is told",
            lambda: death_told(trial, transport),
        ),
    ]


def adds(trial: Trial, transport: str) -> bool:
    envelope = trial.call(f"honest-{transport}__add", {"first": 1, "second": 2})
    return envelope.status == "ok" and envelope.evidence[0].content == "3"


def shadows_nobody(trial: Trial, transport: str) -> bool:
    built_in = {tool.name for tool in all_tools}
    offered = {tool.name for tool in trial.connections[f"shadow-{transport}"].tools}
    return f"shadow-{transport}__Write" in offered and not built_in & set(trial.tools)


def stays_high(trial: Trial, transport: str) -> bool:
    return risk_of(trial.tools[f"liar-{transport}__delete_everything"]) == "high"


def hanging_ends(trial: Trial, transport: str) -> bool:
    began = time.monotonic()
    told = trial.fault_of(f"hanging-{transport}__wait", {}, PATIENCE_SECONDS)
    return told == "timed_out" and time.monotonic() - began < PATIENCE_SECONDS + 6


def death_told(trial: Trial, transport: str) -> bool:
    return trial.fault_of(f"dying-{transport}__die", {}, CALL_SECONDS) in ("gone", "timed_out")


def gives_up(trial: Trial, name: str) -> bool:
    connection = trial.connections[name]
    return connection.reason == "timed_out" and connection.seconds < CONNECT_SECONDS + 6


def arrive_last(trial: Trial, silent: list[str]) -> bool:
    return set(trial.arrived[-len(silent) :]) == set(silent)


def reason(trial: Trial, name: str) -> str:
    return trial.connections[name].reason


def search_works(trial: Trial) -> bool:
    envelope = trial.call("AIsearch", {"query": "coupons"})
    pages = [page.source for page in envelope.evidence]
    is_medium = risk_of(trial.tools["AIsearch"]) == "medium"
    return is_medium and "https://example.org/b" in pages and KEY not in envelope.to_json()


def denial_works(trial: Trial) -> bool:
    tools = wrapped(trial, {("liar-sse", "delete_everything"): "deny"})
    return "liar-sse__delete_everything" not in tools and "liar-http__delete_everything" in tools


def start_is_not_held_up() -> bool:
    """The service returns at once while the only server says nothing."""
    loop = EventLoopThread()
    with (
        fresh_database() as database_url,
        silent_server() as url,
        tempfile.TemporaryDirectory() as folder,
    ):
        path = write_config(Path(folder) / "mcp.json", {"silent": {"url": url}})
        pool = get_pg_pool(database_url)
        servers = McpServers(pool, Settings(mcp_config_path=path), {}, seconds=2.0)
        began = time.monotonic()
        servers.connect(loop)
        seconds = time.monotonic() - began
        is_connecting = servers.is_connecting()
        has_settled = servers.wait_until_settled(30.0)
        loop.stop()
        pool.close()
    return seconds < 0.2 and is_connecting and has_settled


if __name__ == "__main__":
    measure(ReachLines("tools_mcp"))
