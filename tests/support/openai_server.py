"""A loopback HTTP server that speaks the OpenAI chat protocol, well or as badly as a test wants.

    with OpenAIServer(completion("hello"), refusal(429, "slow down")) as server:
        ... server.base_url, server.requests ...

Replies are served in order; when they are used up, `otherwise` answers. A reply may also be a
function of the request's body that returns a reply.
"""

import json
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal

Ending = Literal["done", "closed", "torn", "silent"]
"""How a stream ends: with [DONE]; cleanly without it; in mid-chunk; not at all."""

PIECE_CHARACTERS = 7
LONGEST_SILENCE_SECONDS = 20.0


@dataclass(frozen=True, kw_only=True)
class RecordedRequest:
    """One request as it came over the wire."""

    path: str
    headers: Mapping[str, str]
    """By lower-case name."""
    body: dict[str, Any]
    client_port: int
    at: float
    """Seconds of a monotonic clock."""


@dataclass(frozen=True, kw_only=True)
class Page:
    """A whole reply: a completion, an error, or anything else."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class EventStream:
    """A streamed reply; `events` are JSON values or raw text, `pause_seconds` lies between them."""

    events: Sequence[Any]
    ending: Ending = "done"
    pause_seconds: float = 0.0
    content_type: str = "text/event-stream"


@dataclass(frozen=True, kw_only=True)
class Completion:
    """An answer that is streamed or sent whole, as the request asks."""

    text: str = ""
    calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    finish_reason: str | None = None
    pause_seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Torn:
    """The connection is reset before a word of an answer."""


@dataclass(frozen=True, kw_only=True)
class Silence:
    """The request is taken and nothing ever comes."""


Reply = Page | EventStream | Completion | Torn | Silence
Answer = Reply | Callable[[dict[str, Any]], Reply]


def completion(
    text: str = "", *, finish_reason: str | None = None, pause_seconds: float = 0.0
) -> Completion:
    """An answer in words."""
    return Completion(text=text, finish_reason=finish_reason, pause_seconds=pause_seconds)


def tool_calls(*calls: tuple[str, Mapping[str, Any]], text: str = "") -> Completion:
    """An answer that asks for tools, each as name and arguments."""
    return Completion(text=text, calls=tuple(calls))


def raw_tool_calls(*calls: tuple[str, Any]) -> Page:
    """A whole reply that asks for tools, with arguments exactly as given."""
    listed = []
    for number, (name, arguments) in enumerate(calls):
        function = {"name": name, "arguments": arguments}
        listed.append({"id": f"call_{number}", "type": "function", "function": function})
    message = {"role": "assistant", "content": None, "tool_calls": listed}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    return json_page({"id": "c1", "object": "chat.completion", "model": "m", "choices": [choice]})


def refusal(
    status: int, message: str, *, code: str | None = None, headers: Mapping[str, str] | None = None
) -> Page:
    """An error in the protocol's form."""
    error = {"error": {"message": message, "type": "invalid_request_error", "code": code}}
    return json_page(error, status=status, headers=headers or {})


def json_page(value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Page:
    """Any JSON value as a whole reply."""
    merged = {"Content-Type": "application/json", **(headers or {})}
    return Page(status=status, body=json.dumps(value).encode(), headers=merged)


def html_page(text: str = "<html><body>Welcome to the router</body></html>") -> Page:
    """What a wrong address often answers."""
    return Page(body=text.encode(), headers={"Content-Type": "text/html"})


def events(*values: Any, ending: Ending = "done", pause_seconds: float = 0.0) -> EventStream:
    """A stream of exactly these events."""
    return EventStream(events=values, ending=ending, pause_seconds=pause_seconds)


def delta(
    content: Any = None, *, finish_reason: str | None = None, **fields: Any
) -> dict[str, Any]:
    """One chunk of a stream."""
    body: dict[str, Any] = {**fields}
    if content is not None:
        body["content"] = content
    choice = {"index": 0, "delta": body, "finish_reason": finish_reason}
    return {"id": "c1", "object": "chat.completion.chunk", "model": "m", "choices": [choice]}


class OpenAIServer:
    """The server; use it as a context manager."""

    def __init__(
        self,
        *replies: Answer,
        otherwise: Answer | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.requests: list[RecordedRequest] = []
        self._replies = list(replies)
        self._otherwise = otherwise or refusal(500, "the script is used up")
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._http = _http_server(self)
        self._scheme = "http" if tls is None else "https"
        if tls is not None:
            self._http.socket = tls.wrap_socket(self._http.socket, server_side=True)
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    def __enter__(self) -> "OpenAIServer":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._closing.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    @property
    def base_url(self) -> str:
        """The address as BASE_URL takes it."""
        return f"{self._scheme}://127.0.0.1:{self._http.server_address[1]}/v1"

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """The bodies of all requests so far."""
        return [request.body for request in self.requests]

    def add(self, *replies: Answer) -> None:
        """Put more replies at the end of the script."""
        with self._lock:
            self._replies.extend(replies)

    def take(self, request: RecordedRequest) -> Reply:
        """Record a request and choose its reply."""
        with self._lock:
            self.requests.append(request)
            answer = self._replies.pop(0) if self._replies else self._otherwise
        return answer(request.body) if callable(answer) else answer

    def wait(self, seconds: float) -> None:
        """Let time pass, but not beyond the end of the test."""
        self._closing.wait(seconds)


def _http_server(server: OpenAIServer) -> ThreadingHTTPServer:
    class Handler(_Handler):
        openai_server = server

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            """Clients that go away in mid-answer are part of the tests."""

    return Server(("127.0.0.1", 0), Handler)


class _Handler(BaseHTTPRequestHandler):
    openai_server: OpenAIServer
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", "0"))
        body = json.loads(self.rfile.read(length) or b"{}")
        request = RecordedRequest(
            path=self.path,
            headers={name.lower(): value for name, value in self.headers.items()},
            body=body,
            client_port=self.client_address[1],
            at=time.monotonic(),
        )
        self._send(self.openai_server.take(request), body)

    def _send(self, reply: Reply, body: Mapping[str, Any]) -> None:
        match reply:
            case Page():
                self._send_page(reply)
            case EventStream():
                self._send_stream(reply)
            case Completion() if body.get("stream"):
                self._send_stream(_as_stream(reply, body))
            case Completion():
                self._send_page(_as_page(reply))
            case Torn():
                self.close_connection = True
                self.connection.close()
            case Silence():
                self.openai_server.wait(LONGEST_SILENCE_SECONDS)
                self.close_connection = True

    def _send_page(self, page: Page) -> None:
        self.send_response(page.status)
        for name, value in page.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(page.body)))
        self.end_headers()
        self.wfile.write(page.body)

    def _send_stream(self, stream: EventStream) -> None:
        self.send_response(200)
        self.send_header("Content-Type", stream.content_type)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in stream.events:
            text = event if isinstance(event, str) else f"data: {json.dumps(event)}\n\n"
            self._send_chunk(text.encode("utf-8", "surrogatepass"))
            self.openai_server.wait(stream.pause_seconds)
        if stream.ending == "done":
            self._send_chunk(b"data: [DONE]\n\n")
        if stream.ending in ("done", "closed"):
            self._send_chunk(b"")
        if stream.ending == "silent":
            self.openai_server.wait(LONGEST_SILENCE_SECONDS)
        self.close_connection = True

    def _send_chunk(self, content: bytes) -> None:
        self.wfile.write(f"{len(content):x}\r\n".encode() + content + b"\r\n")
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:
        """Tests read `requests` instead."""


USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


def _finish_reason(reply: Completion) -> str:
    if reply.finish_reason is not None:
        return reply.finish_reason
    return "tool_calls" if reply.calls else "stop"


def _calls(reply: Completion) -> list[dict[str, Any]]:
    listed = []
    for index, (name, arguments) in enumerate(reply.calls):
        function = {"name": name, "arguments": json.dumps(arguments)}
        listed.append(
            {"index": index, "id": f"call_{index}", "type": "function"} | {"function": function}
        )
    return listed


def _as_page(reply: Completion) -> Page:
    message = {"role": "assistant", "content": reply.text, "tool_calls": _calls(reply)}
    choice = {"index": 0, "message": message, "finish_reason": _finish_reason(reply)}
    return json_page(
        {"id": "c1", "object": "chat.completion", "model": "m", "choices": [choice], "usage": USAGE}
    )


def _as_stream(reply: Completion, body: Mapping[str, Any]) -> EventStream:
    chunks = [delta("", role="assistant")]
    chunks.extend(delta(piece) for piece in _pieces(reply.text))
    if reply.calls:
        chunks.append(delta(tool_calls=_calls(reply)))
    chunks.append(delta(finish_reason=_finish_reason(reply)))
    if (body.get("stream_options") or {}).get("include_usage"):
        chunks.append({"id": "c1", "model": "m", "choices": [], "usage": USAGE})
    return EventStream(events=chunks, pause_seconds=reply.pause_seconds)


def _pieces(text: str) -> Iterator[str]:
    for start in range(0, len(text), PIECE_CHARACTERS):
        yield text[start : start + PIECE_CHARACTERS]
