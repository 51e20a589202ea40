"""The person's hand on a discussion: words, pauses, budgets, questions, continuing, summaries."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from psycopg_pool import ConnectionPool
from streamlit.testing.v1 import AppTest

from meetmind.database.runs import RunLock
from meetmind.events import (
    DiscussionEvent,
    EndReason,
    FloorTaken,
    ModelFellBack,
    ModelRetried,
    PauseAsked,
    PersonSpoke,
    Point,
    QuestionAsked,
    RunEnded,
    RunPaused,
    RunStarted,
    RunWaiting,
    TalkCompacted,
    ToolRequested,
    UtteranceEnded,
)
from meetmind.server.services import Services
from meetmind.ui.continuing import LEFT_SOMETHING
from meetmind.ui.session import CONTINUE_BRIEF, QUESTION_ANSWER, QUESTION_CHOICE, TARGET
from tests.support.stored_run import store_run
from tests.ui.conftest import SignedIn, app_of, words_of

BRIEF = "Customers cancel unpaid orders"
STARTED = RunStarted(
    brief=BRIEF, mode="team", language="en", model_name="offline", offline=True, max_iterations=15
)
FLOOR = FloorTaken(utterance_id="u", agent_name="tester", iteration=0)
QUESTION = QuestionAsked(
    utterance_id="u",
    agent_name="tester",
    call_id="q",
    question="24 or 72 hours?",
    choices=("24 hours", "72 hours"),
    why="two documents differ",
)
WAITING_FOR_ANSWER: list[DiscussionEvent] = [
    STARTED,
    FLOOR,
    QUESTION,
    RunWaiting(call_ids=(), question_ids=("q",)),
]


def labels_of(app: AppTest) -> list[str]:
    return [button.label for button in app.button]


def events_of(services: Services, person: SignedIn, run_id: str) -> list[DiscussionEvent]:
    return [logged.event for logged in services.discussions.events_after(person.id, run_id, 0)]


def said_in(services: Services, person: SignedIn, run_id: str) -> list[tuple[str, str]]:
    events = events_of(services, person, run_id)
    spoken = [event for event in events if isinstance(event, PersonSpoke)]
    return [(event.text, event.to_agent) for event in spoken]


@pytest.fixture
def running(services: Services, admin: SignedIn, pool: ConnectionPool) -> Iterator[tuple[str, str]]:
    """A discussion whose run goes on: this test is its executor."""
    session_id, run_id = store_run(pool, services, admin.id, BRIEF, events=[STARTED, FLOOR])
    lock = RunLock(pool.conninfo, run_id)
    assert lock.take()
    yield session_id, run_id
    lock.release()


def test_words_go_into_the_run_that_goes_on(
    services: Services, admin: SignedIn, running: tuple[str, str]
) -> None:
    session_id, run_id = running
    app = app_of(admin, session_id).run()
    app.chat_input[0].set_value("@Backend what about refunds?").run()
    assert not app.exception
    app.chat_input[0].set_value("And gift cards?").run()
    assert said_in(services, admin, run_id) == [
        ("what about refunds?", "backend"),
        ("And gift cards?", ""),
    ]
    shown = words_of(app)
    assert "what about refunds?" in shown
    assert "to Backend engineer" in shown
    assert "not answered yet" in shown


def test_a_role_of_the_roster_can_be_asked(
    services: Services, admin: SignedIn, running: tuple[str, str]
) -> None:
    session_id, run_id = running
    app = app_of(admin, session_id).run()
    app.button(key="to_frontend").click().run()
    assert app.chat_input[0].placeholder == "Say something to: Frontend engineer"
    app.chat_input[0].set_value("What does the page say?").run()
    assert said_in(services, admin, run_id) == [("What does the page say?", "frontend")]
    assert app.session_state[TARGET] == ""


def test_words_without_a_message_come_back(
    services: Services, admin: SignedIn, running: tuple[str, str]
) -> None:
    session_id, run_id = running
    app = app_of(admin, session_id).run()
    app.chat_input[0].set_value("@tester").run()
    assert "the role alone is not enough" in words_of(app)
    assert app.session_state[TARGET] == "tester"
    assert said_in(services, admin, run_id) == []


def test_words_for_a_run_that_has_just_ended_begin_one_that_continues_it(
    services: Services,
    admin: SignedIn,
    running: tuple[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[tuple[object, ...]] = []

    def start_run(*arguments: object, **details: object) -> str:
        begun.append((arguments[2], arguments[3], details["continues_run_id"]))
        return "run"

    session_id, run_id = running
    app = app_of(admin, session_id).run()
    services.execution.stop_run(admin.id, run_id)
    monkeypatch.setattr(services.execution, "start_run", start_run)
    app.chat_input[0].set_value("One more thing").run()
    assert begun == [("One more thing", "team", run_id)]
    assert "The round had just ended" in words_of(app)


def test_a_pause_is_asked_for_and_taken_back(
    services: Services, admin: SignedIn, running: tuple[str, str]
) -> None:
    session_id, run_id = running
    app = app_of(admin, session_id).run()
    app.button(key=f"pause_{run_id}").click().run()
    assert "Pauses after this turn" in words_of(app)
    assert services.discussions.list_runs(admin.id, session_id)[0].pause_asked
    app.button(key=f"pause_withdraw_{run_id}").click().run()
    assert "Pauses after this turn" not in words_of(app)
    assert not services.discussions.list_runs(admin.id, session_id)[0].pause_asked


@pytest.mark.parametrize(("locale", "paused"), [("en-US", "Paused"), ("zh-CN", "已暂停")])
def test_a_paused_discussion_says_so_and_can_go_on(
    services: Services, admin: SignedIn, pool: ConnectionPool, locale: str, paused: str
) -> None:
    events = [STARTED, FLOOR, RunPaused()]
    session_id, run_id = store_run(pool, services, admin.id, BRIEF, events=events)
    app = app_of(admin, session_id, locale).run()
    assert not app.exception
    assert f"violet-badge[{paused}]" in words_of(app)
    assert f"go_on_{run_id}" in [button.key for button in app.button]
    assert not app.chat_input[0].disabled


def test_the_budget_of_a_run_is_changed(
    services: Services, admin: SignedIn, running: tuple[str, str]
) -> None:
    session_id, run_id = running
    app = app_of(admin, session_id).run()
    fields = {str(field.key).rsplit("_", 2)[0]: field for field in app.number_input}
    assert "money" not in " ".join(fields)
    fields[f"budget_turns_{run_id}".rsplit("_", 1)[0]].set_value(9)
    fields[f"budget_tokens_{run_id}".rsplit("_", 1)[0]].set_value(50_000)
    app.button(key=f"budget_save_{run_id}").click().run()
    assert not app.exception
    (run,) = services.discussions.list_runs(admin.id, session_id)
    assert (run.max_iterations, run.max_tokens, run.max_minutes) == (9, 50_000, None)
    assert "changed the budget: at most 9 turns, at most 50,000 tokens" in words_of(app)
    assert "turn 1 of at most 9" in words_of(app)


def test_the_next_run_gets_the_budget_and_the_role_that_were_chosen(
    services: Services, admin: SignedIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[dict[str, object]] = []

    def start_run(*arguments: object, **details: object) -> str:
        begun.append(details)
        return "run"

    monkeypatch.setattr(services.execution, "start_run", start_run)
    app = app_of(admin).run()
    app.number_input(key="budget_next_turns").set_value(4).run()
    app.number_input(key="budget_next_minutes").set_value(2.5).run()
    app.chat_input[0].set_value("@测试 What can break?").run()
    assert not app.exception
    (details,) = begun
    assert details["asked_agent"] == "tester"
    assert details["max_iterations"] == 4
    budget = details["budget"]
    assert (budget.max_tokens, budget.max_minutes) == (None, 2.5)  # type: ignore[attr-defined]


def test_a_question_waits_in_the_talk_beside_it_and_on_the_approvals_page(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    session_id, run_id = store_run(pool, services, admin.id, BRIEF, events=WAITING_FOR_ANSWER)
    app = app_of(admin, session_id).run()
    assert not app.exception
    assert not app.toast
    assert "Tester asks: 24 or 72 hours?" in words_of(app)
    assert app.radio(key=f"{QUESTION_CHOICE}_{run_id}_q").options == ["24 hours", "72 hours"]
    page = app_of(admin).run()
    (toast,) = page.toast
    assert toast.value.startswith("Tester asks you something")
    page.switch_page("pages/approvals.py")
    page.run()
    assert "24 or 72 hours?" in words_of(page)
    assert f"answer_{run_id}_q" in [button.key for button in page.button]


def test_a_pause_that_was_asked_for_does_not_hide_what_waits(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    events = [*WAITING_FOR_ANSWER, PauseAsked(asked_by="admin")]
    session_id, _ = store_run(pool, services, admin.id, BRIEF, events=events)
    app = app_of(admin, session_id).run()
    assert ":orange-badge[Waiting for you]" in words_of(app)
    assert "Do not pause" in labels_of(app)


def test_the_page_says_which_model_answers_and_what_is_waited_for(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    events: list[DiscussionEvent] = [
        replace(STARTED, model_name="first-model", offline=False),
        ModelFellBack(fault="unauthorised", from_model="first-model", to_model="spare-model"),
        FLOOR,
        ModelRetried(fault="rate_limited", attempt=1, wait_seconds=900),
    ]
    session_id, run_id = store_run(pool, services, admin.id, BRIEF, events=events)
    lock = RunLock(pool.conninfo, run_id)
    assert lock.take()
    shown = words_of(app_of(admin, session_id).run())
    lock.release()
    assert "spare-model · turn 1 of at most 15" in shown
    assert "Waiting for the model's server: " in shown
    assert "takes the floor" not in shown


def test_the_page_says_how_long_a_model_has_been_silent(
    admin: SignedIn, running: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    session_id, _ = running
    assert "nothing new from the model" not in words_of(app_of(admin, session_id).run())
    monkeypatch.setattr("meetmind.ui.show_talk.LONG_SILENCE", timedelta(0))
    assert "nothing new from the model for " in words_of(app_of(admin, session_id).run())


def test_an_answer_is_what_was_chosen_and_typed(
    services: Services, admin: SignedIn, pool: ConnectionPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[tuple[object, ...]] = []

    def answer_question(*arguments: object) -> bool:
        answers.append(arguments[1:])
        return len(answers) == 1

    session_id, run_id = store_run(pool, services, admin.id, BRIEF, events=WAITING_FOR_ANSWER)
    monkeypatch.setattr(services.execution, "answer_question", answer_question)
    app = app_of(admin, session_id).run()
    app.button(key=f"answer_{run_id}_q").click().run()
    assert "Choose or write an answer" in words_of(app)
    app.text_area(key=f"{QUESTION_ANSWER}_{run_id}_q").set_value("for keys").run()
    app.radio(key=f"{QUESTION_CHOICE}_{run_id}_q").set_value(1)
    app.button(key=f"answer_{run_id}_q").click().run()
    app.button(key=f"leave_open_{run_id}_q").click().run()
    assert answers == [(run_id, "q", "72 hours\n\nfor keys"), (run_id, "q", "")]
    assert "already answered" in words_of(app)


@pytest.mark.parametrize("reason", sorted(LEFT_SOMETHING))
def test_an_end_that_left_something_can_be_continued(
    services: Services, admin: SignedIn, pool: ConnectionPool, reason: EndReason
) -> None:
    session_id, run_id = store_run(pool, services, admin.id, BRIEF, events=ended(reason))
    app = app_of(admin, session_id).run()
    assert not app.exception
    brief = app.text_area(key=f"{CONTINUE_BRIEF}_{run_id}")
    assert brief.value.startswith("Go on with this discussion.")
    assert "1 point is still open" in words_of(app)


def test_continuing_begins_a_run_with_the_edited_brief(
    services: Services, admin: SignedIn, pool: ConnectionPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[tuple[object, ...]] = []

    def start_run(*arguments: object, **details: object) -> str:
        begun.append((arguments[2], arguments[3], details["continues_run_id"]))
        return "run"

    events = ended("iterations_used_up")
    session_id, run_id = store_run(pool, services, admin.id, BRIEF, events=events)
    monkeypatch.setattr(services.execution, "start_run", start_run)
    app = app_of(admin, session_id).run()
    app.text_area(key=f"{CONTINUE_BRIEF}_{run_id}").set_value("Settle the hours.")
    app.button(key=f"continue_start_{run_id}").click().run()
    assert begun == [("Settle the hours.", "team", run_id)]


def test_a_closed_discussion_offers_no_continuation(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    events = ended("closed_by_architect")
    session_id, _ = store_run(pool, services, admin.id, BRIEF, events=events)
    app = app_of(admin, session_id).run()
    assert "Continue the discussion" not in labels_of(app)


def ended(reason: EndReason) -> list[DiscussionEvent]:
    said = UtteranceEnded(
        utterance_id="u",
        agent_name="architect",
        iteration=0,
        content="x",
        next_agent="",
        done=True,
        used_rag=0,
        points=(Point(id="p", question="How long?", state="recorded_open", reason="no figures"),),
    )
    floor = FloorTaken(utterance_id="u", agent_name="architect", iteration=0)
    return [STARTED, floor, said, RunEnded(status="done", reason=reason)]


def test_the_reason_of_an_open_point_stands_beside_the_talk(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    events = ended("closed_with_open_points")
    session_id, _ = store_run(pool, services, admin.id, BRIEF, events=events)
    assert "Reason: no figures" in words_of(app_of(admin, session_id).run())


def test_a_cut_off_run_says_what_it_was_doing(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    request = ToolRequested(
        utterance_id="u",
        agent_name="tester",
        call_id="c",
        tool="rag_search",
        risk="low",
        arguments={"query": "refunds"},
        verdict="allowed",
    )
    session_id, _ = store_run(pool, services, admin.id, BRIEF, events=[STARTED, FLOOR, request])
    shown = words_of(app_of(admin, session_id).run())
    assert "Tester was looking things up" in shown
    assert "Everything that was said is kept." in shown


def test_the_boundary_stands_behind_the_last_message_that_is_summarised(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    *before, end = ended("closed_by_architect")
    compacted = TalkCompacted(
        summary_id="s",
        through_message_id="u",
        messages=2,
        tokens_before=1_200,
        tokens_after=300,
        by="limit",
    )
    session_id, _ = store_run(pool, services, admin.id, BRIEF, events=[*before, compacted, end])
    shown = words_of(app_of(admin, session_id).run())
    assert "2 messages · 1,200 → 300 tokens · the talk came near the model's limit" in shown
    assert shown.index("summarised for the models") < shown.index("The architect closed")


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_what_the_models_see_can_be_looked_at(
    services: Services, admin: SignedIn, pool: ConnectionPool, locale: str
) -> None:
    events = ended("closed_by_architect")
    session_id, _ = store_run(pool, services, admin.id, BRIEF, events=events)
    services.memory.save_memory(admin.id, "Prices are with VAT.")
    app = app_of(admin, session_id, locale)
    app.session_state["models_view"] = session_id
    app.run()
    assert not app.exception
    shown = words_of(app)
    assert "Prices are with VAT." in shown
    assert BRIEF in shown
