"""A loopback proxy before a model server, which counts and keeps the requests that pass."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

import httpx

ANSWER_SECONDS = 600.0


class CountingProxy:
    """Forwards POST requests to `target` and streams the answers back."""

    def __init__(self, target: str) -> None:
        self.bodies: list[dict[str, Any]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler(target))
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def base_url(self) -> str:
        """The address to give to a client."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> "CountingProxy":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self, target: str) -> type[BaseHTTPRequestHandler]:
        bodies = self.bodies

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                bodies.append(json.loads(body))
                with httpx.stream(
                    "POST",
                    target + self.path,
                    content=body,
                    headers={"Content-Type": "application/json"},
                    timeout=ANSWER_SECONDS,
                ) as answer:
                    self.send_response(answer.status_code)
                    self.send_header("Content-Type", answer.headers["Content-Type"])
                    self.end_headers()
                    for piece in answer.iter_raw():
                        self.wfile.write(piece)

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing."""

        return Handler
