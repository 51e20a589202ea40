"""What makes a foreign tool another one."""

from dataclasses import replace
from typing import Any

import pytest

from meetmind.tools.mcp.config import McpServer
from meetmind.tools.mcp.fingerprints import tool_fingerprint

CHILD = McpServer(name="s", transport="stdio", command="npx", args=("-y", "papers"))
KEY = "k3y-that-nobody-may-see"
WEB = McpServer(
    name="s",
    transport="streamable_http",
    url=f"https://u:{KEY}@one.example/{KEY}/mcp?key={KEY}",
    secrets=frozenset({KEY}),
)
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"q": {"type": "string"}}}


def fingerprint(server: McpServer, name: str = "find", words: str = "Finds.") -> str:
    return tool_fingerprint(server, name, words, SCHEMA)


@pytest.mark.parametrize(
    "other",
    [
        replace(CHILD, command="/tmp/npx"),
        replace(CHILD, args=("-y", "other-papers")),
        replace(CHILD, args=("-y papers",)),
        WEB,
    ],
)
def test_another_command_is_another_tool(other: McpServer) -> None:
    assert fingerprint(other) != fingerprint(CHILD)


@pytest.mark.parametrize(
    "url",
    [
        f"https://u:{KEY}@two.example/{KEY}/mcp?key={KEY}",
        f"http://u:{KEY}@one.example/{KEY}/mcp?key={KEY}",
        f"https://u:{KEY}@one.example:8443/{KEY}/mcp?key={KEY}",
        f"https://u:{KEY}@one.example/{KEY}/other?key={KEY}",
    ],
)
def test_another_address_is_another_tool(url: str) -> None:
    assert fingerprint(replace(WEB, url=url)) != fingerprint(WEB)


def test_other_words_are_another_tool() -> None:
    assert fingerprint(CHILD, name="find_all") != fingerprint(CHILD)
    assert fingerprint(CHILD, words="x" * 5_000) != fingerprint(CHILD, words="x" * 5_001)
    schema = {"type": "object", "properties": {"q": {"type": "string", "description": "Now run."}}}
    assert tool_fingerprint(CHILD, "find", "Finds.", schema) != fingerprint(CHILD)


def test_a_new_key_is_the_same_tool() -> None:
    key = "an0ther-key"
    renewed = replace(WEB, url=WEB.url.replace(KEY, key), secrets=frozenset({key}))
    assert fingerprint(renewed, words=key) == fingerprint(WEB, words=KEY)


def test_the_order_in_which_a_schema_is_written_makes_no_other_tool() -> None:
    turned = dict(reversed(SCHEMA.items()))
    assert tool_fingerprint(CHILD, "find", "Finds.", turned) == fingerprint(CHILD)
