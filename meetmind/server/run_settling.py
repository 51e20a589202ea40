"""After a crash: what became of calls that had started, and what was said but not stored."""

import hashlib
from pathlib import Path

from psycopg_pool import ConnectionPool

from meetmind.database import run_events, tool_executions
from meetmind.database.tool_executions import ToolExecutionRow
from meetmind.errors import ToolError
from meetmind.events import RunEnded, ToolFinished
from meetmind.tools.effects import WRITE
from meetmind.tools.envelope import Envelope
from meetmind.tools.path_auth import checked_parts, open_folder, read_plain_file
from meetmind.tools.write_tool import MAX_BYTES

UNSURE = "[The program ended while this call was running; it may have taken effect already.] "


def settle_started_calls(pool: ConnectionPool, *, run_id: str, epoch: int, workspace: Path) -> None:
    """Bring every call that had started and not ended into a state from which the run can go on."""
    for call in tool_executions.list_run_calls(pool, run_id=run_id, status="started"):
        if call.risk == "low":
            _back_to(pool, call, "approved")
        elif call.tool == WRITE:
            _settle_write(pool, call, epoch, workspace)
        else:
            _back_to(pool, call, "pending", UNSURE)


def _back_to(pool: ConnectionPool, call: ToolExecutionRow, status: str, note: str = "") -> None:
    tool_executions.settle_started_call(
        pool, run_id=call.run_id, call_id=call.call_id, status=status, note=note
    )


def _settle_write(
    pool: ConnectionPool, call: ToolExecutionRow, epoch: int, workspace: Path
) -> None:
    """The file tells: as before means not done, as intended means done, anything else is unsure."""
    now = _file_sha256(workspace, str(call.arguments["path"]))
    if now == call.target_sha256_after:
        _record_as_done(pool, call, epoch)
    elif now == call.target_sha256_before:
        _back_to(pool, call, "approved")
    else:
        _back_to(pool, call, "pending", UNSURE)


def _file_sha256(workspace: Path, path: str) -> str:
    try:
        *folders, name = checked_parts(path)
        if not workspace.joinpath(*folders).is_dir():
            return ""
        with open_folder(workspace, tuple(folders), create=False) as folder:
            content = read_plain_file(folder, name, MAX_BYTES)
    except ToolError:
        return "unreadable"
    return "" if content is None else hashlib.sha256(content).hexdigest()


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
