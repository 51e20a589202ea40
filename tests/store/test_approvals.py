"""Decisions in the ledger: first word, changed arguments, permissions, expiry, history."""

from collections.abc import Sequence
from typing import Any

import pytest
from psycopg_pool import ConnectionPool

from meetmind.database import approvals, past_calls, tool_executions, tool_grants
from meetmind.database.approvals import ChangedCall, Verdict
from meetmind.database.past_calls import PastCallRow, PastFilter
from meetmind.database.run_events import payloads_of_kind
from meetmind.database.tool_executions import CallFacts, ToolExecutionRow
from meetmind.errors import NotFound, RunIsOver
from meetmind.events import Risk, RunEnded, ToolFinished, ToolRequested
from meetmind.server.accounts import Accounts
from tests.support.open_run import open_run
from tests.support.stored_run import store_event

UTTERANCE = "run.0.architect"


class Ledger:
    """One person's run with calls in it."""

    def __init__(self, pool: ConnectionPool) -> None:
        self.pool = pool
        accounts = Accounts(pool)
        accounts.ensure_first_account()
        self.owner_id = accounts.sign_in("admin", "admin").id
        self.session_id, self.run_id, self.epoch = open_run(pool, self.owner_id)

    def ask(
        self,
        call_id: str,
        tool: str = "Write",
        risk: Risk = "high",
        arguments: dict[str, Any] | None = None,
        **facts: Any,
    ) -> None:
        request = ToolRequested(
            utterance_id=UTTERANCE,
            agent_name="architect",
            call_id=call_id,
            tool=tool,
            risk=risk,
            arguments=arguments or {"path": "a.md", "content": "x"},
            verdict="allowed" if "grant_id" in facts else "asked",
            reason="to keep it",
            preview="+x",
        )
        tool_executions.record_request(
            self.pool,
            run_id=self.run_id,
            epoch=self.epoch,
            request=request,
            status="approved" if "grant_id" in facts else "pending",
            facts=CallFacts(arguments_sha256="0" * 64, target="a.md", **facts),
        )

    def decide(self, call_id: str, verdict: Verdict | None = None, **details: Any) -> bool:
        if verdict is None:
            details.setdefault("decision", "approved")
            verdict = Verdict(decider_id=self.owner_id, **details)
        return approvals.decide_call(
            self.pool, run_id=self.run_id, call_id=call_id, verdict=verdict
        )

    def row(self, call_id: str) -> ToolExecutionRow:
        found = tool_executions.get_call(self.pool, run_id=self.run_id, call_id=call_id)
        assert found is not None
        return found

    def claim(self, call_id: str) -> bool:
        return tool_executions.claim_call(
            self.pool,
            run_id=self.run_id,
            epoch=self.epoch,
            call_id=call_id,
            arguments_sha256=self.row(call_id).arguments_sha256,
        )

    def finish(self, call_id: str, result: dict[str, Any]) -> None:
        event = ToolFinished(
            utterance_id=UTTERANCE, call_id=call_id, tool="Write", status="ok", summary="a.md"
        )
        tool_executions.finish_call(
            self.pool,
            run_id=self.run_id,
            epoch=self.epoch,
            status="finished",
            result=result,
            event=event,
        )

    def events(self, kind: str) -> list[dict[str, Any]]:
        return list(payloads_of_kind(self.pool, run_id=self.run_id, kind=kind))

    def history(self, **wanted: Any) -> Sequence[PastCallRow]:
        rows, count = past_calls.list_past(
            self.pool, owner_id=self.owner_id, wanted=PastFilter(**wanted), offset=0, limit=10
        )
        assert count == len(rows)
        return rows


@pytest.fixture
def ledger(pool: ConnectionPool) -> Ledger:
    return Ledger(pool)


def test_the_second_decision_changes_nothing(ledger: Ledger) -> None:
    ledger.ask("c1")
    assert ledger.decide("c1", decision="rejected", reason="no")
    assert not ledger.decide("c1")
    row = ledger.row("c1")
    assert (row.status, row.decision_reason, row.decided_how) == ("rejected", "no", "person")
    assert len(ledger.events("tool_decided")) == 1


def test_changed_arguments_take_the_place_of_those_that_were_asked_for(ledger: Ledger) -> None:
    ledger.ask("c1")
    changed = ChangedCall(
        arguments={"path": "b.md", "content": "y"},
        arguments_sha256="1" * 64,
        risk="high",
        target="b.md",
        preview="+y",
        sha256_before="",
        sha256_after="2" * 64,
    )
    assert ledger.decide("c1", changed=changed)
    row = ledger.row("c1")
    assert (row.arguments, row.preview, row.target) == (changed.arguments, "+y", "b.md")
    (decided,) = ledger.events("tool_decided")
    assert decided["arguments"] == {"path": "b.md", "content": "y"}
    (past,) = ledger.history()
    assert past.proposed_arguments == {"path": "a.md", "content": "x"}


def test_a_lost_decision_changes_no_arguments(ledger: Ledger) -> None:
    ledger.ask("c1")
    ledger.decide("c1", decision="rejected")
    changed = ChangedCall(
        arguments={"path": "b.md"},
        arguments_sha256="1" * 64,
        risk="high",
        target="b.md",
        preview="",
        sha256_before=None,
        sha256_after=None,
    )
    assert not ledger.decide("c1", changed=changed)
    assert ledger.row("c1").arguments["path"] == "a.md"


def test_a_permission_lets_calls_pass_and_is_counted(ledger: Ledger) -> None:
    ledger.ask("c1", "Edit", "medium")
    assert ledger.decide("c1", grants_scope="")
    (grant,) = tool_grants.list_grants(ledger.pool, owner_id=ledger.owner_id)
    assert (grant.tool, grant.scope, grant.used) == ("Edit", "", 0)
    ledger.ask("c2", "Edit", "medium", grant_id=grant.id)
    row = ledger.row("c2")
    assert (row.status, row.decided_how, row.decided_by_name) == ("approved", "grant", "admin")
    (grant,) = tool_grants.list_grants(ledger.pool, owner_id=ledger.owner_id)
    assert grant.used == 1


def test_giving_a_permission_twice_is_once(ledger: Ledger) -> None:
    for call_id in ("c1", "c2"):
        ledger.ask(call_id, "Edit", "medium")
        ledger.decide(call_id, grants_scope="")
    assert len(tool_grants.list_grants(ledger.pool, owner_id=ledger.owner_id)) == 1


def test_a_permission_that_was_taken_back_lets_nothing_pass(ledger: Ledger) -> None:
    ledger.ask("c1", "Edit", "medium")
    ledger.decide("c1", grants_scope="")
    (grant,) = tool_grants.list_grants(ledger.pool, owner_id=ledger.owner_id)
    ledger.ask("c2", "Edit", "medium", grant_id=grant.id)
    tool_grants.revoke_grant(ledger.pool, owner_id=ledger.owner_id, grant_id=grant.id)
    assert ledger.row("c2").status == "pending"
    assert not ledger.claim("c2")
    assert [event["why"] for event in ledger.events("tool_asked_again")] == ["permission_ended"]
    # What was judged with the permission in hand, and written down after its end, waits too.
    ledger.ask("c3", "Edit", "medium", grant_id=grant.id)
    assert ledger.row("c3").status == "pending"
    with pytest.raises(NotFound):
        tool_grants.revoke_grant(ledger.pool, owner_id=ledger.owner_id, grant_id=grant.id)


def test_a_call_that_runs_already_is_not_asked_about_again(ledger: Ledger) -> None:
    ledger.ask("c1", "Edit", "medium")
    ledger.decide("c1", grants_scope="")
    (grant,) = tool_grants.list_grants(ledger.pool, owner_id=ledger.owner_id)
    ledger.ask("c2", "Edit", "medium", grant_id=grant.id)
    assert ledger.claim("c2")
    tool_grants.revoke_grant(ledger.pool, owner_id=ledger.owner_id, grant_id=grant.id)
    assert ledger.row("c2").status == "started"


def test_somebody_elses_permissions_and_calls_stay_out_of_reach(ledger: Ledger) -> None:
    stranger = Accounts(ledger.pool).local_person()
    ledger.ask("c1", "Edit", "medium")
    with pytest.raises(NotFound):
        ledger.decide("c1", Verdict(decider_id=stranger.id, decision="approved"))
    ledger.decide("c1", grants_scope="")
    (grant,) = tool_grants.list_grants(ledger.pool, owner_id=ledger.owner_id)
    assert tool_grants.list_grants(ledger.pool, owner_id=stranger.id) == []
    with pytest.raises(NotFound):
        tool_grants.revoke_grant(ledger.pool, owner_id=stranger.id, grant_id=grant.id)
    rows, count = past_calls.list_past(
        ledger.pool, owner_id=stranger.id, wanted=PastFilter(), offset=0, limit=10
    )
    assert (rows, count) == ([], 0)
    assert approvals.count_pending(ledger.pool, owner_id=stranger.id) == 0


def test_what_waits_too_long_is_rejected_and_told(ledger: Ledger) -> None:
    ledger.ask("c1")
    assert approvals.expire_calls(ledger.pool, seconds=3600) == []
    expired = approvals.expire_calls(ledger.pool, seconds=0)
    assert [(call.run_id, call.call_id) for call in expired] == [(ledger.run_id, "c1")]
    row = ledger.row("c1")
    assert (row.status, row.decided_how, row.decided_by_name) == ("rejected", "expiry", None)
    (decided,) = ledger.events("tool_decided")
    assert (decided["how"], decided["decided_by"]) == ("expiry", "")
    assert not ledger.decide("c1")


def test_a_run_that_is_over_takes_no_decision(ledger: Ledger) -> None:
    ledger.ask("c1")
    end = RunEnded(status="stopped", reason="stopped_by_person")
    store_event(ledger.pool, ledger.run_id, ledger.epoch, end)
    with pytest.raises(RunIsOver):
        ledger.decide("c1")
    assert approvals.count_pending(ledger.pool, owner_id=ledger.owner_id) == 0
    assert approvals.expire_calls(ledger.pool, seconds=0) == []


def test_the_history_tells_what_was_asked_decided_and_run(ledger: Ledger) -> None:
    ledger.ask("c1")
    ledger.ask("c2")
    ledger.ask("c3", "rag_search", "low", {"query": "q"})
    ledger.decide("c1")
    ledger.claim("c1")
    ledger.finish("c1", {"tool": "Write", "status": "ok"})
    ledger.decide("c2", decision="rejected", reason="too early")
    rejected, ran = ledger.history()
    assert (rejected.call_id, rejected.status, rejected.decision_reason) == (
        "c2",
        "rejected",
        "too early",
    )
    assert (ran.call_id, ran.status, ran.session_title) == ("c1", "finished", "Refunds")
    expected = tool_executions.result_sha256({"status": "ok", "tool": "Write"})
    assert ran.result_sha256 == expected
    assert [row.call_id for row in ledger.history(outcome="approved")] == ["c1"]
    assert [row.call_id for row in ledger.history(outcome="rejected")] == ["c2"]
    assert ledger.history(tool="Edit") == []


def test_a_call_that_is_asked_again_forgets_its_decision(ledger: Ledger) -> None:
    ledger.ask("c1", sha256_before="", sha256_after="1" * 64)
    ledger.decide("c1")
    event = tool_executions.ToolAskedAgain(call_id="c1", preview="+y")
    changed = tool_executions.ask_again(
        ledger.pool,
        run_id=ledger.run_id,
        call_id="c1",
        epoch=ledger.epoch,
        event=event,
        sha256_before="3" * 64,
        sha256_after="4" * 64,
    )
    row = ledger.row("c1")
    assert changed
    assert (row.status, row.asked_again, row.preview) == ("pending", "file_changed", "+y")
    assert (row.target_sha256_before, row.decided_by_name) == ("3" * 64, None)
