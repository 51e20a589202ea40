"""After a crash: what became of calls that had started, and what was said but not stored."""

from pathlib import Path
from typing import Literal

from psycopg_pool import ConnectionPool

from meetmind.database import run_events, tool_executions
from meetmind.database.tool_executions import ToolExecutionRow
from meetmind.errors import ToolError
from meetmind.events import RunEnded, ToolAskedAgain, ToolFinished
from meetmind.tools.effects import FILE_TOOLS, current_sha256, effect_now
from meetmind.tools.envelope import Envelope

UNREADABLE = "unreadable"


def settle_started_calls(
    pool: ConnectionPool, *, run_id: str, epoch: int, workspace: Path, is_ending: bool = False
) -> None:
    """Bring every call that had started and not ended into a state from which the run can go on.

    Where the run ends instead (`is_ending`), nobody is asked any more: what is unclear stays so.
    """
    for call in tool_executions.list_run_calls(pool, run_id=run_id, status="started"):
        state = _what_became_of(call, workspace)
        if state == "done":
            _record(pool, call, epoch, _done(call))
        elif state == "not_done":
            tool_executions.settle_as_approved(
                pool, run_id=run_id, epoch=epoch, call_id=call.call_id
            )
        elif is_ending:
            _record(pool, call, epoch, _unsure(call))
        else:
            _ask_as_unsure(pool, call, epoch, workspace)


def _what_became_of(
    call: ToolExecutionRow, workspace: Path
) -> Literal["done", "not_done", "unclear"]:
    """For files the hash tells: as before means not done, as intended means done."""
    if call.risk == "low":
        return "not_done"
    if call.tool not in FILE_TOOLS:
        return "unclear"
    now = _file_sha256(workspace, str(call.arguments["path"]))
    if now == call.target_sha256_after:
        return "done"
    if now == call.target_sha256_before:
        return "not_done"
    return "unclear"


def _ask_as_unsure(
    pool: ConnectionPool, call: ToolExecutionRow, epoch: int, workspace: Path
) -> None:
    """Before a person, with what the call would change by now."""
    effect = effect_now(call.tool, call.arguments, workspace)
    tool_executions.ask_again(
        pool,
        run_id=call.run_id,
        call_id=call.call_id,
        epoch=epoch,
        event=ToolAskedAgain(call_id=call.call_id, preview=effect.diff, why="unsure"),
        sha256_before=effect.sha256_before,
        sha256_after=effect.sha256_after,
    )


def _file_sha256(workspace: Path, path: str) -> str:
    try:
        return current_sha256(workspace, path)
    except ToolError:
        return UNREADABLE


def _done(call: ToolExecutionRow) -> Envelope:
    path = str(call.arguments["path"])
    return Envelope(
        tool=call.tool,
        status="ok",
        request={"path": path},
        data={"path": path, "sha256": call.target_sha256_after},
        diagnostics={"summary": path},
    )


def _unsure(call: ToolExecutionRow) -> Envelope:
    return Envelope(
        tool=call.tool,
        status="unsure",
        request=call.arguments,
        error_code="unsure",
        error="The program ended while this call ran; it may have taken effect.",
    )


def _record(pool: ConnectionPool, call: ToolExecutionRow, epoch: int, envelope: Envelope) -> None:
    event = ToolFinished(
        utterance_id=call.utterance_id,
        call_id=call.call_id,
        tool=call.tool,
        status=envelope.status,
        summary=envelope.summary,
        error_code=envelope.error_code or "",
    )
    tool_executions.finish_call(
        pool,
        run_id=call.run_id,
        epoch=epoch,
        status="finished" if envelope.status == "ok" else "unsure",
        result=envelope.to_record(),
        event=event,
    )


def end_run_early(pool: ConnectionPool, *, run_id: str, epoch: int, end: RunEnded) -> None:
    """Keep the words that had arrived, then close the run."""
    for unfinished in run_events.unfinished_utterances(pool, run_id):
        run_events.store_utterance(pool, run_id=run_id, epoch=epoch, event=unfinished)
    run_events.close_run(pool, run_id=run_id, epoch=epoch, event=end)
