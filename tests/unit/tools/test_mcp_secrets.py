"""What of a server's configuration is struck out, and what a server may say of its faults."""

from typing import Any

import mcp.types as protocol
import pytest
from mcp.shared.exceptions import McpError

from meetmind.tools.mcp.config import McpServer
from meetmind.tools.mcp.faults import server_fault
from meetmind.tools.mcp.results import envelope_of_result
from meetmind.tools.mcp.secrets import secrets_of_server, without_secrets

SECRET = "hunter2-Qx"


def struck_out(text: str, **configured: Any) -> str:
    """The text as it is shown for a server that is configured like this."""
    parts = {"url": "", "headers": {}, "env": {}, "variables": {}, **configured}
    return without_secrets(text, secrets_of_server(**parts))


@pytest.mark.parametrize(
    "configured",
    [
        {"env": {"DATABASE_URL": f"postgres://u:{SECRET}@db.example/papers"}},
        {"env": {"CONNECTION": f"Server=db;User=u;Password={SECRET};"}},
        {"env": {"PLAIN_NAME": SECRET}},
        {"variables": {"CONN": f"AccountPwd={SECRET}"}},
        {"variables": {"PLACE": SECRET}},
        {"url": f"https://mcp.example/s/{SECRET}/mcp"},
        {"url": f"https://{SECRET}@mcp.example/mcp"},
        {"args": ["--api-key", SECRET]},
        {"args": [f"--token={SECRET}"]},
        {"args": ["--header", f"Authorization: Bearer {SECRET}"]},
        {"args": [f"postgresql://u:{SECRET}@db.example/papers"]},
        {"headers": {"X-Trial": f"Bearer {SECRET}"}},
    ],
)
def test_a_secret_is_struck_out_wherever_it_is_configured(configured: dict[str, Any]) -> None:
    shown = struck_out(f"login failed ({SECRET}) at the server", **configured)
    assert shown == "login failed ([redacted]) at the server"


def test_tokens_are_known_by_their_look() -> None:
    token = "ghpQ8f3kd93kf93xZ"
    assert struck_out(token, args=["serve", token]) == "[redacted]"
    address = "https://mcp.example/s/SECRETPATHTOKEN/mcp"
    assert struck_out("no SECRETPATHTOKEN", url=address) == "no [redacted]"


def test_a_secret_is_struck_out_as_addresses_and_json_write_it() -> None:
    variables = {"KEY": 'a/b c"d&e+f'}
    for written in ("a/b%20c%22d%26e+f", "a%2Fb%20c%22d%26e%2Bf", 'a/b c\\"d&e+f'):
        assert struck_out(written, variables=variables) == "[redacted]"


@pytest.mark.parametrize(
    ("value", "configured"),
    [
        ("production", {"env": {"MODE": "production"}}),
        ("en_US.UTF-8", {"env": {"LANG": "en_US.UTF-8"}}),
        ("127.0.0.1:8080", {"env": {"AT": "127.0.0.1:8080"}}),
        ("/srv/papers", {"env": {"ROOT": "/srv/papers"}}),
        ("/home/lin/papers", {"variables": {"HOME": "/home/lin/papers"}}),
        ("https://tracker.example", {"env": {"TRACKER_URL": "https://tracker.example"}}),
        ("streamable-http", {"url": "https://mcp.example/v1/streamable-http/mcp"}),
        ("@scope/server-filesystem", {"args": ["-y", "@scope/server-filesystem"]}),
        ("/srv/papers", {"args": ["--auth-file", "/srv/papers"]}),
        ("lin park", {"args": ["--author", "lin park"]}),
    ],
)
def test_words_and_places_stay_readable(value: str, configured: dict[str, Any]) -> None:
    assert struck_out(value, **configured) == value


SERVER = McpServer(name="s", transport="stdio", command="x", secrets=frozenset({SECRET}))
FOREIGN_KEY = "sk-proj-Zk3Lm9Qw2Rt8Yp5Vx7Nb1Cd4"
TELLING = f"no login with {SECRET[:4]}\u200b{SECRET[4:]} and {FOREIGN_KEY} at the server"


def failed_call(*parts: protocol.ContentBlock, is_error: bool) -> str:
    result = protocol.CallToolResult(content=list(parts), isError=is_error)
    return envelope_of_result(SERVER, "s__a", "a", {}, result).to_json()


def test_the_words_of_a_failed_call_hold_no_secret() -> None:
    told = failed_call(protocol.TextContent(type="text", text=TELLING), is_error=True)
    assert "no login with [redacted] and [masked] at the server" in told
    assert SECRET not in told
    assert FOREIGN_KEY not in told


def test_the_words_of_a_refusal_hold_no_secret() -> None:
    refused = McpError(protocol.ErrorData(code=1, message=TELLING))
    reason, words = server_fault(refused, SERVER.secrets, has_expired=False)
    assert reason == "refused"
    assert words == "no login with [redacted] and [masked] at the server"


def test_no_half_of_a_secret_is_left_where_long_words_are_cut() -> None:
    message = "x" * 295 + SECRET
    refused = McpError(protocol.ErrorData(code=1, message=message))
    _, words = server_fault(refused, SERVER.secrets, has_expired=False)
    assert words == "x" * 295 + "[red…"


def test_the_name_of_a_part_that_is_not_shown_holds_no_secret() -> None:
    picture = protocol.ImageContent(type="image", data="", mimeType=f"image/{SECRET}")
    told = failed_call(picture, is_error=False)
    assert "image/[redacted]" in told
