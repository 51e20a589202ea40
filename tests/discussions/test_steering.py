"""The person's hand on a running discussion: words, questions to one role, pauses."""

import pytest

from meetmind.database import person_acts, runs
from meetmind.errors import BriefRefused, NotFound, RunIsOver
from meetmind.events import (
    FloorTaken,
    HandedOver,
    PauseAsked,
    PersonSpoke,
    RunPaused,
    RunResumed,
    RunWaiting,
    UtteranceEnded,
    WordsArrived,
)
from meetmind.llm.scripted import answers, calls, says
from meetmind.server import run_pass
from meetmind.server.accounts import Accounts
from meetmind.server.execution import LocalExecutor
from tests.support.room import FixedIntent, Room, wait_until

WRITE = ("Write", {"path": "summary.md", "content": "# Summary\n", "why": "to keep it"})
SLOW = 0.03
QUESTION = FixedIntent(label="knowledge_question")


def begun(room: Room, steps=(), *, brief: str = "Build a gift card page", **details):
    """An executor, a run in which the architect speaks right now, and its id."""
    executor = room.open(steps, piece_seconds=SLOW)
    run_id = executor.start_run(room.owner_id, room.new_session(), brief, **details)
    room.wait_for(run_id, WordsArrived)
    return executor, run_id


def asked_the_assistant(room: Room):
    """An executor, a run in which the assistant thinks about its answer, and its id."""
    room.intent = QUESTION
    executor = room.open([says("For three years.", task="answer", delay_seconds=1.0)])
    run_id = executor.start_run(room.owner_id, room.new_session(), "How long are they valid?")
    wait_until(lambda: any(r.sections.task == "answer" for r in room.models[0].requests))
    return executor, run_id


def floors(room: Room, run_id: str) -> list[str]:
    return [event.agent_name for event in room.events(run_id) if isinstance(event, FloorTaken)]


def spoken(room: Room, run_id: str) -> list[str]:
    return [event.agent_name for event in room.events(run_id) if isinstance(event, UtteranceEnded)]


def told(room: Room, role: str) -> list[str]:
    """What the speaker was told of the person's words, in all its requests."""
    words = []
    for model in room.models:
        for request in model.requests:
            if request.sections.you is not None and request.sections.you.name == role:
                words.extend(said.text for said in request.sections.said)
    return words


def wait_until_paused(room: Room, run_id: str) -> None:
    wait_until(lambda: room.state(run_id) in ("paused", "failed", "done"))
    assert room.state(run_id) == "paused"


def test_the_next_speaker_answers_what_was_said_and_it_is_an_event_of_its_own(room: Room) -> None:
    executor, run_id = begun(room)
    message_id = executor.say_into_run(room.owner_id, run_id, " Only for Europe. ")
    assert room.wait_for_end(run_id).reason == "closed_by_architect"
    said = [event for event in room.events(run_id) if isinstance(event, PersonSpoke)]
    assert [(event.text, event.said_by, event.message_id) for event in said] == [
        ("Only for Europe.", "admin", message_id)
    ]
    second = floors(room, run_id)[1]
    assert set(told(room, second)) == {"Only for Europe."}
    others = [name for name in spoken(room, run_id) if name != second]
    assert not any(told(room, name) for name in others)


def test_what_was_said_stands_in_the_talk_of_everybody_after(room: Room) -> None:
    executor, run_id = begun(room)
    executor.say_into_run(room.owner_id, run_id, "Only for Europe.")
    room.wait_for_end(run_id)
    last = room.models[0].requests[-1].sections
    assert ("person", "Only for Europe.") in [(one.by, one.text) for one in last.talk]
    assert "Build a gift card page" not in [one.text for one in last.talk]


def test_a_role_that_is_asked_is_next_once_the_turn_has_ended(room: Room) -> None:
    executor, run_id = begun(room)
    executor.say_into_run(room.owner_id, run_id, "What could break?", "tester")
    room.wait_for_end(run_id)
    assert floors(room, run_id)[:2] == ["architect", "tester"]
    assert spoken(room, run_id)[0] == "architect"
    handed = [event for event in room.events(run_id) if isinstance(event, HandedOver)]
    assert (handed[0].to_agent, handed[0].by) == ("tester", "person")
    assert told(room, "tester")
    assert not told(room, "backend")


def test_two_roles_that_are_asked_answer_one_after_the_other(room: Room) -> None:
    executor, run_id = begun(room)
    executor.say_into_run(room.owner_id, run_id, "What could break?", "tester")
    executor.say_into_run(room.owner_id, run_id, "Who wants it?", "product_manager")
    room.wait_for_end(run_id)
    assert floors(room, run_id)[:3] == ["architect", "tester", "product_manager"]
    assert set(told(room, "product_manager")) == {"Who wants it?"}


def test_the_architect_does_not_close_over_words_that_came_while_it_closed(room: Room) -> None:
    executor, run_id = begun(room)
    wait_until(lambda: floors(room, run_id).count("architect") == 2)
    executor.say_into_run(room.owner_id, run_id, "One more thing.")
    assert room.wait_for_end(run_id).reason == "closed_by_architect"
    assert floors(room, run_id)[-2:] == ["architect", "architect"]
    assert set(told(room, "architect")) == {"One more thing."}


def test_words_between_the_end_of_the_graph_and_the_end_of_the_run_are_answered(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    executor = room.open()
    close = run_pass.close_unless_wanted
    said: list[str] = []

    async def say_then_close(pool, context, state, epoch):
        if not said:
            said.append(executor.say_into_run(room.owner_id, context.run_id, "Wait.", "tester"))
        return await close(pool, context, state, epoch)

    monkeypatch.setattr(run_pass, "close_unless_wanted", say_then_close)
    run_id = executor.start_run(room.owner_id, room.new_session(), "Build a gift card page")
    assert room.wait_for_end(run_id).reason == "closed_by_architect"
    assert floors(room, run_id)[6] == "tester"
    assert "Wait." in told(room, "tester")


def test_after_the_end_nothing_more_can_be_said(room: Room) -> None:
    executor = room.open()
    run_id = executor.start_run(room.owner_id, room.new_session(), "Build a gift card page")
    room.wait_for_end(run_id)
    with pytest.raises(RunIsOver):
        executor.say_into_run(room.owner_id, run_id, "Too late")
    with pytest.raises(RunIsOver):
        executor.pause_run(room.owner_id, run_id)
    assert not any(isinstance(event, PersonSpoke) for event in room.events(run_id))


def test_only_the_owner_steers_and_only_with_words_to_a_role_that_there_is(room: Room) -> None:
    stranger = Accounts(room.pool).local_person().id
    executor, run_id = begun(room)
    for act in (
        lambda: executor.say_into_run(stranger, run_id, "Hello"),
        lambda: executor.pause_run(stranger, run_id),
        lambda: executor.go_on_run(stranger, run_id),
        lambda: executor.say_into_run(room.owner_id, run_id, "Hello", "janitor"),
    ):
        with pytest.raises(NotFound):
            act()
    for words in ("  ", "x" * 20_001):
        with pytest.raises(BriefRefused):
            executor.say_into_run(room.owner_id, run_id, words)
    executor.stop_run(room.owner_id, run_id)


def test_words_into_a_run_that_was_cut_off_are_answered_after_it_is_resumed(room: Room) -> None:
    executor, run_id = begun(room)
    wait_until(lambda: len(spoken(room, run_id)) >= 2)
    executor.close()
    later = room.open()
    later.say_into_run(room.owner_id, run_id, "Only for Europe.", "tester")
    wait_until(lambda: room.state(run_id) == "cut_off")
    later.resume_execution(room.owner_id, run_id)
    assert room.wait_for_end(run_id).reason == "closed_by_architect"
    assert "Only for Europe." in told(room, "tester")


def test_the_assistant_answers_what_was_said_while_it_answered(room: Room) -> None:
    executor, run_id = asked_the_assistant(room)
    executor.say_into_run(room.owner_id, run_id, "In Europe, I mean.")
    assert room.wait_for_end(run_id).reason == "answered"
    assert spoken(room, run_id) == ["assistant", "assistant"]
    assert "In Europe, I mean." in told(room, "assistant")


def test_a_role_that_is_asked_while_the_assistant_answers_speaks(room: Room) -> None:
    room.max_iterations = 3
    executor, run_id = asked_the_assistant(room)
    executor.say_into_run(room.owner_id, run_id, "And the risks?", "tester")
    room.wait_for_end(run_id)
    assert floors(room, run_id)[:2] == ["assistant", "tester"]


def test_a_brief_for_one_role_goes_to_it_right_after_the_opening(room: Room) -> None:
    room.intent = QUESTION
    executor = room.open()
    run_id = executor.start_run(
        room.owner_id, room.new_session(), "What could break?", asked_agent="tester"
    )
    room.wait_for_end(run_id)
    assert floors(room, run_id)[:2] == ["architect", "tester"]


def test_a_pause_waits_for_the_end_of_the_turn_and_goes_on_from_there(room: Room) -> None:
    executor, run_id = begun(room)
    executor.pause_run(room.owner_id, run_id)
    executor.pause_run(room.owner_id, run_id)
    wait_until_paused(room, run_id)
    assert spoken(room, run_id) == floors(room, run_id) == ["architect"]
    executor.go_on_run(room.owner_id, run_id)
    assert room.wait_for_end(run_id).reason == "closed_by_architect"
    assert len(spoken(room, run_id)) == 6
    events = room.events(run_id)
    assert [event.reason for event in events if isinstance(event, RunResumed)] == ["pause"]
    assert len([event for event in events if isinstance(event, PauseAsked)]) == 1
    assert len([event for event in events if isinstance(event, RunPaused)]) == 1


def test_a_paused_run_outlives_its_process_and_is_not_cut_off(room: Room) -> None:
    executor, run_id = begun(room)
    executor.pause_run(room.owner_id, run_id)
    wait_until_paused(room, run_id)
    executor.close()
    later = room.open()
    assert room.state(run_id) == "paused"
    assert later.get_resumable(room.owner_id) == []
    later.go_on_run(room.owner_id, run_id)
    assert room.wait_for_end(run_id).reason == "closed_by_architect"
    assert len(spoken(room, run_id)) == 6


def test_a_run_that_was_cut_off_before_it_could_pause_pauses_when_it_is_resumed(
    room: Room,
) -> None:
    executor, run_id = begun(room)
    executor.pause_run(room.owner_id, run_id)
    executor.close()
    wait_until(lambda: room.state(run_id) == "cut_off")
    later = room.open()
    later.resume_execution(room.owner_id, run_id)
    wait_until_paused(room, run_id)
    assert spoken(room, run_id) == ["architect"]


def test_a_run_that_was_killed_while_it_was_laid_to_rest_pauses_again(room: Room) -> None:
    executor, run_id = begun(room)
    executor.pause_run(room.owner_id, run_id)
    wait_until_paused(room, run_id)
    executor.close()
    with room.pool.connection() as connection:
        connection.execute("update runs set status = 'running' where id = %s", [run_id])
    wait_until(lambda: room.state(run_id) == "cut_off")
    later = room.open()
    later.resume_execution(room.owner_id, run_id)
    wait_until_paused(room, run_id)
    assert floors(room, run_id) == ["architect"]
    later.go_on_run(room.owner_id, run_id)
    assert room.wait_for_end(run_id).reason == "closed_by_architect"
    assert len(spoken(room, run_id)) == 6


def test_a_pause_can_be_taken_back_before_it_begins(room: Room) -> None:
    executor, run_id = begun(room)
    executor.pause_run(room.owner_id, run_id)
    executor.withdraw_pause(room.owner_id, run_id)
    assert room.wait_for_end(run_id).reason == "closed_by_architect"
    events = room.events(run_id)
    assert [event.withdrawn for event in events if isinstance(event, PauseAsked)] == [False, True]
    assert not any(isinstance(event, RunPaused) for event in events)


def test_going_on_while_the_run_is_laid_to_rest_is_not_lost(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    executor, run_id = begun(room)
    rest = run_pass.steering.rest_paused

    def rest_and_go_on(pool, *, run_id, epoch):
        rest(pool, run_id=run_id, epoch=epoch)
        # As another process: it finds the lock taken and begins nothing.
        person_acts.end_pause(pool, owner_id=room.owner_id, run_id=run_id)

    monkeypatch.setattr(run_pass.steering, "rest_paused", rest_and_go_on)
    executor.pause_run(room.owner_id, run_id)
    assert room.wait_for_end(run_id).reason == "closed_by_architect"
    resumed = [event for event in room.events(run_id) if isinstance(event, RunResumed)]
    assert [event.reason for event in resumed] == ["pause"]


def test_a_run_that_was_let_go_on_and_that_nobody_began_is_found(room: Room) -> None:
    executor, run_id = begun(room)
    executor.pause_run(room.owner_id, run_id)
    wait_until_paused(room, run_id)
    wait_until(lambda: not runs.list_runs(room.pool, owner_id=room.owner_id)[0].is_held)
    assert runs.decided_and_resting(room.pool) == []
    person_acts.end_pause(room.pool, owner_id=room.owner_id, run_id=run_id)
    found = runs.decided_and_resting(room.pool)
    assert [(run.run_id, run.is_paused) for run in found] == [(run_id, True)]


def test_a_role_that_is_asked_during_a_pause_speaks_first(room: Room) -> None:
    executor, run_id = begun(room)
    executor.pause_run(room.owner_id, run_id)
    wait_until_paused(room, run_id)
    executor.say_into_run(room.owner_id, run_id, "What could break?", "tester")
    assert room.state(run_id) == "paused"
    executor.go_on_run(room.owner_id, run_id)
    room.wait_for_end(run_id)
    assert floors(room, run_id)[:2] == ["architect", "tester"]
    ids = [event.utterance_id for event in room.events(run_id) if isinstance(event, UtteranceEnded)]
    assert len(ids) == len(set(ids))


def test_a_pause_while_a_call_waits_begins_after_the_decision_and_the_turn(room: Room) -> None:
    executor = room.open([calls(WRITE, task="look_up", role="architect")])
    run_id = executor.start_run(room.owner_id, room.new_session(), "Write it down")
    (call_id,) = room.wait_until_waiting(run_id)
    executor.pause_run(room.owner_id, run_id)
    assert room.state(run_id) == "waiting"
    executor.decide(room.owner_id, run_id, call_id, "approved")
    wait_until_paused(room, run_id)
    assert spoken(room, run_id) == floors(room, run_id) == ["architect"]
    executor.go_on_run(room.owner_id, run_id)
    assert room.wait_for_end(run_id).status == "done"
    events = room.events(run_id)
    assert [event.reason for event in events if isinstance(event, RunResumed)] == [
        "decision",
        "pause",
    ]
    assert len([event for event in events if isinstance(event, RunWaiting)]) == 1


def test_a_role_that_waited_out_a_pause_can_still_ask_and_wait(room: Room) -> None:
    ask = calls(("ask_person", {"question": "Which tax?"}), task="look_up", role="backend")
    executor, run_id = begun(room, [ask])
    executor.pause_run(room.owner_id, run_id)
    wait_until_paused(room, run_id)
    executor.go_on_run(room.owner_id, run_id)
    wait_until(lambda: room.state(run_id) == "waiting")
    executor.close()
    later = room.open()
    (asked,) = later.pending_questions(room.owner_id)
    later.answer_question(room.owner_id, run_id, asked.call_id, "None")
    assert room.wait_for_end(run_id).reason == "closed_by_architect"
    ids = [event.utterance_id for event in room.events(run_id) if isinstance(event, UtteranceEnded)]
    assert len(ids) == len(set(ids)) == 6
    assert len(floors(room, run_id)) == 6


def test_a_paused_run_can_be_paused_again_and_stopped(room: Room) -> None:
    executor, run_id = begun(room)
    for turns in (1, 2):
        executor.pause_run(room.owner_id, run_id)
        wait_until_paused(room, run_id)
        assert len(spoken(room, run_id)) == turns
        if turns == 1:
            executor.go_on_run(room.owner_id, run_id)
            wait_until(lambda: len(floors(room, run_id)) == 2)
    executor.stop_run(room.owner_id, run_id)
    assert room.wait_for_end(run_id).reason == "stopped_by_person"


def test_a_stop_by_another_process_ends_a_long_call_of_the_model_soon(room: Room) -> None:
    first = room.open([answers({"content": "late"}, delay_seconds=60, task="speak")])
    run_id = first.start_run(room.owner_id, room.new_session(), "Build a gift card page")
    wait_until(lambda: any(r.sections.task == "speak" for r in room.models[0].requests))
    second = room.open()
    assert room.state(run_id) == "running"
    second.stop_run(room.owner_id, run_id)
    assert room.wait_for_end(run_id).reason == "stopped_by_person"
    wait_until(lambda: not _is_executing(first, run_id), seconds=10)
    assert spoken(room, run_id) == []


def test_words_and_a_pause_from_another_process_reach_the_run(room: Room) -> None:
    _, run_id = begun(room)
    second = room.open()
    second.say_into_run(room.owner_id, run_id, "What could break?", "tester")
    second.pause_run(room.owner_id, run_id)
    wait_until_paused(room, run_id)
    second.go_on_run(room.owner_id, run_id)
    assert room.wait_for_end(run_id).reason == "closed_by_architect"
    assert floors(room, run_id)[1] == "tester"


def lose_the_lock(room: Room, run_id: str, *, to_somebody: bool) -> None:
    """What a restart of the database does to a lock; another executor may have had the run."""
    with room.pool.connection() as connection:
        if to_somebody:
            connection.execute("update runs set epoch = epoch + 1 where id = %s", [run_id])
        connection.execute(
            """
            select pg_terminate_backend(pid)
            from pg_locks
            where locktype = 'advisory'
              and ((classid::bigint << 32) | objid::bigint)
                = hashtextextended('run:' || %s, 0)
            """,
            [run_id],
        )
    wait_until(lambda: not is_held(room))


def is_held(room: Room) -> bool:
    (run,) = runs.list_runs(room.pool, owner_id=room.owner_id)
    return run.is_held


def test_a_lock_that_is_retaken_holds_only_while_the_epoch_does(room: Room) -> None:
    executor = room.open([answers({"content": "late"}, delay_seconds=60, task="speak")])
    run_id = executor.start_run(room.owner_id, room.new_session(), "Build a gift card page")
    wait_until(lambda: any(r.sections.task == "speak" for r in room.models[0].requests))
    lose_the_lock(room, run_id, to_somebody=False)
    wait_until(lambda: is_held(room), seconds=10)
    assert _is_executing(executor, run_id)
    lose_the_lock(room, run_id, to_somebody=True)
    wait_until(lambda: not _is_executing(executor, run_id), seconds=10)
    wait_until(lambda: not is_held(room))
    assert room.state(run_id) == "cut_off"


def _is_executing(executor: LocalExecutor, run_id: str) -> bool:
    return run_id in executor._tasks._tasks
