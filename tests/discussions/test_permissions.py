"""What a person allows beyond one call, what expires, and what the policy refuses in a run."""

from typing import Any

import pytest

from meetmind.database import traces
from meetmind.errors import ArgumentsRefused
from meetmind.events import ToolAskedAgain, ToolDecided, ToolFinished, ToolRequested
from meetmind.llm.scripted import ScriptedStep, calls
from tests.support.room import Room, wait_until


def write(path: str, content: str) -> tuple[str, dict[str, Any]]:
    return ("Write", {"path": path, "content": content, "why": "to keep it"})


def edit(old: str, new: str, path: str = "plan.md") -> tuple[str, dict[str, Any]]:
    return (
        "Edit",
        {"path": path, "old_string": old, "new_string": new, "why": "it says otherwise"},
    )


def fetch(url: str) -> tuple[str, dict[str, Any]]:
    return ("web_fetch", {"url": url, "why": "to read it"})


def asks(*asked: tuple[str, dict[str, Any]]) -> ScriptedStep:
    return calls(*asked, task="look_up", role="architect")


def begin(room: Room, *steps: ScriptedStep, brief: str = "Change the plan", plan: str = "") -> str:
    room.max_iterations = 2
    executor = room.open(steps)
    session_id = room.new_session()
    if plan:
        room.workspace.mkdir(parents=True)
        (room.workspace / "plan.md").write_text(plan)
    return executor.start_run(room.owner_id, session_id, brief)


def wait_for_call(room: Room, run_id: str, tool: str) -> str:
    """The id of the call of this tool that waits."""

    def waiting() -> list[str]:
        pending = room.approvals.pending_calls(room.owner_id)
        return [call.call_id for call in pending if call.tool == tool]

    wait_until(lambda: bool(waiting()) and room.state(run_id) == "waiting")
    return waiting()[0]


def events_of(room: Room, run_id: str, kind: type, tool: str = "") -> list[Any]:
    found = [event for event in room.events(run_id) if isinstance(event, kind)]
    return [event for event in found if not tool or event.tool == tool]


def plan_of(room: Room) -> str:
    return (room.workspace / "plan.md").read_text()


def test_an_edit_waits_and_then_changes_the_file(room: Room) -> None:
    run_id = begin(room, asks(edit("May", "June")), plan="Release in May.\n")
    call_id = wait_for_call(room, run_id, "Edit")
    (card,) = room.approvals.pending_calls(room.owner_id)
    assert (card.risk, "+Release in June." in card.preview) == ("medium", True)
    room.opened[0].decide(room.owner_id, run_id, call_id, "approved")
    room.wait_for_end(run_id)
    assert plan_of(room) == "Release in June.\n"


def test_what_is_allowed_for_the_discussion_asks_nobody_again(room: Room) -> None:
    run_id = begin(
        room, asks(edit("May", "June")), asks(edit("June", "July")), plan="Release in May.\n"
    )
    call_id = wait_for_call(room, run_id, "Edit")
    room.opened[0].decide(room.owner_id, run_id, call_id, "approved", allow_from_now=True)
    room.wait_for_end(run_id)
    assert plan_of(room) == "Release in July.\n"
    requested = events_of(room, run_id, ToolRequested, "Edit")
    assert [(event.verdict, event.allowed_by) for event in requested] == [
        ("asked", ""),
        ("allowed", "admin"),
    ]
    (grant,) = room.approvals.grants(room.owner_id)
    assert (grant.tool, grant.used) == ("Edit", 1)


def test_a_permission_holds_for_its_own_discussion_only(room: Room) -> None:
    run_id = begin(room, asks(edit("May", "June")), plan="Release in May.\n")
    call_id = wait_for_call(room, run_id, "Edit")
    executor = room.opened[0]
    executor.decide(room.owner_id, run_id, call_id, "approved", allow_from_now=True)
    room.wait_for_end(run_id)
    other_session = room.new_session()
    folder = room.home / "workspaces" / other_session
    folder.mkdir(parents=True)
    (folder / "plan.md").write_text("May")
    later = room.open([asks(edit("May", "June"))])
    other_run = later.start_run(room.owner_id, other_session, "Change the plan")
    wait_for_call(room, other_run, "Edit")
    assert (folder / "plan.md").read_text() == "May"


def test_after_its_end_a_permission_lets_nothing_pass(room: Room) -> None:
    run_id = begin(
        room,
        asks(edit("May", "June")),
        asks(write("stop.md", "x")),
        asks(edit("June", "July")),
        plan="Release in May.\n",
    )
    executor = room.opened[0]
    call_id = wait_for_call(room, run_id, "Edit")
    executor.decide(room.owner_id, run_id, call_id, "approved", allow_from_now=True)
    write_id = wait_for_call(room, run_id, "Write")
    (grant,) = room.approvals.grants(room.owner_id)
    room.approvals.revoke_grant(room.owner_id, grant.id)
    executor.decide(room.owner_id, run_id, write_id, "rejected", "no")
    wait_for_call(room, run_id, "Edit")
    assert plan_of(room) == "Release in June.\n"


def test_what_waits_for_the_same_permission_passes_with_it(room: Room) -> None:
    run_id = begin(room, asks(edit("May", "June"), edit("plan", "idea", "idea.md")), plan="May")
    (room.workspace / "idea.md").write_text("A plan.")
    # The second file was not there when the role asked, so that call was refused.
    call_id = wait_for_call(room, run_id, "Edit")
    room.opened[0].decide(room.owner_id, run_id, call_id, "approved", allow_from_now=True)
    room.wait_for_end(run_id)
    assert plan_of(room) == "June"


def test_a_high_risk_can_be_allowed_once_only(room: Room) -> None:
    run_id = begin(room, asks(write("a.md", "x")))
    call_id = wait_for_call(room, run_id, "Write")
    with pytest.raises(ArgumentsRefused):
        room.opened[0].decide(room.owner_id, run_id, call_id, "approved", allow_from_now=True)
    assert room.approvals.count_pending(room.owner_id) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"path": "../outside.md", "content": "x"},
        {"path": "", "content": "x"},
        {"path": ".env", "content": "x"},
        {"content": "x"},
        {"path": ["a"], "content": "x"},
    ],
)
def test_changed_arguments_are_checked_from_zero(room: Room, changed: dict[str, Any]) -> None:
    run_id = begin(room, asks(write("a.md", "x")))
    call_id = wait_for_call(room, run_id, "Write")
    executor = room.opened[0]
    with pytest.raises(ArgumentsRefused):
        executor.rate_arguments(room.owner_id, run_id, call_id, changed)
    with pytest.raises(ArgumentsRefused):
        executor.decide(room.owner_id, run_id, call_id, "approved", arguments=changed)
    assert room.state(run_id) == "waiting"
    assert not list(room.home.rglob("outside.md"))


def test_an_approval_that_nobody_gives_expires_and_the_discussion_goes_on(room: Room) -> None:
    room.settings = {"APPROVAL_EXPIRES_MINUTES": "0.005"}
    run_id = begin(room, asks(write("a.md", "x")))
    assert room.wait_for_end(run_id).status == "done"
    (decided,) = events_of(room, run_id, ToolDecided)
    assert (decided.decision, decided.how, decided.decided_by) == ("rejected", "expiry", "")
    told = [
        envelope.error
        for request in room.models[0].requests
        for envelope in request.sections.tool_messages
    ]
    assert any("in time" in sentence for sentence in told)
    assert not (room.workspace / "a.md").exists()


def test_a_second_change_of_a_file_is_shown_anew_before_it_runs(room: Room) -> None:
    run_id = begin(
        room, asks(edit("May", "June"), edit("Release", "Ship")), plan="Release in May.\n"
    )
    before = plan_of(room)
    executor = room.opened[0]
    wait_until(lambda: room.approvals.count_pending(room.owner_id) == 2)
    first, second = (call.call_id for call in executor.pending_calls(room.owner_id))
    for call_id in (first, second):
        executor.decide(room.owner_id, run_id, call_id, "approved")
    # Calls of one message run side by side: either change may be the first.
    wait_until(lambda: plan_of(room) != before and room.state(run_id) == "waiting")
    (card,) = executor.pending_calls(room.owner_id)
    assert (card.asked_again, "+Ship in June." in card.preview) == ("file_changed", True)
    assert events_of(room, run_id, ToolAskedAgain)
    executor.decide(room.owner_id, run_id, card.call_id, "approved")
    room.wait_for_end(run_id)
    assert plan_of(room) == "Ship in June.\n"


def test_an_address_that_nobody_wrote_is_refused_with_that_reason(room: Room) -> None:
    run_id = begin(room, asks(fetch("https://example.org/?secret=1")), brief="Read something")
    room.wait_for_end(run_id)
    (requested,) = events_of(room, run_id, ToolRequested, "web_fetch")
    assert (requested.verdict, requested.code) == ("refused", "unknown_address")
    assert room.approvals.count_pending(room.owner_id) == 0


def test_an_address_of_the_brief_is_asked_about_and_one_with_more_in_it_is_not(room: Room) -> None:
    known, longer = "https://example.org/a", "https://example.org/a?secret=1"
    run_id = begin(room, asks(fetch(known), fetch(longer)), brief=f"Read {known}, please")
    wait_for_call(room, run_id, "web_fetch")
    requested = events_of(room, run_id, ToolRequested, "web_fetch")
    assert [event.verdict for event in requested] == ["asked", "refused"]


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://169.254.169.254/latest", "file:///x"])
def test_an_address_that_is_not_public_is_refused_without_asking(room: Room, url: str) -> None:
    run_id = begin(room, asks(fetch(url)), brief=f"Read {url}, please")
    room.wait_for_end(run_id)
    (requested,) = events_of(room, run_id, ToolRequested, "web_fetch")
    assert requested.verdict == "refused"


def test_a_call_that_failed_twice_alike_is_refused_and_the_refusal_is_traced(room: Room) -> None:
    read = ("Read", {"path": "nothing.md"})
    run_id = begin(room, asks(read), asks(read), asks(read))
    room.wait_for_end(run_id)
    finished = events_of(room, run_id, ToolFinished, "Read")
    assert [event.status for event in finished] == ["error", "error", "refused"]
    refused = [e for e in events_of(room, run_id, ToolRequested, "Read") if e.verdict == "refused"]
    assert [event.code for event in refused] == ["failed_twice"]
    room.recorders[0].flush()
    spans = traces.list_spans(room.pool, owner_id=room.owner_id, run_id=run_id)
    guards = [span for span in spans if span.kind == "guard" and span.name == "Read"]
    assert [span.status for span in guards] == ["allowed", "allowed", "refused"]
    assert guards[-1].details["code"] == "failed_twice"


def test_approvals_and_calls_are_traced(room: Room) -> None:
    run_id = begin(room, asks(write("a.md", "x")))
    call_id = wait_for_call(room, run_id, "Write")
    room.opened[0].decide(room.owner_id, run_id, call_id, "approved")
    room.wait_for_end(run_id)
    room.recorders[0].flush()
    spans = traces.list_spans(room.pool, owner_id=room.owner_id, run_id=run_id)
    kinds = [span.kind for span in spans if span.call_id == call_id]
    assert sorted(kinds) == ["approval", "guard", "tool_call"]
