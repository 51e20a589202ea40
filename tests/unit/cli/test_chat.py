"""The conversation at a terminal: briefs in, events out, a question before anything risky."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rich.console import Console

from meetmind.cli import chat as chat_module
from meetmind.cli.chat import Chat
from meetmind.cli.terminal import Terminal
from meetmind.errors import ArgumentsRefused, MeetMindError, NotFound, RunIsBusy, RunIsOver
from meetmind.events import (
    DiscussionEvent,
    LoggedEvent,
    RunEnded,
    RunStarted,
    RunWaiting,
    ToolDecided,
)
from meetmind.server.approvals import DecisionOutcome, PendingCall
from meetmind.server.questions import PendingQuestion

NOW = datetime(2026, 1, 1, tzinfo=UTC)
STARTED = RunStarted(
    brief="b", mode="auto", language="en", model_name="m", offline=False, max_iterations=15
)
WAITING = RunWaiting(call_ids=("c1",))
CLOSED = RunEnded(status="done", reason="closed_by_architect")
STOPPED = RunEnded(status="stopped", reason="stopped_by_person")
WRITE = PendingCall(
    run_id="run",
    session_id="session",
    session_title="A discussion",
    call_id="c1",
    agent_name="architect",
    tool="Write",
    risk="high",
    arguments={"path": "总结.md", "content": "第一行\nsecond line"},
    reason="The summary is asked for.",
    preview="+第一行\n+second line",
    asked_again="",
    requested_at=NOW,
    expires_at=None,
    fingerprint="as shown",
)


@dataclass
class Room:
    """Stands where the services stand: plays a run whose events are written down."""

    before: list[DiscussionEvent]
    after: list[DiscussionEvent] = field(default_factory=list)
    waiting: list[PendingCall] = field(default_factory=list)
    won: bool = True
    decided_by: str = "lin"
    stale_times: int = 0
    briefs: list[str] = field(default_factory=list)
    sessions: list[str] = field(default_factory=list)
    decisions: list[tuple[str, str]] = field(default_factory=list)
    shown: list[str | None] = field(default_factory=list)
    faults: list[MeetMindError] = field(default_factory=list)
    asked: list[PendingQuestion] = field(default_factory=list)
    answers: list[tuple[str, str]] = field(default_factory=list)
    is_deleted: bool = False
    interrupt: bool = False
    busy: bool = False
    _events: list[DiscussionEvent] = field(default_factory=list)

    def create_session(self, owner_id: str, title: str) -> str:
        self.sessions.append(title)
        return "session"

    def start_run(self, owner_id: str, session_id: str, brief: str, mode: str) -> str:
        if self.busy:
            raise RunIsBusy("busy")
        self.briefs.append(brief)
        self._events = list(self.before)
        return "run"

    def events_after(self, owner_id: str, run_id: str, seq: int) -> Sequence[LoggedEvent]:
        if self.is_deleted:
            raise NotFound("gone")
        if self.interrupt:
            self.interrupt = False
            raise KeyboardInterrupt
        new = list(enumerate(self._events, start=1))[seq:]
        return [LoggedEvent(run_id=run_id, seq=n, at=NOW, event=event) for n, event in new]

    def pending_calls(self, owner_id: str, session_id: str) -> list[PendingCall]:
        return self.waiting

    def decide(
        self,
        owner_id: str,
        run_id: str,
        call_id: str,
        decision: str,
        reason: str,
        *,
        shown: str | None,
    ) -> DecisionOutcome:
        self.decisions.append((decision, reason))
        self.shown.append(shown)
        if self.faults:
            fault = self.faults.pop()
            if not isinstance(fault, ArgumentsRefused):
                self._events += self.after
            raise fault
        if self.stale_times > 0:
            self.stale_times -= 1
            return DecisionOutcome(won=False, decision="", decided_by="", is_stale=True)
        self.waiting = []
        self._events += self.after
        return DecisionOutcome(won=self.won, decision="approved", decided_by=self.decided_by)

    def pending_questions(self, owner_id: str, session_id: str) -> list[PendingQuestion]:
        return self.asked

    def answer_question(self, owner_id: str, run_id: str, call_id: str, answer: str) -> bool:
        self.answers.append((call_id, answer))
        if self.faults:
            raise self.faults.pop()
        self.asked = self.asked[1:]
        if not self.asked:
            self._events += self.after
        return self.won

    def stop_run(self, owner_id: str, run_id: str) -> None:
        self._events.append(STOPPED)


def question(call_id: str) -> PendingQuestion:
    return PendingQuestion(
        run_id="run",
        session_id="session",
        session_title="A discussion",
        call_id=call_id,
        agent_name="tester",
        question="For which countries?",
        choices=("EU", "All"),
        why="",
        asked_at=NOW,
    )


def held_chat(room: Room, *typed: str) -> str:
    output = io.StringIO()
    lines: Iterator[str] = iter(typed)
    terminal = Terminal(Console(file=output, width=90, highlight=False), lines)
    services = SimpleNamespace(discussions=room, execution=room)
    Chat(
        services=cast(Any, services), terminal=terminal, owner_id="me", language="en", mode="auto"
    ).hold()
    return output.getvalue()


def test_a_brief_is_discussed_and_reviewed() -> None:
    room = Room([STARTED, CLOSED])

    text = held_chat(room, "", "支付回调去重", "exit")

    assert room.briefs == ["支付回调去重"]
    assert "The architect closed the discussion" in text


def test_what_follows_continues_the_same_discussion() -> None:
    room = Room([STARTED, CLOSED])

    held_chat(room, "first", "second")

    assert room.briefs == ["first", "second"]
    assert room.sessions == ["first"]


def test_a_risky_call_is_shown_whole_and_approved_with_y() -> None:
    room = Room([STARTED, WAITING], after=[CLOSED], waiting=[WRITE])

    text = held_chat(room, "brief", "maybe", "Y")

    assert room.decisions == [("approved", "")]
    assert "Please answer y or n." in text
    for shown in ("High risk", "The summary is asked for.", "总结.md", "+second line"):
        assert shown in text


def test_questions_are_answered_by_number_or_in_words() -> None:
    asked = [question("q1"), question("q2"), question("q3")]
    room = Room([STARTED, WAITING], after=[CLOSED], asked=asked)

    held_chat(room, "brief", "2", "only Norway")

    # Where nobody answers any more, the question is left open.
    assert room.answers == [("q1", "All"), ("q2", "only Norway"), ("q3", "")]


def test_a_question_that_somebody_answered_before_is_told() -> None:
    room = Room([STARTED, WAITING], after=[CLOSED], asked=[question("q1")], won=False)

    assert "Somebody has answered this already." in held_chat(room, "brief", "1")


def test_n_rejects_with_a_reason() -> None:
    room = Room([STARTED, WAITING], after=[CLOSED], waiting=[WRITE])

    held_chat(room, "brief", "n", "not in this quarter")

    assert room.decisions == [("rejected", "not in this quarter")]


def test_where_nobody_answers_the_call_is_rejected() -> None:
    room = Room([STARTED, WAITING], after=[CLOSED], waiting=[WRITE])

    held_chat(room, "brief")

    assert room.decisions == [("rejected", "Nobody was there to approve it.")]


def test_a_decision_that_comes_too_late_is_told() -> None:
    room = Room([STARTED, WAITING], after=[CLOSED], waiting=[WRITE], won=False)

    text = held_chat(room, "brief", "n", "")

    assert "already approved by lin" in text


def test_a_call_whose_file_has_changed_is_shown_again() -> None:
    room = Room([STARTED, WAITING], after=[CLOSED], waiting=[WRITE], stale_times=1)

    text = held_chat(room, "brief", "y", "y")

    assert room.decisions == [("approved", ""), ("approved", "")]
    assert "The call has changed in the meantime." in text
    assert text.count("The summary is asked for.") == 2


def test_an_approval_holds_for_the_card_that_was_printed() -> None:
    approving = Room([STARTED, WAITING], after=[CLOSED], waiting=[WRITE])
    rejecting = Room([STARTED, WAITING], after=[CLOSED], waiting=[WRITE])

    held_chat(approving, "brief", "y")
    held_chat(rejecting, "brief", "n", "")

    assert approving.shown == ["as shown"]
    assert rejecting.shown == [None]


def test_a_call_whose_time_ran_out_before_the_answer_is_told() -> None:
    room = Room([STARTED, WAITING], after=[CLOSED], waiting=[WRITE], won=False, decided_by="")

    text = held_chat(room, "brief", "y")

    assert "This call has expired" in text


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (RunIsOver("over"), "This discussion round is already over."),
        (NotFound("gone"), "This is no longer there, or it belongs to somebody else."),
    ],
)
def test_a_decision_that_comes_after_the_end_is_one_sentence(
    fault: MeetMindError, sentence: str
) -> None:
    room = Room([STARTED, WAITING], after=[CLOSED], waiting=[WRITE], faults=[fault])

    text = held_chat(room, "brief", "y", "exit")

    assert sentence in text
    assert len(room.decisions) == 1
    assert "The architect closed the discussion" in text


def test_a_call_that_cannot_run_any_more_says_why_and_waits_on() -> None:
    fault = ArgumentsRefused("old_string stands 0 times", problem="0 times", reason="not_found")
    room = Room([STARTED, WAITING], after=[CLOSED], waiting=[WRITE], faults=[fault])

    text = held_chat(room, "brief", "y", "n", "")

    assert "The passage to replace does not stand in the file." in text
    assert "old_string" not in text
    assert [decision for decision, _ in room.decisions] == ["approved", "rejected"]


def test_a_discussion_that_was_deleted_elsewhere_is_one_sentence() -> None:
    text = held_chat(Room([STARTED], is_deleted=True), "brief", "exit")

    assert "This is no longer there" in text


def test_an_expired_call_is_told() -> None:
    expired = ToolDecided(call_id="c1", decision="rejected", decided_by="", how="expiry")
    room = Room([STARTED, WAITING, expired, CLOSED])

    text = held_chat(room, "brief")

    assert "Nobody decided in time" in text


def test_a_decision_made_elsewhere_lets_the_run_go_on() -> None:
    decided = ToolDecided(call_id="c1", decision="approved", decided_by="lin")
    room = Room([STARTED, WAITING, decided, CLOSED])

    text = held_chat(room, "brief")

    assert "Approved by lin" in text
    assert room.decisions == []


def test_ctrl_c_stops_the_discussion_and_the_next_brief_goes_on() -> None:
    room = Room([STARTED], interrupt=True)

    text = held_chat(room, "brief", "exit")

    assert "Stopping" in text
    assert "You stopped the discussion" in text


def test_a_refused_brief_is_one_sentence() -> None:
    text = held_chat(Room([], busy=True), "brief", "exit")

    assert "The team is still talking here." in text


def test_waiting_for_words_does_not_spin() -> None:
    assert chat_module.POLL_SECONDS >= 0.1
