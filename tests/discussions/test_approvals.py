"""Risky calls wait for a click, and what was decided is what happens."""

import pytest

from meetmind.errors import NotFound, RunIsOver
from meetmind.events import RunResumed, ToolDecided, ToolFinished, ToolRequested, UtteranceEnded
from meetmind.llm.scripted import calls
from meetmind.server.accounts import Accounts
from tests.support.room import Room

WRITE = ("Write", {"path": "summary.md", "content": "# Summary\n", "why": "to keep it"})
SECOND_WRITE = ("Write", {"path": "other.md", "content": "other", "why": "also"})


def start(room: Room, *asked: tuple[str, dict[str, str]]) -> tuple[str, list[str]]:
    room.max_iterations = 2
    executor = room.open([calls(*asked, task="look_up", role="architect")])
    run_id = executor.start_run(room.owner_id, room.new_session(), "Write it down")
    return run_id, room.wait_until_waiting(run_id)


def written_files(room: Room) -> list[str]:
    return sorted(path.name for path in room.home.rglob("workspaces/*/*") if path.is_file())


def test_a_write_waits_shows_its_effect_and_runs_after_the_click(room: Room) -> None:
    run_id, call_ids = start(room, WRITE)
    assert written_files(room) == []
    waiting = room.opened[0].pending_calls(room.owner_id)
    assert [(call.tool, call.risk, call.reason) for call in waiting] == [
        ("Write", "high", "to keep it")
    ]
    assert "+# Summary" in waiting[0].preview
    outcome = room.opened[0].decide(room.owner_id, run_id, call_ids[0], "approved")
    assert outcome.won
    room.wait_for_end(run_id)
    assert written_files(room) == ["summary.md"]
    assert room.opened[0].pending_calls(room.owner_id) == []


def test_a_rejection_reaches_the_role_with_its_reason_and_nothing_runs(room: Room) -> None:
    run_id, call_ids = start(room, WRITE)
    room.opened[0].decide(room.owner_id, run_id, call_ids[0], "rejected", "not in this folder")
    assert room.wait_for_end(run_id).status == "done"
    assert written_files(room) == []
    told = [
        envelope.error
        for request in room.models[0].requests
        for envelope in request.sections.tool_messages
    ]
    assert any("not in this folder" in sentence for sentence in told)
    finished = [event for event in room.events(run_id) if isinstance(event, ToolFinished)]
    assert finished[0].status == "rejected"


def test_the_first_decision_wins_and_later_ones_are_told(room: Room) -> None:
    run_id, call_ids = start(room, WRITE)
    first = room.opened[0].decide(room.owner_id, run_id, call_ids[0], "rejected", "no")
    second = room.opened[0].decide(room.owner_id, run_id, call_ids[0], "approved")
    assert (first.won, second.won) == (True, False)
    assert (second.decision, second.decided_by) == ("rejected", "admin")
    room.wait_for_end(run_id)
    assert written_files(room) == []
    decided = [event for event in room.events(run_id) if isinstance(event, ToolDecided)]
    assert len(decided) == 1


def test_two_calls_of_one_turn_are_decided_separately(room: Room) -> None:
    run_id, call_ids = start(room, WRITE, SECOND_WRITE)
    assert len(call_ids) == 2
    room.opened[0].decide(room.owner_id, run_id, call_ids[0], "rejected", "no")
    room.opened[0].decide(room.owner_id, run_id, call_ids[1], "approved")
    room.wait_for_end(run_id)
    assert written_files(room) == ["other.md"]


def test_a_tool_that_a_role_was_not_given_is_refused(room: Room) -> None:
    room.max_iterations = 3
    executor = room.open([calls(WRITE, task="look_up", role="backend")])
    run_id = executor.start_run(room.owner_id, room.new_session(), "Write it down")
    assert room.wait_for_end(run_id).status == "done"
    assert written_files(room) == []
    finished = [event for event in room.events(run_id) if isinstance(event, ToolFinished)]
    assert [event.status for event in finished if event.tool == "Write"] == ["refused"]


def test_a_pending_approval_outlives_the_process(room: Room) -> None:
    run_id, call_ids = start(room, WRITE)
    room.opened[0].close()
    assert room.state(run_id) == "waiting"
    later = room.open()
    assert [call.call_id for call in later.pending_calls(room.owner_id)] == call_ids
    later.decide(room.owner_id, run_id, call_ids[0], "approved")
    room.wait_for_end(run_id)
    assert written_files(room) == ["summary.md"]
    resumed = [event for event in room.events(run_id) if isinstance(event, RunResumed)]
    assert [event.reason for event in resumed] == ["decision"]


def test_the_resumed_turn_asks_the_model_for_nothing_twice(room: Room) -> None:
    run_id, call_ids = start(room, WRITE)
    before = [request.sections.task for request in room.models[0].requests]
    room.opened[0].close()
    later = room.open()
    later.decide(room.owner_id, run_id, call_ids[0], "approved")
    room.wait_for_end(run_id)
    assert before == ["rewrite", "look_up"]
    tasks = [(r.sections.task, r.sections.turn_number) for r in room.models[1].requests]
    # After the approved call the loop asks once for more, and once for the words.
    assert tasks[0] == ("look_up", 1)
    assert ("rewrite", 0) not in tasks
    requested = [event for event in room.events(run_id) if isinstance(event, ToolRequested)]
    assert len([event for event in requested if event.tool == "Write"]) == 1
    spoken = [event for event in room.events(run_id) if isinstance(event, UtteranceEnded)]
    assert len({event.utterance_id for event in spoken}) == len(spoken) == 2


def test_stopping_a_waiting_run_ends_it_and_its_card(room: Room) -> None:
    run_id, call_ids = start(room, WRITE)
    room.opened[0].stop_run(room.owner_id, run_id)
    assert room.wait_for_end(run_id).status == "stopped"
    assert room.opened[0].pending_calls(room.owner_id) == []
    with pytest.raises(RunIsOver):
        room.opened[0].decide(room.owner_id, run_id, call_ids[0], "approved")
    assert written_files(room) == []


def test_somebody_else_cannot_decide(room: Room) -> None:
    stranger = Accounts(room.pool).local_person()
    run_id, call_ids = start(room, WRITE)
    with pytest.raises(NotFound):
        room.opened[0].decide(stranger.id, run_id, call_ids[0], "approved")
    assert room.opened[0].pending_calls(stranger.id) == []
    assert room.state(run_id) == "waiting"


def test_a_path_outside_the_workspace_is_refused_without_asking(room: Room) -> None:
    room.max_iterations = 1
    outside = ("Write", {"path": "../outside.md", "content": "x", "why": "y"})
    executor = room.open([calls(outside, task="look_up", role="architect")])
    run_id = executor.start_run(room.owner_id, room.new_session(), "Write it down")
    room.wait_for_end(run_id)
    finished = [event for event in room.events(run_id) if isinstance(event, ToolFinished)]
    assert finished[0].status == "refused"
    assert not list(room.home.rglob("outside.md"))
