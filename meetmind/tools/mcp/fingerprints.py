"""What a decision about a foreign tool is bound to: where its server is, and what the tool says."""

import hashlib
import json
from typing import Any
from urllib.parse import urlsplit

from meetmind.tools.mcp.config import McpServer
from meetmind.tools.mcp.secrets import without_secrets


def tool_fingerprint(server: McpServer, remote_name: str, description: str, schema: Any) -> str:
    """The sha256 of the server's place and of the tool's whole description, as 64 hex digits.

    Secrets are struck out first: a new key makes no new tool.
    """
    place, details = _place_of(server)
    parts = [
        server.transport,
        place,
        _struck_out(details, server),
        remote_name,
        _struck_out(description, server),
        _struck_out(schema, server),
    ]
    written = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(written.encode()).hexdigest()


def _place_of(server: McpServer) -> tuple[str, list[str]]:
    """The command or the host, which are no secrets wherever they come from, and what follows."""
    if server.transport == "stdio":
        return server.command, list(server.args)
    parts = urlsplit(server.url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}", [parts.path, parts.query]


def _struck_out(value: Any, server: McpServer) -> Any:
    if isinstance(value, str):
        return without_secrets(value, server.secrets)
    if isinstance(value, list):
        return [_struck_out(entry, server) for entry in value]
    if isinstance(value, dict):
        return {str(key): _struck_out(entry, server) for key, entry in value.items()}
    return value
