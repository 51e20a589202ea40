"""Talks to the team from a terminal: the same runs, the same approvals, the same log."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from meetmind.cli.call_card import show_call
from meetmind.cli.chat_lines import print_round_review, show_event
from meetmind.cli.terminal import Terminal
from meetmind.cli.transcript import Transcript
from meetmind.errors import ArgumentsRefused, MeetMindError, NotFound, RunIsOver
from meetmind.events import Decision, Mode, RunWaiting
from meetmind.i18n.call_results import refused_text
from meetmind.i18n.translate import Language, has_text, translate

if TYPE_CHECKING:
    from meetmind.server.approvals import DecisionOutcome, PendingCall
    from meetmind.server.services import Services

POLL_SECONDS = 0.2
LEAVING = {"exit", "quit", "退出"}
YES = {"y", "yes", "是", "好"}
NO = {"n", "no", "否", "不"}


@dataclass(frozen=True, kw_only=True)
class Chat:
    """One person at one terminal in one discussion after the other."""

    services: "Services"
    terminal: Terminal
    owner_id: str
    language: Language
    mode: Mode

    def hold(self) -> None:
        """Take briefs until the person leaves; what follows a brief continues the discussion."""
        self.terminal.say(translate("cli.welcome", self.language))
        session_id = None
        while True:
            brief = self.terminal.ask(translate("cli.prompt", self.language))
            if brief is None or brief.strip().lower() in LEAVING:
                return
            if not brief.strip():
                continue
            if session_id is None:
                session_id = self.services.discussions.create_session(self.owner_id, brief)
            self._discuss(session_id, brief)

    def _discuss(self, session_id: str, brief: str) -> None:
        try:
            run_id = self.services.execution.start_run(
                self.owner_id, session_id, brief, mode=self.mode
            )
        except MeetMindError as error:
            self.terminal.say(error_sentence(error, self.language), "red")
            return
        transcript = Transcript()
        try:
            self._follow_or_stop(session_id, run_id, transcript)
        except MeetMindError as error:
            # The discussion was deleted in another window, say.
            self.terminal.say(error_sentence(error, self.language), "red")
            return
        print_round_review(self.terminal, transcript, self.language)

    def _follow_or_stop(self, session_id: str, run_id: str, transcript: Transcript) -> None:
        try:
            self._follow(session_id, run_id, transcript)
        except KeyboardInterrupt:
            self.terminal.say(translate("cli.stopping", self.language), "dim")
            self.services.execution.stop_run(self.owner_id, run_id)
            self._follow(session_id, run_id, transcript)

    def _follow(self, session_id: str, run_id: str, transcript: Transcript) -> None:
        """Print the run's events as they come, and ask where it waits, until it has ended."""
        while transcript.end is None:
            events = self.services.discussions.events_after(
                self.owner_id, run_id, transcript.last_seq
            )
            for logged in events:
                transcript.last_seq = logged.seq
                show_event(self.terminal, transcript, logged.event, self.language)
            if any(isinstance(logged.event, RunWaiting) for logged in events):
                self._decide_all(session_id, run_id)
                self._answer_all(session_id, run_id)
            elif not events:
                time.sleep(POLL_SECONDS)

    def _decide_all(self, session_id: str, run_id: str) -> None:
        while True:
            pending = self.services.execution.pending_calls(self.owner_id, session_id)
            waiting = [call for call in pending if call.run_id == run_id]
            if not waiting:
                return
            try:
                self._decide(waiting[0])
            except ArgumentsRefused as error:
                self.terminal.say(error_sentence(error, self.language), "yellow")
            except (RunIsOver, NotFound) as error:
                # The run's log tells how it ended.
                self.terminal.say(error_sentence(error, self.language), "yellow")
                return

    def _decide(self, call: "PendingCall") -> None:
        self.terminal.forget_typed()
        show_call(self.terminal, call, self.language)
        decision, reason = self._answer()
        outcome = self.services.execution.decide(
            self.owner_id,
            call.run_id,
            call.call_id,
            decision,
            reason,
            shown=call.fingerprint if decision == "approved" else None,
        )
        if outcome.is_stale:
            # The call is among those that wait still, with the effect that it has now.
            self.terminal.say(translate("cli.call_changed", self.language), "yellow")
        elif not outcome.won:
            self.terminal.say(_lost_text(outcome, self.language), "yellow")

    def _answer_all(self, session_id: str, run_id: str) -> None:
        """Answer what roles ask; the log has shown the questions."""
        while True:
            pending = self.services.execution.pending_questions(self.owner_id, session_id)
            waiting = [asked for asked in pending if asked.run_id == run_id]
            if not waiting:
                return
            asked = waiting[0]
            self.terminal.forget_typed()
            typed = self.terminal.ask(translate("cli.answer", self.language))
            answer = chosen_answer(typed or "", asked.choices)
            try:
                won = self.services.execution.answer_question(
                    self.owner_id, run_id, asked.call_id, answer
                )
            except (RunIsOver, NotFound) as error:
                self.terminal.say(error_sentence(error, self.language), "yellow")
                return
            if not won:
                self.terminal.say(translate("cli.answered_before", self.language), "yellow")

    def _answer(self) -> tuple[Decision, str]:
        """The person's word; where nobody answers, nothing risky happens."""
        while True:
            answer = self.terminal.ask(translate("cli.approve", self.language))
            if answer is None:
                return "rejected", translate("cli.nobody_there", self.language)
            word = answer.strip().lower()
            if word in YES:
                return "approved", ""
            if word in NO:
                reason = self.terminal.ask(translate("cli.reason", self.language))
                return "rejected", (reason or "").strip()
            self.terminal.say(translate("cli.y_or_n", self.language), "yellow")


def chosen_answer(typed: str, choices: Sequence[str]) -> str:
    """What was typed, or the choice of that number; empty leaves the question open."""
    text = typed.strip()
    if text.isdecimal() and 1 <= int(text) <= len(choices):
        return choices[int(text) - 1]
    return text


def _lost_text(outcome: "DecisionOutcome", language: Language) -> str:
    if not outcome.decided_by:
        return translate("approval.lost_expired", language)
    decided = translate(f"approval.decision_{outcome.decision}", language)
    return translate("approval.lost", language, decision=decided, name=outcome.decided_by)


def error_sentence(error: MeetMindError, language: Language) -> str:
    """What a person reads of an error; the English sentence where the catalogue has none."""
    if isinstance(error, ArgumentsRefused):
        return refused_text(error.details, language)
    key = f"error.{error.code}"
    if has_text(key):
        return translate(key, language, **error.details)
    return str(error)
