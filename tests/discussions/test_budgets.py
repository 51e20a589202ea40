"""What a run may use: read before every turn, changed by a person, never exceeded by a turn."""

import pytest

from meetmind.config.budget import Budget
from meetmind.database import steering
from meetmind.errors import BudgetRefused, RunIsOver
from meetmind.events import (
    BudgetChanged,
    FloorTaken,
    GuardActed,
    HandedOver,
    RunStarted,
    WordsArrived,
)
from meetmind.llm.scripted import answers, calls
from meetmind.server import run_pass
from meetmind.server.discussions import RunSummary
from tests.support.room import Room, wait_until

WRITE = ("Write", {"path": "summary.md", "content": "# Summary\n", "why": "to keep it"})
NO_LIMIT = Budget()


def begun(room: Room, steps=(), **details):
    """An executor, a run in which the architect speaks right now, and its id."""
    executor = room.open(steps, piece_seconds=0.03)
    run_id = executor.start_run(
        room.owner_id, room.new_session(), "Build a gift card page", **details
    )
    room.wait_for(run_id, WordsArrived)
    return executor, run_id


def floors(room: Room, run_id: str) -> list[str]:
    return [event.agent_name for event in room.events(run_id) if isinstance(event, FloorTaken)]


def use(room: Room, run_id: str, column: str, amount: float) -> None:
    """What the run has used, as if the model had counted it."""
    with room.pool.connection() as connection:
        statement = f"update runs set {column} = %s where id = %s"
        connection.execute(statement.encode(), [amount, run_id])


def summary(room: Room, run_id: str) -> RunSummary:
    (session,) = room.discussions.list_sessions(room.owner_id)
    runs = room.discussions.list_runs(room.owner_id, session.id)
    return next(run for run in runs if run.id == run_id)


@pytest.mark.parametrize(
    ("budget", "column", "amount", "reason"),
    [
        (Budget(max_tokens=1000), "output_tokens", 1000, "tokens_used_up"),
        (Budget(max_minutes=5), "work_seconds", 300, "minutes_used_up"),
        (Budget(max_cost=0.5), "cost", 0.5, "money_used_up"),
    ],
)
def test_a_limit_that_is_used_up_ends_the_run_before_the_next_turn(
    room: Room, budget: Budget, column: str, amount: float, reason: str
) -> None:
    _, run_id = begun(room, budget=budget)
    use(room, run_id, column, amount)
    end = room.wait_for_end(run_id)
    assert (end.status, end.reason) == ("done", reason)
    assert floors(room, run_id) == ["architect"]


def test_the_limits_of_the_settings_hold_where_the_brief_names_none(room: Room) -> None:
    room.settings = {"MAX_RUN_TOKENS": "900", "MAX_RUN_MINUTES": "7", "MAX_RUN_COST": "1.5"}
    executor, run_id = begun(room)
    (started,) = [event for event in room.events(run_id) if isinstance(event, RunStarted)]
    assert (started.max_tokens, started.max_minutes, started.max_cost) == (900, 7.0, 1.5)
    executor.stop_run(room.owner_id, run_id)


def test_in_sight_of_the_end_the_architect_is_told_and_closes(room: Room) -> None:
    ask = calls(("ask_person", {"question": "Which tax?"}), task="look_up", role="backend")
    executor = room.open([ask])
    run_id = executor.start_run(
        room.owner_id,
        room.new_session(),
        "Build a gift card page",
        budget=Budget(max_tokens=1_000_000),
    )
    room.wait_until_waiting(run_id)
    assert floors(room, run_id) == ["architect", "backend"]
    use(room, run_id, "output_tokens", 900_000)
    (asked,) = executor.pending_questions(room.owner_id)
    executor.answer_question(room.owner_id, run_id, asked.call_id, "None")
    assert room.wait_for_end(run_id).reason == "closed_by_architect"
    assert floors(room, run_id)[2:] == ["architect"]
    handed = [event for event in room.events(run_id) if isinstance(event, HandedOver)]
    assert handed[1].guard == "budget_nearly_used"
    told = [text for text in prompts(room, "architect") if "<budget" in text]
    assert told
    assert all("90 % of its tokens" in text for text in told)


def prompts(room: Room, role: str) -> list[str]:
    found = []
    for request in room.models[0].requests:
        if request.sections.you is not None and request.sections.you.name == role:
            found.append(request.messages[1].text)
    return found


def test_more_turns_hold_from_the_next_turn_on(room: Room) -> None:
    room.max_iterations = 2
    executor, run_id = begun(room)
    executor.change_budget(room.owner_id, run_id, max_iterations=8, budget=NO_LIMIT)
    executor.change_budget(room.owner_id, run_id, max_iterations=8, budget=NO_LIMIT)
    assert room.wait_for_end(run_id).reason == "closed_by_architect"
    assert len(floors(room, run_id)) == 6
    assert {r.sections.turn_limit for r in room.models[0].requests if r.sections.heard} == {8}
    (changed,) = [event for event in room.events(run_id) if isinstance(event, BudgetChanged)]
    assert (changed.max_iterations, changed.changed_by) == (8, "admin")


def test_turns_that_are_given_while_the_run_ends_are_not_lost(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.max_iterations = 2
    executor = room.open()
    close = run_pass.close_unless_wanted

    async def give_more_then_close(pool, context, state, epoch):
        if state["iteration"] == 2:
            executor.change_budget(room.owner_id, context.run_id, max_iterations=8, budget=NO_LIMIT)
        return await close(pool, context, state, epoch)

    monkeypatch.setattr(run_pass, "close_unless_wanted", give_more_then_close)
    run_id = executor.start_run(room.owner_id, room.new_session(), "Build a gift card page")
    assert room.wait_for_end(run_id).reason == "closed_by_architect"
    assert len(floors(room, run_id)) > 2


def test_a_limit_below_the_use_ends_the_run_after_the_turn(room: Room) -> None:
    executor, run_id = begun(room)
    executor.change_budget(room.owner_id, run_id, max_iterations=1, budget=NO_LIMIT)
    assert room.wait_for_end(run_id).reason == "iterations_used_up"
    assert floors(room, run_id) == ["architect"]


def test_words_that_come_when_the_budget_is_used_up_are_kept_and_that_is_told(room: Room) -> None:
    executor, run_id = begun(room, max_iterations=1)
    executor.say_into_run(room.owner_id, run_id, "One more thing.")
    assert room.wait_for_end(run_id).reason == "iterations_used_up"
    told = [event for event in room.events(run_id) if isinstance(event, GuardActed)]
    assert [(event.guard, event.agent_name) for event in told] == [
        ("words_unanswered", "architect")
    ]
    session_id = summary(room, run_id).session_id
    again = executor.start_run(room.owner_id, session_id, "Go on", continues_run_id=run_id)
    room.wait_for_end(again)
    talks = [request.sections.talk for request in room.models[0].requests]
    assert "One more thing." in [said.text for said in talks[-1]]


def test_limits_that_allow_nothing_are_refused(room: Room) -> None:
    executor, run_id = begun(room)
    for turns, budget in (
        (0, NO_LIMIT),
        (101, NO_LIMIT),
        (5, Budget(max_tokens=0)),
        (5, Budget(max_tokens=10**400)),
        (5, Budget(max_minutes=-1.0)),
        (5, Budget(max_cost=float("nan"))),
    ):
        with pytest.raises(BudgetRefused):
            executor.change_budget(room.owner_id, run_id, max_iterations=turns, budget=budget)
    executor.stop_run(room.owner_id, run_id)
    with pytest.raises(RunIsOver):
        executor.change_budget(room.owner_id, run_id, max_iterations=5, budget=NO_LIMIT)
    with pytest.raises(BudgetRefused):
        executor.start_run(room.owner_id, room.new_session(), "Again", max_iterations=101)


def test_work_is_counted_also_when_it_is_broken_off_and_waiting_is_not(room: Room) -> None:
    executor = room.open([calls(WRITE, task="look_up", role="architect")])
    run_id = executor.start_run(room.owner_id, room.new_session(), "Write it down")
    room.wait_until_waiting(run_id)
    wait_until(lambda: run_id not in executor._tasks._tasks)
    before = summary(room, run_id).work_seconds
    assert before > 0
    later = room.open(piece_seconds=0.03)
    assert summary(room, run_id).work_seconds == before
    (call,) = later.pending_calls(room.owner_id)
    later.decide(room.owner_id, run_id, call.call_id, "rejected", "no")
    room.wait_for(run_id, WordsArrived)
    counted = summary(room, run_id).work_seconds
    later.stop_run(room.owner_id, run_id)
    assert summary(room, run_id).work_seconds > counted > before


def test_a_run_that_continues_another_takes_up_what_is_open(room: Room) -> None:
    points = [
        {"id": "P1", "question": "Which tax?", "state": "open"},
        {"id": "P2", "question": "Which page?", "state": "settled", "reason": "agreed"},
    ]
    first = answers(
        {"content": "Two points.", "next_agent": "backend", "done": False, "points": points},
        task="speak",
        role="architect",
    )
    room.max_iterations = 1
    executor = room.open([first])
    session_id = room.new_session()
    run_id = executor.start_run(room.owner_id, session_id, "Build a gift card page")
    room.wait_for_end(run_id)
    asked_before = len(room.models[0].requests)
    again = executor.start_run(room.owner_id, session_id, "Go on", continues_run_id=run_id)
    room.wait_for_end(again)
    of_turns = [r for r in room.models[0].requests[asked_before:] if r.sections.turn_number == 1]
    assert {tuple(point.id for point in r.sections.points) for r in of_turns} == {("P1",)}


def test_turns_that_are_given_in_the_moment_of_the_end_are_not_lost(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The person is told that the budget is raised, so the run must not end for the old one."""
    room.max_iterations = 1
    executor = room.open()
    close = steering.close_at_limit
    given: list[str] = []

    def give_more_then_close(pool, *, run_id, **details):
        if not given:
            given.append(run_id)
            executor.change_budget(room.owner_id, run_id, max_iterations=8, budget=NO_LIMIT)
        return close(pool, run_id=run_id, **details)

    monkeypatch.setattr(steering, "close_at_limit", give_more_then_close)
    run_id = executor.start_run(room.owner_id, room.new_session(), "Build a gift card page")
    assert room.wait_for_end(run_id).reason == "closed_by_architect"
    assert len(floors(room, run_id)) > 2
