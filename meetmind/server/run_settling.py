"""After a crash: what became of calls that had started, and what was said but not stored."""

from pathlib import Path

from psycopg_pool import ConnectionPool

from meetmind.database import run_events, tool_executions
from meetmind.database.tool_executions import ToolExecutionRow
from meetmind.errors import ToolError
from meetmind.events import RunEnded, ToolFinished
from meetmind.tools.effects import FILE_TOOLS, current_sha256, expected_effect
from meetmind.tools.envelope import Envelope

UNREADABLE = "unreadable"


def settle_started_calls(pool: ConnectionPool, *, run_id: str, epoch: int, workspace: Path) -> None:
    """Bring every call that had started and not ended into a state from which the run can go on."""
    for call in tool_executions.list_run_calls(pool, run_id=run_id, status="started"):
        if call.risk == "low":
            _back_to(pool, call, epoch, "approved")
        elif call.tool in FILE_TOOLS:
            _settle_file_call(pool, call, epoch, workspace)
        else:
            _back_to(pool, call, epoch, "pending")


def _back_to(
    pool: ConnectionPool, call: ToolExecutionRow, epoch: int, status: str, preview: str = ""
) -> None:
    """To `approved`, from where it runs, or to `pending`, before a person, as unsure."""
    tool_executions.settle_started_call(
        pool,
        run_id=call.run_id,
        epoch=epoch,
        call_id=call.call_id,
        status=status,
        preview=preview,
    )


def _settle_file_call(
    pool: ConnectionPool, call: ToolExecutionRow, epoch: int, workspace: Path
) -> None:
    """The file tells: as before means not done, as intended means done, anything else is unsure."""
    now = _file_sha256(workspace, str(call.arguments["path"]))
    if now == call.target_sha256_after:
        _record_as_done(pool, call, epoch)
    elif now == call.target_sha256_before:
        _back_to(pool, call, epoch, "approved")
    else:
        preview = _preview(call, workspace)
        _back_to(pool, call, epoch, "pending", preview)


def _preview(call: ToolExecutionRow, workspace: Path) -> str:
    """What the call would change in the file as it is now."""
    try:
        return expected_effect(call.tool, call.arguments, workspace).diff
    except ToolError:
        return ""


def _file_sha256(workspace: Path, path: str) -> str:
    try:
        return current_sha256(workspace, path)
    except ToolError:
        return UNREADABLE


def _record_as_done(pool: ConnectionPool, call: ToolExecutionRow, epoch: int) -> None:
    path = str(call.arguments["path"])
    envelope = Envelope(
        tool=call.tool,
        status="ok",
        request={"path": path},
        data={"path": path, "sha256": call.target_sha256_after},
        diagnostics={"summary": path},
    )
    event = ToolFinished(
        utterance_id=call.utterance_id,
        call_id=call.call_id,
        tool=call.tool,
        status="ok",
        summary=envelope.summary,
    )
    tool_executions.finish_call(
        pool,
        run_id=call.run_id,
        epoch=epoch,
        status="finished",
        result=envelope.to_record(),
        event=event,
    )


def end_run_early(pool: ConnectionPool, *, run_id: str, epoch: int, end: RunEnded) -> None:
    """Keep the words that had arrived, then close the run."""
    for unfinished in run_events.unfinished_utterances(pool, run_id):
        run_events.store_utterance(pool, run_id=run_id, epoch=epoch, event=unfinished)
    run_events.close_run(pool, run_id=run_id, epoch=epoch, event=end)
