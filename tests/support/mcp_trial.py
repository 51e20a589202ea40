"""Starts the MCP servers of `mcp_server_child.py` for a test and names them as a person would."""

import json
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHILD = Path(__file__).with_name("mcp_server_child.py")
PATH_BY_TRANSPORT = {"sse": "/sse", "streamable_http": "/mcp"}


def stdio_entry(kind: str, **more: Any) -> dict[str, Any]:
    """The entry of a server that is started for every session."""
    return {"command": sys.executable, "args": [str(CHILD), f"{kind}:stdio"], **more}


@contextmanager
def served(*kinds: str) -> Iterator[list[str]]:
    """Servers such as `honest:sse` in one process on this machine; their addresses."""
    child = subprocess.Popen(
        [sys.executable, str(CHILD), *kinds],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert child.stdout is not None
    try:
        ports = child.stdout.readline().split()
        yield [_address(port, kind) for port, kind in zip(ports, kinds, strict=True)]
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


class _NeverAnswers(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        self.rfile.read()


@contextmanager
def silent_server() -> Iterator[str]:
    """Takes connections and says nothing."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _NeverAnswers) as server:
        server.daemon_threads = True
        serving = threading.Thread(target=server.serve_forever, daemon=True)
        serving.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/mcp"
        server.shutdown()


def _address(port: str, kind: str) -> str:
    transport = kind.partition(":")[2]
    return f"http://127.0.0.1:{port}{PATH_BY_TRANSPORT[transport]}"


def write_config(path: Path, servers: dict[str, Any]) -> Path:
    path.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    return path
