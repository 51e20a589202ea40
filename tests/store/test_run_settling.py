"""After a crash the file tells what became of a Write or an Edit that had started."""

from pathlib import Path
from typing import Any

import pytest
from psycopg_pool import ConnectionPool

from meetmind.database import approvals, tool_executions
from meetmind.database.approvals import Verdict
from meetmind.database.tool_executions import CallFacts
from meetmind.events import ToolRequested
from meetmind.server.accounts import Accounts
from meetmind.server.run_settling import settle_started_calls
from meetmind.tools.effects import expected_effect, restore_content
from tests.support.open_run import open_run

BEFORE = b"one\r\ntwo\r\n"
WRITE = ("Write", {"path": "a.md", "content": "one\nthree\n"})
EDIT = ("Edit", {"path": "a.md", "old_string": "two", "new_string": "three"})
AFTER = b"one\r\nthree\r\n"


def start_call(
    pool: ConnectionPool, workspace: Path, tool: str, arguments: dict[str, Any]
) -> tuple[str, int]:
    """A run whose one approved call has been claimed; returns its id and epoch."""
    accounts = Accounts(pool)
    accounts.ensure_first_account()
    owner_id = accounts.sign_in("admin", "admin").id
    _, run_id, epoch = open_run(pool, owner_id)
    effect = expected_effect(tool, arguments, workspace)
    tool_executions.record_request(
        pool,
        run_id=run_id,
        epoch=epoch,
        request=ToolRequested(
            utterance_id="run.0.architect",
            agent_name="architect",
            call_id="c",
            tool=tool,
            risk="high",
            arguments=arguments,
            verdict="asked",
            reason="",
            preview=effect.diff,
        ),
        status="pending",
        facts=CallFacts(
            arguments_sha256="0" * 64,
            target=effect.path,
            sha256_before=effect.sha256_before,
            sha256_after=effect.sha256_after,
        ),
    )
    verdict = Verdict(decider_id=owner_id, decision="approved")
    assert approvals.decide_call(pool, run_id=run_id, call_id="c", verdict=verdict)
    assert tool_executions.claim_call(
        pool, run_id=run_id, epoch=epoch, call_id="c", arguments_sha256="0" * 64
    )
    return run_id, epoch


@pytest.mark.parametrize(("tool", "arguments"), [WRITE, EDIT])
@pytest.mark.parametrize(
    ("found", "status"),
    [(BEFORE, "approved"), (AFTER, "finished"), (b"other two", "pending"), (None, "pending")],
)
def test_the_hash_of_the_file_settles_a_call_that_had_started(
    pool: ConnectionPool,
    tmp_path: Path,
    tool: str,
    arguments: dict[str, Any],
    found: bytes | None,
    status: str,
) -> None:
    restore_content(tmp_path, "a.md", BEFORE)
    run_id, epoch = start_call(pool, tmp_path, tool, arguments)
    restore_content(tmp_path, "a.md", found)
    settle_started_calls(pool, run_id=run_id, epoch=epoch, workspace=tmp_path)
    row = tool_executions.get_call(pool, run_id=run_id, call_id="c")
    assert row is not None
    assert row.status == status


def test_a_link_that_stands_there_now_is_put_before_the_person(
    pool: ConnectionPool, tmp_path: Path
) -> None:
    run_id, epoch = start_call(pool, tmp_path, *WRITE)
    (tmp_path / "a.md").symlink_to("/etc/passwd")
    settle_started_calls(pool, run_id=run_id, epoch=epoch, workspace=tmp_path)
    row = tool_executions.get_call(pool, run_id=run_id, call_id="c")
    assert row is not None
    assert row.status == "pending"
