"""Reads which MCP servers there are: `mcp.json` in its widely used form, and the Baidu AI search.

{"mcpServers": {
    "files":   {"command": "npx", "args": ["-y", "some-server"], "env": {"TOKEN": "${MY_TOKEN}"}},
    "tracker": {"url": "https://tracker.example/mcp", "headers": {"Authorization": "${AUTH}"}}
}}
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import quote, urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from meetmind.clean_text import clean_value
from meetmind.tools.mcp.secrets import secrets_of_server

Transport = Literal["stdio", "streamable_http", "sse"]

SEARCH_SERVER = "AIsearch"
"""The one server that is set in .env; no server in `mcp.json` can have this name."""
MOST_SERVERS = 40
MOST_BYTES = 1_000_000
SERVER_NAME = re.compile(r"[a-z][a-z0-9_-]{0,29}")
VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
TRANSPORT_BY_WORD: dict[str, Transport] = {
    "http": "streamable_http",
    "streamable_http": "streamable_http",
    "streamable-http": "streamable_http",
    "streamableHttp": "streamable_http",
    "sse": "sse",
    "stdio": "stdio",
}

ShortText = Annotated[str, Field(max_length=4_000)]


@dataclass(frozen=True, kw_only=True)
class McpServer:
    """How to reach one server. What may hold a secret is kept out of every representation."""

    name: str
    transport: Transport
    command: str = ""
    args: tuple[str, ...] = field(default=(), repr=False)
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    url: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    secrets: frozenset[str] = field(default=frozenset(), repr=False)
    """What must never be shown, logged or told to a role."""

    @property
    def place(self) -> str:
        """The command or the host: what people may see of where the server is."""
        if self.transport == "stdio":
            return Path(self.command).name
        return urlsplit(self.url).hostname or ""


@dataclass(frozen=True, kw_only=True)
class ConfigFault:
    """What is wrong with the file (`server` is empty then) or with one server in it."""

    server: str
    reason: str
    """A key of the text catalogue: `mcp.fault_<reason>`."""
    what: str = ""
    """The place and the fault, in English."""


@dataclass(frozen=True, kw_only=True)
class McpConfig:
    """The servers that can be tried, and what is wrong with the others."""

    servers: tuple[McpServer, ...] = ()
    faults: tuple[ConfigFault, ...] = ()


class _Refused(Exception):
    """One entry cannot be used; carries the fault's reason and what it is about."""

    def __init__(self, reason: str, what: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.what = what


class _Entry(BaseModel):
    """One server as people write it; a word that nobody knows is a fault, not a silent loss."""

    model_config = ConfigDict(extra="forbid")

    command: Annotated[str, Field(max_length=1_000)] = ""
    args: Annotated[list[ShortText], Field(max_length=200)] = Field(default_factory=list)
    env: Annotated[dict[str, ShortText], Field(max_length=200)] = Field(default_factory=dict)
    url: ShortText = ""
    type: str = ""
    transport: str = ""
    headers: Annotated[dict[str, ShortText], Field(max_length=50)] = Field(default_factory=dict)
    disabled: bool = False


def read_mcp_config(path: Path, environ: Mapping[str, str]) -> McpConfig:
    """The servers of a file; no file is no server, and no fault ever stops anything."""
    try:
        if not path.exists():
            return McpConfig()
        entries = _entries_of(path)
    except _Refused as refused:
        return McpConfig(faults=(ConfigFault(server="", reason=refused.reason, what=refused.what),))
    servers: list[McpServer] = []
    faults: list[ConfigFault] = []
    for name, entry in entries.items():
        try:
            server = _server_of(name, entry, environ)
        except _Refused as refused:
            shown_name = str(clean_value(name))[:60]
            fault = ConfigFault(server=shown_name, reason=refused.reason, what=refused.what)
            faults.append(fault)
            continue
        if server is not None:
            servers.append(server)
    return McpConfig(servers=tuple(servers), faults=tuple(faults))


def search_server(url: str, api_key: str, *, allow_plain_http: bool = False) -> McpServer:
    """The Baidu AI search; raises `ValueError` for an address that is not https.

    `allow_plain_http` is for tests with a server on this machine; no setting reaches it.
    """
    parts = urlsplit(url)
    is_local_trial = allow_plain_http and parts.hostname == "127.0.0.1"
    if not parts.hostname or (parts.scheme != "https" and not is_local_trial):
        raise ValueError("BAIDU_SEARCH_MCP_URL must begin with https://.")
    # A plus sign stays: Baidu writes the key as `Bearer+...`.
    query = f"api_key={quote(api_key, safe='+/')}"
    if parts.query:
        query = f"{parts.query}&{query}"
    return McpServer(
        name=SEARCH_SERVER,
        transport="sse",
        url=parts._replace(query=query, fragment="").geturl(),
        secrets=frozenset({api_key, quote(api_key, safe="+/"), quote(api_key, safe="")}),
    )


def _entries_of(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise _Refused("too_large")
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise _Refused("unreadable", error.strerror or type(error).__name__) from None
    except UnicodeDecodeError:
        raise _Refused("unreadable", "not UTF-8") from None
    except json.JSONDecodeError as error:
        raise _Refused("no_json", f"{error.msg}, line {error.lineno}") from None
    except RecursionError:
        raise _Refused("no_json", "nested too deeply") from None
    entries = content.get("mcpServers") if isinstance(content, dict) else None
    if not isinstance(entries, dict):
        raise _Refused("no_servers")
    if len(entries) > MOST_SERVERS:
        raise _Refused("too_many", str(MOST_SERVERS))
    return entries


def _server_of(name: str, entry: Any, environ: Mapping[str, str]) -> McpServer | None:
    """The server of an entry, None for one that is switched off; raises `_Refused`."""
    # Two underscores part the server from the tool, so they cannot stand in the server's name.
    if not SERVER_NAME.fullmatch(name) or "__" in name or name.endswith("_"):
        raise _Refused("bad_name")
    try:
        written = _Entry.model_validate(clean_value(entry))
    except ValidationError as error:
        raise _Refused("bad_entry", _faults_of(error)) from None
    if written.disabled:
        return None
    transport = _transport_of(written)
    entry_with_values = _Filled(environ)
    server = McpServer(
        name=name,
        transport=transport,
        command=entry_with_values.text(written.command),
        args=tuple(entry_with_values.text(word) for word in written.args),
        env=entry_with_values.texts(written.env),
        url=entry_with_values.text(written.url),
        headers=entry_with_values.texts(written.headers),
    )
    if transport != "stdio":
        _check_address(server.url)
    secrets = secrets_of_server(
        url=server.url,
        headers=server.headers,
        env=server.env,
        variables=entry_with_values.used,
        args=server.args,
    )
    return McpServer(**{**vars(server), "secrets": secrets})


def _transport_of(written: _Entry) -> Transport:
    if bool(written.command) == bool(written.url):
        raise _Refused("both" if written.command else "neither")
    word = written.transport or written.type
    if written.command:
        if word not in ("", "stdio"):
            raise _Refused("bad_transport", word[:40])
        return "stdio"
    transport = TRANSPORT_BY_WORD.get(word or "http")
    if transport is None or transport == "stdio":
        raise _Refused("bad_transport", word[:40])
    return transport


def _check_address(url: str) -> None:
    try:
        parts = urlsplit(url)
        has_port = parts.port is None or parts.port > 0
    except ValueError:
        raise _Refused("bad_address") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or not has_port:
        raise _Refused("bad_address")


class _Filled:
    """Puts values of the environment in the place of `${NAME}` and remembers which."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self.used: dict[str, str] = {}

    def text(self, written: str) -> str:
        return VARIABLE.sub(self._value, written)

    def texts(self, written: Mapping[str, str]) -> dict[str, str]:
        return {key: self.text(value) for key, value in written.items()}

    def _value(self, match: re.Match[str]) -> str:
        name = match[1]
        value = self._environ.get(name)
        if value is None:
            raise _Refused("no_variable", name)
        self.used[name] = value
        return value


def _faults_of(error: ValidationError) -> str:
    parts = []
    for fault in error.errors(include_input=False, include_url=False)[:3]:
        place = ".".join(str(part) for part in fault["loc"])
        parts.append(f"{place}: {fault['msg']}" if place else fault["msg"])
    return "; ".join(parts)[:400]
