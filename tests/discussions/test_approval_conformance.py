"""The sixteen ways in which approvals break elsewhere, each through the real graph and ledger."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from meetmind.errors import RunIsBusy
from meetmind.events import ToolAskedAgain, ToolDecided, ToolFinished, ToolRequested
from meetmind.llm.scripted import ScriptedStep, calls
from meetmind.server.execution import LocalExecutor
from tests.support.room import Room, wait_until

CHILD = "tests.discussions.approving_child"
TEXT = "# Summary\n"


def write(path: str = "summary.md", content: str = TEXT) -> tuple[str, dict[str, Any]]:
    return ("Write", {"path": path, "content": content, "why": "to keep it"})


def asks(*asked: tuple[str, dict[str, Any]]) -> ScriptedStep:
    return calls(*asked, task="look_up", role="architect")


def begin(room: Room, *steps: ScriptedStep, turns: int = 2) -> tuple[LocalExecutor, str, list[str]]:
    room.max_iterations = turns
    executor = room.open(steps)
    run_id = executor.start_run(room.owner_id, room.new_session(), "Write it down")
    return executor, run_id, room.wait_until_waiting(run_id)


def files(room: Room) -> list[str]:
    return sorted(path.name for path in room.home.rglob("workspaces/*/*") if path.is_file())


def wait_for_question(room: Room, run_id: str, known: list[str]) -> str:
    """The call that waits and is not one of the known."""

    def new_calls() -> list[str]:
        pending = room.approvals.pending_calls(room.owner_id)
        return [call.call_id for call in pending if call.call_id not in known]

    wait_until(lambda: bool(new_calls()) and room.state(run_id) == "waiting")
    (call_id,) = new_calls()
    return call_id


def events_of(room: Room, run_id: str, kind: type) -> list[Any]:
    return [event for event in room.events(run_id) if isinstance(event, kind)]


def told(room: Room) -> str:
    """Everything that tools answered to the model."""
    errors = []
    for model in room.models:
        for request in model.requests:
            errors += [envelope.error for envelope in request.sections.tool_messages]
    return " ".join(errors)


@contextmanager
def child(room: Room, session_id: str, hold: str = "nowhere") -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", CHILD, room.database_url, str(room.home), room.owner_id]
    process = subprocess.Popen([*command, session_id, hold])
    try:
        yield process
    finally:
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
        process.wait()


def killed_while(room: Room, hold: str) -> str:
    """The run of a process that was killed while its approved call held."""
    session_id = room.new_session()
    with child(room, session_id, hold) as process:
        wait_until(lambda: (room.home / "holding").exists() or process.poll() is not None, 60)
        assert process.poll() is None
        os.kill(process.pid, signal.SIGKILL)
    (run,) = room.discussions.list_runs(room.owner_id, session_id)
    wait_until(lambda: room.state(run.id) == "cut_off")
    return run.id


def test_01_several_calls_of_one_turn_are_shown_and_decided_separately(room: Room) -> None:
    executor, run_id, call_ids = begin(room, asks(write("a.md"), write("b.md"), write("c.md")))
    assert len(call_ids) == 3
    assert len(room.approvals.pending_calls(room.owner_id)) == 3
    executor.decide(room.owner_id, run_id, call_ids[1], "rejected", "no")
    executor.decide(room.owner_id, run_id, call_ids[2], "approved")
    assert [call.call_id for call in room.approvals.pending_calls(room.owner_id)] == call_ids[:1]
    assert files(room) in ([], ["c.md"])
    executor.decide(room.owner_id, run_id, call_ids[0], "approved")
    room.wait_for_end(run_id)
    assert files(room) == ["a.md", "c.md"]


def test_02_changed_arguments_are_what_runs(room: Room) -> None:
    executor, run_id, call_ids = begin(room, asks(write()))
    changed = {"path": "other.md", "content": "other", "why": "to keep it"}
    rated = executor.rate_arguments(room.owner_id, run_id, call_ids[0], changed)
    assert (rated.risk, "+other" in rated.preview) == ("high", True)
    executor.decide(room.owner_id, run_id, call_ids[0], "approved", arguments=changed)
    room.wait_for_end(run_id)
    assert files(room) == ["other.md"]
    assert (room.workspace / "other.md").read_text() == "other"
    (decided,) = events_of(room, run_id, ToolDecided)
    assert decided.arguments == changed


def test_03_the_reason_reaches_the_role(room: Room) -> None:
    executor, run_id, call_ids = begin(room, asks(write()))
    executor.decide(room.owner_id, run_id, call_ids[0], "rejected", "wrong folder")
    room.wait_for_end(run_id)
    assert "wrong folder" in told(room)


def test_04_a_rejected_call_runs_on_no_path(room: Room) -> None:
    executor, run_id, call_ids = begin(room, asks(write(), write("b.md")))
    before = checkpoints(room)
    executor.decide(room.owner_id, run_id, call_ids[0], "rejected", "no")
    wait_until(lambda: room.state(run_id) == "waiting")
    executor.close()
    rewind(room, before)
    later = room.open()
    later.decide(room.owner_id, run_id, call_ids[0], "approved")
    later.decide(room.owner_id, run_id, call_ids[1], "rejected", "no")
    later.resume_execution(room.owner_id, run_id)
    room.wait_for_end(run_id)
    assert files(room) == []


def test_05_a_resume_repeats_no_finished_effect(room: Room) -> None:
    executor, run_id, call_ids = begin(room, asks(write("a.md"), write("b.md")))
    executor.decide(room.owner_id, run_id, call_ids[0], "approved")
    wait_until(lambda: files(room) == ["a.md"] and room.state(run_id) == "waiting")
    executor.close()
    (room.workspace / "a.md").unlink()
    later = room.open()
    later.decide(room.owner_id, run_id, call_ids[1], "approved")
    room.wait_for_end(run_id)
    assert files(room) == ["b.md"]


def test_06_a_kill_while_a_call_waits_loses_nothing(room: Room) -> None:
    session_id = room.new_session()
    with child(room, session_id) as process:
        wait_until(lambda: room.approvals.count_pending(room.owner_id) == 1, 60)
        (run,) = room.discussions.list_runs(room.owner_id, session_id)
        wait_until(lambda: room.state(run.id) == "waiting")
        os.kill(process.pid, signal.SIGKILL)
    later = room.open()
    (call,) = later.pending_calls(room.owner_id)
    later.decide(room.owner_id, run.id, call.call_id, "approved")
    room.wait_for_end(run.id)
    assert files(room) == ["summary.md"]
    requested = [e for e in events_of(room, run.id, ToolRequested) if e.tool == "Write"]
    assert len(requested) == 1


def test_07_a_kill_before_the_effect_lets_it_happen_once_and_asks_nobody(room: Room) -> None:
    run_id = killed_while(room, "before")
    assert files(room) == []
    room.open().resume_execution(room.owner_id, run_id)
    room.wait_for_end(run_id)
    assert files(room) == ["summary.md"]
    assert len(events_of(room, run_id, ToolDecided)) == 1
    assert events_of(room, run_id, ToolAskedAgain) == []


def test_08_a_kill_after_the_effect_does_not_repeat_it(room: Room) -> None:
    run_id = killed_while(room, "after")
    written = room.workspace / "summary.md"
    before = written.stat()
    room.open().resume_execution(room.owner_id, run_id)
    room.wait_for_end(run_id)
    after = written.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    (finished,) = [e for e in events_of(room, run_id, ToolFinished) if e.tool == "Write"]
    assert finished.status == "ok"


def test_09_whoever_looks_again_sees_the_same_question(room: Room) -> None:
    _, run_id, call_ids = begin(room, asks(write()))
    first = room.approvals.pending_calls(room.owner_id)
    second = room.open().pending_calls(room.owner_id)
    assert first == second
    assert [call.call_id for call in second] == call_ids
    assert room.state(run_id) == "waiting"


def test_10_a_message_while_a_call_waits_starts_no_second_run(room: Room) -> None:
    executor, run_id, call_ids = begin(room, asks(write()))
    (session,) = room.discussions.list_sessions(room.owner_id)
    with pytest.raises(RunIsBusy):
        executor.start_run(room.owner_id, session.id, "And another thing")
    assert [run.id for run in room.discussions.list_runs(room.owner_id, session.id)] == [run_id]
    executor.decide(room.owner_id, run_id, call_ids[0], "rejected")
    room.wait_for_end(run_id)


def test_11_a_double_click_decides_once(room: Room) -> None:
    executor, run_id, call_ids = begin(room, asks(write()))
    outcomes = [
        executor.decide(room.owner_id, run_id, call_ids[0], "approved").won for _ in range(2)
    ]
    room.wait_for_end(run_id)
    assert outcomes == [True, False]
    assert len(events_of(room, run_id, ToolDecided)) == 1
    finished = [e for e in events_of(room, run_id, ToolFinished) if e.tool == "Write"]
    assert len(finished) == 1


def test_12_two_tabs_make_one_decision(room: Room) -> None:
    executor, run_id, call_ids = begin(room, asks(write()))
    other_tab = room.open()
    assert executor.decide(room.owner_id, run_id, call_ids[0], "rejected", "no").won
    told_later = other_tab.decide(room.owner_id, run_id, call_ids[0], "approved")
    assert (told_later.won, told_later.decision, told_later.decided_by) == (
        False,
        "rejected",
        "admin",
    )
    room.wait_for_end(run_id)
    assert files(room) == []


def test_13_a_stale_card_is_told_so_and_shows_the_new_change(room: Room) -> None:
    executor, run_id, call_ids = begin(room, asks(write()))
    room.workspace.mkdir(parents=True, exist_ok=True)
    (room.workspace / "summary.md").write_text("Somebody else wrote this.\n")
    outcome = executor.decide(room.owner_id, run_id, call_ids[0], "approved")
    assert (outcome.won, outcome.is_stale) == (False, True)
    (card,) = room.approvals.pending_calls(room.owner_id)
    assert card.asked_again == "file_changed"
    assert "-Somebody else wrote this." in card.preview
    assert (room.workspace / "summary.md").read_text() == "Somebody else wrote this.\n"
    assert executor.decide(room.owner_id, run_id, call_ids[0], "approved").won
    room.wait_for_end(run_id)
    assert (room.workspace / "summary.md").read_text() == TEXT


def test_14_the_same_role_asks_again_in_its_next_turn(room: Room) -> None:
    executor, run_id, call_ids = begin(
        room, asks(write("a.md")), asks(), asks(write("b.md")), turns=6
    )
    executor.decide(room.owner_id, run_id, call_ids[0], "approved")
    second = wait_for_question(room, run_id, call_ids)
    assert second != call_ids[0]
    assert files(room) == ["a.md"]
    executor.decide(room.owner_id, run_id, second, "rejected", "no")
    room.wait_for_end(run_id)
    assert files(room) == ["a.md"]


def test_15_calls_in_later_rounds_of_one_turn_are_asked_about_too(room: Room) -> None:
    executor, run_id, call_ids = begin(room, asks(write("a.md")), asks(write("b.md")))
    executor.decide(room.owner_id, run_id, call_ids[0], "approved")
    second = wait_for_question(room, run_id, call_ids)
    executor.decide(room.owner_id, run_id, second, "approved")
    room.wait_for_end(run_id)
    assert files(room) == ["a.md", "b.md"]
    requested = [e for e in events_of(room, run_id, ToolRequested) if e.tool == "Write"]
    assert len({event.utterance_id for event in requested}) == 1


def test_16_a_replayed_old_checkpoint_changes_nothing(room: Room) -> None:
    executor, run_id, call_ids = begin(room, asks(write("a.md")), asks(write("b.md")))
    before = checkpoints(room)
    executor.decide(room.owner_id, run_id, call_ids[0], "approved")
    second = wait_for_question(room, run_id, call_ids)
    executor.close()
    rewind(room, before)
    (room.workspace / "a.md").unlink()
    later = room.open()
    later.decide(room.owner_id, run_id, second, "rejected", "no")
    room.wait_for_end(run_id)
    assert files(room) == []
    decided = events_of(room, run_id, ToolDecided)
    assert [event.call_id for event in decided] == [call_ids[0], second]


def checkpoints(room: Room) -> list[str]:
    """The ids of every checkpoint that there is now."""
    with room.pool.connection() as connection:
        rows = connection.execute("select checkpoint_id from checkpoints").fetchall()
    return [row[0] for row in rows]


def rewind(room: Room, kept: list[str]) -> None:
    """Take the run back to what it was when only these checkpoints were there."""
    with room.pool.connection() as connection:
        for table in ("checkpoints", "checkpoint_writes"):
            statement = f"delete from {table} where not checkpoint_id = any(%s)"
            connection.execute(statement.encode(), [kept])
