"""A process that begins a discussion with a call to approve, to be killed where a test wants.

It may hold right before or right after the effect of `Write`; then it leaves the file `holding`.
"""

import sys
import threading
from pathlib import Path

from meetmind.database.connection import get_pg_pool
from meetmind.llm.scripted import calls
from meetmind.tools import write_tool
from tests.support.room import Room

put_content = write_tool.put_content


def main() -> None:
    database_url, home, owner_id, session_id, hold = sys.argv[1:]
    room = Room(
        pool=get_pg_pool(database_url),
        database_url=database_url,
        home=Path(home),
        owner_id=owner_id,
        max_iterations=2,
    )
    write = ("Write", {"path": "summary.md", "content": "# Summary\n", "why": "to keep it"})
    executor = room.open([calls(write, task="look_up", role="architect")])
    if hold != "nowhere":
        write_tool.put_content = holding(hold, Path(home) / "holding")
    run_id = executor.start_run(owner_id, session_id, "Write it down")
    (call_id,) = room.wait_until_waiting(run_id)
    if hold != "nowhere":
        executor.decide(owner_id, run_id, call_id, "approved")
    threading.Event().wait()


def holding(hold: str, marker: Path):
    """The tool's own step, which stops for good before or after it."""

    def put_and_hold(workspace: Path, path: str, content: bytes) -> None:
        if hold == "after":
            put_content(workspace, path, content)
        marker.touch()
        threading.Event().wait()

    return put_and_hold


main()
