import re

import pytest
from psycopg_pool import ConnectionPool

from meetmind.config.roster_names import AGENT_NAMES
from meetmind.database import run_events, runs
from meetmind.events import (
    DiscussionEvent,
    FloorTaken,
    Point,
    RouteChosen,
    RunEnded,
    RunStarted,
    RunWaiting,
    ToolRequested,
    UtteranceEnded,
    WordsArrived,
)
from meetmind.server.services import Services
from meetmind.ui.session import DISCUSSION_ID
from tests.support.stored_run import store_run
from tests.ui.conftest import SignedIn, app_of, words_of

BRIEF = "Customers cancel unpaid orders"
STARTED = RunStarted(
    brief=BRIEF, mode="team", language="en", model_name="offline", offline=True, max_iterations=15
)


def button_labels(app: object) -> list[str]:
    return [button.label for button in app.button]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("locale", "headline", "offline"),
    [
        ("en-US", "What should the team think through?", "quoting your documents word for word"),
        ("zh-CN", "想让团队讨论什么？", "逐字引用你的文档"),
    ],
)
def test_the_empty_page_says_what_this_is(
    services: Services, admin: SignedIn, locale: str, headline: str, offline: str
) -> None:
    app = app_of(admin, locale=locale).run()
    shown = words_of(app)
    assert not app.exception
    assert headline in shown
    assert offline in shown
    examples = [b for b in app.button if str(b.key).startswith("example_")]
    assert len(examples) == 4
    assert len(app.image) >= len(AGENT_NAMES)
    assert not app.chat_input[0].disabled


def test_a_stored_discussion_is_shown_with_everything_that_happened(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    session_id, _ = store_run(pool, services, admin.id, BRIEF)
    app = app_of(admin, session_id).run()
    shown = words_of(app)
    assert not app.exception
    assert len(app.chat_message) == 7  # the brief, five turns, and words said in between
    assert any("so it goes to the team." in expander.label for expander in app.expander)
    assert "Recognised as a requirement (91 %" in shown
    assert "Understood as “" not in shown
    assert "turn 5 of at most 15" in shown
    assert "changes the state of an order" in shown
    assert ":gray-badge[1]" in shown
    assert "objects" in shown
    assert "the last turn is the architect's" in shown
    steps = [expander.label for expander in app.expander]
    assert any("Looked up “cancel unpaid order” in its own knowledge" in label for label in steps)


def test_a_waiting_call_shows_all_of_it_and_leaves_the_composer_open(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    session_id, _ = store_run(pool, services, admin.id, BRIEF)
    app = app_of(admin, session_id).run()
    codes = [block.value for block in app.code]
    assert any("+- Coupons return within 60 seconds." in code for code in codes)
    assert any('"path": "summary-cancelling.md"' in code for code in codes)
    assert "**Architect**] wants to write a file" in words_of(app)
    assert "High risk" in words_of(app)
    assert not app.chat_input[0].disabled
    assert {"Approve", "Reject", "Stop"} <= set(button_labels(app))


def test_who_decides_second_is_told_what_holds(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    session_id, run_id = store_run(pool, services, admin.id, BRIEF)
    app = app_of(admin, session_id).run()
    call_id = f"{run_id}.4.architect.0.0"
    first = services.execution.decide(admin.id, run_id, call_id, "rejected", "not yet")
    assert first.won
    app.button(key=f"approved_{run_id}_{call_id}").click().run()
    assert "This call was already rejected by admin; that decision holds." in words_of(app)


def test_a_cut_off_run_offers_to_resume_or_to_discard(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    floor = FloorTaken(utterance_id="u", agent_name="backend", iteration=0)
    words = WordsArrived(utterance_id="u", text="Half a sent")
    session_id, run_id = store_run(pool, services, admin.id, BRIEF, events=[STARTED, floor, words])
    app = app_of(admin, session_id).run()
    assert "This discussion was cut off" in words_of(app)
    assert "Half a sent" in words_of(app)
    assert app.chat_input[0].disabled
    app.button(key=f"discard_{run_id}").click().run()
    assert not app.exception
    assert "The discussion was cut off and you gave it up" in words_of(app)
    assert "This turn was not finished" in words_of(app)
    assert not app.chat_input[0].disabled


def test_a_failed_model_is_told_in_a_sentence(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    end = RunEnded(status="failed", reason="model_failed", fault="unauthorised")
    session_id, _ = store_run(pool, services, admin.id, BRIEF, events=[STARTED, end])
    app = app_of(admin, session_id).run()
    assert "does not accept the API key" in app.error[0].value


def test_what_a_model_wrote_is_never_live(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    hostile = "![x](https://evil.example/x.png) :red[a] $x$ <b>"
    said = UtteranceEnded(
        utterance_id="u",
        agent_name="backend",
        iteration=0,
        content=hostile,
        next_agent="",
        done=False,
        used_rag=0,
        handover_reason=hostile,
    )
    floor = FloorTaken(utterance_id="u", agent_name="backend", iteration=0)
    session_id, _ = store_run(pool, services, admin.id, hostile, events=[STARTED, floor, said])
    app = app_of(admin, session_id).run()
    texts = [*words_of(app).split("\n"), *button_labels(app)]
    about_it = [shown for shown in texts if "evil" in shown]
    assert about_it
    for shown in about_it:
        assert not re.search(r"(?<!\\)\[x", shown)
        assert not re.search(r"(?<!\\):red\\?\[a", shown)
        assert not re.search(r"(?<!\\)\$", shown)


def test_a_foreign_discussion_is_not_shown(services: Services, admin: SignedIn) -> None:
    app = app_of(admin, "00000000-0000-4000-8000-000000000000").run()
    assert not app.exception
    assert "does not exist, or it belongs to somebody else" in words_of(app)
    assert app.session_state[DISCUSSION_ID] is None


def test_the_address_opens_a_discussion_and_keeps_it_over_navigation(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    session_id, _ = store_run(pool, services, admin.id, BRIEF)
    app = app_of(admin)
    app.query_params["d"] = session_id
    app.run()
    assert app.session_state[DISCUSSION_ID] == session_id
    app.switch_page("pages/memory.py").run()
    assert app.query_params["d"] == session_id
    app.switch_page("pages/discussion.py").run()
    assert len(app.chat_message) == 7


def test_several_runs_stand_one_after_another(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    end = RunEnded(status="done", reason="answered")
    session_id, _ = store_run(pool, services, admin.id, BRIEF, events=[STARTED, end])
    again = runs.create_run(
        pool,
        owner_id=admin.id,
        session_id=session_id,
        brief="And refunds?",
        mode="auto",
        language="en",
        memory_id=None,
        max_iterations=15,
        model_name="offline",
    )
    epoch = runs.claim_run(pool, again)
    second = RunStarted(
        brief="And refunds?",
        mode="auto",
        language="en",
        model_name="offline",
        offline=True,
        max_iterations=15,
    )
    run_events.append_event(pool, run_id=again, epoch=epoch, event=second)
    app = app_of(admin, session_id).run()
    shown = words_of(app)
    assert shown.index("Customers cancel unpaid orders") < shown.index("And refunds?")


def asked_for(tool: str, verdict: str) -> ToolRequested:
    return ToolRequested(
        utterance_id="u",
        agent_name="backend",
        call_id=tool,
        tool=tool,
        risk="low",
        arguments={"query": "refunds", "path": "a.md"},
        verdict=verdict,  # type: ignore[arg-type]
    )


def test_after_a_stop_nothing_looks_as_if_it_went_on(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    events = [
        STARTED,
        FloorTaken(utterance_id="u", agent_name="backend", iteration=0),
        asked_for("rag_search", "allowed"),
        asked_for("Write", "asked"),
        RunWaiting(call_ids=("Write",)),
    ]
    session_id, run_id = store_run(pool, services, admin.id, BRIEF, events=events)
    services.execution.stop_run(admin.id, run_id)
    app = app_of(admin, session_id).run()
    assert not app.exception
    labels = [expander.label for expander in app.expander]
    assert any("own knowledge :gray[· not finished]" in label for label in labels)
    assert any("Write a.md :gray[· no longer waiting]" in label for label in labels)
    assert "Approve" not in button_labels(app)
    assert ":shimmer" not in words_of(app)


def test_a_file_that_was_written_can_be_downloaded(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    end = RunEnded(status="done", reason="closed_by_architect")
    session_id, _ = store_run(pool, services, admin.id, BRIEF, events=[STARTED, end])
    folder = services.settings.meetmind_home / "workspaces" / session_id
    folder.mkdir(parents=True)
    (folder / "summary.md").write_text("Decided.", encoding="utf-8")
    app = app_of(admin, session_id).run()
    assert not app.exception
    assert "8 bytes" in words_of(app)
    assert f"download_{session_id}_summary.md" in [b.key for b in app.get("download_button")]


def test_an_answer_of_the_assistant_shows_no_empty_points(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    route = RouteChosen(route="assistant", by="person")
    end = RunEnded(status="done", reason="answered")
    session_id, _ = store_run(pool, services, admin.id, BRIEF, events=[STARTED, route, end])
    shown = words_of(app_of(admin, session_id).run())
    assert "Points to settle" not in shown


def test_the_points_of_an_earlier_run_stay_within_reach(
    services: Services, admin: SignedIn, pool: ConnectionPool
) -> None:
    session_id = None
    for utterance_id in ("first", "second"):
        events = points_of_a_run(utterance_id)
        session_id, _ = store_run(
            pool, services, admin.id, BRIEF, events=events, session_id=session_id
        )
    app = app_of(admin, session_id).run()
    assert f"Points of “{BRIEF}”" in [expander.label for expander in app.expander]
    assert "2 turns" in words_of(app)


def points_of_a_run(utterance_id: str) -> list[DiscussionEvent]:
    said = UtteranceEnded(
        utterance_id=utterance_id,
        agent_name="architect",
        iteration=0,
        content="x",
        next_agent="",
        done=True,
        used_rag=0,
        points=(Point(id="p", question="How long?"),),
    )
    floor = FloorTaken(utterance_id=utterance_id, agent_name="architect", iteration=0)
    end = RunEnded(status="done", reason="closed_by_architect")
    return [STARTED, floor, said, end]
