"""Reading `mcp.json`."""

import json
from pathlib import Path
from typing import Any

import pytest

from meetmind.tools.mcp.config import McpServer, read_mcp_config, search_server

SECRET = "s3cret-s3cret"


def config_of(path: Path, entries: Any, environ: dict[str, str] | None = None) -> Any:
    path.write_text(json.dumps({"mcpServers": entries}), encoding="utf-8")
    return read_mcp_config(path, environ or {})


def only_server(path: Path, entry: dict[str, Any], environ: dict[str, str]) -> McpServer:
    config = config_of(path, {"one": entry}, environ)
    assert config.faults == ()
    server: McpServer = config.servers[0]
    return server


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "mcp.json"


def test_no_file_is_no_server(path: Path) -> None:
    assert read_mcp_config(path, {}).servers == ()
    assert read_mcp_config(path, {}).faults == ()


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        (b"{", "no_json"),
        (b"[" * 100_000, "no_json"),
        (b"\xff\xfe{}", "unreadable"),
        (b"[]", "no_servers"),
        (b'{"servers": {}}', "no_servers"),
        (b" " * 1_000_001, "too_large"),
    ],
)
def test_a_broken_file_is_reported_and_stops_nothing(
    path: Path, written: bytes, reason: str
) -> None:
    path.write_bytes(written)
    config = read_mcp_config(path, {})
    assert config.servers == ()
    assert [(fault.server, fault.reason) for fault in config.faults] == [("", reason)]


def test_a_folder_in_the_place_of_the_file_is_reported(path: Path) -> None:
    path.mkdir()
    assert read_mcp_config(path, {}).faults[0].reason == "unreadable"


@pytest.mark.parametrize(
    ("word", "transport"),
    [
        ({}, "streamable_http"),
        ({"type": "http"}, "streamable_http"),
        ({"type": "streamable_http"}, "streamable_http"),
        ({"transport": "streamable-http"}, "streamable_http"),
        ({"transport": "sse"}, "sse"),
    ],
)
def test_every_way_of_writing_a_transport_is_understood(
    path: Path, word: dict[str, str], transport: str
) -> None:
    server = only_server(path, {"url": "https://tracker.example/mcp", **word}, {})
    assert server.transport == transport


def test_variables_come_from_the_environment(path: Path) -> None:
    entry = {
        "command": "${BIN}/run",
        "args": ["--at", "${PLACE}", "$PLACE"],
        "env": {"TOKEN": "${MY_TOKEN}"},
    }
    environ = {"BIN": "/opt", "PLACE": "there", "MY_TOKEN": SECRET}
    server = only_server(path, entry, environ)
    assert server.command == "/opt/run"
    assert server.args == ("--at", "there", "$PLACE")
    assert server.env == {"TOKEN": SECRET}
    assert SECRET in server.secrets


@pytest.mark.parametrize(
    ("name", "entry", "reason"),
    [
        ("Upper", {"command": "x"}, "bad_name"),
        ("a__b", {"command": "x"}, "bad_name"),
        ("a_", {"command": "x"}, "bad_name"),
        ("a" * 31, {"command": "x"}, "bad_name"),
        ("AIsearch", {"command": "x"}, "bad_name"),
        ("a", {"command": "x", "url": "https://x.example"}, "both"),
        ("a", {}, "neither"),
        ("a", {"comand": "x"}, "bad_entry"),
        ("a", {"command": "x", "args": "y"}, "bad_entry"),
        ("a", "x", "bad_entry"),
        ("a", {"url": "https://x.example", "type": "websocket"}, "bad_transport"),
        ("a", {"command": "x", "type": "sse"}, "bad_transport"),
        ("a", {"url": "ftp://x.example"}, "bad_address"),
        ("a", {"url": "https://x.example:99999/"}, "bad_address"),
        ("a", {"command": "x", "env": {"K": "${NOT_THERE}"}}, "no_variable"),
    ],
)
def test_one_bad_server_is_reported_and_the_rest_goes_on(
    path: Path, name: str, entry: Any, reason: str
) -> None:
    config = config_of(path, {name: entry, "good": {"command": "x"}})
    assert [server.name for server in config.servers] == ["good"]
    assert [(fault.server, fault.reason) for fault in config.faults] == [(name, reason)]


def test_a_server_that_is_switched_off_is_not_there(path: Path) -> None:
    assert config_of(path, {"a": {"command": "x", "disabled": True}}).servers == ()


def test_secrets_stand_in_no_representation(path: Path) -> None:
    entry = {
        "url": f"https://user:{SECRET}1@tracker.example/mcp?token={SECRET}2",
        "headers": {"Authorization": f"Bearer {SECRET}3"},
    }
    server = only_server(path, entry, {})
    assert SECRET not in repr(server)
    assert server.place == "tracker.example"
    assert {f"{SECRET}1", f"{SECRET}2", f"{SECRET}3"} <= server.secrets


def test_secrets_of_arguments_and_of_any_variable_are_known(path: Path) -> None:
    entry = {
        "command": "run",
        "args": ["--at=${PLACE}", "--token", f"{SECRET}1"],
        "env": {"DATABASE_URL": f"postgres://u:{SECRET}2@db.example/papers"},
    }
    server = only_server(path, entry, {"PLACE": f"{SECRET}3"})
    assert {f"{SECRET}1", f"{SECRET}2", f"{SECRET}3"} <= server.secrets


def test_the_key_of_the_search_travels_in_the_query_string() -> None:
    server = search_server("https://search.example/sse", "Bearer+bce-v3/ALTAK-1")
    assert server.url == "https://search.example/sse?api_key=Bearer+bce-v3/ALTAK-1"
    assert "ALTAK" not in repr(server)


@pytest.mark.parametrize("url", ["http://search.example/sse", "http://127.0.0.1/sse", "sse", ""])
def test_the_search_goes_over_https_alone(url: str) -> None:
    with pytest.raises(ValueError, match="https"):
        search_server(url, "key")
