"""A role puts a question to the person: it waits, survives, and is answered once."""

import psycopg
import pytest

from meetmind.database import questions, runs
from meetmind.errors import BriefRefused, NotFound, RunIsOver
from meetmind.events import (
    QuestionAnswered,
    QuestionAsked,
    RunResumed,
    RunWaiting,
    ToolFinished,
    ToolRequested,
    UtteranceEnded,
)
from meetmind.llm.scripted import ScriptedStep, calls
from meetmind.server.accounts import Accounts
from tests.support.room import Room, wait_until

ASKED = {"question": "For which countries?", "choices": ["EU", "All"], "why": "The tax depends."}
ASK = ("ask_person", ASKED)
WRITE = ("Write", {"path": "summary.md", "content": "# Summary\n", "why": "to keep it"})


def asking(*asked: tuple[str, dict[str, object]], role: str = "architect") -> ScriptedStep:
    return calls(*asked, task="look_up", role=role)


def begun(room: Room, *steps: ScriptedStep) -> tuple[str, list[str]]:
    """A run that waits for the answers to these questions."""
    room.max_iterations = 2
    executor = room.open(steps or [asking(ASK)])
    run_id = executor.start_run(room.owner_id, room.new_session(), "Build a gift card page")
    room.wait_until_waiting(run_id)
    return run_id, waiting_questions(room, run_id)


def waiting_questions(room: Room, run_id: str) -> list[str]:
    resting = [event for event in room.events(run_id) if isinstance(event, RunWaiting)]
    return list(resting[-1].question_ids)


def of_kind(room: Room, run_id: str, kind: type) -> list:
    return [event for event in room.events(run_id) if isinstance(event, kind)]


def told(room: Room) -> list[object]:
    """What the tool told the roles, each answer once."""
    envelopes = {}
    for model in room.models:
        for request in model.requests:
            for envelope in request.sections.tool_messages:
                if envelope.tool == "ask_person":
                    envelopes[str(envelope)] = envelope.data or envelope.error
    return list(envelopes.values())


def test_a_question_waits_with_its_choices_and_the_answer_reaches_the_role(room: Room) -> None:
    run_id, call_ids = begun(room)
    (waiting,) = room.opened[0].pending_questions(room.owner_id)
    assert (waiting.question, waiting.choices, waiting.why, waiting.agent_name) == (
        "For which countries?",
        ("EU", "All"),
        "The tax depends.",
        "architect",
    )
    assert room.opened[0].pending_calls(room.owner_id) == []
    assert room.opened[0].answer_question(room.owner_id, run_id, call_ids[0], " EU ")
    assert room.wait_for_end(run_id).status == "done"
    assert told(room) == [{"answer": "EU"}]
    assert room.opened[0].pending_questions(room.owner_id) == []
    (asked,) = of_kind(room, run_id, QuestionAsked)
    (answered,) = of_kind(room, run_id, QuestionAnswered)
    assert (answered.call_id, answered.answer, answered.answered_by) == (
        asked.call_id,
        "EU",
        "admin",
    )
    finished = [event for event in of_kind(room, run_id, ToolFinished) if event.tool == ASK[0]]
    assert [(event.status, event.summary) for event in finished] == [("ok", "EU")]


def test_a_question_that_is_left_open_becomes_an_assumption(room: Room) -> None:
    run_id, call_ids = begun(room)
    room.opened[0].answer_question(room.owner_id, run_id, call_ids[0], "")
    room.wait_for_end(run_id)
    (answer,) = told(room)
    assert "assumption" in str(answer)


def test_a_long_answer_is_kept_whole_and_one_far_too_long_is_refused(room: Room) -> None:
    run_id, call_ids = begun(room)
    executor = room.opened[0]
    with pytest.raises(BriefRefused):
        executor.answer_question(room.owner_id, run_id, call_ids[0], "x" * 20_001)
    longest = "c" * 120 + "\n\n" + "x" * 4_000
    assert executor.answer_question(room.owner_id, run_id, call_ids[0], longest)
    room.wait_for_end(run_id)
    (answered,) = of_kind(room, run_id, QuestionAnswered)
    assert answered.answer == longest


def test_the_first_answer_counts_and_the_second_is_told(room: Room) -> None:
    run_id, call_ids = begun(room)
    first, second = room.opened[0], room.open()
    assert first.answer_question(room.owner_id, run_id, call_ids[0], "EU")
    assert not second.answer_question(room.owner_id, run_id, call_ids[0], "All")
    room.wait_for_end(run_id)
    assert told(room) == [{"answer": "EU"}]
    assert len(of_kind(room, run_id, QuestionAnswered)) == 1


def test_only_the_owner_of_an_open_run_answers(room: Room) -> None:
    run_id, call_ids = begun(room)
    executor = room.opened[0]
    stranger = Accounts(room.pool).local_person().id
    assert executor.pending_questions(stranger) == []
    with pytest.raises(NotFound):
        executor.answer_question(stranger, run_id, call_ids[0], "EU")
    with pytest.raises(NotFound):
        executor.answer_question(room.owner_id, run_id, "no-such-question", "EU")
    executor.stop_run(room.owner_id, run_id)
    assert executor.pending_questions(room.owner_id) == []
    with pytest.raises(RunIsOver):
        executor.answer_question(room.owner_id, run_id, call_ids[0], "EU")


def test_a_run_asks_two_questions_and_no_question_twice(room: Room) -> None:
    again = ("ask_person", {**ASKED, "question": "for which countries"})
    second = ("ask_person", {"question": "By when?"})
    third = ("ask_person", {"question": "For how much?"})
    run_id, call_ids = begun(room, asking(ASK), asking(again, second), asking(third))
    room.opened[0].answer_question(room.owner_id, run_id, call_ids[0], "EU")
    wait_until(lambda: len(of_kind(room, run_id, QuestionAsked)) == 2)
    wait_until(lambda: len(waiting_questions(room, run_id)) == 1 and _rests(room, run_id))
    (call_id,) = {*waiting_questions(room, run_id)} - {*call_ids}
    room.opened[0].answer_question(room.owner_id, run_id, call_id, "June")
    room.wait_for_end(run_id)
    asked = [event.question for event in of_kind(room, run_id, QuestionAsked)]
    assert asked == ["For which countries?", "By when?"]
    codes = [event.code for event in of_kind(room, run_id, ToolRequested) if event.code]
    assert codes == ["asked_before", "asked_enough"]


def _rests(room: Room, run_id: str) -> bool:
    return room.state(run_id) == "waiting"


def test_a_question_outlives_its_process_and_is_asked_once(room: Room) -> None:
    run_id, call_ids = begun(room)
    room.opened[0].close()
    assert room.state(run_id) == "waiting"
    later = room.open()
    assert [one.call_id for one in later.pending_questions(room.owner_id)] == call_ids
    later.answer_question(room.owner_id, run_id, call_ids[0], "EU")
    room.wait_for_end(run_id)
    assert len(of_kind(room, run_id, QuestionAsked)) == 1
    assert [event.reason for event in of_kind(room, run_id, RunResumed)] == ["decision"]
    ids = [event.utterance_id for event in of_kind(room, run_id, UtteranceEnded)]
    assert len(ids) == len(set(ids)) == 2


def as_if_killed(room: Room, run_id: str, *, call_status: str) -> None:
    """The rows as a kill leaves them at this state of the question's call."""
    with psycopg.connect(room.database_url) as connection:
        connection.execute(
            "update tool_executions set status = %s where run_id = %s and tool = 'ask_person'",
            [call_status, run_id],
        )
        connection.execute("update runs set status = 'running' where id = %s", [run_id])


def test_a_question_that_a_kill_left_open_is_not_asked_again(room: Room) -> None:
    run_id, call_ids = begun(room)
    room.opened[0].close()
    as_if_killed(room, run_id, call_status="approved")
    later = room.open()
    later.resume_execution(room.owner_id, run_id)
    wait_until(lambda: room.state(run_id) == "waiting")
    assert len(of_kind(room, run_id, QuestionAsked)) == 1
    assert waiting_questions(room, run_id) == call_ids
    later.answer_question(room.owner_id, run_id, call_ids[0], "EU")
    room.wait_for_end(run_id)
    assert told(room) == [{"answer": "EU"}]


def test_an_answer_that_a_kill_kept_from_the_role_reaches_it_after_all(room: Room) -> None:
    run_id, call_ids = begun(room)
    room.opened[0].close()
    questions.answer_question(
        room.pool, owner_id=room.owner_id, run_id=run_id, call_id=call_ids[0], answer="EU"
    )
    as_if_killed(room, run_id, call_status="started")
    later = room.open()
    later.resume_execution(room.owner_id, run_id)
    room.wait_for_end(run_id)
    assert told(room) == [{"answer": "EU"}]
    assert len(of_kind(room, run_id, QuestionAsked)) == 1
    finished = [event for event in of_kind(room, run_id, ToolFinished) if event.tool == ASK[0]]
    assert len(finished) == 1


def test_an_answer_on_which_nobody_began_a_pass_is_found(room: Room) -> None:
    run_id, call_ids = begun(room)
    room.opened[0].close()
    wait_until(lambda: not runs.list_runs(room.pool, owner_id=room.owner_id)[0].is_held)
    assert runs.decided_and_resting(room.pool) == []
    questions.answer_question(
        room.pool, owner_id=room.owner_id, run_id=run_id, call_id=call_ids[0], answer="EU"
    )
    assert [run.run_id for run in runs.decided_and_resting(room.pool)] == [run_id]


def test_a_question_and_a_call_of_one_message_wait_side_by_side(room: Room) -> None:
    run_id, call_ids = begun(room, asking(ASK, WRITE))
    (call,) = room.opened[0].pending_calls(room.owner_id)
    room.opened[0].decide(room.owner_id, run_id, call.call_id, "rejected", "not yet")
    wait_until(lambda: len(of_kind(room, run_id, RunWaiting)) == 2 and _rests(room, run_id))
    assert of_kind(room, run_id, RunWaiting)[-1] == RunWaiting(
        call_ids=(), question_ids=tuple(call_ids)
    )
    room.opened[0].answer_question(room.owner_id, run_id, call_ids[0], "EU")
    assert room.wait_for_end(run_id).status == "done"
    assert len(of_kind(room, run_id, QuestionAsked)) == 1
