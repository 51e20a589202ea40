"""What waits for a click, what was decided before, and what a person allows beyond one call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from psycopg_pool import ConnectionPool

from meetmind.database import approvals, past_calls, tool_executions, tool_grants
from meetmind.database.past_calls import PastCallRow, PastFilter
from meetmind.database.sessions import list_sessions
from meetmind.database.tool_executions import ToolExecutionRow
from meetmind.database.tool_grants import GrantRow

# Pages know the server's modules only, so these rows pass through here.
__all__ = [
    "PAGE_OF_HISTORY",
    "Approvals",
    "DecisionOutcome",
    "GrantRow",
    "PastCallRow",
    "PastFilter",
    "PendingCall",
]

PAGE_OF_HISTORY = 20


@dataclass(frozen=True, kw_only=True)
class PendingCall:
    """A tool call that waits for a click, with everything that it would do."""

    run_id: str
    session_id: str
    session_title: str
    call_id: str
    agent_name: str
    tool: str
    risk: str
    arguments: Mapping[str, Any]
    reason: str
    preview: str
    asked_again: str
    """Why it waits once more: file_changed, permission_ended or unsure; '' = for the first time."""
    requested_at: datetime
    expires_at: datetime | None
    fingerprint: str
    """Of the card: an approval holds for the call as it was shown, not for what it became since."""


def card_fingerprint(row: ToolExecutionRow) -> str:
    """What changes whenever the call, or what it would do, becomes another one."""
    return f"{row.pending_since.isoformat()} {row.arguments_sha256}"


@dataclass(frozen=True, kw_only=True)
class DecisionOutcome:
    """Whether this decision was the first, and what holds now."""

    won: bool
    decision: str
    decided_by: str
    """Empty when the time ran out before."""
    is_stale: bool = False
    """The effect is no longer the one that was shown: nothing was decided, the card is new."""


class Approvals:
    """Reads the ledger for people; deciding is the executor's, since a run goes on from it."""

    def __init__(self, pool: ConnectionPool, expires_minutes: float | None = None) -> None:
        self._pool = pool
        self._expires_after = None
        if expires_minutes is not None:
            self._expires_after = timedelta(minutes=expires_minutes)

    def pending_calls(self, owner_id: str, session_id: str | None = None) -> list[PendingCall]:
        """The owner's calls that wait, oldest first."""
        rows = approvals.list_pending(self._pool, owner_id=owner_id, session_id=session_id)
        if not rows:
            return []
        title_by_id = {row.id: row.title for row in list_sessions(self._pool, owner_id=owner_id)}
        return [self._pending(row, title_by_id.get(row.session_id, "")) for row in rows]

    def count_pending(self, owner_id: str) -> int:
        """How many of the owner's calls wait."""
        return approvals.count_pending(self._pool, owner_id=owner_id)

    def past_calls(
        self, owner_id: str, wanted: PastFilter, page: int = 0
    ) -> tuple[list[PastCallRow], int]:
        """One page of the owner's past calls, newest first, and how many there are in all."""
        return past_calls.list_past(
            self._pool,
            owner_id=owner_id,
            wanted=wanted,
            offset=page * PAGE_OF_HISTORY,
            limit=PAGE_OF_HISTORY,
        )

    def past_tools(self, owner_id: str) -> list[str]:
        """The tools in the owner's history, by name."""
        return past_calls.list_tools(self._pool, owner_id=owner_id)

    def grants(self, owner_id: str, session_id: str | None = None) -> list[GrantRow]:
        """What the owner allows beyond one call, oldest first."""
        return tool_grants.list_grants(self._pool, owner_id=owner_id, session_id=session_id)

    def revoke_grant(self, owner_id: str, grant_id: str) -> None:
        """End a permission; raises `NotFound` when there is none any more."""
        tool_grants.revoke_grant(self._pool, owner_id=owner_id, grant_id=grant_id)

    def any_decided(self, run_id: str, call_ids: Sequence[str]) -> bool:
        """Whether one of these calls is no longer pending."""
        for call_id in call_ids:
            call = tool_executions.get_call(self._pool, run_id=run_id, call_id=call_id)
            if call is not None and call.status != "pending":
                return True
        return False

    def _pending(self, row: ToolExecutionRow, session_title: str) -> PendingCall:
        expires_at = None
        if self._expires_after is not None:
            expires_at = row.pending_since + self._expires_after
        return PendingCall(
            run_id=row.run_id,
            session_id=row.session_id,
            session_title=session_title,
            call_id=row.call_id,
            agent_name=row.agent_name,
            tool=row.tool,
            risk=row.risk,
            arguments=row.arguments,
            reason=row.reason,
            preview=row.preview,
            asked_again=row.asked_again,
            requested_at=row.requested_at,
            expires_at=expires_at,
            fingerprint=card_fingerprint(row),
        )
