"""A run is stopped at once, and one that was cut off goes on where it was."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time

import psycopg
import pytest
from langchain_core.tools import tool
from psycopg.types.json import Jsonb

from meetmind import faults
from meetmind.errors import RunIsBusy
from meetmind.events import (
    RunEnded,
    RunResumed,
    ToolFinished,
    UtteranceEnded,
    WordsArrived,
    WordsWithdrawn,
)
from meetmind.llm.scripted import calls, fails
from meetmind.server import run_tasks
from meetmind.tools.envelope import Envelope
from meetmind.tools.tool_register import MCP_SERVER
from tests.support.room import Room, wait_until

CHILD = "tests.discussions.running_child"
WRITE = ("Write", {"path": "summary.md", "content": "# Summary\n", "why": "to keep it"})


def spoken(room: Room, run_id: str) -> list[UtteranceEnded]:
    return [event for event in room.events(run_id) if isinstance(event, UtteranceEnded)]


def test_stop_works_within_a_second_in_the_middle_of_a_stream(room: Room) -> None:
    executor = room.open(piece_seconds=0.1)
    run_id = executor.start_run(room.owner_id, room.new_session(), "Build a gift card page")
    room.wait_for(run_id, WordsArrived)
    began = time.monotonic()
    executor.stop_run(room.owner_id, run_id)
    took = time.monotonic() - began
    assert took < 1
    assert room.state(run_id) == "stopped"
    end = room.wait_for_end(run_id)
    assert (end.status, end.reason) == ("stopped", "stopped_by_person")


def test_stop_keeps_the_words_that_had_arrived(room: Room) -> None:
    executor = room.open(piece_seconds=0.1)
    run_id = executor.start_run(room.owner_id, room.new_session(), "Build a gift card page")
    room.wait_for(run_id, WordsArrived)
    executor.stop_run(room.owner_id, run_id)
    kept = spoken(room, run_id)
    assert len(kept) == 1
    assert "The architect".startswith(kept[0].content[:8])


def test_an_utterance_that_never_got_a_word_is_not_kept(room: Room) -> None:
    executor = room.open([fails("rate_limited", delay_seconds=5, task="look_up")])
    run_id = executor.start_run(room.owner_id, room.new_session(), "Build a gift card page")
    wait_until(lambda: room.models[0].call_count >= 2)
    executor.stop_run(room.owner_id, run_id)
    assert spoken(room, run_id) == []


def test_a_stopped_run_takes_nothing_more_and_the_next_one_goes_on_from_it(room: Room) -> None:
    executor = room.open(piece_seconds=0.05)
    session_id = room.new_session()
    run_id = executor.start_run(room.owner_id, session_id, "Build a gift card page")
    room.wait_for(run_id, WordsArrived)
    executor.stop_run(room.owner_id, run_id)
    executor.resume_execution(room.owner_id, run_id)
    assert room.state(run_id) == "stopped"
    again = executor.start_run(room.owner_id, session_id, "Go on")
    wait_until(lambda: any(r.sections.brief == "Go on" for r in room.models[0].requests))
    executor.stop_run(room.owner_id, again)


def test_a_closed_process_leaves_the_run_cut_off_and_another_resumes_it(room: Room) -> None:
    executor = room.open(piece_seconds=0.02)
    run_id = executor.start_run(room.owner_id, room.new_session(), "Build a gift card page")
    wait_until(lambda: len(spoken(room, run_id)) >= 2)
    executor.close()
    assert room.state(run_id) == "cut_off"
    said_before = [utterance.content for utterance in spoken(room, run_id)]
    later = room.open()
    assert [run.id for run in later.get_resumable(room.owner_id)] == [run_id]
    later.resume_execution(room.owner_id, run_id)
    assert room.wait_for_end(run_id).reason == "closed_by_architect"
    after = spoken(room, run_id)
    assert [utterance.content for utterance in after[: len(said_before)]] == said_before
    ids = [utterance.utterance_id for utterance in after]
    assert len(ids) == len(set(ids)) == 6
    assert later.get_resumable(room.owner_id) == []


def test_a_discarded_run_keeps_what_was_said_and_leaves_no_checkpoint(room: Room) -> None:
    executor = room.open(piece_seconds=0.02)
    run_id = executor.start_run(room.owner_id, room.new_session(), "Build a gift card page")
    wait_until(lambda: len(spoken(room, run_id)) >= 1)
    executor.close()
    later = room.open()
    later.discard_resumable(room.owner_id, run_id)
    assert room.state(run_id) == "stopped"
    assert room.wait_for_end(run_id).reason == "discarded"
    assert len(spoken(room, run_id)) >= 1
    with room.pool.connection() as connection:
        left = connection.execute("select count(*) from checkpoints").fetchone()
    assert left == (0,)


def test_a_run_that_was_resumed_meanwhile_is_not_discarded(room: Room) -> None:
    executor = room.open(piece_seconds=0.05)
    run_id = executor.start_run(room.owner_id, room.new_session(), "Build a gift card page")
    room.wait_for(run_id, WordsArrived)
    with pytest.raises(RunIsBusy):
        executor.discard_resumable(room.owner_id, run_id)
    assert room.state(run_id) == "running"
    executor.stop_run(room.owner_id, run_id)


def test_an_executor_that_lost_its_run_can_write_no_more(room: Room) -> None:
    executor = room.open(piece_seconds=0.05)
    run_id = executor.start_run(room.owner_id, room.new_session(), "Build a gift card page")
    room.wait_for(run_id, WordsArrived)
    with room.pool.connection() as connection:
        connection.execute("update runs set epoch = epoch + 1 where id = %s", [run_id])
    before = len(room.logged(run_id))
    wait_until(lambda: room.state(run_id) == "cut_off")
    assert len(room.logged(run_id)) <= before + 1
    assert not any(isinstance(event, RunEnded) for event in room.events(run_id))


def test_a_model_that_fails_for_good_ends_the_run_with_its_fault(room: Room) -> None:
    executor = room.open([fails("unauthorised", task="look_up")])
    run_id = executor.start_run(room.owner_id, room.new_session(), "Build a gift card page")
    end = room.wait_for_end(run_id)
    assert (end.status, end.reason, end.fault) == ("failed", "model_failed", "unauthorised")
    assert room.state(run_id) == "failed"


def test_a_transient_failure_is_tried_again_and_told(room: Room) -> None:
    executor = room.open([fails("rate_limited", task="look_up")])
    run_id = executor.start_run(room.owner_id, room.new_session(), "Build a gift card page")
    assert room.wait_for_end(run_id).status == "done"
    kinds = [event.kind for event in room.events(run_id)]
    assert "model_retried" in kinds


def test_a_killed_process_loses_nothing_and_doubles_nothing(room: Room) -> None:
    session_id = room.new_session()
    child = subprocess.Popen(
        [sys.executable, "-m", CHILD, room.database_url, str(room.home), room.owner_id, session_id]
    )

    def utterances_of_the_child() -> int:
        runs = room.discussions.list_runs(room.owner_id, session_id)
        return len(spoken(room, runs[0].id)) if runs else 0

    try:
        wait_until(lambda: utterances_of_the_child() >= 2, seconds=60)
    finally:
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
    run_id = room.discussions.list_runs(room.owner_id, session_id)[0].id
    wait_until(lambda: room.state(run_id) == "cut_off")
    executor = room.open()
    executor.resume_execution(room.owner_id, run_id)
    assert room.wait_for_end(run_id).reason == "closed_by_architect"
    ids = [utterance.utterance_id for utterance in spoken(room, run_id)]
    assert len(ids) == len(set(ids)) == 6
    resumed = [event for event in room.events(run_id) if isinstance(event, RunResumed)]
    assert [event.reason for event in resumed] == ["cut_off"]


def waiting_write(room: Room) -> tuple[str, str]:
    room.max_iterations = 2
    executor = room.open([calls(WRITE, task="look_up", role="architect")])
    run_id = executor.start_run(room.owner_id, room.new_session(), "Write it down")
    call_id = room.wait_until_waiting(run_id)[0]
    executor.close()
    return run_id, call_id


def as_if_killed_while_writing(room: Room, run_id: str, call_id: str) -> None:
    """The ledger as a kill leaves it between the claim of a call and its end."""
    with psycopg.connect(room.database_url) as connection:
        connection.execute(
            "update tool_executions set status = 'started' where run_id = %s and call_id = %s",
            [run_id, call_id],
        )
        connection.execute("update runs set status = 'running' where id = %s", [run_id])


def test_a_write_that_had_not_happened_yet_happens_once_after_a_crash(room: Room) -> None:
    run_id, call_id = waiting_write(room)
    as_if_killed_while_writing(room, run_id, call_id)
    room.open().resume_execution(room.owner_id, run_id)
    room.wait_for_end(run_id)
    assert [path.read_text() for path in room.home.rglob("summary.md")] == ["# Summary\n"]


def test_a_write_that_had_happened_is_not_repeated_after_a_crash(room: Room) -> None:
    run_id, call_id = waiting_write(room)
    as_if_killed_while_writing(room, run_id, call_id)
    session_id = room.discussions.list_sessions(room.owner_id)[0].id
    file = room.home / "workspaces" / session_id / "summary.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("# Summary\n")
    changed_at = file.stat().st_mtime_ns
    room.open().resume_execution(room.owner_id, run_id)
    room.wait_for_end(run_id)
    assert file.stat().st_mtime_ns == changed_at
    finished = [event for event in room.events(run_id) if isinstance(event, ToolFinished)]
    assert [event.status for event in finished if event.tool == "Write"] == ["ok"]


def test_a_write_whose_outcome_is_unclear_is_put_before_the_person(room: Room) -> None:
    run_id, call_id = waiting_write(room)
    as_if_killed_while_writing(room, run_id, call_id)
    session_id = room.discussions.list_sessions(room.owner_id)[0].id
    file = room.home / "workspaces" / session_id / "summary.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("somebody else's words")
    later = room.open()
    later.resume_execution(room.owner_id, run_id)
    wait_until(lambda: room.state(run_id) == "waiting")
    waiting = later.pending_calls(room.owner_id)
    assert [call.call_id for call in waiting] == [call_id]
    assert waiting[0].asked_again == "unsure"
    assert file.read_text() == "somebody else's words"


def test_the_ledger_rules_even_when_the_message_still_lists_the_call(room: Room) -> None:
    """A row that was changed under the waiting run is believed, not what the model had asked."""
    run_id, call_id = waiting_write(room)
    changed = {"path": "edited.md", "content": "edited", "why": ""}
    with psycopg.connect(room.database_url) as connection:
        connection.execute(
            "update tool_executions set arguments = %s where run_id = %s and call_id = %s",
            [Jsonb(changed), run_id, call_id],
        )
    later = room.open()
    later.decide(room.owner_id, run_id, call_id, "approved")
    room.wait_for_end(run_id)
    assert [path.name for path in room.home.rglob("workspaces/*/*")] == ["edited.md"]


def test_a_turn_that_speaks_anew_after_a_crash_withdraws_its_earlier_words(room: Room) -> None:
    executor = room.open(piece_seconds=0.1)
    run_id = executor.start_run(room.owner_id, room.new_session(), "Build a gift card page")
    wait_until(lambda: said_so_far(room, run_id) != "")
    executor.close()
    first = said_so_far(room, run_id)
    later = room.open(piece_seconds=0.1)
    later.resume_execution(room.owner_id, run_id)
    wait_until(lambda: any(isinstance(event, WordsWithdrawn) for event in room.events(run_id)))
    wait_until(lambda: said_so_far(room, run_id) != "")
    later.stop_run(room.owner_id, run_id)
    (kept,) = spoken(room, run_id)
    assert first
    assert kept.content.count(first[:8]) == 1


def said_so_far(room: Room, run_id: str) -> str:
    """The words of the turn that goes on, as the page would show them."""
    words = ""
    for event in room.events(run_id):
        if isinstance(event, WordsArrived):
            words += event.text
        if isinstance(event, WordsWithdrawn):
            words = ""
    return words


def test_stop_pressed_twice_still_waits_for_the_effect_that_is_under_way(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_tasks, "STOP_SECONDS", 0.1)
    begun, finish = threading.Event(), threading.Event()

    @tool("post")
    def post_tool(text: str) -> str:
        """Post a text."""
        begun.set()
        finish.wait(20)
        envelope = Envelope(tool="post", status="ok", request={"text": text}, data={})
        return envelope.to_json()

    post_tool.metadata = {"risk": "high", MCP_SERVER: "posts"}
    room.tools = [post_tool]
    executor = room.open([calls(("post", {"text": "x"}), task="look_up", role="architect")])
    run_id = executor.start_run(room.owner_id, room.new_session(), "Post it")
    (call_id,) = room.wait_until_waiting(run_id)
    executor.decide(room.owner_id, run_id, call_id, "approved")
    wait_until(begun.is_set)
    for _ in range(3):
        assert not executor.stop_run(room.owner_id, run_id)
        assert room.state(run_id) == "running"
    finish.set()
    assert room.wait_for_end(run_id).reason == "stopped_by_person"
    finished = [event for event in room.events(run_id) if isinstance(event, ToolFinished)]
    assert [event.status for event in finished if event.tool == "post"] == ["ok"]


def test_words_that_could_not_be_written_at_once_are_written_with_the_next(room: Room) -> None:
    executor = room.open(piece_seconds=0.1)
    with faults.armed("log.appending:words_arrived=fail:connection@1"):
        run_id = executor.start_run(room.owner_id, room.new_session(), "Build a gift card page")
        room.wait_for(run_id, WordsArrived)
    executor.stop_run(room.owner_id, run_id)
    (kept,) = spoken(room, run_id)
    assert kept.content.startswith("The arch")


def test_an_effect_that_is_under_way_elsewhere_ends_before_the_run_is_closed(room: Room) -> None:
    first = room.open([calls(WRITE, task="look_up", role="architect")])
    run_id = first.start_run(room.owner_id, room.new_session(), "Write it down")
    (call_id,) = room.wait_until_waiting(run_id)
    with faults.armed("gate.claimed:Write=delay:2"):
        first.decide(room.owner_id, run_id, call_id, "approved")
        wait_until(lambda: status_of_call(room, call_id) == "started")
        room.open().stop_run(room.owner_id, run_id)
    assert room.wait_for_end(run_id).reason == "stopped_by_person"
    assert [path.read_text() for path in room.home.rglob("summary.md")] == ["# Summary\n"]
    finished = [event for event in room.events(run_id) if isinstance(event, ToolFinished)]
    assert [event.status for event in finished if event.tool == "Write"] == ["ok"]


def status_of_call(room: Room, call_id: str) -> str:
    with room.pool.connection() as connection:
        statement = "select status from tool_executions where call_id = %s"
        row = connection.execute(statement, [call_id]).fetchone()
    return "" if row is None else str(row[0])


def test_a_pass_that_is_broken_off_before_it_began_gives_the_lock_back(room: Room) -> None:
    executor = room.open(piece_seconds=0.05)
    run_id = executor.start_run(room.owner_id, room.new_session(), "Build a gift card page")
    room.wait_for(run_id, WordsArrived)
    executor.close()
    later = room.open()

    async def begin_and_close() -> None:
        await later._tasks.begin(room.owner_id, run_id, "cut_off")
        (task,) = later._tasks._tasks.values()
        task.cancel()
        await asyncio.wait([task])

    later._wait(begin_and_close())
    wait_until(lambda: room.state(run_id) == "cut_off")
    assert [run.id for run in later.get_resumable(room.owner_id)] == [run_id]
