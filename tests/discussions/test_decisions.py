"""What a decision holds for, and what becomes of calls when a process or a run ends in between."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel

from meetmind.agents.gate import GateMiddleware
from meetmind.database import tool_executions, tool_grants
from meetmind.errors import LostTheRun, UndoRefused
from meetmind.events import ToolDecided, ToolFinished, ToolUndone
from meetmind.server.execution import LocalExecutor
from meetmind.server.workspaces import Workspaces
from meetmind.tools.effects import Effect
from meetmind.tools.tool_register import MCP_SERVER
from tests.discussions.test_permissions import asks, begin, edit, plan_of, wait_for_call, write
from tests.support.room import Room, wait_until

TICKETS = "tickets__open"


class Ticket(BaseModel):
    title: str


def ticket_tool(opened: list[str], risk: str = "medium") -> BaseTool:
    async def open_ticket(title: str) -> str:
        opened.append(title)
        return "opened"

    made = StructuredTool.from_function(
        coroutine=open_ticket, name=TICKETS, description="Opens a ticket.", args_schema=Ticket
    )
    made.metadata = {"risk": risk, MCP_SERVER: "tickets"}
    return made


def ticket(title: str) -> tuple[str, dict[str, Any]]:
    return (TICKETS, {"title": title})


def as_if_killed_while_it_ran(room: Room, run_id: str, call_id: str) -> None:
    """The process is gone, and the call had begun."""
    with room.pool.connection() as connection:
        connection.execute(
            "update tool_executions"
            " set status = 'started', started_at = now(), decided_how = 'person'"
            " where run_id = %s::uuid and call_id = %s",
            [run_id, call_id],
        )


def two_waiting(room: Room, run_id: str) -> list[str]:
    wait_until(lambda: len(room.approvals.pending_calls(room.owner_id)) == 2)
    wait_until(lambda: room.state(run_id) == "waiting")
    return [call.call_id for call in room.approvals.pending_calls(room.owner_id)]


def test_a_decision_on_another_call_settles_what_a_crash_broke_off(room: Room) -> None:
    run_id = begin(room, asks(write("a.md", "a"), write("b.md", "b")))
    first, second = two_waiting(room, run_id)
    room.opened[0].close()
    as_if_killed_while_it_ran(room, run_id, first)
    room.workspace.mkdir(parents=True, exist_ok=True)
    (room.workspace / "a.md").write_text("a")
    room.open().decide(room.owner_id, run_id, second, "approved")
    room.wait_for_end(run_id)
    status_by_call = {
        event.call_id: event.status
        for event in room.events(run_id)
        if isinstance(event, ToolFinished)
    }
    assert (status_by_call[first], status_by_call[second]) == ("ok", "ok")


def test_an_old_card_decides_nothing(room: Room) -> None:
    run_id = begin(room, asks(edit("May", "June")), plan="Release in May.\n")
    call_id = wait_for_call(room, run_id, "Edit")
    executor = room.opened[0]
    (old_card,) = room.approvals.pending_calls(room.owner_id)
    (room.workspace / "plan.md").write_text("Release in May or so.\n")
    assert executor.decide(room.owner_id, run_id, call_id, "approved").is_stale
    outcome = executor.decide(
        room.owner_id, run_id, call_id, "approved", shown=old_card.fingerprint
    )
    assert (outcome.won, outcome.is_stale) == (False, True)
    (new_card,) = room.approvals.pending_calls(room.owner_id)
    assert executor.decide(
        room.owner_id, run_id, call_id, "approved", shown=new_card.fingerprint
    ).won
    room.wait_for_end(run_id)
    assert plan_of(room) == "Release in June or so.\n"


def test_changed_arguments_are_approved_with_the_effect_that_was_shown(room: Room) -> None:
    run_id = begin(room, asks(edit("May", "June")), plan="Release in May.\n")
    call_id = wait_for_call(room, run_id, "Edit")
    executor = room.opened[0]
    changed = {"path": "plan.md", "old_string": "May", "new_string": "July"}
    rated = executor.rate_arguments(room.owner_id, run_id, call_id, changed)
    (room.workspace / "plan.md").write_text("Release in May or so.\n")
    outcome = executor.decide(
        room.owner_id, run_id, call_id, "approved", arguments=changed, shown_effect=rated.effect
    )
    assert outcome.is_stale
    rated = executor.rate_arguments(room.owner_id, run_id, call_id, changed)
    assert executor.decide(
        room.owner_id, run_id, call_id, "approved", arguments=changed, shown_effect=rated.effect
    ).won
    room.wait_for_end(run_id)
    assert plan_of(room) == "Release in July or so.\n"


def test_a_permission_repeats_nothing_that_may_have_happened_already(room: Room) -> None:
    opened: list[str] = []
    room.tools = [ticket_tool(opened)]
    run_id = begin(room, asks(ticket("one"), ticket("two")))
    first, second = two_waiting(room, run_id)
    room.opened[0].close()
    as_if_killed_while_it_ran(room, run_id, first)
    opened.append("one")
    later = room.open()
    later.resume_execution(room.owner_id, run_id)
    # It rests already: the crash is seen with the next decision.
    later.decide(room.owner_id, run_id, second, "approved", allow_from_now=True)
    wait_until(lambda: opened == ["one", "two"])
    (card,) = [
        call for call in room.approvals.pending_calls(room.owner_id) if call.call_id == first
    ]
    assert card.asked_again == "unsure"
    assert opened == ["one", "two"]


def test_a_run_whose_decision_nobody_acted_on_goes_on_at_the_next_start(room: Room) -> None:
    run_id = begin(room, asks(write("a.md", "a")))
    call_id = wait_for_call(room, run_id, "Write")
    room.opened[0].close()
    with room.pool.connection() as connection:
        connection.execute(
            "update tool_executions set status = 'approved', decided_at = now()"
            " where run_id = %s::uuid and call_id = %s",
            [run_id, call_id],
        )
    room.open()
    room.wait_for_end(run_id)
    assert (room.workspace / "a.md").read_text() == "a"


@pytest.mark.parametrize("end", [LocalExecutor.stop_run, LocalExecutor.discard_resumable])
def test_the_end_of_a_run_settles_what_had_begun(
    room: Room, end: Callable[[LocalExecutor, str, str], None]
) -> None:
    opened: list[str] = []
    room.tools = [ticket_tool(opened, "high")]
    run_id = begin(room, asks(write("a.md", "a"), ticket("one")))
    first, second = two_waiting(room, run_id)
    room.opened[0].close()
    for call_id in (first, second):
        as_if_killed_while_it_ran(room, run_id, call_id)
    with room.pool.connection() as connection:
        connection.execute("update runs set status = 'running' where id = %s::uuid", [run_id])
    room.workspace.mkdir(parents=True, exist_ok=True)
    (room.workspace / "a.md").write_text("a")
    end(room.open(), room.owner_id, run_id)
    room.wait_for_end(run_id)
    row_by_call = {
        row.call_id: row for row in tool_executions.list_run_calls(room.pool, run_id=run_id)
    }
    assert row_by_call[first].status == "finished"
    assert row_by_call[second].status == "unsure"


def test_a_tool_that_is_gone_is_told_and_nothing_runs(room: Room) -> None:
    opened: list[str] = []
    room.tools = [ticket_tool(opened)]
    run_id = begin(room, asks(ticket("one")))
    call_id = wait_for_call(room, run_id, TICKETS)
    room.opened[0].close()
    room.tools = []
    room.open().decide(room.owner_id, run_id, call_id, "approved")
    assert room.wait_for_end(run_id).status == "done"
    finished = [
        event
        for event in room.events(run_id)
        if isinstance(event, ToolFinished) and event.call_id == call_id
    ]
    assert [(event.status, event.error_code) for event in finished] == [("error", "tool_gone")]
    assert opened == []


def test_an_expired_call_names_nobody_even_when_it_was_decided_before(room: Room) -> None:
    room.settings = {"APPROVAL_EXPIRES_MINUTES": "0.02"}
    run_id = begin(room, asks(edit("May", "June")), plan="Release in May.\n")
    room.wait_for_end(run_id)
    (decided,) = [event for event in room.events(run_id) if isinstance(event, ToolDecided)]
    rows = tool_executions.list_run_calls(room.pool, run_id=run_id)
    assert [row.decided_by_name for row in rows if row.call_id == decided.call_id] == [None]


def test_a_permission_that_ends_in_the_moment_of_use_lets_nothing_pass(room: Room) -> None:
    """The row says approved by a permission that has ended: the claim itself must look."""
    opened: list[str] = []
    room.tools = [ticket_tool(opened)]
    run_id = begin(room, asks(ticket("one"), ticket("two")))
    first, second = two_waiting(room, run_id)
    executor = room.opened[0]
    executor.close()
    with room.pool.connection() as connection:
        tool_grants.give_grant(
            connection,
            owner_id=room.owner_id,
            session_id=room.discussions.list_sessions(room.owner_id)[0].id,
            tool=TICKETS,
            scope="",
        )
        connection.execute(
            "update tool_executions set status = 'approved', decided_how = 'grant',"
            " grant_id = (select id from tool_grants) where call_id = %s",
            [first],
        )
        connection.execute("update tool_grants set revoked_at = now()")
    later = room.open()
    later.decide(room.owner_id, run_id, second, "rejected", "no")
    wait_until(lambda: room.approvals.count_pending(room.owner_id) == 1)
    (card,) = room.approvals.pending_calls(room.owner_id)
    assert (card.call_id, card.asked_again) == (first, "permission_ended")
    assert opened == []


class LostLedger:
    """A ledger whose run has another executor by now."""

    async def ask_again(self, call_id: str, effect: Effect, why: str = "") -> bool:
        return False


def test_an_executor_that_lost_its_run_does_not_wait_for_the_file(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = begin(room, asks(write("a.md", "a")))
    call_id = wait_for_call(room, run_id, "Write")
    row = tool_executions.get_call(room.pool, run_id=run_id, call_id=call_id)
    assert row is not None
    room.workspace.mkdir(parents=True, exist_ok=True)
    (room.workspace / "a.md").write_text("somebody else's")

    class Context:
        ledger = LostLedger()
        workspace = room.workspace

    gate = GateMiddleware.__new__(GateMiddleware)
    monkeypatch.setattr(gate, "_context", Context(), raising=False)
    with pytest.raises(LostTheRun):
        asyncio.run(gate._is_as_shown(row))


def test_a_change_that_was_taken_back_is_told_after_the_end_too(room: Room) -> None:
    run_id = begin(room, asks(edit("May", "June")), plan="Release in May.\n")
    call_id = wait_for_call(room, run_id, "Edit")
    room.opened[0].decide(room.owner_id, run_id, call_id, "approved")
    room.wait_for_end(run_id)
    workspaces = Workspaces(room.pool, room.home)
    workspaces.undo(room.owner_id, run_id, call_id)
    assert plan_of(room) == "Release in May.\n"
    last = room.events(run_id)[-1]
    assert last == ToolUndone(call_id=call_id, undone_by="admin")
    with pytest.raises(UndoRefused):
        workspaces.undo(room.owner_id, run_id, call_id)
    assert room.events(run_id)[-2:] != [last, last]
