"""Decisions about waiting tool calls: the first one wins, later ones are told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg_pool import ConnectionPool

from meetmind.clean_text import clean_bad_chars
from meetmind.database import run_events, tool_executions
from meetmind.events import Decision

REASON_CHARACTERS = 2000


@dataclass(frozen=True, kw_only=True)
class PendingCall:
    """A tool call that waits for a click, with everything that it would do."""

    run_id: str
    session_id: str
    call_id: str
    agent_name: str
    tool: str
    risk: str
    arguments: Mapping[str, Any]
    reason: str
    preview: str
    requested_at: datetime


@dataclass(frozen=True, kw_only=True)
class DecisionOutcome:
    """Whether this decision was the first, and what holds now."""

    won: bool
    decision: str
    decided_by: str


class Approvals:
    """Reads and decides the ledger's pending calls."""

    def __init__(self, pool: ConnectionPool) -> None:
        self._pool = pool

    def decide(
        self, owner_id: str, run_id: str, call_id: str, decision: Decision, reason: str
    ) -> DecisionOutcome:
        """Decide one call; raises `NotFound` and `RunIsOver`."""
        won = tool_executions.decide_call(
            self._pool,
            decider_id=owner_id,
            run_id=run_id,
            call_id=call_id,
            decision=decision,
            reason=clean_bad_chars(reason).strip()[:REASON_CHARACTERS],
        )
        call = tool_executions.get_call(self._pool, run_id=run_id, call_id=call_id)
        assert call is not None
        decided = "rejected" if call.status == "rejected" else "approved"
        return DecisionOutcome(won=won, decision=decided, decided_by=call.decided_by_name or "")

    def pending_calls(self, owner_id: str, session_id: str | None) -> list[PendingCall]:
        """The owner's calls that wait, oldest first."""
        waiting = []
        for row in tool_executions.list_pending(
            self._pool, owner_id=owner_id, session_id=session_id
        ):
            waiting.append(
                PendingCall(
                    run_id=row.run_id,
                    session_id=row.session_id,
                    call_id=row.call_id,
                    agent_name=row.agent_name,
                    tool=row.tool,
                    risk=row.risk,
                    arguments=row.arguments,
                    reason=row.reason,
                    preview=self._preview(row.run_id, row.call_id),
                    requested_at=row.requested_at,
                )
            )
        return waiting

    def any_decided(self, run_id: str, call_ids: Sequence[str]) -> bool:
        """Whether one of these calls is no longer pending."""
        for call_id in call_ids:
            call = tool_executions.get_call(self._pool, run_id=run_id, call_id=call_id)
            if call is not None and call.status != "pending":
                return True
        return False

    def _preview(self, run_id: str, call_id: str) -> str:
        for payload in run_events.payloads_of_kind(
            self._pool, run_id=run_id, kind="tool_requested"
        ):
            if payload["call_id"] == call_id:
                return str(payload["preview"])
        return ""
