"""`python -m meetmind.cli mcp` as a client meets it: a child process that speaks the protocol."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import CallToolResult, TextContent
from psycopg_pool import ConnectionPool

from meetmind.config.settings import PROJECT_ROOT
from meetmind.database import runs, sessions
from meetmind.database.users import find_user_by_name, insert_user
from meetmind.events import RunStarted, UtteranceEnded
from tests.support.sample_run import before_decision
from tests.support.stored_run import store_event

BRIEF = "Allow several coupons on one order."
COMMAND = ["-m", "meetmind.cli", "mcp", "--user"]


@pytest.fixture
def environ(database_url: str, tmp_path: Path) -> dict[str, str]:
    return {
        **os.environ,
        "PG_URL": database_url,
        "MEETMIND_HOME": str(tmp_path),
        "EMBEDDING_MODEL_NAME": "no-such-model",
        "LC_ALL": "en_US.UTF-8",
        "PYTHONPATH": str(PROJECT_ROOT),
    }


def discussion_of(pool: ConnectionPool, name: str) -> str:
    """A discussion of a new account with one brief in it; its id."""
    insert_user(pool, name, "!")
    owner = find_user_by_name(pool, name)
    assert owner is not None
    session_id = sessions.create_session(pool, owner_id=owner.id, title=f"Coupons of {name}")
    run_id = runs.create_run(
        pool,
        owner_id=owner.id,
        session_id=session_id,
        brief=BRIEF,
        mode="auto",
        language="en",
        memory_id=None,
        max_iterations=3,
        model_name="offline",
    )
    epoch = runs.claim_run(pool, run_id)
    assert epoch is not None
    for _, event in before_decision(run_id, BRIEF, "en"):
        if isinstance(event, RunStarted | UtteranceEnded):
            store_event(pool, run_id, epoch, event)
    return session_id


def answers_of(
    environ: Mapping[str, str], user: str, calls: list[tuple[str, dict[str, Any]]]
) -> list[CallToolResult]:
    """What the server answers to these calls, in one session."""

    async def ask() -> list[CallToolResult]:
        parameters = StdioServerParameters(
            command=sys.executable, args=[*COMMAND, user], env=dict(environ)
        )
        async with (
            stdio_client(parameters) as (read, write),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            return [await session.call_tool(name, arguments) for name, arguments in calls]

    return asyncio.run(ask())


def text_of(answer: CallToolResult) -> str:
    return "".join(part.text for part in answer.content if isinstance(part, TextContent))


def test_a_client_reads_the_accounts_own_discussions_and_no_others(
    pool: ConnectionPool, environ: dict[str, str]
) -> None:
    own = discussion_of(pool, "lin")
    foreign = discussion_of(pool, "kim")
    listed, read, refused, wrong, found, no_role = answers_of(
        environ,
        "lin",
        [
            ("list_discussions", {}),
            ("get_discussion", {"id": own}),
            ("get_discussion", {"id": foreign}),
            ("get_discussion", {"id": "no id"}),
            ("search_knowledge", {"query": "coupons", "role": "backend"}),
            ("search_knowledge", {"query": "coupons", "role": "nobody"}),
        ],
    )
    assert own in text_of(listed)
    assert foreign not in text_of(listed)
    turns = json.loads(text_of(read))["turns"]
    assert turns[0] == {"speaker": "person", "text": BRIEF}
    assert turns[1]["speaker"] == "architect"
    assert refused.isError
    assert text_of(refused) == text_of(wrong)
    assert "There is no such discussion." in text_of(refused)
    assert json.loads(text_of(found))["passages"] == []
    assert no_role.isError


def test_an_unknown_account_is_one_sentence_on_the_error_output(environ: dict[str, str]) -> None:
    child = subprocess.run(
        [sys.executable, *COMMAND, "nobody"],
        env={**environ, "COLUMNS": "300"},
        check=False,
        capture_output=True,
        text=True,
        input="",
        timeout=120,
    )
    assert child.returncode == 1
    assert child.stdout == ""
    assert child.stderr.strip().splitlines() == [
        "There is no account named “nobody”. Give --user the name of an account of this MeetMind."
    ]
